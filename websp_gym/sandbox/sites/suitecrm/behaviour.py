"""The style sheets and pictures of the boards, drawn from the data of the boards."""

from __future__ import annotations

from functools import partial

from starlette.responses import Response
from starlette.routing import Route

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.site_request import SiteRequest

_KINDS = {"css": ("style", "text/css"), "svg": ("image", "image/svg+xml")}
"""What a browser asks for a file as, and its media type."""


def routes(site: SiteSchema) -> list[Route]:
    """Return the route of the files of a board."""
    return [Route("/boards/{number}/{name}.{kind}", partial(draw, site=site), methods=["GET"])]


async def draw(request: SiteRequest, *, site: SiteSchema) -> Response:
    """Draw a file of a board as a part of a page; nobody can open it as a page, or read it with a script."""
    number, name, kind = (str(request.path_params[key]) for key in ("number", "name", "kind"))
    wanted, media_type = _KINDS.get(kind, ("", ""))
    board = next((each for each in site.data["boards"] if each["id"] == number), None)
    asked = request.headers.get("sec-fetch-dest", "")
    if request.episode.account is None or board is None or asked != wanted:
        return Response("not found", 404, media_type="text/plain")
    if kind == "css":
        template, drawn = "boards/board.css", board["sheet"]
    elif name in board["pictures"]:
        drawn = board["pictures"][name]
        template = f"boards/draw/{drawn['draw']}.svg"
    else:
        return Response("not found", 404, media_type="text/plain")
    text = request.render(template, fragment=True, drawn=drawn).body
    return Response(text, media_type=media_type)
