"""What is no HTML page: raw files, the calls of the API that tokens are for, and the area of administrators."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.actions import to_login
from websp_gym.sandbox.server.records import Records
from websp_gym.sandbox.server.site_request import SiteRequest


def routes(site: SiteSchema) -> list[Route]:
    """Return the routes of raw files, of the API and of administrators."""

    def records(request: SiteRequest) -> Records:
        return Records(request._episode_state, site)

    async def raw(request: SiteRequest) -> Response:
        """Answer with the text of a file."""
        if request.episode.account is None:
            return to_login(request, site)
        found, ref = records(request), request.path_params["ref"]
        namespace, _, path = request.path_params["project"].rpartition("/")
        project = found.first("projects", namespace=namespace, path=path)
        branches = found.find("branches", project=project["id"]) if project else []
        names = {row["name"]: row for row in branches}
        fitting = [name for name in names if ref.startswith(f"{name}/")]
        name = first = max(fitting, key=len, default="")
        for _ in range(8):
            where = {"project": project["id"], "branch": name} if project and name else None
            file = found.first("files", **where, path=ref[len(first) + 1 :]) if where else None
            if file or not project or not name:
                break
            source = names[name]["source"] if name in names else ""
            name = source or (project["default_branch"] if name != project["default_branch"] else "")
        return PlainTextResponse(file["content"]) if file else request.render("404.html", status=404)

    async def user(request: SiteRequest) -> Response:
        """Answer with the account."""
        request.authorize("read_user", "read_api", "api")
        me = records(request).me
        return JSONResponse({"username": me["id"], "name": me["name"], "email": me["email"]})

    async def projects(request: SiteRequest) -> Response:
        """Answer with the projects that the account may see."""
        request.authorize("read_api", "api")
        found: list[dict[str, Any]] = [
            {
                "path_with_namespace": f"{row['namespace']}/{row['path']}",
                "name": row["name"],
                "description": row["description"],
                "visibility": row["visibility"].lower(),
                "star_count": row["stars"],
            }
            for row in records(request).all("projects")
        ]
        return JSONResponse(found)

    async def admin(request: SiteRequest) -> Response:
        """Refuse whoever is no administrator."""
        return request.render("404.html", status=403)

    return [
        Route("/{project:path}/-/raw/{ref:path}", raw),
        Route("/api/v4/user", user),
        Route("/api/v4/projects", projects),
        Route("/admin", admin),
        Route("/admin/{rest:path}", admin),
    ]
