"""The route ``POST /_consent`` of a site with ``consent:``."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from websp_gym.sandbox.schema.consent import CHOICE, RECEIPTS, Consent

from .request_fields import read_json
from .site_request import SiteRequest

_COOKIE_AGE = 365 * 24 * 3600


async def decide(request: SiteRequest, consent: Consent) -> Response:
    """Store a visitor's choice in the settings, a receipt, and the cookie of the consent tool.

    Args:
        request: A request with the JSON body ``{"choice": …, "groups": {id: bool}}``.
        consent: The consent of the site.

    Returns:
        The result of ``Consent.shown()`` after the change.

    Raises:
        ValueError: The choice cannot be parsed or is invalid; nothing changed.
    """
    body = read_json(await request.body())
    episode = request.episode
    wanted = consent.wanted(body.get("choice"), body.get("groups"), episode.settings)
    with episode.transaction():
        for key, on in wanted.items():
            episode.set(key, on)
        episode.set(CHOICE, body["choice"])
        receipt = consent.receipt(episode.settings)
        episode.add(RECEIPTS, choice=body["choice"], groups=receipt)
        episode.log("consent", choice=body["choice"], groups=receipt)
    response = JSONResponse(consent.shown(episode.settings))
    response.set_cookie(
        consent.cookie, quote(f"groups={receipt}"), max_age=_COOKIE_AGE, secure=True, samesite="lax"
    )
    return response
