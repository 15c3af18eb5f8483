"""Repositories of the Hub: the forms that change them, and the part of its API that tasks and tokens need."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlencode

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.request_fields import RefusedError, read_json, read_yaml
from websp_gym.sandbox.server.site_request import SiteRequest

Row: TypeAlias = dict[str, Any]
Handler: TypeAlias = Callable[[SiteRequest], Coroutine[Any, Any, Response]]

USER = ACCOUNT["username"]
ORGS = ("rivers-lab",)
_BASE = {"models": "", "datasets": "/datasets"}
_KINDS = {"model": "models", "dataset": "datasets"}
_CARD = {"license": "license", "language": "language", "tags": "tags", "pretty_name": "pretty"}
_HEAD = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)(.*)\Z", re.S | re.M)
_NAME = re.compile(r"[\w.-]{1,96}", re.A)
_RULE = "Repo names have letters, digits, '-', '_' and '.', and at most 96 of them"


def routes(site: SiteSchema) -> list[Route]:
    """Return the routes of the API and of the forms that concern repositories."""
    return list(_Hub(site).routes())


def readme(repo: Row) -> str:
    """Return the text of a repository's README.md: its metadata, and the card."""
    lines = []
    for key, field in _CARD.items():
        words = _words(repo.get(field))
        if field == "pretty" or (field == "license" and len(words) == 1):
            lines += [f"{key}: {repo[field]}\n"] if words else []
        elif words:
            lines += [f"{key}:\n", *(f"- {word}\n" for word in words)]
    head = "".join(lines) + str(repo.get("more") or "")
    body = repo["body"] if "body" in repo else f"# {repo['name']}\n\n{repo['text']}\n"
    return f"---\n{head}---\n{body}" if head else str(body)


def card_fields(text: str) -> Row:
    """Return the fields of a repository that a README.md says. Raise ValueError if its metadata cannot be read."""
    text = text.replace("\r\n", "\n")
    found = _HEAD.match(text)
    fields: Row = {**dict.fromkeys(_CARD.values(), ""), "more": "", "body": found[2] if found else text}
    known: set[str] = set()
    for chunk in re.split(r"^(?=[\w-]+:)", found[1], flags=re.M) if found else ():
        field = _CARD.get(chunk.partition(":")[0])
        if field is None:
            fields["more"] += chunk if chunk.strip() else ""
            continue
        if field in known:
            raise RefusedError(400, f"the metadata of the card has {chunk.partition(':')[0]} twice")
        known.add(field)
        value = read_yaml(chunk)
        value = next(iter(value.values())) if isinstance(value, dict) else ""
        fields[field] = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return fields


