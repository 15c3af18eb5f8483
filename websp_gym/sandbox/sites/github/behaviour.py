"""GitHub's REST API on ``api.github.com``, and "sudo mode": the password that is asked for before sensitive pages."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import Scope

from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.host_route import HostRoute
from websp_gym.sandbox.server.request_fields import read_fields, read_json
from websp_gym.sandbox.server.sessions import SiteEpisode
from websp_gym.sandbox.server.site_request import SiteRequest

API = "api.github.com"
_SENSITIVE = re.compile(
    r"/settings/(tokens|sessions|personal-access-tokens)(/.*)?|/(?!settings/)[^/\\]+/[^/\\]+/settings(/.*)?"
)
_FEATURES = ("has_issues", "has_wiki", "has_projects", "has_discussions", "is_template")


def routes(site: SiteSchema) -> list[Route]:
    """Return the API, the password page of sudo mode, and what leads there."""
    return [
        HostRoute(API, "/user", user),
        HostRoute(API, "/user/repos", user_repos),
        HostRoute(API, "/users/{owner}/repos", public_repos),
        HostRoute(API, "/repos/{owner}/{repo}", repository, methods=["GET", "PATCH"]),
        HostRoute(API, "/rate_limit", rate_limit),
        HostRoute(API, "/{path:path}", nothing, methods=["GET", "POST", "PUT", "PATCH", "DELETE"]),
        Route("/sessions/sudo", ask, methods=["GET"]),
        Route("/sessions/sudo", confirm, methods=["POST"]),
        SudoRoute("/{path:path}", interrupt, methods=["GET", "POST"]),
    ]


class SudoRoute(Route):
    """Takes the requests for sensitive pages while the password of this session has not been confirmed."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Match sensitive pages, if sudo mode is on and the password was not given in this session."""
        if not _SENSITIVE.fullmatch(scope["path"]):
            return Match.NONE, {}
        episode: SiteEpisode = scope["episode"]
        asked = (
            episode.session is not None and episode.get("security.sudo_mode") and not _is_confirmed(episode)
        )
        return super().matches(scope) if asked else (Match.NONE, {})


# ---------------------------------------------------------------- sudo mode


async def interrupt(request: SiteRequest) -> Response:
    """Lead to the password page; a form that was sent is not carried out."""
    wanted = request.url.path if request.method == "GET" else "/settings/profile"
    return RedirectResponse(f"/sessions/sudo?return_to={wanted}", 303)


async def ask(request: SiteRequest) -> Response:
    """Show the page that asks for the password, which the browser has saved."""
    episode = request.episode
    if episode.session is None:
        return RedirectResponse("/login", 302)
    return _password_page(request, request.query_params.get("return_to", ""), wrong=False)


async def confirm(request: SiteRequest) -> Response:
    """Remember that the password was given in this session, and go on to the page that asked for it."""
    episode = request.episode
    if episode.session is None:
        return RedirectResponse("/login", 303)
    form = await read_fields(request)
    given, wanted = form.text("sudo_password"), form.text("return_to")
    if given != _password(episode.session):
        return _password_page(request, wanted, wrong=True)
    if not _is_confirmed(episode):
        episode.add("confirmed", session=episode.session)
    return RedirectResponse(wanted if _SENSITIVE.fullmatch(wanted) else "/settings/profile", 303)


def _password_page(request: SiteRequest, wanted: str, *, wrong: bool) -> Response:
    saved = _password(request.episode.session or "")
    page: Response = request.render(
        "sudo.html", title="Confirm access", saved=saved, wanted=wanted, wrong=wrong
    )
    return page


def _password(session: str) -> str:
    """Return the password that the browser has saved."""
    return hashlib.sha256(f"sudo {session}".encode()).hexdigest()[:16]


def _is_confirmed(episode: SiteEpisode) -> bool:
    return any(row["session"] == episode.session for row in episode.items("confirmed"))


# ---------------------------------------------------------------- API


async def user(request: SiteRequest) -> Response:
    """Return the account."""
    token = request.authorize()
    return _reply(_account(), token)


async def user_repos(request: SiteRequest) -> Response:
    """Return the account's repositories that the token may see."""
    token = request.authorize()
    rows = [row for row in request.episode.items("repos") if _may_see(row, token)]
    return _reply([_shown(row, token) for row in rows], token)


async def public_repos(request: SiteRequest) -> Response:
    """Return the public repositories of a user."""
    token = _visitor(request)
    owner = request.path_params["owner"]
    rows = [
        row
        for row in request.episode.items("repos")
        if row["owner"] == owner and row["visibility"] == "public"
    ]
    return _reply([_shown(row, token) for row in rows], token)


