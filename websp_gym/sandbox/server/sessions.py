"""Sign-in and sign-out: session cookies, and the episode as page handlers see it."""

from __future__ import annotations

import hashlib
import hmac
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from websp_gym.sandbox.schema.account import ACCOUNT, DEVICE
from websp_gym.sandbox.schema.settings import Value
from websp_gym.sandbox.schema.site import CURRENT, SESSION_ENDED, SESSIONS, SiteSchema
from websp_gym.sandbox.schema.site_schema import Row

from .episode import EpisodeState
from .request_fields import RefusedError


class Keyring:
    """The server's secret key, from which session tokens and the account's passwords are derived.

    A token depends on the site and the session id, not on the episode, so cookies that were saved with a
    snapshot are valid in every episode that restores it. Episodes are kept apart by their secret ids.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def token(self, site: SiteSchema, session: str) -> str:
        """Return the value of the session cookie."""
        return f"{session}.{self._digest('session', site.slug, session)}"

    def session(self, site: SiteSchema, token: str) -> str | None:
        """Return the session id in a cookie value, or None if the value is forged."""
        session = token.partition(".")[0]
        good = hmac.compare_digest(self.token(site, session).encode(), token.encode())
        return session if good else None

    def access_token(self, site: SiteSchema, item: str) -> str:
        """Return the text of the access token that is the item ``item`` of the site's tokens."""
        prefix = site.tokens.prefix if site.tokens else ""
        return prefix + self._digest("access token", site.slug, item)[:36]

    def is_access_token(self, site: SiteSchema, item: str, text: str) -> bool:
        """Whether ``text`` is the token of an item."""
        return hmac.compare_digest(self.access_token(site, item).encode(), text.encode())

    def password(self, site: SiteSchema) -> str:
        """Return the account's password for a site. Only the site's own login page receives it."""
        return self._digest("password", site.slug)[:16]

    def _digest(self, *parts: str) -> str:
        return hmac.new(self._key, "\0".join(parts).encode(), hashlib.sha256).hexdigest()[:40]


class SiteEpisode:
    """An episode as the pages and handlers of one site see it: ``request.episode``.

    Args:
        episode: The state of the episode.
        site: The site.
        session: The session id from the request's cookie; None when signed out.
        session_ended: Whether the request's cookie is of a session that has ended.
    """

    def __init__(
        self, episode: EpisodeState, site: SiteSchema, session: str | None, *, session_ended: bool = False
    ) -> None:
        self._episode = episode
        self._site = site
        self.session = session
        self.session_ended = session_ended

    @property
    def sign_in_first(self) -> RefusedError:
        """Message for a signed-out visitor who asks for something that needs an account."""
        return RefusedError(401, SESSION_ENDED if self.session_ended else "Sign in first.")

    @property
    def account(self) -> dict[str, str] | None:
        """The data of the account, or None when signed out."""
        return dict(ACCOUNT) if self.session is not None else None

    @property
    def settings(self) -> dict[str, Value]:
        """The value of every setting of the site, by dotted key."""
        return self._episode.settings(self._site)

    @property
    def sessions(self) -> list[Row]:
        """The signed-in devices; ``current`` is true for the one that sent this request."""
        rows = self._episode.items(self._site).get(SESSIONS, [])
        return [{**row, CURRENT: row["id"] == self.session} for row in rows]

    def get(self, key: str) -> Value:
        """Return the value of a setting.

        Args:
            key: The dotted key of the setting.

        Raises:
            ValueError: The setting is unknown.
        """
        if key not in self._site.settings:
            self._site.check_value(key, None)
        return self.settings[key]

    def set(self, key: str, value: object) -> bool:
        """Set a setting and log the change.

        Args:
            key: The dotted key of the setting.
            value: The new value.

        Returns:
            Whether the value changed.

        Raises:
            ValueError: The setting is unknown or the value is wrong.
        """
        return self._episode.put(self._site, key, value)

    def items(self, name: str) -> list[Row]:
        """Return the items of a collection.

        Args:
            name: The name of the collection.

        Raises:
            ValueError: The collection is unknown.
        """
        return self._episode.rows(self._site, name)

    def add(self, name: str, /, **fields: Any) -> Row:
        """Add an item to a collection and log it.

        Args:
            name: The name of the collection.
            **fields: The fields of the item; missing ones get their defaults.

        Returns:
            The item with its ``id``.

        Raises:
            ValueError: The collection or a field is unknown, a value is wrong, another item has the same key, or
                the collection is full.
        """
        return self._episode.add(self._site, name, fields)

    def remove(self, name: str, /, **where: Any) -> int:
        """Remove the matching items from a collection and log each.

        Args:
            name: The name of the collection.
            **where: Field values. An item matches if all of them are equal, compared as text.

        Returns:
            The number of removed items.

        Raises:
            ValueError: The collection is unknown.
        """
        return self._episode.remove(self._site, name, where)

    def update(self, name: str, /, *, where: Row, **fields: Any) -> int:
        """Change fields of the matching items and log each changed field.

        Args:
            name: The name of the collection.
            where: Field values. An item matches if all of them are equal, compared as text.
            **fields: The new values, by field.

        Returns:
            The number of matching items.

        Raises:
            ValueError: The collection or a field is unknown, or a value is wrong.
        """
        return self._episode.update(self._site, name, where, fields)

    def log(self, kind: str, /, **data: Any) -> None:
        """Append an event of this site to the event log.

        Args:
            kind: One of ``KINDS`` in ``episode.py``.
            **data: The data of the event.

        Raises:
            ValueError: The kind is unknown.
        """
        self._episode.log(self._site, kind, **data)

    def take_flash(self, path: str) -> str | None:
        """Return what an action with ``flash`` has just left for the page at ``path``, only once.

        It is the id of the access token that the action created, or ``""``; None without such an action.
        """
        return self._episode.take_flash(self._site, self.session, path)

    def site(self, slug: str) -> SiteEpisode:
        """Return the same episode as another site sees it, without a session (signed out)."""
        return SiteEpisode(self._episode, self._episode.catalog[slug], None)

    def transaction(self) -> AbstractContextManager[None]:
        """Return a context manager that undoes every change made inside it if an exception is raised.

        Do not ``await`` inside it.
        """
        return self._episode.transaction()


