"""The ASGI app for the browser: finds the site by host, the episode by header, and the route by path."""

from __future__ import annotations

import importlib.util
import inspect
import json
import logging
import mimetypes
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlsplit

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import Message, Receive, Scope, Send

from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.sandbox.schema.did_you_mean import nearest
from websp_gym.sandbox.schema.module_pages import ROUTED, served
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_files import SiteError
from websp_gym.sandbox.schema.site_schema import FormAction, Row, SitePage

from .actions import Actions, to_login
from .broken import would_change
from .consent import decide
from .decisions import DECISION, take_decision
from .episode import EpisodeState
from .faults import fault_answer
from .pages import KIT, NO_STORE, NotFoundError, PageResponse, Renderer
from .record_checks import InvalidError
from .record_pages import options
from .request_fields import RefusedError, check_head, read_body
from .sessions import Keyring, SiteEpisode, current_session, seen_by
from .site_request import SiteRequest
from .staged import offered
from .store import Store
from .tokens import authorize
from .turns import CPU_SECONDS, CrowdedError, EndedError, OverTimeError, SealedError, finish
from .watched_forms import log_sent

EPISODE_HEADER = "x-websp-episode"
"""Header with the episode's secret id and, from a browser other than its own, the session fields as JSON."""

Handler: TypeAlias = Callable[[SiteRequest], Awaitable[Response]]

logger = logging.getLogger(__name__)


