"""What a request that failed would have changed, for the verdict on the episode that sent it.

An agent can provoke an error in a replica. The error is the replica's fault, but it must not always cost the episode
its verdict: only a request that could have decided the outcome may (``scoring/broken_requests.py``).
"""

from __future__ import annotations

import json
import logging
from typing import Any

from starlette.requests import Request

from websp_gym.sandbox.schema.site import SESSIONS, SiteSchema
from websp_gym.sandbox.schema.site_schema import FormAction, Row
from websp_gym.sandbox.schema.split_text import split_collection

from .actions import values_sent
from .episode import EpisodeState
from .request_fields import read_fields
from .turns import OverTimeError

logger = logging.getLogger(__name__)

MOST_SENT = 20_000
"""Characters of a request that are kept."""

NOTHING: Row = {"settings": {}, "collections": []}
"""The changes of a page view."""


async def would_change(
    request: Request, episode: EpisodeState, site: SiteSchema, action: FormAction | None
) -> Row:
    """Return what a request would have changed.

    Args:
        request: The request.
        episode: The state of its episode, which the request has not changed.
        site: The site.
        action: The action of the route; None for a route of ``behaviour.py`` or of the kit.

    Returns:
        ``settings`` (the values by key, as far as they are known) and ``collections`` that it would have changed;
        both None where any could be. ``sent``: the values in the request as one text. A request whose fields cannot
        be read, or have values that the site refuses, would have changed nothing.
    """
    if action is None and request.method in ("GET", "HEAD"):
        return NOTHING
    try:
        fields = await read_fields(request)
        texts = [value if isinstance(value, str) else json.dumps(value) for value in fields.values.values()]
        sent = {"sent": "\n".join(texts)[:MOST_SENT]}
        if action is None:
            return {"settings": None, "collections": None, **sent}
        collections = {each.collection for each in action.adds}
        collections |= {each.collection for each in action.removes}
        collections |= {each.collection for each in action.updates}
        collections |= {SESSIONS} if action.login or action.logout else set()
        settings: dict[str, Any] = values_sent(episode, site, action, fields)
        collections |= {split_collection(site.settings[key]) for key in settings} - {""}
        return {"settings": settings, "collections": sorted(collections), **sent}
    except OverTimeError:
        raise
    except ValueError:  # the site refuses the request
        return NOTHING
    except Exception:
        # Whatever broke the request broke this too, so it could not have been carried out.
        logger.exception("cannot tell what %s %s would have changed", request.method, request.url.path)
        return NOTHING
