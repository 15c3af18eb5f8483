"""Closed shadow roots: the browser passes them to the page scripts, so that they are searched like open ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from websp_gym.browser.isolated import Frame

MAX_ROOTS = 50
"""Maximum number of closed shadow roots to open at once; only hostile pages have more."""


def reveal_shadows(frame: Frame) -> bool:
    """Pass the closed shadow roots of the last survey's suspects to a frame's page scripts.

    Returns whether there were any: the frame should then be surveyed again. The page notices nothing.
    """
    roots = [node["shadowRoot"]["value"] for node in frame.nodes("suspects") if node.get("shadowRoot")]
    closed = [root["backendNodeId"] for root in roots if root["mode"] == "closed"]
    for node in closed[:MAX_ROOTS]:
        frame.give("reveal", node)
    return bool(closed)
