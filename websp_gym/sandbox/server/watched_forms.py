"""Logging the fields of the forms that a set of policies watches."""

from __future__ import annotations

from websp_gym.sandbox.schema.site import SiteSchema

from .episode import EpisodeState
from .request_fields import read_fields
from .site_request import SiteRequest

MOST = 1_000
"""Maximum number of characters of a value that are kept."""


async def log_sent(request: SiteRequest, site: SiteSchema, episode: EpisodeState) -> None:
    """Log a request that the site accepted, if it is from a watched form, with the fields that the policies name."""
    if episode.staged is None or request.method in ("GET", "HEAD"):
        return
    for form, names in episode.staged.forms(request.host, request.url.path, request.url.query):
        values = (await read_fields(request)).values
        fields = {name: values[name] for name in names if name in values}
        kept = {name: value[:MOST] if isinstance(value, str) else value for name, value in fields.items()}
        episode.log(site, "sent", form=form, fields=kept)
