"""Dropdowns that draw their options in the page: the browser's own list is a window, which gets no input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.browser.focus import DEEPEST, ask_at_focus

if TYPE_CHECKING:
    from websp_gym.browser.isolated import Frame, Worlds


def draw_list_at(worlds: Worlds, x: float, y: float) -> Frame:
    """Make the dropdown at a point draw its options in the page when it opens; it keeps its size.

    Args:
        worlds: Isolated worlds of the page.
        x: The point, in CSS pixels of the window.
        y: The same.

    Returns:
        The frame at the point; its ``closePickers`` reverts this once the list is closed.

    Raises:
        playwright.sync_api.Error: The page cannot be asked.
    """
    frame = worlds.main
    for _ in range(DEEPEST):
        deeper = frame.ask("drawPickerAt", x, y)
        child = deeper and frame.child(deeper["iframe"])
        if not child:
            break
        frame, (x, y) = child, deeper["at"]
    return frame


def draw_list_of_focus(worlds: Worlds) -> Frame:
    """Make the dropdown that has the focus draw its options in the page when a key opens it.

    Returns:
        The frame with the focus, as :func:`draw_list_at` does.

    Raises:
        playwright.sync_api.Error: The page cannot be asked.
    """
    return ask_at_focus(worlds, "drawPickerOfFocus")[0]
