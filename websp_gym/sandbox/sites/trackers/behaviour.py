"""The trackers: each logs the page that reported a visit, and returns an invisible image."""

from __future__ import annotations

from base64 import b64decode
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

_PIXEL = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


def routes(site: Any) -> list[Route]:
    """Return the route of the tracking pixel."""
    return [Route("/c.gif", collect, methods=["GET"])]


async def collect(request: Request) -> Response:
    """Log the report of a page."""
    facts = {name: request.query_params.get(name, "") for name in ("site", "group", "page")}
    request.state.episode.log("tracker", host=request.state.host, **facts)
    return Response(_PIXEL, media_type="image/gif")
