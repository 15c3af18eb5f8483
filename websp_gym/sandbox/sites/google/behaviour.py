"""The search of www.google.com, which finds the pages of the other sandbox sites."""

from __future__ import annotations

from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.search import find
from websp_gym.sandbox.server.site_request import SiteRequest

RESULTS_PER_PAGE = 10


def routes(site: SiteSchema) -> list[Route]:
    """Return the route of the search."""
    return [Route("/search", search, methods=["GET"])]


async def search(request: SiteRequest) -> Response:
    """Show ten results for ``?q=``, or redirect to the best one for ``btnI`` (I'm Feeling Lucky)."""
    text = request.query_params.get("q", "").strip()
    if not text:
        return RedirectResponse("https://www.google.com/", 302)
    hits = find(text, [site for site in request.sites if site.search])
    if "btnI" in request.query_params and hits:
        return RedirectResponse(hits[0].url, 302)
    start = _start(request.query_params.get("start", ""))
    response: Response = request.render(
        "results.html",
        title=f"{text} - Google Search",
        text=text,
        hits=hits[start : start + RESULTS_PER_PAGE],
        count=len(hits),
        start=start,
        step=RESULTS_PER_PAGE,
    )
    return response


def _start(text: str) -> int:
    return int(text) // RESULTS_PER_PAGE * RESULTS_PER_PAGE if text.isascii() and text.isdigit() else 0
