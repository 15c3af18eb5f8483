"""The decision during an everyday task: what a page asks, and the visitor's choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse, Response

from .pages import NO_STORE
from .request_fields import read_json

if TYPE_CHECKING:
    from websp_gym.sandbox.schema.site import SiteSchema

    from .episode import EpisodeState
    from .site_request import SiteRequest

DECISION = "/_decision"
"""The path to which a page sends the choice."""


async def take_decision(request: SiteRequest, site: SiteSchema, episode: EpisodeState) -> Response:
    """Record a visitor's choice; the pages stop asking.

    Args:
        request: A request with the JSON body ``{"choice": label, "boxes": [labels of the ticked ones]}``.
        site: The site.
        episode: The episode, which has something staged.

    Raises:
        ValueError: The choice cannot be parsed or was not offered; nothing changed.
    """
    body = read_json(await request.body())
    boxes = body.get("boxes", [])
    if not isinstance(boxes, list) or episode.staged is None:
        raise ValueError("boxes: give the labels of the ticked boxes")
    agreed, refused = episode.staged.decide(str(body.get("choice")), [str(box) for box in boxes])
    episode.log(site, "decided", choice=str(body["choice"]), agreed=agreed, refused=refused)
    return JSONResponse({}, headers=NO_STORE)
