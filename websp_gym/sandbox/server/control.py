"""The control app, which opens, reads, changes and resets episodes. No page of a site can reach it.

It listens on its own port, requires the per-run secret, and refuses all requests from a browser: those with an
Origin or fetch metadata, or with a Host other than its own address (DNS rebinding).
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import secrets
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.sandbox.schema.did_you_mean import nearest
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_schema import Row

from .episode import EpisodeState
from .login import login_forms
from .mail import send_mail
from .sessions import Keyring, browser_cookies, cookies_of, expire_session, open_session
from .staged import Staged
from .store import Store, UnknownSnapshotError
from .turns import EndedError, OverTimeError

T = TypeVar("T")


class RequestGuard:
    """ASGI middleware that passes only requests that carry the secret and were not sent by a page.

    Args:
        app: The app to protect.
        secret: The secret of this run.
        port: The port of the control app, which the Host header must contain.
    """

    def __init__(self, app: ASGIApp, secret: str, port: int) -> None:
        self._app = app
        self._secret = f"Bearer {secret}".encode()
        self._host = f"127.0.0.1:{port}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it with an empty 403 or 401."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = dict(scope["headers"])
        given = headers.get(b"authorization", b"")
        if headers.get(b"host") != self._host or b"origin" in headers or b"sec-fetch-site" in headers:
            await Response(status_code=403)(scope, receive, send)
        elif not hmac.compare_digest(given, self._secret):
            await Response(status_code=401)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class Leases:
    """The user processes of the server. Each keeps one request open, which ends when the process ends.

    Args:
        store: The episodes; those of a user process are closed when it ends.
        on_change: Called after a lease is taken or released.
        most: How many the server has room for; later ones are told that it is full. None: no limit.
    """

    def __init__(self, store: Store, on_change: Callable[[], None], most: int | None = None) -> None:
        self._store = store
        self._on_change = on_change
        self._most = most
        self._held: set[str] = set()
        self.ever = False

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, lease: object) -> bool:
        return lease in self._held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer ``GET /lease`` with one line (name, server pid, no room), and stay open until the user is gone."""
        lease = secrets.token_urlsafe(12)
        full = self._most is not None and len(self) >= self._most
        self._held.add(lease)
        self.ever = True
        self._on_change()
        try:
            await send(
                {"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"no-store")]}
            )
            line = json.dumps({"lease": lease, "pid": os.getpid(), "full": full}).encode() + b"\n"
            await send({"type": "http.response.body", "body": line, "more_body": True})
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            self._held.discard(lease)
            self._on_change()
            await self._store.end_lease(lease)


class ControlApi:
    """The handlers of the control app.

    Args:
        store: The episodes.
        keys: The source of session tokens.
        leases: The user processes.
        further: Starts another server like this one, unless there is one already, and returns its address in JSON.
        browse: Whether an episode may become the default for requests without an episode header.
    """

    def __init__(
        self,
        store: Store,
        keys: Keyring,
        leases: Leases,
        further: Callable[[], str],
        *,
        browse: bool = False,
    ) -> None:
        self._store = store
        self._keys = keys
        self._leases = leases
        self._further = further
        self._one_start = asyncio.Lock()
        self._browse = browse

    def app(self) -> ASGIApp:
        """Return the ASGI app, without its guard."""
        errors = {
            ValueError: _bad_request,
            _NoEpisodeError: _not_found,
            EndedError: _not_found,
            OverTimeError: _over_time,
        }
        routes = [
            Route("/health", self.health),
            Route("/sites", self.sites),
            Route("/egress", self.egress),
            Route("/credentials", self.credentials, methods=["POST"]),
            Route("/lease", self._leases),
            Route("/further", self.further, methods=["POST"]),
            Route("/episodes", self.open, methods=["POST"]),
            Route("/episodes/{id}", self.close, methods=["DELETE"]),
            Route("/episodes/{id}/state", self.state, methods=["GET"]),
            Route("/episodes/{id}/state", self.patch, methods=["PATCH"]),
            Route("/episodes/{id}/defaults", self.defaults),
            Route("/episodes/{id}/fork", self.fork, methods=["POST"]),
            Route("/episodes/{id}/mail", self.mail, methods=["POST"]),
            Route("/episodes/{id}/expire", self.expire, methods=["POST"]),
            Route("/episodes/{id}/snapshots", self.snapshot, methods=["POST"]),
            Route("/episodes/{id}/restore", self.restore, methods=["POST"]),
            Route("/episodes/{id}/seq", self.seq),
            Route("/episodes/{id}/seal", self.seal, methods=["POST"]),
            Route("/episodes/{id}/staged", self.stage, methods=["POST"]),
            Route("/episodes/{id}/requests", self.requests, methods=["GET"]),
            Route("/episodes/{id}/requests", self.keep_requests, methods=["POST"]),
        ]
        return Starlette(routes=routes, exception_handlers=errors)

    async def health(self, request: Request) -> Response:
        """Handle ``GET /health``."""
        return JSONResponse({"ok": True, "leases": len(self._leases), "sites": self._store.catalog.slugs})

    async def further(self, request: Request) -> Response:
        """Handle ``POST /further``: the address of another server, for processes that this one has no room for."""
        async with self._one_start:
            return Response(await asyncio.to_thread(self._further), media_type="application/json")

    async def sites(self, request: Request) -> Response:
        """Handle ``GET /sites``: list all sites with the types of their settings and collections."""
        return JSONResponse([_describe(site) for site in self._store.catalog])

    async def credentials(self, request: Request) -> Response:
        """Handle ``POST /credentials``: the forms that sign in to a site, cookies of sessions, texts of tokens."""
        body = await _body(request, "site", "sessions", "tokens")
        site = self._store.catalog[body.get("site", "")]
        owner = self._store.catalog.session_owner(site)
        return JSONResponse(
            {
                "forms": login_forms(self._store.catalog, site, self._keys) if site.has_sign_in else [],
                "sessions": {each: cookies_of(owner, self._keys, each) for each in body.get("sessions", [])},
                "tokens": {each: self._keys.access_token(site, each) for each in body.get("tokens", [])},
            }
        )

    async def egress(self, request: Request) -> Response:
        """Handle ``GET /egress``: list the requests to hosts that belong to no site."""
        return JSONResponse(list(self._store.egress))

    async def open(self, request: Request) -> Response:
        """Handle ``POST /episodes``: open an episode."""
        body = await _body(request, "site", "signed_in", "lease", "default")
        catalog = self._store.catalog
        if body.get("site"):
            catalog[body["site"]]
        sites = [catalog[slug] for slug in body.get("signed_in", [])]
        for site in sites:
            if not site.has_sign_in:
                raise ValueError(f'signed_in: "{site.slug}" has no sign-in')
        lease = body.get("lease", "")
        if lease and lease not in self._leases:
            raise ValueError("lease: unknown")
        if body.get("default") and not self._browse:
            raise ValueError("default: only a server started for browsing has a default episode")
        episode = self._store.open(lease)
        for owner in {catalog.session_owner(site).slug: site for site in sites}.values():
            open_session(episode, owner, by="setup")
        if body.get("default"):
            self._store.default = episode
        return JSONResponse({"id": episode.id, **self._browser_side(episode)})

    async def close(self, request: Request) -> Response:
        """Handle ``DELETE /episodes/ID``: close an episode."""
        await self._store.close(self._episode(request))
        return JSONResponse({})

    async def state(self, request: Request) -> Response:
        """Handle ``GET /episodes/ID/state``: return its state and event log."""
        episode = self._episode(request)
        return Response(await self._turn(episode, episode.state_json), media_type="application/json")

    async def defaults(self, request: Request) -> Response:
        """Handle ``GET /episodes/ID/defaults``: return the state of a fresh account."""
        day = self._episode(request).day
        sites = ", ".join(f'"{slug}": {text}' for slug, text in self._store.catalog.default_json.items())
        return Response(f'{{"day": "{day}", "sites": {{{sites}}}}}', media_type="application/json")

    async def patch(self, request: Request) -> Response:
        """Handle ``PATCH /episodes/ID/state``: set the initial state by API."""
        body = await _body(request, "site", "settings", "collections")
        episode = self._episode(request)
        site = self._store.catalog[body.get("site", "")]

        def change() -> Row:
            with episode.transaction():
                for key, value in body.get("settings", {}).items():
                    episode.put(site, key, value, kind="setup")
                for name, rows in body.get("collections", {}).items():
                    episode.replace(site, name, rows)
            return self._browser_side(episode)

        return JSONResponse(await self._turn(episode, change))

    async def fork(self, request: Request) -> Response:
        """Handle ``POST /episodes/ID/fork``: open an episode with the same state and events."""
        episode = self._episode(request)
        dump = await self._turn(episode, episode.dump)
        other = self._store.open(episode.lease)
        await self._turn(other, partial(other.load, dump))
        return JSONResponse({"id": other.id, **self._browser_side(other)})

    async def mail(self, request: Request) -> Response:
        """Handle ``POST /episodes/ID/mail``: make a site send its mail to the account."""
        body = await _body(request, "site")
        episode = self._episode(request)
        site = self._store.catalog[body.get("site", "")]
        return JSONResponse({"sent": await self._turn(episode, partial(send_mail, episode, site))})

    async def expire(self, request: Request) -> Response:
        """Handle ``POST /episodes/ID/expire``: end the session of the episode's browser on a site."""
        body = await _body(request, "site")
        episode = self._episode(request)
        site = self._store.catalog[body.get("site", "")]
        return JSONResponse({"expired": await self._turn(episode, partial(expire_session, episode, site))})

    async def snapshot(self, request: Request) -> Response:
        """Handle ``POST /episodes/ID/snapshots``: save its state and given cookies, under a given or a new key."""
        body = await _body(request, "key", "cookies")
        episode = self._episode(request)
        save = partial(self._store.snapshot, episode, body.get("key", ""), body.get("cookies", []))
        return JSONResponse({"key": await self._turn(episode, save)})

    async def restore(self, request: Request) -> Response:
        """Handle ``POST /episodes/ID/restore``: restore a saved state, if there is one."""
        body = await _body(request, "key", "optional")
        episode = self._episode(request)

        def change() -> Row:
            try:
                kept = self._store.restore(episode, body.get("key", ""))
            except UnknownSnapshotError:
                if body.get("optional") is True:
                    return {"found": False}
                raise
            return {"found": True, "kept": kept, **self._browser_side(episode)}

        return JSONResponse(await self._turn(episode, change))

    async def seq(self, request: Request) -> Response:
        """Handle ``GET /episodes/ID/seq``: return the number of its last event."""
        episode = self._episode(request)
        return JSONResponse({"seq": await self._turn(episode, episode.last_seq)})

    async def seal(self, request: Request) -> Response:
        """Handle ``POST /episodes/ID/seal``: stop answering its pages, except for a request that has begun."""
        episode = self._episode(request)
        episode.turn.sealed = True
        return JSONResponse({"seq": await self._turn(episode, episode.last_seq)})

    async def stage(self, request: Request) -> Response:
        """Handle ``POST /episodes/ID/staged``: add texts of other people, faults and a decision, and watch forms."""
        body = await _body(request, "texts", "faults", "decision", "forms")
        self._episode(request).staged = Staged(
            body.get("texts", {}), body.get("faults", []), body.get("decision"), body.get("forms", {})
        )
        return JSONResponse({})

    async def keep_requests(self, request: Request) -> Response:
        """Handle ``POST /episodes/ID/requests``: from now on, keep the requests that could change state."""
        self._episode(request).requests = []
        return JSONResponse({})

    async def requests(self, request: Request) -> Response:
        """Handle ``GET /episodes/ID/requests``: return the requests kept so far."""
        episode = self._episode(request)
        return JSONResponse({"requests": await self._turn(episode, lambda: list(episode.requests or ()))})

    async def _turn(self, episode: EpisodeState, job: Callable[[], T]) -> T:
        return await self._store.workers.take(episode.turn, job)

    def _episode(self, request: Request) -> EpisodeState:
        episode = self._store.find(request.path_params["id"])
        if episode is None:
            raise _NoEpisodeError("unknown episode (it was closed, or belongs to another server)")
        return episode

    def _browser_side(self, episode: EpisodeState) -> Row:
        return {"account": dict(ACCOUNT), "cookies": browser_cookies(episode, self._keys)}


class _NoEpisodeError(LookupError):
    pass


async def _body(request: Request, *known: str) -> Row:
    try:
        body = json.loads(await request.body() or b"{}")
    except ValueError as error:
        raise ValueError(f"the body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise ValueError("the body is not a JSON object")
    for key in body:
        if key not in known:
            raise ValueError(f'unknown key "{key}"{nearest(key, known)}')
    return body


def _describe(site: SiteSchema) -> Row:
    return {
        "slug": site.slug,
        "name": site.name,
        "hosts": site.hosts,
        "signs_in": site.has_sign_in,
        "session_of": site.session_of,
        "private_page": _private_page(site),
        "effects": [effect.model_dump() for effect in site.effects],
        "tokens": site.tokens.model_dump() if site.tokens else None,
        "mail": {
            "kinds": site.mail.settings(site.settings) if site.mail else [],
            "stopped_by": list(site.mail.stopped_by) if site.mail else [],
        },
        "trackers": {
            group.setting: {"hosts": group.trackers, "opt_out": group.opt_out, "id": group.id}
            for group in (site.consent.optional if site.consent else [])
        },
        "bookkeeping": site.bookkeeping,
        "shown_together": site.shown_together,
        "settings": {key: setting.model_dump(exclude_none=True) for key, setting in site.settings.items()},
        "collections": {
            name: {"key": spec.key, "fields": sorted(spec.fields) if spec.fields is not None else None}
            for name, spec in site.collections.items()
        },
    }


def _private_page(site: SiteSchema) -> str:
    """Return the address of a page that only those see who are signed in; empty without one."""
    pages = (page for page in site.pages if page.login and page.template and "{" not in page.path)
    return next((f"https://{(page.hosts or site.hosts)[0]}{page.path}" for page in pages), "")


async def _bad_request(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


async def _not_found(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 404)


async def _over_time(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 503)
