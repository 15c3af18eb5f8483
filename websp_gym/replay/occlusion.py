"""Where a point of a frame lies on the page, and what covers it there; ``occlusion.js`` is the other half."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from websp_gym.replay.locate import install

if TYPE_CHECKING:
    from playwright.sync_api import Frame

_THROUGH = "(iframe, at) => __webspReplay.through(iframe, at)"


def point_on_page(frame: Frame, point: dict[str, Any]) -> dict[str, Any]:
    """Return where a point of a frame's viewport lies in the page, every iframe around it scrolled into view.

    Args:
        frame: The frame.
        point: ``x`` and ``y`` in its viewport.

    Returns:
        ``x`` and ``y`` in page pixels, or the ``error`` that says what covers an iframe there.
    """
    while (parent := frame.parent_frame) is not None:
        install(parent)
        point = frame.frame_element().evaluate(_THROUGH, [point["x"], point["y"]])
        if "error" in point:
            return point
        frame = parent
    return point
