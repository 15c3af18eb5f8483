"""Convert a point in a frame to page coordinates, or report what covers it; see ``occlusion.js``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from websp_gym.replay.locate import install

if TYPE_CHECKING:
    from playwright.sync_api import Frame

_THROUGH = "(iframe, at) => __webspReplay.through(iframe, at)"


def point_on_page(frame: Frame, point: dict[str, Any]) -> dict[str, Any]:
    """Convert a point of a frame's viewport to page coordinates, and scroll the iframes around it into view.

    Args:
        frame: The frame.
        point: ``x`` and ``y`` in the frame's viewport, in pixels.

    Returns:
        ``x`` and ``y`` in the page, in pixels; or an ``error`` that names what covers an iframe there.
    """
    while (parent := frame.parent_frame) is not None:
        install(parent)
        point = frame.frame_element().evaluate(_THROUGH, [point["x"], point["y"]])
        if "error" in point:
            return point
        frame = parent
    return point