async def repository(request: SiteRequest) -> Response:
    """Return a repository; with ``PATCH``, change it first."""
    token, episode = _visitor(request), request.episode
    place = {"owner": request.path_params["owner"], "name": request.path_params["repo"]}
    row = _find(episode, place)
    if row is None or not _may_see(row, token):
        return _refused(404, "Not Found")
    if request.method == "PATCH":
        token = request.authorize("repo")
        changes = _changes(read_json(await request.body() or b"{}"))
        if changes:
            with episode.transaction():
                episode.update("repos", where={"id": row["id"]}, **changes)
        row = _find(episode, {"id": row["id"]}) or row
    return _reply(_shown(row, token), token)


async def rate_limit(request: SiteRequest) -> Response:
    """Return the limits, of which nothing is ever used up."""
    token = _visitor(request)
    core = {
        "limit": 5000 if token else 60,
        "used": 0,
        "remaining": 5000 if token else 60,
        "reset": 4102444800,
    }
    return _reply({"resources": {"core": core, "search": core, "graphql": core}, "rate": core}, token)


async def nothing(request: SiteRequest) -> Response:
    """Answer everything else that the API may be asked."""
    return _refused(404, "Not Found")


def _visitor(request: SiteRequest) -> dict[str, Any] | None:
    """Return the token of a request, or None if it has no credentials. Raise RefusedError for wrong ones."""
    found: dict[str, Any] | None = request.authorize() if request.headers.get("authorization") else None
    return found


def _find(episode: SiteEpisode, place: dict[str, str]) -> dict[str, Any] | None:
    return next(
        (row for row in episode.items("repos") if all(row[name] == value for name, value in place.items())),
        None,
    )


def _may_see(row: dict[str, Any], token: dict[str, Any] | None) -> bool:
    return row["visibility"] == "public" or (token is not None and "repo" in token["scopes"])


def _changes(sent: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a repository that a request changes."""
    changes = {
        name: sent[name] for name in ("description", "archived", *_FEATURES) if sent.get(name) is not None
    }
    if sent.get("private") is not None:
        changes["visibility"] = "private" if sent["private"] is True else "public"
    if sent.get("visibility") is not None:
        changes["visibility"] = sent["visibility"]
    return changes


def _account() -> dict[str, Any]:
    login = ACCOUNT["username"]
    return {
        "login": login,
        "id": 235039,
        "node_id": "U_kgDOAAOWHw",
        "avatar_url": "",
        "url": f"https://{API}/users/{login}",
        "html_url": f"https://github.com/{login}",
        "repos_url": f"https://{API}/users/{login}/repos",
        "type": "User",
        "user_view_type": "public",
        "site_admin": False,
    }


def _shown(row: dict[str, Any], token: dict[str, Any] | None) -> dict[str, Any]:
    full_name = f"{row['owner']}/{row['name']}"
    mine = token is not None
    features = {name: row[name] for name in _FEATURES}
    return {
        "id": _number(row["id"]),
        "node_id": f"R_kgDO{row['id']}",
        "name": row["name"],
        "full_name": full_name,
        "private": row["visibility"] == "private",
        "owner": _account(),
        "html_url": f"https://github.com/{full_name}",
        "description": row["description"] or None,
        "fork": False,
        "url": f"https://{API}/repos/{full_name}",
        "clone_url": f"https://github.com/{full_name}.git",
        "language": row["language"],
        "stargazers_count": row["stars"],
        "watchers_count": row["stars"],
        "forks_count": 0,
        "open_issues_count": 0,
        "archived": row["archived"],
        "disabled": False,
        "visibility": row["visibility"],
        "default_branch": "main",
        **features,
        "permissions": {"admin": mine, "maintain": mine, "push": mine, "triage": mine, "pull": True},
    }


def _number(item: str) -> int:
    """Return the id of an item as a number, which it is not if the item was created later."""
    return int(item) if item.isdecimal() else int(hashlib.sha256(item.encode()).hexdigest()[:8], 16)


def _reply(data: Any, token: dict[str, Any] | None) -> Response:
    headers = {
        "x-ratelimit-limit": "5000",
        "x-ratelimit-remaining": "5000",
        "x-github-api-version-selected": "2022-11-28",
    }
    if token is not None:
        headers |= {"x-oauth-scopes": ", ".join(token["scopes"]), "x-accepted-oauth-scopes": "repo"}
    return JSONResponse(data, headers=headers)


def _refused(status: int, message: str) -> Response:
    return JSONResponse(
        {"message": message, "documentation_url": "https://docs.github.com/rest", "status": str(status)},
        status,
    )