class _Hub:
    def __init__(self, site: SiteSchema) -> None:
        self._data = site.data
        self._licenses = {row["id"] for row in site.data["licenses"]}

    def routes(self) -> Iterator[Route]:
        yield Route("/api/whoami-v2", self.whoami, methods=["GET"])
        yield Route("/api/repos/create", self.create, methods=["POST"])
        yield Route("/api/repos/delete", self.delete, methods=["DELETE"])
        for kind, base in _BASE.items():
            api, page = f"/api/{kind}/{{owner}}/{{name}}", f"{base}/{{owner}}/{{name}}"
            for path, method, handler in [
                (api, "GET", self.info),
                (f"{api}/settings", "PUT", self.settings),
                (f"{api}/commit/main", "POST", self.commit),
                (f"{page}/resolve/main/README.md", "GET", self.file),
                (f"{page}/raw/main/README.md", "GET", self.file),
                (f"{page}/edit/main/README.md", "POST", _signed_in(self.web_edit)),
                (f"{page}/settings/move", "POST", _signed_in(self.web_move)),
                (f"{page}/settings/delete", "POST", _signed_in(self.web_delete)),
                (f"/new{'-dataset' if kind == 'datasets' else ''}", "POST", _signed_in(self.web_create)),
            ]:
                yield Route(path, _of(kind, handler), methods=[method])

    # --- the API

    async def whoami(self, request: SiteRequest) -> Response:
        token = _token(request, needed=True)
        access = {"displayName": token["name"], "role": token["type"]}
        orgs = [{"type": "org", "name": org, "roleInOrg": "admin"} for org in ORGS]
        told = {"type": "user", "name": USER, "email": ACCOUNT["email"], "emailVerified": True, "orgs": orgs}
        told |= {"fullname": request.episode.get("profile.fullname")}
        return JSONResponse(told | {"auth": {"type": "access_token", "accessToken": access}})

    async def info(self, request: SiteRequest) -> Response:
        kind, row = self._readable(request)
        return JSONResponse(_facts(kind, row))

    async def settings(self, request: SiteRequest) -> Response:
        kind, row = self._writable(request)
        body = read_json(request.content)
        changes: Row = {"private": _private(body)} if "private" in body else {}
        if "gated" in body:
            if body["gated"] not in ("auto", "manual", False):
                raise RefusedError(400, '"gated" must be one of [auto, manual, false]')
            changes |= {"gated": bool(body["gated"])} | ({"approval": body["gated"]} if body["gated"] else {})
        if not changes:
            raise RefusedError(400, "there is nothing to change")
        request.episode.update(kind, where={"id": row["id"]}, **changes)
        return JSONResponse(_facts(kind, row | changes))

    async def commit(self, request: SiteRequest) -> Response:
        """Write README.md, the only file of a repository here: a line of JSON for a header, and for the file."""
        kind, row = self._writable(request)
        for line in [read_json(line) for line in request.content.splitlines() if line.strip()]:
            if line.get("key") == "header":
                continue
            value = line.get("value")
            if line.get("key") != "file" or not isinstance(value, dict) or value.get("path") != "README.md":
                raise RefusedError(400, "only README.md can be written here")
            self._write(request, kind, row, _content(value))
        return JSONResponse({"success": True})

    async def create(self, request: SiteRequest) -> Response:
        body = read_json(request.content)
        kind = _kind_of(body)
        row = {"owner": str(body.get("organization") or USER), "name": str(body.get("name", ""))}
        _demand(_token(request, needed=True), "write", row)
        self._new(request, kind, row | {"private": _private(body), "license": str(body.get("license") or "")})
        return JSONResponse({"url": f"https://huggingface.co{_BASE[kind]}/{_id(row)}", "name": _id(row)})

    async def delete(self, request: SiteRequest) -> Response:
        body = read_json(request.content)
        kind = _kind_of(body)
        row = self._own(request, kind, str(body.get("organization") or USER), str(body.get("name", "")))
        request.episode.remove(kind, id=row["id"])
        return Response("OK", media_type="text/plain")

    async def file(self, request: SiteRequest) -> Response:
        _, row = self._readable(request, files=True)
        return Response(readme(row), media_type="text/plain")

    # --- the forms

    async def web_create(self, request: SiteRequest) -> Response:
        form = _form(request)
        row = {"owner": form.get("owner", USER), "name": form.get("name", "").strip()}
        kind = request.path_params["kind"]
        try:
            if row["owner"] not in (USER, *ORGS):
                raise RefusedError(403, "You may not create repositories there")
            more = {"private": form.get("private") == "true", "license": form.get("license", "")}
            self._new(request, kind, {**row, **more})
        except RefusedError as error:
            here = {"error": str(error), "name": row["name"], "license": form.get("license", "")}
            return _to(f"{request.url.path}?{urlencode(here)}")
        return _to(f"{_BASE[kind]}/{_id(row)}")

    async def web_edit(self, request: SiteRequest) -> Response:
        kind, row = self._mine(request)
        form = _form(request)
        if form.get("target") == "pull_request":
            pull = {"title": form.get("summary") or "Update README.md", "content": form.get("content", "")}
            request.episode.add("pull_requests", repo=f"{kind}/{row['id']}", **pull)
            return _to(f"{_BASE[kind]}/{_id(row)}/discussions")
        self._write(request, kind, row, form.get("content", ""))
        return _to(f"{_BASE[kind]}/{_id(row)}")

    async def web_move(self, request: SiteRequest) -> Response:
        kind, row = self._mine(request)
        form = _form(request)
        owner, name = form.get("owner", USER), form.get("name", "").strip()
        if owner not in (USER, *ORGS):
            raise RefusedError(403, f"You may not move a repository to {owner}")
        if not _NAME.fullmatch(name):
            raise RefusedError(400, _RULE)
        if (owner, name) != (row["owner"], row["name"]) and self._find(request, kind, owner, name):
            raise RefusedError(409, f"There is a {kind[:-1]} {owner}/{name} already")
        request.episode.update(kind, where={"id": row["id"]}, owner=owner, name=name)
        return _to(f"{_BASE[kind]}/{owner}/{name}/settings")

    async def web_delete(self, request: SiteRequest) -> Response:
        kind, row = self._mine(request)
        if _form(request).get("confirm", "").strip() != _id(row):
            raise RefusedError(400, f"type {_id(row)} to confirm")
        request.episode.remove(kind, id=row["id"])
        return _to(f"/{row['owner']}")

    # --- what they share

    def _find(self, request: SiteRequest, kind: str, owner: str, name: str) -> Row | None:
        rows = [*request.episode.items(kind), *self._data[kind]]
        return next((row for row in rows if (row["owner"], row["name"]) == (owner, name)), None)

    def _asked(self, request: SiteRequest) -> tuple[str, Row | None]:
        """Return the kind of repository that the path names, and the repository if there is one."""
        kind, owner, name = (request.path_params[key] for key in ("kind", "owner", "name"))
        return kind, self._find(request, kind, owner, name)

    def _mine(self, request: SiteRequest) -> tuple[str, Row]:
        """Return the account's repository that a form is about."""
        kind, row = self._asked(request)
        if row is None or "body" not in row:
            raise RefusedError(404, "Repository not found")
        return kind, row

    def _readable(self, request: SiteRequest, *, files: bool = False) -> tuple[str, Row]:
        """Return a repository that the request may read, or (``files``) whose files it may read."""
        token = _token(request)
        kind, row = self._asked(request)
        here = request.episode.account is not None
        mine = row is not None and "body" in row and (here or _may(token, "read", row))
        if row is None or (row.get("private") and not mine):
            said = (404, "Repository not found") if token else (401, "Invalid username or password.")
            raise RefusedError(*said)
        if files and row.get("gated") and not mine:
            asked = [each["repo"] for each in request.episode.items("access_requests")]
            if f"{kind}/{_id(row)}" not in asked or not (here or _may(token, "gated", row)):
                text = f"Access to {kind[:-1]} {_id(row)} is restricted."
                raise RefusedError(403 if token else 401, text)
        return kind, row

    def _own(self, request: SiteRequest, kind: str, owner: str, name: str) -> Row:
        """Return a repository of the account that the request's token may write."""
        token = _token(request, needed=True)
        row = self._find(request, kind, owner, name)
        if row is None or "body" not in row or (row["private"] and not _may(token, "read", row)):
            if row is not None and "body" not in row:
                raise RefusedError(403, f"You don't have the rights to change {_id(row)}")
            raise RefusedError(404, "Repository not found")
        _demand(token, "write", row)
        return row

    def _writable(self, request: SiteRequest) -> tuple[str, Row]:
        kind, owner, name = (request.path_params[key] for key in ("kind", "owner", "name"))
        return kind, self._own(request, kind, owner, name)

    def _check_license(self, fields: Row) -> None:
        for each in _words(fields["license"]):
            if each not in self._licenses:
                raise RefusedError(400, f'"license" must be one of the known ids; "{each}" is none')

    def _new(self, request: SiteRequest, kind: str, row: Row) -> None:
        if not _NAME.fullmatch(row["name"]):
            raise RefusedError(400, _RULE)
        self._check_license(row)
        if self._find(request, kind, row["owner"], row["name"]):
            raise RefusedError(409, f"You already created this {kind[:-1]} repo: {_id(row)}")
        request.episode.add(kind, **row)

    def _write(self, request: SiteRequest, kind: str, row: Row, text: str) -> None:
        """Write the README.md of a repository."""
        fields = card_fields(text)
        self._check_license(fields)
        request.episode.update(kind, where={"id": row["id"]}, **fields)


