"""The index page of the sandbox, for browsing by hand."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from websp_gym.sandbox.schema.site import SiteSchema


def routes(site: SiteSchema) -> list[Route]:
    """Return the route of the index page, which lists every other site with its hosts."""

    async def index(request: Request) -> Response:
        others = sorted(
            (other for other in request.state.sites if other is not site), key=lambda each: each.name
        )
        response: Response = request.state.render("index.html", sites=others)
        return response

    return [Route("/", index)]
