"""Comments of other people: who may write them is one of the account's Comment Preferences."""

from __future__ import annotations

from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.request_fields import RefusedError, read_fields
from websp_gym.sandbox.server.site_request import SiteRequest


def routes(site: SiteSchema) -> list[Route]:
    """Return the route at which others comment on what the account has written."""
    # Those whose answers are in its feed "Following".
    followed = {row["writer"] for row in site.data["answers"] if row["feed"] == "following"}

    async def comment(request: SiteRequest) -> Response:
        episode, fields = request.episode, await read_fields(request)
        sender, who = fields.text("from"), episode.get("privacy.comments")
        if not sender:
            raise RefusedError(400, "the field from is missing")
        if who == "nobody" or (who == "followed" and sender not in followed):
            raise RefusedError(403, "this account takes no comments from you")
        episode.add("comments", sender=sender, text=fields.text("text"))
        return JSONResponse({"success": 1})

    return [Route("/api/v1/comments", comment, methods=["POST"])]