def _of(kind: str, handler: Handler) -> Handler:
    """Return a handler for one kind of repository."""

    async def handle(request: SiteRequest) -> Response:
        request.path_params["kind"] = kind
        return await handler(request)

    return handle


def _signed_in(handler: Handler) -> Handler:
    """Return the handler of a form, for those who are signed in."""

    async def handle(request: SiteRequest) -> Response:
        return _to("/login") if request.episode.account is None else await handler(request)

    return handle


def _token(request: SiteRequest, *, needed: bool = False) -> Row:
    """Return the token of a request; an empty one where there is none and none is needed."""
    if not request.headers.get("authorization"):
        if needed:
            raise RefusedError(401, "Invalid username or password.")
        return {}
    try:
        row: Row = request.authorize("read", "fineGrained")
    except RefusedError:
        raise RefusedError(401, "Invalid credentials in Authorization header") from None
    return row


def _may(token: Row, what: str, repo: Row) -> bool:
    """Whether a token may ``read`` or ``write`` a repository of the account, or read a ``gated`` one of others."""
    if token.get("type") in ("read", "write"):
        return token["type"] == "write" or what != "write"
    held = set(token.get("permissions", []))
    if what == "gated":
        return "gated.read" in held
    words = {"repo.write"} | ({"repo.content.read"} if what == "read" else set())
    whose = "org" if repo["owner"] in ORGS else "user"
    named = _id(repo) in _words(token.get("repos"))
    return bool(held & {f"{whose}.{word}" for word in words}) or (named and bool(held & words))


