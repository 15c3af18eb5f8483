"""The redirect of the short address, and the part of Docker Hub's API that access tokens open."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.host_route import HostRoute
from websp_gym.sandbox.server.request_fields import RefusedError, read_json
from websp_gym.sandbox.server.site_request import SiteRequest

OWNER = "alexrivers"
PUBLIC_ONLY = "repo:public_read"


def routes(site: SiteSchema) -> list[Route]:
    """Return the route of the short address, and those of the API."""
    hub, one = "hub.docker.com", "/v2/repositories/{owner}/{name}/"
    return [
        HostRoute("docker.com", "/", front, methods=["GET"]),
        HostRoute(hub, "/v2/repositories/{owner}/", repositories, methods=["GET"]),
        HostRoute(hub, "/v2/repositories/", create, methods=["POST"]),
        HostRoute(hub, one, repository, methods=["GET"]),
        HostRoute(hub, one, delete, methods=["DELETE"]),
    ]


async def front(request: SiteRequest) -> Response:
    """Redirect to Docker Home; visitors who are not signed in, to the website."""
    signed_in = request.episode.account is not None
    return RedirectResponse("https://app.docker.com/" if signed_in else "https://www.docker.com/", 302)


async def repositories(request: SiteRequest) -> Response:
    """List the repositories of the account that the token may see."""
    found = _visible(request)
    return JSONResponse({"count": len(found), "next": None, "previous": None, "results": found})


async def repository(request: SiteRequest) -> Response:
    """Describe one repository."""
    return JSONResponse(_named(_visible(request), request.path_params["name"]))


async def create(request: SiteRequest) -> Response:
    """Create a repository."""
    request.authorize("repo:write")
    sent = read_json(request.content)
    if not isinstance(sent.get("name"), str) or not sent["name"].strip():
        raise RefusedError(400, "name: this field is required")
    if sent.get("namespace", OWNER) != OWNER:
        raise RefusedError(403, "no access to this namespace")
    fields = {key: sent[key] for key in ("description", "is_private") if key in sent}
    row = request.episode.add("repositories", repository=sent["name"], **fields)
    return JSONResponse(_shown(row), 201)


async def delete(request: SiteRequest) -> Response:
    """Delete a repository."""
    request.authorize("repo:admin")
    row = _named(_visible(request), request.path_params["name"])
    request.episode.remove("repositories", repository=row["name"])
    return JSONResponse({}, 202)


def _visible(request: SiteRequest) -> list[dict[str, Any]]:
    """Return the repositories that the request's token may see, in the form of the API."""
    token = request.authorize()
    if request.path_params["owner"] != OWNER:
        raise RefusedError(404, "object not found")
    rows = request.episode.items("repositories")
    return [_shown(row) for row in rows if token["permissions"] != PUBLIC_ONLY or not row["is_private"]]


def _named(found: list[dict[str, Any]], name: str) -> dict[str, Any]:
    for each in found:
        if each["name"] == name:
            return each
    raise RefusedError(404, "object not found")


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "namespace": OWNER,
        "name": row["repository"],
        "description": row["description"],
        "is_private": row["is_private"],
        "pull_count": row["pulls"],
    }