def open_session(episode: EpisodeState, site: SiteSchema, *, by: str, device: Row | None = None) -> str:
    """Add a session on the site that owns the sign-in, log it, and return its id.

    Args:
        episode: The state of the episode.
        site: The site.
        by: The way of signing in: ``setup``, ``password``, ``chooser`` or ``handover``.
        device: Fields of the session of another browser than the episode's own; None for that one.

    Raises:
        ValueError: Sessions of the site have no such field.
    """
    owner = episode.catalog.session_owner(site)
    if device is None:
        for row in episode.rows(owner, SESSIONS):
            if row[CURRENT]:
                episode.write(owner, SESSIONS, row["id"], {**row, CURRENT: False})
    fields = {"created": datetime.now(UTC).date().isoformat(), **(device or DEVICE), CURRENT: device is None}
    session = episode.add(owner, SESSIONS, _known(owner, fields))
    episode.log(owner, "setup" if by == "setup" else "login", session=session, by=by, at=site.slug)
    return str(session["id"])


def _known(owner: SiteSchema, fields: Row) -> Row:
    """Leave out fields that the sessions of a site with a foreign sign-in do not have."""
    known = owner.collections[SESSIONS].fields
    return {name: value for name, value in fields.items() if known is None or name in known}


def seen_by(episode: EpisodeState, site: SiteSchema, keys: Keyring, cookies: dict[str, str]) -> SiteEpisode:
    """Return the episode as a site sees it in a request with these cookies."""
    if not site.has_sign_in:
        return SiteEpisode(episode, site, None)
    owner = episode.catalog.session_owner(site)
    session = keys.session(owner, cookies.get(owner.session_cookie, ""))
    is_open = session is not None and bool(episode.rows(owner, SESSIONS, {"id": session}))
    return SiteEpisode(
        episode, site, session if is_open else None, session_ended=session is not None and not is_open
    )


def current_session(episode: EpisodeState, site: SiteSchema) -> str | None:
    """Return the id of the session that the episode's browser opened last, or None if it has ended."""
    owner = episode.catalog.session_owner(site)
    if not owner.has_sign_in:
        return None
    return next((str(row["id"]) for row in episode.rows(owner, SESSIONS) if row[CURRENT]), None)


def expire_session(episode: EpisodeState, site: SiteSchema) -> bool:
    """End the session of the episode's browser as if its time were over; return whether there was one."""
    session = current_session(episode, site)
    return (
        session is not None
        and episode.remove(episode.catalog.session_owner(site), SESSIONS, {"id": session}) > 0
    )


def cookie_domain(site: SiteSchema) -> str:
    """Return the session cookie's Domain: the configured one, else the hosts' common parent, else ``""``."""
    if site.cookie_domain or len(site.hosts) == 1:
        return site.cookie_domain
    columns = zip(*(reversed(host.split(".")) for host in site.hosts), strict=False)
    common: list[str] = []
    for labels in columns:
        if len(set(labels)) > 1:
            break
        common.insert(0, labels[0])
    return ".".join(common) if len(common) > 1 else ""


def browser_cookies(episode: EpisodeState, keys: Keyring) -> list[Row]:
    """Return the cookies that sign a browser context in, for Playwright's ``add_cookies``."""
    cookies: list[Row] = []
    for site in episode.catalog:
        session = current_session(episode, site) if site.session_cookie else None
        if session is not None:
            cookies += cookies_of(site, keys, session)
    return cookies


def cookies_of(owner: SiteSchema, keys: Keyring, session: str) -> list[Row]:
    """Return the cookies of a session, for Playwright's ``add_cookies``."""
    domain = cookie_domain(owner)
    return [
        {
            "name": owner.session_cookie,
            "value": keys.token(owner, session),
            "domain": place,
            "path": "/",
            "secure": True,
            "httpOnly": True,
            "sameSite": "Lax",
        }
        for place in ([f".{domain}"] if domain else owner.hosts)
    ]


def give_cookie(response: Response, owner: SiteSchema, token: str) -> None:
    """Set the session cookie in a response, or delete it if ``token`` is empty."""
    common: dict[str, Any] = {
        "domain": cookie_domain(owner) or None,
        "path": "/",
        "secure": True,
        "httponly": True,
    }
    if token:
        response.set_cookie(owner.session_cookie, token, samesite="lax", **common)
    else:
        response.delete_cookie(owner.session_cookie, samesite="lax", **common)
