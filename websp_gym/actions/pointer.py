"""Where the pointer of an agent may go: inside the window, whose picture it has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from playwright.sync_api import Page

_POINTS = {
    **dict.fromkeys(
        ("mouse_move", "mouse_up", "mouse_down", "mouse_click", "mouse_dblclick", "scroll_at"), (("x", "y"),)
    ),
    "mouse_drag_and_drop": (("from_x", "from_y"), ("to_x", "to_y")),
}
"""Names of the coordinates of each BrowserGym call that has some."""


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