def _demand(token: Row, what: str, repo: Row) -> None:
    if repo["owner"] not in (USER, *ORGS) or not _may(token, what, repo):
        raise RefusedError(403, f"You don't have the rights to change {_id(repo)} with {token['name']}")


def _form(request: SiteRequest) -> dict[str, str]:
    pairs = parse_qs(request.content.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=100)
    return {name: values[-1] for name, values in pairs.items()}


def _to(path: str) -> Response:
    return RedirectResponse(path, 303)


def _kind_of(body: Row) -> str:
    kind = _KINDS.get(str(body.get("type") or "model"))
    if kind is None:
        raise RefusedError(400, '"type" must be one of [model, dataset]')
    return kind


def _private(body: Row) -> bool:
    private = body.get("private", False)
    if not isinstance(private, bool):
        raise RefusedError(400, '"private" must be a boolean')
    return private


def _words(text: object) -> list[str]:
    return [each.strip() for each in str(text or "").split(",") if each.strip()]


def _content(value: Row) -> str:
    content = str(value.get("content", ""))
    return base64.b64decode(content, validate=True).decode() if value.get("encoding") == "base64" else content


def _id(row: Row) -> str:
    return f"{row['owner']}/{row['name']}"


def _facts(kind: str, row: Row) -> Row:
    """Return what the API says of a repository."""
    licenses, tags = _words(row.get("license")), _words(row.get("tags"))
    facts: Row = {
        "id": _id(row),
        "author": row["owner"],
        "private": bool(row.get("private")),
        "gated": (row.get("approval") or "auto") if row.get("gated") else False,
        "downloads": row["downloads"],
        "likes": row["likes"],
        "tags": [*tags, *(f"license:{each}" for each in licenses)],
        "siblings": [{"rfilename": "README.md"}],
    }
    if kind == "models":
        facts["pipeline_tag"] = str(row["task"]).lower().replace(" ", "-")
    card = {"license": licenses[0] if len(licenses) == 1 else licenses, "tags": tags}
    card |= {"language": _words(row.get("language"))}
    return facts | {"cardData": {key: value for key, value in card.items() if value}}
