"""The trackers: each logs the page that reported a visit, and returns an invisible image."""

from __future__ import annotations

from base64 import b64decode

from starlette.responses import Response
from starlette.routing import Route

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.sessions import SiteEpisode
from websp_gym.sandbox.server.site_request import SiteRequest

ADVERTISER = "px.adlattice.com"
"""The tracker that reports visited pages to the ad centre."""

AD_CENTER = "googleadcenter"

_PIXEL = b64decode("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7")


def routes(site: SiteSchema) -> list[Route]:
    """Return the route of the tracking pixel."""
    return [Route("/c.gif", collect, methods=["GET"])]


async def collect(request: SiteRequest) -> Response:
    """Log the report of a page."""
    facts = {name: request.query_params.get(name, "") for name in ("site", "group", "page")}
    request.episode.log("tracker", host=request.host, **facts)
    if request.host == ADVERTISER and AD_CENTER in request.sites.slugs:
        _count(request.episode.site(AD_CENTER), facts["site"])
    return Response(_PIXEL, media_type="image/gif")


def _count(ad_center: SiteEpisode, site: str) -> None:
    """Count a visit to a site in the history from which the ad centre derives whose ads are shown."""
    seen = [row for row in ad_center.items("history") if row["site"] == site]
    if seen:
        ad_center.update("history", where={"site": site}, visits=seen[0]["visits"] + 1)
    else:
        ad_center.add("history", site=site, visits=1)
