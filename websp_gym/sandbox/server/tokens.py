"""Access tokens of an account: a site's ``tokens``, and what a token in a request may do."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from datetime import UTC, date, datetime

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_schema import TOKENS, Row

from .episode import EpisodeState
from .request_fields import RefusedError
from .sessions import Keyring


def authorize(episode: EpisodeState, site: SiteSchema, keys: Keyring, header: str) -> Callable[..., Row]:
    """Return ``request.authorize``, with which a handler of a site's API demands a token.

    Args:
        episode: The state of the episode.
        site: The site.
        keys: The source of the texts of tokens.
        header: The request's ``Authorization`` header: ``Bearer TEXT``, ``token TEXT`` or ``Basic …`` with the token
            as password.
    """

    def demand(*scopes: str) -> Row:
        """Return the token of the request if it is valid and has one of the scopes (none: any token will do).

        Raises:
            RefusedError: 401 for a missing, unknown or expired token; 403 for one that may not do this.
        """
        spec = site.tokens
        row = _find(episode, site, keys, _text(header)) if spec is not None else None
        if spec is None or row is None or _expired(row, spec.days):
            raise RefusedError(401, "Bad credentials")
        held = row.get(spec.scopes, [])
        allowed = set(held if isinstance(held, list) else [held])
        allowed |= {each for scope in allowed for each in spec.includes.get(scope, [])}
        if scopes and not allowed & set(scopes):
            raise RefusedError(403, f"this token may not do this; it needs {' or '.join(scopes)}")
        return row

    return demand


def today() -> str:
    """Return today's date, as items store it."""
    return datetime.now(UTC).date().isoformat()


def _find(episode: EpisodeState, site: SiteSchema, keys: Keyring, text: str) -> Row | None:
    spec = site.tokens
    if spec is None or not text:
        return None
    rows = episode.rows(site, TOKENS)
    return next((row for row in rows if keys.is_access_token(site, row["id"], text)), None)


def _text(header: str) -> str:
    scheme, _, value = header.strip().partition(" ")
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(value.strip(), validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            return ""
    return value.strip() if scheme.lower() in ("bearer", "token", "jwt") else ""


def _expired(row: Row, days: str) -> bool:
    """Whether a token's days are over, or its last day is; one without either never expires."""
    text = str(row.get(days, "")) if days else ""
    try:
        if "-" in text:
            return date.fromisoformat(text) < datetime.now(UTC).date()
        return (datetime.now(UTC).date() - date.fromisoformat(str(row["created"]))).days >= int(text)
    except (KeyError, ValueError):
        return False
