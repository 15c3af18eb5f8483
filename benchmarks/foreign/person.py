"""A scripted person: finds what to operate by the page's own account, and uses real mouse and keyboard."""

from __future__ import annotations

import time
from dataclasses import dataclass

from playwright.sync_api import ElementHandle, Page
from playwright.sync_api import Error as PlaywrightError

PARTS = {
    "checkbox": "input[type=checkbox], [role=checkbox]",
    "switch": "input[type=checkbox], [role=switch]",
    "radio": "label",
    "select": "[role=combobox]",
    "option": "[role=option]",
    "text": "input, textarea",
    "button": "button",
    "icon": "button",
    "menu": "button",
    "item": "[role=menuitem]",
    "dialog": "button",
    "confirm": "[role=dialog] button",
    "save": "button",
    "tab": "[role=tab]",
    "accordion": "button, [role=button]",
}
"""CSS of what a person operates, by kind; an application may say otherwise."""
_PATIENCE = 6.0
_TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
_TEXT = "el => el.textContent.replace(/\\s+/g, ' ').trim()"

_UNCOVER = """el => {
  const box = el.getBoundingClientRect();
  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  const footer = hit?.closest('footer');
  if (footer && !footer.contains(el)) el.scrollIntoView({block: 'center', behavior: 'instant'});
}"""
"""Scrolls on if a footer that stays at the bottom of the window lies over the element."""


@dataclass(frozen=True)
class Gesture:
    """One thing that a person does.

    Args:
        css: What to operate.
        spot: Key of the control it belongs to; empty for anywhere on the page, as a menu that is a child of the
            body.
        text: Its text, word for word, if several elements fit.
        write: Text that replaces a field's; None for a press.
        hover: Whether the pointer only moves onto it, and nothing is pressed.
    """

    css: str
    spot: str = ""
    text: str = ""
    write: str | None = None
    hover: bool = False


def see(page: Page, gesture: Gesture) -> ElementHandle:
    """Return the one visible element that a gesture means, once it has come and is at rest.

    Raises:
        TimeoutError: It does not come, several fit, or it keeps moving.
    """
    end = time.monotonic() + _PATIENCE
    problem = "it never came"
    while time.monotonic() < end:
        try:
            fitting = _fitting(page, gesture)
            if len(fitting) == 1 and _rests(page, fitting[0]):
                return fitting[0]
            problem = f"{len(fitting)} elements fit" if len(fitting) != 1 else "it keeps moving"
        except PlaywrightError as error:
            problem = error.message
        page.evaluate(_TWO_FRAMES)
    raise TimeoutError(f"{gesture}: {problem}")


def do(page: Page, gesture: Gesture, element: ElementHandle) -> None:
    """Press an element, or write into it."""
    box = element.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.evaluate(_TWO_FRAMES)
    if gesture.hover:
        return
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    if gesture.write is not None:
        page.keyboard.press("Control+A")
        page.keyboard.type(gesture.write)


def _fitting(page: Page, gesture: Gesture) -> list[ElementHandle]:
    within: Page | ElementHandle = page
    if gesture.spot:
        place = page.evaluate_handle("key => globalThis.__foreign?.find(key)", gesture.spot).as_element()
        if place is None:
            return []
        within = place
    seen = [element for element in within.query_selector_all(gesture.css) if element.is_visible()]
    return [element for element in seen if not gesture.text or element.evaluate(_TEXT) == gesture.text]


def _rests(page: Page, element: ElementHandle) -> bool:
    element.scroll_into_view_if_needed(timeout=1_000)
    element.evaluate(_UNCOVER)
    before = element.bounding_box()
    page.evaluate(_TWO_FRAMES)
    return before is not None and element.bounding_box() == before