class SiteApp:
    """The ASGI app that serves all sites.

    Args:
        store: The episodes.
        keys: The source of session tokens and passwords.
        reload: Whether to reload changed templates on every request.
    """

    def __init__(self, store: Store, keys: Keyring, *, reload: bool = False) -> None:
        self._store = store
        self._catalog: Catalog = store.catalog
        self._keys = keys
        self._renderer = Renderer(self._catalog, keys, reload=reload)
        self._actions = Actions(self._catalog, keys)
        self._routes: dict[str, list[Route]] = {}
        self._static: dict[Path, bytes] = {}
        self._names: dict[Path, set[str]] = {}
        self._behaviours = {site.slug: _behaviour_routes(site) for site in self._catalog}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request; refuse anything else (web sockets)."""
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        try:
            check_head(scope)
            body = await read_body(receive)
        except RefusedError as error:
            response = _refusal(error)
        else:
            request = SiteRequest(scope, _again(body), body)
            response = await self._respond(request)
        await response(scope, receive, send)

    async def _respond(self, request: SiteRequest) -> Response:
        host = request.headers.get("host", "").partition(":")[0].lower().removesuffix(".")
        site = self._catalog.by_host(host)
        name, _, device = request.headers.get(EPISODE_HEADER, "").partition(" ")
        episode = self._store.find(name) or self._default(request)
        # What the sessions of another browser than the episode's own say.
        try:
            request.device = json.loads(device) if device else None
        except (ValueError, RecursionError) as error:
            return _refusal(error)
        path = request.scope["path"]
        if site is not None and request.scope["scheme"] == "http":
            query = request.scope["query_string"].decode("latin-1")
            status = 301 if request.method in ("GET", "HEAD") else 308
            return RedirectResponse(f"https://{host}{path}{'?' * bool(query)}{query}", status, NO_STORE)
        if episode is None:
            if site is None:
                return self._no_such_site(request, host, None)
            return self._renderer.plain("no_episode.html", 403)
        if site is not None and path.startswith(("/_site/", "/_kit/")):
            return self._static_file(path, site)
        job = partial(self._answer, request, site, host, episode)
        try:
            return await self._store.workers.take(episode.turn, job, cpu_seconds=CPU_SECONDS, page=True)
        except OverTimeError as error:
            return _refusal(error, 503)
        except CrowdedError as error:
            return _refusal(error, 429)
        except SealedError as error:
            return _refusal(error, 403)
        except EndedError:
            return self._renderer.plain("no_episode.html", 403)

    def _answer(
        self, request: SiteRequest, site: SiteSchema | None, host: str, episode: EpisodeState
    ) -> Response:
        """Return the response to a request of an episode; runs in a worker thread."""
        if site is None:
            return self._no_such_site(request, host, episode)
        since = episode.last_seq() if episode.requests is not None else 0
        try:
            response = finish(self._visit(request, site, host, episode))
            if episode.requests is not None:
                episode.keep_request(_sent(request, host), response.status_code, since)
            return response
        finally:
            # A request that was interrupted may have left a transaction open.
            episode.undo_unfinished()
            if episode.turn.stalled():
                changes = finish(would_change(request, episode, site, request.action))
                what = {
                    "method": request.method,
                    "path": request.scope["path"],
                    "error": "the server stalled",
                }
                episode.log(site, "error", **what, **changes)

    async def _visit(
        self, request: SiteRequest, site: SiteSchema, host: str, episode: EpisodeState
    ) -> Response:
        # What fails twice in a row, with nothing changed in between, is a fault of the site.
        for again in (False, True):
            try:
                with episode.transaction():
                    response = await self._enter(request, site, host, episode)
                    episode.check_budget()
                    return response
            except OverTimeError:
                raise
            except ValueError as error:
                # A bad cookie, address or body is the visitor's error; an error in a template is a RenderError.
                return _refusal(error)
            except Exception as error:
                logger.exception("%s %s%s failed", request.method, host, request.scope["path"])
                said = f"{type(error).__name__}: {error}"
                if again:
                    changes = await would_change(request, episode, site, request.action)
                    what = {"method": request.method, "path": request.scope["path"], "error": said[:1000]}
                    episode.log(site, "error", **what, **changes)
        return self._renderer.plain("error.html", 500, site=site)

    async def _enter(
        self, request: SiteRequest, site: SiteSchema, host: str, episode: EpisodeState
    ) -> Response:
        request.action = None
        origin = request.headers.get("origin")
        if origin is not None and request.method not in ("GET", "HEAD") and not _is_own(origin, site):
            return JSONResponse({"error": "cross-site request"}, 403, NO_STORE)
        request.host = host
        request.episode = seen_by(episode, site, self._keys, request.cookies)
        if request.episode.session is None and episode is self._store.default:
            request.episode = SiteEpisode(episode, site, current_session(episode, site))
        request.scope["episode"] = request.episode
        request.sites = self._catalog
        request._render = partial(self._renderer.template, request, site)
        request._episode_state = episode
        request._authorize = authorize(episode, site, self._keys, request.headers.get("authorization", ""))
        if episode.staged and (fault := episode.staged.fault(request.method, host, **request.place)):
            episode.log(site, "fault", request=fault.request, fault=fault.kind)
            return fault_answer(request, site, fault.kind, self._renderer)
        if episode.staged and request.method == "POST" and request.url.path == DECISION:
            return await take_decision(request, site, episode)
        route, allowed = self._match(request, site, host)
        if route is not None:
            response: Response = await route.endpoint(request)
            if response.status_code < 400:
                await log_sent(request, site, episode)
            return self._finished(response, request, site, episode)
        if allowed:
            return JSONResponse(
                {"error": "method not allowed"}, 405, {**NO_STORE, "allow": ", ".join(allowed)}
            )
        return self._with_other_slash(request, site, host) or self._not_found(request, site)

    def _finished(
        self, response: Response, request: SiteRequest, site: SiteSchema, episode: EpisodeState
    ) -> Response:
        for name, value in NO_STORE.items():
            response.headers.setdefault(name, value)
        is_html = response.headers.get("content-type", "").startswith("text/html")
        if is_html and not isinstance(response, PageResponse):
            html = self._renderer.with_footer(bytes(response.body).decode(), site)
            response = PageResponse(html, response.status_code, NO_STORE)
        is_view = is_html and request.method == "GET" and response.status_code == 200
        if is_view and (_is_shown(request) or request.url.path.startswith(ROUTED)):
            if decision := episode.staged and episode.staged.due(request.host, request.url.path):
                episode.log(site, "asked", decision=decision["kind"], purposes=offered(decision))
                html = self._renderer.with_decision(bytes(response.body).decode(), site, decision)
                response = PageResponse(html, 200, NO_STORE)
            episode.log(site, "visit", host=request.host, **request.place)
        return response

    def _match(self, request: SiteRequest, site: SiteSchema, host: str) -> tuple[Route | None, list[str]]:
        allowed: list[str] = []
        for route in self._routes_of(site, host):
            match, found = route.matches(request.scope)
            if match is Match.FULL:
                request.scope.update(found)
                return route, []
            if match is Match.PARTIAL:
                allowed += route.methods or []
        return None, allowed

    def _with_other_slash(self, request: SiteRequest, site: SiteSchema, host: str) -> Response | None:
        """Return a redirect to the page whose path differs by the slash at its end, if there is one."""
        path = request.scope["path"]
        other = path[:-1] if path.endswith("/") else f"{path}/"
        scope = {**request.scope, "path": other}
        if (
            request.method != "GET"
            or len(path) < 2
            or not any(route.matches(scope)[0] is Match.FULL for route in self._routes_of(site, host))
        ):
            return None
        query = request.url.query
        return RedirectResponse(f"{other}{'?' * bool(query)}{query}", 302, NO_STORE)

    def _routes_of(self, site: SiteSchema, host: str) -> list[Route]:
        if host not in self._routes:
            pages = [
                Route(served(page.path), self._page_handler(site, page), methods=["GET"])
                for page in site.pages
                if host in _hosts_of(page, site)
            ]
            # A page has one address: at another host of the site it leads there, as on real ones.
            elsewhere = [
                Route(page.path, _to_host(_hosts_of(page, site)[0]), methods=["GET"])
                for page in site.pages
                if host not in _hosts_of(page, site)
            ]
            actions = [
                Route(action.path, self._action_handler(site, action), methods=[action.method])
                for action in site.actions
                if not action.hosts or host in action.hosts
            ]
            if site.login_callback:
                actions.append(Route(site.login_callback, self._callback_handler(site), methods=["GET"]))
            if site.consent:
                actions.append(Route("/_consent", partial(decide, consent=site.consent), methods=["POST"]))
            # If two paths match, one without parameters takes precedence, whatever the order in the file.
            plain_first = sorted([*pages, *actions], key=lambda route: "{" in route.path)
            own = [Route("/_records/{module}", partial(options, site=site))] if site.modules else []
            self._routes[host] = [*own, *self._behaviours[site.slug], *plain_first, *elsewhere]
        return self._routes[host]

    def _page_handler(self, site: SiteSchema, page: SitePage) -> Handler:
        async def show(request: SiteRequest) -> Response:
            if page.login and request.episode.account is None:
                return to_login(request, site)
            if page.signed_in and request.episode.account is not None:
                return RedirectResponse(page.signed_in, 302, NO_STORE)
            client = request.query_params.get(page.client) if page.client else None
            if client and client not in self._catalog.slugs:
                return self._not_found(request, site)
            if page.redirect:
                return RedirectResponse(page.redirect, 302, NO_STORE)
            try:
                return self._renderer.page(request, site, page)
            except NotFoundError:
                return self._not_found(request, site)

        return show

    def _action_handler(self, site: SiteSchema, action: FormAction) -> Handler:
        async def act(request: SiteRequest) -> Response:
            request.action = action
            return await self._actions.act(request, request._episode_state, site, action)

        return act

    def _callback_handler(self, site: SiteSchema) -> Handler:
        async def callback(request: SiteRequest) -> Response:
            return self._actions.callback(request, request._episode_state, site)

        return callback

    def _default(self, request: SiteRequest) -> EpisodeState | None:
        # Only for requests without the header: one with a wrong id must not reach the default episode.
        return None if EPISODE_HEADER in request.headers else self._store.default

    def _no_such_site(self, request: SiteRequest, host: str, episode: EpisodeState | None) -> Response:
        entry = {"host": host, "method": request.method, "path": request.scope["path"]}
        self._store.egress.append({"time": round(time.time(), 3), "episode": episode is not None, **entry})
        if episode is not None:
            try:
                with episode.transaction():
                    episode.log(None, "egress", **entry)
                    episode.check_budget()
            except RefusedError as error:
                return _refusal(error)
        return self._renderer.plain("no_such_site.html", 404, host=host)

    def _not_found(self, request: SiteRequest, site: SiteSchema) -> Response:
        if "fragment" in request.place:
            text = f"{site.name} has no such page."
            message = {"title": "Page not found", "text": text}
            return request.render("kit/records/message.html", status=404, fragment=True, **message)
        if (site.folder / "templates" / "404.html").is_file():
            template = "404.html"
        else:
            template = "kit/scenery/not_found.html" if site.layout else "kit/not_found.html"
        return request.render(template, status=404)

    def _static_file(self, path: str, site: SiteSchema) -> Response:
        _, kind, name = path.split("/", 2)
        root = (site.folder if kind == "_site" else KIT) / "static"
        if root not in self._names:
            self._names[root] = {
                file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()
            }
        # Looked up among the known names, so that no text from a page ever becomes a file path.
        if name not in self._names[root]:
            return Response("not found", 404, NO_STORE, "text/plain")
        file = root / name
        if file not in self._static:
            self._static[file] = file.read_bytes()
        kind_of_file = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        return Response(self._static[file], 200, {"cache-control": "max-age=3600"}, kind_of_file)


def _hosts_of(page: SitePage, site: SiteSchema) -> list[str]:
    """Return the hosts that show a page: by default the first one, and all show the one to sign in on."""
    return page.hosts or (site.hosts if page.path == site.login_page else site.hosts[:1])


def _to_host(host: str) -> Handler:
    """Return a handler that redirects to the same address at another host."""

    async def redirect(request: SiteRequest) -> Response:
        query = request.scope["query_string"].decode("latin-1")
        path = request.scope["raw_path"].decode("latin-1")
        return RedirectResponse(f"https://{host}{path}{'?' * bool(query)}{query}", 302, NO_STORE)

    return redirect


def _again(body: bytes) -> Receive:
    """Return a ``receive`` function that supplies a body that has already been read."""

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


def _sent(request: SiteRequest, host: str) -> Row:
    """Return the data that is needed to send a request again."""
    query = request.scope["query_string"].decode("latin-1")
    names = ("content-type", "cookie", "origin", "referer", "x-requested-with")
    return {
        "method": request.method,
        "host": host,
        "path": request.scope["path"] + (f"?{query}" if query else ""),
        "headers": {name: request.headers[name] for name in names if name in request.headers},
        "body": request.content.decode("utf-8", "surrogateescape"),
    }


def _refusal(error: Exception, status: int = 400) -> Response:
    status = error.status if isinstance(error, RefusedError) else status
    # The message may quote text from the request that cannot be encoded.
    said = str(error).encode("utf-8", "replace").decode()
    fields = {"errors": error.errors} if isinstance(error, InvalidError) else {}
    return JSONResponse({"error": said, "message": said, **fields}, status, NO_STORE)


def _is_shown(request: SiteRequest) -> bool:
    """Whether a tab or a frame shows the answer. A client that is no browser does not tell, and counts as one."""
    return request.headers.get("sec-fetch-mode", "navigate") == "navigate"


def _is_own(origin: str, site: SiteSchema) -> bool:
    return urlsplit(origin).hostname in site.hosts


def _behaviour_routes(site: SiteSchema) -> list[Route]:
    """Load a site's ``behaviour.py``, if it exists, and return its routes. Raise SiteError if it is invalid."""
    file = site.folder / "behaviour.py"
    if not file.is_file():
        return []
    spec = importlib.util.spec_from_file_location(f"websp_gym_sandbox_site_{site.slug}", file)
    if spec is None or spec.loader is None:
        raise SiteError(file, ["cannot be loaded"])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    make = getattr(module, "routes", None)
    if make is None:
        raise SiteError(file, [f"routes: missing{nearest('routes', vars(module))}"])
    routes: list[Route] = list(make(site))
    for route in routes:
        if not isinstance(route, Route) or not inspect.iscoroutinefunction(route.endpoint):
            raise SiteError(file, [f"routes: {route!r} is not a Route with an async def endpoint"])
    return routes
