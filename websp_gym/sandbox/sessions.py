"""Signing in and out: session cookies, and the view of an episode that one request on one site has."""

from __future__ import annotations

import hashlib
import hmac
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from .account import ACCOUNT, DEVICE
from .episode import EpisodeState
from .settings import Value
from .site import CURRENT, SESSIONS, Site
from .site_schema import Row


class Keyring:
    """The per-server secret from which session tokens and the account's passwords are derived.

    A token depends on the site and the number of the session, not on the episode: cookies kept together with
    a snapshot stay good in every episode it is restored to. What keeps episodes apart is their own secret.

    Args:
        key: The secret.
    """

    def __init__(self, key: bytes) -> None:
        self._key = key

    def token(self, site: Site, session: str) -> str:
        """Returns the value of the session cookie."""
        return f"{session}.{self._digest('session', site.slug, session)}"

    def session(self, site: Site, token: str) -> str | None:
        """Returns the session a cookie value stands for, or None for a made-up one."""
        session = token.partition(".")[0]
        good = hmac.compare_digest(self.token(site, session).encode(), token.encode())
        return session if good else None

    def password(self, site: Site) -> str:
        """Returns the account's password at a site; only the site's own login page is told it."""
        return self._digest("password", site.slug)[:16]

    def _digest(self, *parts: str) -> str:
        return hmac.new(self._key, "\0".join(parts).encode(), hashlib.sha256).hexdigest()[:40]


class SiteEpisode:
    """An episode as the pages and handlers of one site see it: ``request.state.episode``.

    Args:
        episode: The episode.
        site: The site.
        session: The id of the session the request's cookie stands for; None when signed out.
    """

    def __init__(self, episode: EpisodeState, site: Site, session: str | None) -> None:
        self._episode = episode
        self._site = site
        self.session = session

    @property
    def account(self) -> dict[str, str] | None:
        """The account, or None when signed out."""
        return dict(ACCOUNT) if self.session is not None else None

    @property
    def settings(self) -> dict[str, Value]:
        """All settings of the site by dotted key."""
        return self._episode.settings(self._site)

    @property
    def sessions(self) -> list[Row]:
        """The signed-in devices; ``current`` marks the one this request comes from."""
        rows = self._episode.items(self._site).get(SESSIONS, [])
        return [{**row, CURRENT: row["id"] == self.session} for row in rows]

    def get(self, key: str) -> Value:
        """Returns one setting.

        Raises:
            ValueError: It is unknown.
        """
        if key not in self._site.settings:
            self._site.check_value(key, None)
        return self.settings[key]

    def set(self, key: str, value: object) -> bool:
        """Sets one setting and logs it; returns whether it changed. Raises ValueError for a wrong one."""
        return self._episode.put(self._site, key, value)

    def items(self, name: str) -> list[Row]:
        """Returns the items of a collection. Raises ValueError for an unknown one."""
        return self._episode.rows(self._site, name)

    def all_items(self) -> dict[str, list[Row]]:
        """Returns the items of every collection by its name."""
        return self._episode.items(self._site)

    def add(self, name: str, **fields: Any) -> Row:
        """Adds an item, logs it and returns it with its id. Raises ValueError for a wrong one."""
        return self._episode.add(self._site, name, fields)

    def remove(self, name: str, **where: Any) -> int:
        """Removes the items whose fields equal ``where``, logs them, and returns how many there were."""
        return self._episode.remove(self._site, name, where)

    def update(self, name: str, *, where: Row, **fields: Any) -> int:
        """Changes fields of the items that match ``where``, logs it, and returns how many matched."""
        return self._episode.update(self._site, name, where, fields)

    def log(self, kind: str, /, **data: Any) -> None:
        """Appends an event of this site. Raises ValueError for an unknown kind."""
        self._episode.log(self._site, kind, **data)

    def take_flash(self, path: str) -> bool:
        """Returns, once, whether an action with ``flash`` has just led to the page at ``path``."""
        return self._episode.take_flash(self._site, self.session, path)

    def site(self, slug: str) -> SiteEpisode:
        """Returns the same view of another site (signed out there as far as this request knows)."""
        return SiteEpisode(self._episode, self._episode.catalog[slug], None)

    def transaction(self) -> AbstractContextManager[None]:
        """All or nothing for what is changed inside; do not ``await`` in it."""
        return self._episode.transaction()


def open_session(episode: EpisodeState, site: Site, *, by: str) -> str:
    """Adds a session of the episode's browser at the site that owns the sign-in, and logs it.

    Args:
        episode: The episode.
        site: A site with a sign-in.
        by: How it came about (``setup``, ``password``, ``chooser``, ``handover``).

    Returns:
        The id of the session.
    """
    owner = episode.catalog.session_owner(site)
    for row in episode.rows(owner, SESSIONS):
        if row[CURRENT]:
            episode.write(owner, SESSIONS, row["id"], {**row, CURRENT: False})
    fields = {**DEVICE, "created": datetime.now(UTC).date().isoformat(), CURRENT: True}
    session = episode.add(owner, SESSIONS, fields)
    episode.log(owner, "setup" if by == "setup" else "login", session=session, by=by, at=site.slug)
    return str(session["id"])


def find_session(episode: EpisodeState, site: Site, keys: Keyring, cookies: dict[str, str]) -> str | None:
    """Returns the id of the live session that a request's cookies stand for, or None when signed out."""
    if not site.has_sign_in:
        return None
    owner = episode.catalog.session_owner(site)
    session = keys.session(owner, cookies.get(owner.session_cookie, ""))
    return session if session is not None and episode.rows(owner, SESSIONS, {"id": session}) else None


def current_session(episode: EpisodeState, site: Site) -> str | None:
    """Returns the session opened last by the episode's own browser, if it is still there."""
    owner = episode.catalog.session_owner(site)
    if not owner.has_sign_in:
        return None
    return next((str(row["id"]) for row in episode.rows(owner, SESSIONS) if row[CURRENT]), None)


def cookie_domain(site: Site) -> str:
    """Returns the Domain of the session cookie: as told, else what several hosts share, else none."""
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
    """Returns the cookies that sign a browser context in, in Playwright's ``add_cookies`` form."""
    cookies = []
    for site in episode.catalog:
        session = current_session(episode, site) if site.session_cookie else None
        if session is None:
            continue
        domain = cookie_domain(site)
        cookies += [
            {
                "name": site.session_cookie,
                "value": keys.token(site, session),
                "domain": place,
                "path": "/",
                "secure": True,
                "httpOnly": True,
                "sameSite": "Lax",
            }
            for place in ([f".{domain}"] if domain else site.hosts)
        ]
    return cookies


def give_cookie(response: Response, owner: Site, token: str) -> None:
    """Makes a response sign its browser in (``token`` empty: out)."""
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
