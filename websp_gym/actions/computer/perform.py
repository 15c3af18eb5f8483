"""Carrying out a computer-use action on the current tab."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions.browsergym import check_url, operate
from websp_gym.actions.clipboard import pressing
from websp_gym.actions.computer.pages import NEW
from websp_gym.actions.perform import first_line
from websp_gym.actions.pointer import draw_list_in_page
from websp_gym.actions.scrolling import scroll_window
from websp_gym.actions.webvoyager import NAVIGATION_MS, go_to_previous
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.actions.calls import Call
    from websp_gym.actions.computer.action import ComputerAction, Screen
    from websp_gym.browser.tabs import Tabs

_KEY_SECONDS = 0.005
"""Estimated time of one key or movement on a busy machine."""
_KEYED = 1_000
"""Longest text in characters that is typed key by key; of a longer text, only the last character of each line is."""
_DRAG_STEPS = 5
"""Pointer movements to each point; with fewer, a slider or a list may not follow."""
_UNDOING = ("keyboard_up", "mouse_up")


def perform_computer(
    action: ComputerAction,
    tabs: Tabs,
    screen: Screen,
    *,
    longest: float,
    noting: Callable[[Call], None] = lambda call: None,
) -> str:
    """Carry out a computer-use action.

    Args:
        action: The action.
        tabs: The browser's open tabs.
        screen: What the agent saw; its pointer is kept.
        longest: Maximum seconds that it may take.
        noting: Called with each call before it is made.

    Returns:
        What it returns; empty in a vocabulary whose actions return nothing.

    Raises:
        ActionError: It would take longer, and nothing was done; or it failed, and none of its keys or buttons is
            held.
    """
    takes = sum(map(_seconds, action.calls))
    if takes > longest:
        raise ActionError(
            f"{action.name} would take about {takes:.0f} seconds, and an action may take {longest:.0f}; nothing "
            "was done"
        )
    for name, positional, _ in action.calls:
        if name == "goto":
            check_url(str(positional[0]))
    if not action.free:
        tabs.dialogs.begin_action()
    hand = _Hand(tabs, screen)
    for number, call in enumerate(action.calls):
        try:
            noting(call)
            hand.do(call)
        except BaseException as error:
            hand.release(action.calls[number + 1 :])
            if not isinstance(error, PlaywrightError) or not tabs.alive:
                raise
            if hand.page.is_closed():
                break  # the click or key closed its own tab
            raise _failed(action, error) from error
    if action.told:
        tabs.notices.add(action.told)
    if action.reads is None or screen.pages is None:
        return action.result
    try:
        return screen.pages.read(action.reads, hand.page)
    except PlaywrightError as error:
        if not tabs.alive:
            raise
        raise _failed(action, error) from error


def _failed(action: ComputerAction, error: PlaywrightError) -> ActionError:
    return ActionError(f"{action.name} failed: {first_line(error)}", action=action.name)


def _seconds(call: Call) -> float:
    name, positional, _ = call
    match name:
        case "noop":
            return float(positional[0]) / 1000
        case "keyboard_type":
            text = str(positional[0])
            keys = len(text) if len(text) <= _KEYED else 3 * (text.count("\n") + 1)
            return keys * _KEY_SECONDS
        case "mouse_move":
            return _DRAG_STEPS * _KEY_SECONDS
    return _KEY_SECONDS


class _Hand:
    """Makes the calls of one action, all on the tab that was the current one before or that they switch to."""

    def __init__(self, tabs: Tabs, screen: Screen) -> None:
        self.page: Page = tabs.current
        self._tabs = tabs
        self._screen = screen
        self._presses = False

    def do(self, call: Call) -> None:
        name, positional, named = call
        make: Callable[..., None] = getattr(self, f"_{name}")
        make(*positional, **named)

    def release(self, calls: tuple[Call, ...]) -> None:
        """Release what the calls that are no longer made would have released."""
        for call in calls:
            if call[0] in _UNDOING:
                with contextlib.suppress(PlaywrightError):
                    self.do(call)

    # ---------------------------------------------------------------- mouse
    def _mouse_move(self, x: float, y: float) -> None:
        self._at(x, y)
        self.page.mouse.move(x, y, steps=_DRAG_STEPS if self._presses else 1)

    def _mouse_click(self, x: float, y: float, button: Any = "left", clicks: int = 1) -> None:
        self._at(x, y)
        self._draw_list(x, y, button)
        self.page.mouse.click(x, y, button=button, click_count=clicks)

    def _mouse_dblclick(self, x: float, y: float) -> None:
        self._mouse_click(x, y, clicks=2)

    def _mouse_down(self, x: float, y: float) -> None:
        self._mouse_move(x, y)
        self._draw_list(x, y, "left")
        self.page.mouse.down()
        self._presses = True

    def _mouse_up(self, x: float, y: float) -> None:
        self._mouse_move(x, y)
        self.page.mouse.up()
        self._presses = False

    def _scroll_at(self, x: float, y: float, across: float, down: float) -> None:
        self._mouse_move(x, y)
        self.page.mouse.wheel(across, down)

    def _scroll_window(self, direction: Any) -> None:
        scroll_window(self._tabs, direction)

    def _at(self, x: float, y: float) -> None:
        self._screen.pointer = (x, y)

    def _draw_list(self, x: float, y: float, button: str) -> None:
        draw_list_in_page("mouse_click", {"x": x, "y": y, "button": button}, self.page)

    # ---------------------------------------------------------------- elements
    def _click(self, bid: str, button: Any = "left", clicks: int = 1) -> None:
        draw_list_in_page("click", {"bid": bid, "button": button}, self.page)
        self._operate("click", bid, button=button, click_count=clicks)

    def _hover(self, bid: str) -> None:
        self._operate("hover", bid)

    def _check(self, bid: str) -> None:
        self._operate("check", bid)

    def _uncheck(self, bid: str) -> None:
        self._operate("uncheck", bid)

    def _fill(self, bid: str, value: str) -> None:
        self._operate("fill", bid, value)

    def _scroll_to(self, bid: str) -> None:
        self._operate("scroll_to", bid)

    def _operate(self, how: str, bid: str, *arguments: Any, **named: Any) -> None:
        try:
            operate(self.page, bid, how, *arguments, **named)
        except ValueError as error:
            raise ActionError(f"the element is no longer on the page; {NEW}; nothing was done") from error

    # ---------------------------------------------------------------- keyboard
    def _keyboard_press(self, keys: str) -> None:
        with pressing(keys, self._tabs):
            self.page.keyboard.press(keys)

    def _keyboard_down(self, key: str) -> None:
        self.page.keyboard.down(key)

    def _keyboard_up(self, key: str) -> None:
        self.page.keyboard.up(key)

    def _keyboard_type(self, text: str) -> None:
        keyboard = self.page.keyboard
        text = text.replace("\r\n", "\n")  # one Enter, not two
        if len(text) <= _KEYED:
            keyboard.type(text)
            return
        for number, line in enumerate(text.split("\n")):
            if number:
                keyboard.press("Enter")
            if line:
                keyboard.insert_text(line[:-1])
                keyboard.type(line[-1])

    def _noop(self, milliseconds: float) -> None:
        self.page.wait_for_timeout(milliseconds)

    # ---------------------------------------------------------------- what a window has
    def _goto(self, url: str) -> None:
        self.page.goto(url, wait_until="commit", timeout=NAVIGATION_MS)

    def _go_back(self) -> None:
        go_to_previous(self._tabs)

    def _go_forward(self) -> None:
        if not self._tabs.has_next:
            raise ActionError("there is no next page in this tab to go forward to")
        self.page.go_forward(wait_until="commit", timeout=NAVIGATION_MS)

    def _reload(self) -> None:
        self.page.reload(wait_until="commit", timeout=NAVIGATION_MS)

    def _new_tab(self, told: bool = True) -> None:
        self.page.context.new_page()
        if told:
            self._tabs.notices.add(
                "the new tab is empty, and there is no address bar: open an address with goto"
            )

    def _tab_close(self, index: int | None = None) -> None:
        if len(self._tabs.pages) == 1:
            raise ActionError("it is the only tab; it was not closed")
        (self.page if index is None else self._tabs.pages[index]).close()

    def _tab_focus(self, index: int) -> None:
        pages = self._tabs.pages
        if index >= len(pages):
            raise ActionError(f"there are {len(pages)} tabs; nothing was done")
        self.page = pages[int(index)]
        self._tabs.activate(self.page)

    def _next_tab(self, steps: int) -> None:
        pages = self._tabs.pages
        if len(pages) == 1:
            raise ActionError("there is no other tab; nothing was done")
        self._tabs.activate(pages[(pages.index(self.page) + int(steps)) % len(pages)])
