"""Comments of other people: those with a word that the account has blocked are kept but not shown."""

from __future__ import annotations

import re

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.request_fields import RefusedError, read_fields
from websp_gym.sandbox.server.site_request import SiteRequest


def routes(site: SiteSchema) -> list[Route]:
    """Return the route at which others comment."""
    return [Route("/api/v1/comments", comment, methods=["POST"])]


async def comment(request: SiteRequest) -> Response:
    """Keep a comment, unless the account takes none or has blocked its writer."""
    episode, fields = request.episode, await read_fields(request)
    sender, text = fields.text("from"), fields.text("text")
    if not sender:
        raise RefusedError(400, "the field from is missing")
    if not episode.get("comments.allowed"):
        raise RefusedError(403, "this account takes no comments")
    if sender in [row["name"] for row in episode.items("blocked_accounts")]:
        raise RefusedError(403, "this account has blocked you")
    words = episode.items("blocked_words") if episode.get("comments.filter_own") else []
    shown = not any(_has(text, row["text"]) for row in words)
    episode.add("received", kind="comment", sender=sender, text=text, shown=shown)
    return JSONResponse({"success": 1, "shown": shown})


def _has(text: str, word: str) -> bool:
    """Return whether a text has a word or phrase, whatever its capitals and spaces."""
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", " ".join(text.lower().split())))
