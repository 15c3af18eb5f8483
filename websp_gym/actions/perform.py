"""Carries out a parsed action on the page.

Every action either does what it says or raises :class:`ActionError` having changed nothing. Elements are
addressed by the marks of the last observation; where a click lands is worked out by the page itself at the
moment of the click, so an element that moved is still hit and one that is covered is reported, not missed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions.grammar import Action, Direction
from websp_gym.browser.settle import settle
from websp_gym.errors import ActionError
from websp_gym.observation.marks import Mark, Marks, to_page

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle, Frame

    from websp_gym.browser.tabs import Tabs

GOOGLE = "https://www.google.com/"
SCROLL_FRACTION = 2 / 3
"""How far one scroll goes, as a share of the window or box (paper, appendix E.1)."""
WAIT_SECONDS = 5.0
_TIMEOUT_MS = 2_000
_TYPED = ("text", "search", "email", "url", "tel", "password", "number", "textarea")
_PICKED = ("date", "time", "datetime-local", "month", "week")
_STEP: dict[Direction, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


def perform(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Carries out one action; the caller lets the page settle afterwards.

    Args:
        action: Any action but ``ANSWER``, which is the environment's business.
        tabs: The browser's open tabs; the action may change which one is current.
        marks: The marks of the observation the action refers to.

    Raises:
        ActionError: It could not be done; nothing was changed.
    """
    try:
        _PERFORMERS[action.kind](action, tabs, marks)
    except PlaywrightError as error:
        if not tabs.alive:
            raise
        raise ActionError(f"{action.kind} failed: {_first_line(error)}", action=action) from error


def click_mark(tabs: Tabs, marks: Marks, mark: Mark) -> None:
    """Clicks an element; a dropdown opens in the page instead of as a window no screenshot shows.

    Args:
        tabs: The browser's open tabs.
        marks: The marks the element belongs to.
        mark: The element's mark.
    """
    if mark.disabled:
        raise ActionError(f"[{mark.number}] is disabled; nothing was clicked", mark=mark.number)
    if mark.tag == "select":
        marks.frames[mark.frame].evaluate("index => __websp.openPicker(index)", mark.index)
    x, y = _point(marks, mark)
    tabs.current.mouse.click(x, y)


def _click(action: Action, tabs: Tabs, marks: Marks) -> None:
    click_mark(tabs, marks, _mark(action, marks))


def _hover(action: Action, tabs: Tabs, marks: Marks) -> None:
    x, y = _point(marks, _mark(action, marks))
    tabs.current.mouse.move(x, y)


def _type(action: Action, tabs: Tabs, marks: Marks) -> None:
    mark = _mark(action, marks)
    text = action.text or ""
    if mark.disabled:
        raise ActionError(f"[{mark.number}] is disabled; nothing was typed", mark=mark.number)
    element = _element(marks, mark)
    if mark.tag == "select":
        _choose(element, mark, text)
    elif mark.type == "range":
        element.evaluate(_SET_RANGE, text)
    elif mark.tag in ("input", "textarea") and (mark.type or "text") not in _TYPED + _PICKED:
        raise ActionError(
            f"[{mark.number}] is a {mark.type}, not a text field; click it instead", mark=mark.number
        )
    else:
        _fill(element, mark, text)


def _fill(element: ElementHandle, mark: Mark, text: str) -> None:
    try:
        element.fill(text, timeout=_TIMEOUT_MS)
    except PlaywrightError as error:
        reason = _first_line(error)
        if "Malformed value" in reason:
            example = {"date": "2026-01-31", "time": "14:05", "month": "2026-01", "week": "2026-W05"}
            reason = f"{text!r} is no {mark.type}; write it like {example.get(mark.type, '2026-01-31T14:05')}"
        elif "Cannot type text into input[type=number]" in reason:
            reason = f"{text!r} is not a number"
        elif "is not an <input>" in reason:
            reason = "it is not a text field"
        raise ActionError(f"could not type into [{mark.number}]: {reason}", mark=mark.number) from error


def _choose(element: ElementHandle, mark: Mark, text: str) -> None:
    options: list[str] = element.evaluate("e => [...e.options].map(o => o.label.trim())")
    wanted = [label for label in options if label.lower() == text.strip().lower()]
    if len(wanted) != 1:
        raise ActionError(
            f"[{mark.number}] has no single option {text!r}; its options: {', '.join(options[:20])}",
            mark=mark.number,
        )
    element.select_option(label=wanted[0], timeout=_TIMEOUT_MS)


