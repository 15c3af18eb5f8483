"""The pointer of agents that see a picture: it stays in the window, and what its clicks open is in the page."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.isolated import worlds_of
from websp_gym.browser.pickers import draw_list_at
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.isolated import Worlds

_POINTS = {
    **dict.fromkeys(
        ("mouse_move", "mouse_up", "mouse_down", "mouse_click", "mouse_dblclick", "scroll_at"), (("x", "y"),)
    ),
    "mouse_drag_and_drop": (("from_x", "from_y"), ("to_x", "to_y")),
}
"""Names of the coordinates of each BrowserGym call that has any."""
_PRESSES = ("mouse_down", "mouse_click", "mouse_dblclick")


def refuse_outside(name: str, arguments: dict[str, Any], page: Page) -> None:
    """Raise ActionError if a BrowserGym call points outside the window, where nothing would happen.

    Args:
        name: Name of the call.
        arguments: Its arguments by name; coordinates are in CSS pixels.
        page: The tab that the call is for.
    """
    size = page.viewport_size
    if size is None:
        return
    for across, down in _POINTS.get(name, ()):
        x, y = arguments[across], arguments[down]
        if not (isinstance(x, int | float) and isinstance(y, int | float)):
            continue  # the call itself says so
        if not (0 <= x < size["width"] and 0 <= y < size["height"]):
            raise ActionError(
                f"{name}() points at ({x:g}, {y:g}), outside the window of {size['width']} x {size['height']} "
                "pixels; nothing happened",
                action=name,
            )


def draw_list_in_page(name: str, arguments: dict[str, Any], page: Page) -> None:
    """Make the dropdown that a BrowserGym call is about to open draw its options in the page.

    The browser's own list is in the picture too, but gets no clicks.
    """
    if arguments.get("button", "left") != "left":
        return
    # A page that cannot be asked is clicked as it is.
    with contextlib.suppress(PlaywrightError):
        if name in _PRESSES:
            draw_list_at(worlds_of(page), arguments["x"], arguments["y"])
        elif name == "click":
            _draw_of(worlds_of(page), str(arguments["bid"]))


def _draw_of(worlds: Worlds, bid: str) -> None:
    # Ids of elements in iframes begin with the letters of these.
    frames = [worlds.main] if bid.isdigit() else worlds.children()
    any(frame.ask("drawPickerOf", bid) for frame in frames)
