"""Actions of other people on the account, its name, clips and stories, as far as its privacy settings allow."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.request_fields import RefusedError, read_fields
from websp_gym.sandbox.server.site_request import SiteRequest

API = "/api/v1/"
KINDS = ("whispers", "gifts", "stories/mention", "stories/clips", "stories/reshare")


def routes(site: SiteSchema) -> list[Route]:
    """Return the routes at which others whisper, give subscriptions, and make stories."""
    return [Route(API + kind, receive, methods=["POST"]) for kind in KINDS]


async def receive(request: SiteRequest) -> Response:
    """Keep what somebody sends, unless they are blocked or the account does not allow it."""
    episode, fields = request.episode, await read_fields(request)
    kind, sender = request.url.path.removeprefix(API), fields.text("from").lower()
    if not sender:
        raise RefusedError(400, "the field from is missing")
    followed = {row["channel"] for row in episode.items("following")}
    blocked = {row["name"] for row in episode.items("blocked")}
    channel = fields.text("channel").lower()
    if sender in blocked or not _allows(episode.settings, kind, sender, channel, followed):
        raise RefusedError(403, "this account does not allow you that")
    episode.add("received", kind=kind, sender=sender, text=fields.text("text"))
    return JSONResponse({"success": 1})


def _allows(
    settings: Mapping[str, Any], kind: str, sender: str, channel: str, followed: Collection[str]
) -> bool:
    if kind == "whispers":
        return not settings["privacy.whispers"] or sender in followed
    if kind == "gifts":
        return not settings["privacy.gifts"] or channel in followed
    who = settings[kind.replace("/", ".")]
    # The account has no story in which anybody could be mentioned, so MENTIONED lets nobody in.
    return who == "ANYONE" or (who == "FOLLOWING" and sender in followed)