def _scroll(action: Action, tabs: Tabs, marks: Marks) -> None:
    direction = action.direction or "down"
    if action.number is not None:
        mark = _mark(action, marks)
        frame = marks.frames[mark.frame]
        result = frame.evaluate(
            "([index, direction, part]) => __websp.scrollElement(index, direction, part)",
            [mark.index, direction, SCROLL_FRACTION],
        )
    else:
        result = _scroll_at_centre(tabs, direction)
    _report_scroll(result, direction)


def _scroll_at_centre(tabs: Tabs, direction: Direction) -> Any:
    size = tabs.current.viewport_size or {"width": 1280, "height": 1024}
    x, y = size["width"] / 2, size["height"] / 2
    dx = _STEP[direction][0] * size["width"] * SCROLL_FRACTION
    dy = _STEP[direction][1] * size["height"] * SCROLL_FRACTION
    return _main(tabs).evaluate(
        "([x, y, dx, dy]) => __websp.scrollAt(x, y, dx, dy)", [x, y, round(dx), round(dy)]
    )


def _scroll_to_end(action: Action, tabs: Tabs, marks: Marks) -> None:
    _report_scroll(_main(tabs).evaluate("() => __websp.scrollToEnd()"), "down")


def _scroll_within_popup(action: Action, tabs: Tabs, marks: Marks) -> None:
    direction = action.direction or "down"
    script = "([direction, part]) => __websp.scrollPopup(direction, part)"
    results = [frame.evaluate(script, [direction, SCROLL_FRACTION]) for frame in _live_frames(tabs)]
    moved = [result for result in results if result["moved"]]
    _report_scroll(moved[0] if moved else results[0], direction)


def _report_scroll(result: Any, direction: str) -> None:
    if not result["moved"]:
        raise ActionError(f"nothing scrolled {direction}: {result['what']}", what=result["what"])


def _switch_tab(action: Action, tabs: Tabs, marks: Marks) -> None:
    tabs.switch_to(action.text or "")


def _wait(action: Action, tabs: Tabs, marks: Marks) -> None:
    settle(tabs, cap=WAIT_SECONDS, quiet_ms=500)


def _go_back(action: Action, tabs: Tabs, marks: Marks) -> None:
    if tabs.current.go_back(wait_until="commit", timeout=10_000) is None and not tabs.went_back():
        raise ActionError("there is no previous page to go back to")


def _google(action: Action, tabs: Tabs, marks: Marks) -> None:
    tabs.current.goto(GOOGLE, wait_until="commit", timeout=10_000)


_PERFORMERS: dict[str, Callable[[Action, Tabs, Marks], None]] = {
    "Click": _click,
    "Hover": _hover,
    "Type": _type,
    "Scroll": _scroll,
    "Scroll_to_end": _scroll_to_end,
    "Scroll_within_popup": _scroll_within_popup,
    "Switch_tab": _switch_tab,
    "Wait": _wait,
    "GoBack": _go_back,
    "Google": _google,
}

_SET_RANGE = """(element, text) => {
  if (text.trim() === "" || Number.isNaN(Number(text))) throw new Error(`"${text}" is not a number`);
  element.value = text;
  element.dispatchEvent(new Event("input", {bubbles: true}));
  element.dispatchEvent(new Event("change", {bubbles: true}));
}"""


def _mark(action: Action, marks: Marks) -> Mark:
    return marks[action.number if action.number is not None else -1]


def _point(marks: Marks, mark: Mark) -> tuple[float, float]:
    frame = marks.frames[mark.frame]
    point = frame.evaluate("index => __websp.point(index)", mark.index)
    if "error" in point:
        raise ActionError(f"[{mark.number}] cannot be reached: {point['error']}", mark=mark.number)
    return to_page(frame, point["x"], point["y"])


def _element(marks: Marks, mark: Mark) -> ElementHandle:
    handle = marks.frames[mark.frame].evaluate_handle("index => __websp.element(index)", mark.index)
    element = handle.as_element()
    if element is None:
        raise ActionError(f"[{mark.number}] is no longer on the page", mark=mark.number)
    return element


def _main(tabs: Tabs) -> Frame:
    return tabs.current.main_frame


def _live_frames(tabs: Tabs) -> list[Frame]:
    return [frame for frame in tabs.current.frames if not frame.is_detached()]


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0].split("Call log:", 1)[0].strip()
