"""Carries out a parsed action on the page.

Every action either does what it says or raises :class:`ActionError` having changed nothing. Elements are
addressed by the marks of the last observation; where a click lands is worked out by the page itself at the
moment of the click, so an element that moved is still hit and one that is covered is reported, not missed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions import scrolling
from websp_gym.actions.grammar import Action
from websp_gym.actions.target import Target
from websp_gym.browser.settle import settle
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs
    from websp_gym.observation.marks import Marks

GOOGLE = "https://www.google.com/"
WAIT_SECONDS = 5.0
_WAIT_QUIET_MS = 500
_NAVIGATION_MS = 10_000


def perform(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Carries out one action; the caller lets the page settle afterwards.

    Args:
        action: Any action but ``ANSWER``, which is the environment's business.
        tabs: The browser's open tabs; the action may change which one is current.
        marks: The marks of the observation the action refers to.

    Raises:
        ActionError: It could not be done; nothing was changed.
        playwright.sync_api.Error: The browser or the page died.
    """
    try:
        _PERFORMERS[action.kind](action, tabs, marks)
    except PlaywrightError as error:
        if not tabs.alive:
            raise
        raise ActionError(f"{action.kind} failed: {_first_line(error)}", action=action) from error


def _click(action: Action, tabs: Tabs, marks: Marks) -> None:
    target = _target(action, marks)
    press = target.ask("press")
    x, y = target.on_page(press)
    page = target.page
    try:
        # In a list of several choices a plain click would take back the others.
        with _held(page, "Control") if press.get("toggles") else nullcontext():
            page.mouse.click(x, y)
    except PlaywrightError:
        # A popup's "Close" button does just this.
        if not page.is_closed():
            raise


@contextmanager
def _held(page: Page, key: str) -> Iterator[None]:
    page.keyboard.down(key)
    try:
        yield
    finally:
        page.keyboard.up(key)


def _hover(action: Action, tabs: Tabs, marks: Marks) -> None:
    target = _target(action, marks)
    x, y = target.on_page(target.ask("reach"))
    target.page.mouse.move(x, y)


def _type(action: Action, tabs: Tabs, marks: Marks) -> None:
    target = _target(action, marks)
    text = action.text or ""
    way = target.ask("typing", text)
    x, y = target.on_page(target.ask("reach"))
    if way["how"] == "set":
        target.ask("fillIn", text)
        return
    target.page.mouse.click(x, y)
    if not target.ask("focusOn"):
        raise ActionError(
            f"[{target.mark.number}] does not take the cursor; nothing was typed", action=action
        )
    keyboard = target.page.keyboard
    if not text:
        keyboard.press("Delete")
        return
    # All at once but for the last character: pages that listen for keys hear one.
    keyboard.insert_text(text[:-1])
    if text[-1] == "\n":
        keyboard.insert_text(text[-1])
    else:
        keyboard.type(text[-1])


def _scroll(action: Action, tabs: Tabs, marks: Marks) -> None:
    direction = action.direction or "down"
    if action.number is None:
        scrolling.scroll_window(tabs.current, direction)
    else:
        scrolling.scroll_around(_target(action, marks), direction)


def _scroll_to_end(action: Action, tabs: Tabs, marks: Marks) -> None:
    scrolling.scroll_to_end(tabs.current)


def _scroll_within_popup(action: Action, tabs: Tabs, marks: Marks) -> None:
    scrolling.scroll_popup(tabs.current, action.direction or "down")


def _switch_tab(action: Action, tabs: Tabs, marks: Marks) -> None:
    tabs.switch_to(action.text or "")


def _wait(action: Action, tabs: Tabs, marks: Marks) -> None:
    settle(tabs, cap=WAIT_SECONDS, quiet_ms=_WAIT_QUIET_MS, patience=WAIT_SECONDS)


def _go_back(action: Action, tabs: Tabs, marks: Marks) -> None:
    if tabs.previous_url() is None:
        raise ActionError("there is no previous page in this tab to go back to", action=action)
    tabs.current.go_back(wait_until="commit", timeout=_NAVIGATION_MS)


def _google(action: Action, tabs: Tabs, marks: Marks) -> None:
    tabs.current.goto(GOOGLE, wait_until="commit", timeout=_NAVIGATION_MS)


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


def _target(action: Action, marks: Marks) -> Target:
    return Target(marks, marks[action.number if action.number is not None else -1])


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0].split("Call log:", 1)[0].strip()
