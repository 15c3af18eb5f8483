"""The control app: opens, reads, changes and resets episodes. No page of a site can reach it.

It listens on a port of its own, wants the per-run secret, and turns away whatever a browser sends: requests
with an Origin or fetch metadata, or with a Host other than its own address (DNS rebinding).
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from .account import ACCOUNT
from .did_you_mean import nearest
from .episode import EpisodeState
from .sessions import Keyring, browser_cookies, open_session
from .site_schema import Row
from .store import Store
from .turns import EndedError, OverTimeError

T = TypeVar("T")


class Guard:
    """Lets only requests through that carry the secret and were not sent by a page.

    Args:
        app: What it guards.
        secret: The secret of this run.
        port: The port of the control app.
    """

    def __init__(self, app: ASGIApp, secret: str, port: int) -> None:
        self._app = app
        self._secret = f"Bearer {secret}".encode()
        self._host = f"127.0.0.1:{port}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or answers it with 403 or 401 and nothing else."""
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
    """The user processes of the server: each keeps one request open, which ends when the process does.

    Args:
        store: Its episodes end with their user.
        on_change: Called after each change.
    """

    def __init__(self, store: Store, on_change: Callable[[], None]) -> None:
        self._store = store
        self._on_change = on_change
        self._held: set[str] = set()
        self.ever = False

    def __len__(self) -> int:
        return len(self._held)

    def __contains__(self, lease: object) -> bool:
        return lease in self._held

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers ``GET /lease``: its name and our pid in a line, then nothing until its holder is gone."""
        lease = secrets.token_urlsafe(12)
        self._held.add(lease)
        self.ever = True
        self._on_change()
        try:
            await send(
                {"type": "http.response.start", "status": 200, "headers": [(b"cache-control", b"no-store")]}
            )
            line = json.dumps({"lease": lease, "pid": os.getpid()}).encode() + b"\n"
            await send({"type": "http.response.body", "body": line, "more_body": True})
            while (await receive())["type"] != "http.disconnect":
                pass
        finally:
            self._held.discard(lease)
            self._on_change()
            await self._store.end_lease(lease)


class Control:
    """The handlers of the control app.

    Args:
        store: The episodes.
        keys: Session tokens.
        leases: The user processes.
        browse: Whether an episode may be made the one of requests without an episode header.
    """

    def __init__(self, store: Store, keys: Keyring, leases: Leases, *, browse: bool = False) -> None:
        self._store = store
        self._keys = keys
        self._leases = leases
        self._browse = browse

    def app(self) -> ASGIApp:
        """Returns the ASGI app, without its guard."""
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
            Route("/lease", self._leases),
            Route("/episodes", self.open, methods=["POST"]),
            Route("/episodes/{id}", self.close, methods=["DELETE"]),
            Route("/episodes/{id}/state", self.state, methods=["GET"]),
            Route("/episodes/{id}/state", self.patch, methods=["PATCH"]),
            Route("/episodes/{id}/defaults", self.defaults),
            Route("/episodes/{id}/snapshots", self.snapshot, methods=["POST"]),
            Route("/episodes/{id}/restore", self.restore, methods=["POST"]),
            Route("/episodes/{id}/requests", self.requests, methods=["GET"]),
            Route("/episodes/{id}/requests", self.keep_requests, methods=["POST"]),
        ]
        return Starlette(routes=routes, exception_handlers=errors)

    async def health(self, request: Request) -> Response:
        """``GET /health``."""
        return JSONResponse({"ok": True, "leases": len(self._leases), "sites": self._store.catalog.slugs})

    async def sites(self, request: Request) -> Response:
        """``GET /sites``: what there is, settings and collections by their types."""
        return JSONResponse([_describe(site) for site in self._store.catalog])

    async def egress(self, request: Request) -> Response:
        """``GET /egress``: requests to hosts that are no site."""
        return JSONResponse(list(self._store.egress))

    async def open(self, request: Request) -> Response:
        """``POST /episodes``."""
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
        """``DELETE /episodes/ID``."""
        await self._store.close(self._episode(request))
        return JSONResponse({})

    async def state(self, request: Request) -> Response:
        """``GET /episodes/ID/state``."""
        episode = self._episode(request)
        return Response(await self._turn(episode, episode.state_json), media_type="application/json")

    async def defaults(self, request: Request) -> Response:
        """``GET /episodes/ID/defaults``."""
        self._episode(request)
        sites = ", ".join(f'"{slug}": {text}' for slug, text in self._store.catalog.default_json.items())
        return Response(f'{{"sites": {{{sites}}}}}', media_type="application/json")

    async def patch(self, request: Request) -> Response:
        """``PATCH /episodes/ID/state``: initial state by API."""
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

    async def snapshot(self, request: Request) -> Response:
        """``POST /episodes/ID/snapshots``."""
        episode = self._episode(request)
        return JSONResponse({"key": await self._turn(episode, partial(self._store.snapshot, episode))})

    async def restore(self, request: Request) -> Response:
        """``POST /episodes/ID/restore``."""
        body = await _body(request, "key")
        episode = self._episode(request)

        def change() -> Row:
            self._store.restore(episode, body.get("key", ""))
            return self._browser_side(episode)

        return JSONResponse(await self._turn(episode, change))

    async def keep_requests(self, request: Request) -> Response:
        """``POST /episodes/ID/requests``: keeps the requests from now on that could change state."""
        self._episode(request).requests = []
        return JSONResponse({})

    async def requests(self, request: Request) -> Response:
        """``GET /episodes/ID/requests``: those kept so far."""
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


def _describe(site: Any) -> Row:
    return {
        "slug": site.slug,
        "name": site.name,
        "hosts": site.hosts,
        "signs_in": site.has_sign_in,
        "session_of": site.session_of,
        "bookkeeping": site.bookkeeping,
        "settings": {key: setting.model_dump(exclude_none=True) for key, setting in site.settings.items()},
        "collections": {
            name: {"key": spec.key, "fields": sorted(spec.fields) if spec.fields is not None else None}
            for name, spec in site.collections.items()
        },
    }


async def _bad_request(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 400)


async def _not_found(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 404)


async def _over_time(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": str(error)}, 503)
