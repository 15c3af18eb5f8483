"""The index page of the sandbox, for browsing by hand."""

from __future__ import annotations

from starlette.responses import Response
from starlette.routing import Route

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.site_request import SiteRequest


def routes(site: SiteSchema) -> list[Route]:
    """Return the route of the index page, which lists every other site with its hosts."""

    async def index(request: SiteRequest) -> Response:
        others = sorted((other for other in request.sites if other is not site), key=lambda each: each.name)
        response: Response = request.render("index.html", sites=others)
        return response

    return [Route("/", index)]
