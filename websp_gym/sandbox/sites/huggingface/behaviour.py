"""Repositories of the Hub: its API, as ``huggingface_hub`` speaks to it, and the forms that change them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeAlias
from urllib.parse import parse_qs, urlencode

from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from websp_gym.sandbox.schema.account import ACCOUNT
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.request_fields import RefusedError, read_fields, read_json, read_yaml
from websp_gym.sandbox.server.site_request import SiteRequest

Row: TypeAlias = dict[str, Any]
Handler: TypeAlias = Callable[[SiteRequest], Awaitable[Response]]

USER = ACCOUNT["username"]
ORGS = ("rivers-lab",)
_BASE = {"models": "", "datasets": "/datasets"}
_KINDS = {"model": "models", "dataset": "datasets"}
_CARD = {"license": "license", "language": "language", "tags": "tags", "pretty_name": "pretty"}
_HEAD = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*(?:\n|\Z)(.*)\Z", re.S | re.M)
_NAME = re.compile(r"[\w.-]{1,96}", re.A)
_RULE = "Repo names have letters, digits, '-', '_' and '.', and at most 96 of them"


class HubError(Exception):
    """Error that the API answers as the Hub does: JSON, and headers that name it."""

    def __init__(self, status: int, text: str, code: str = "") -> None:
        super().__init__(text)
        self.status, self.text, self.code = status, text, code

    def response(self) -> Response:
        """Return the answer."""
        headers = {"x-error-message": self.text.encode("ascii", "replace").decode()}
        headers |= {"x-error-code": self.code} if self.code else {}
        return JSONResponse({"error": self.text}, self.status, headers)


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
    """Return the fields of a repository that a README.md says. Raise HubError if its metadata cannot be read."""
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
            raise HubError(400, f"the metadata of the card has {chunk.partition(':')[0]} twice")
        known.add(field)
        try:
            value = read_yaml(chunk)
        except ValueError as error:
            raise HubError(400, f"the metadata of the card is not valid: {error}") from None
        value = next(iter(value.values())) if isinstance(value, dict) else ""
        fields[field] = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return fields


class _Hub:
    def __init__(self, site: Any) -> None:
        self._site = site
        self._data: dict[str, list[Row]] = site.data
        self._licenses = {row["id"] for row in site.data["licenses"]}

    def routes(self) -> Iterator[Route]:
        one = "/api/{kind}/{owner}/{name}"
        for path, method, handler in [
            ("/api/whoami-v2", "GET", self.whoami),
            ("/api/validate-yaml", "POST", self.validate),
            ("/api/repos/create", "POST", self.create),
            ("/api/repos/delete", "DELETE", self.delete),
            ("/api/repos/move", "POST", self.move),
            ("/api/{kind}", "GET", self.listing),
            (one, "GET", self.info),
            (f"{one}/revision/{{revision}}", "GET", self.info),
            (f"{one}/tree/{{revision}}", "GET", self.tree),
            (f"{one}/settings", "PUT", self.settings),
            (f"{one}/preupload/{{revision}}", "POST", self.preupload),
            (f"{one}/commit/{{revision}}", "POST", self.commit),
        ]:
            yield Route(path, _answered(handler), methods=[method])
        for kind, base in _BASE.items():
            here = f"{base}/{{owner}}/{{name}}"
            for path, method, handler in [
                (f"{here}/resolve/{{revision}}/{{path:path}}", "GET", self.resolve),
                (f"{here}/raw/{{revision}}/{{path:path}}", "GET", self.resolve),
                (f"{here}/edit/main/README.md", "POST", self.web_edit),
                (f"{here}/settings/move", "POST", self.web_move),
                (f"{here}/settings/delete", "POST", self.web_delete),
                (f"/new{'-dataset' if kind == 'datasets' else ''}", "POST", self.web_create),
            ]:
                yield Route(path, _answered(_of(kind, handler)), methods=[method])

    # --- the API

    async def whoami(self, request: SiteRequest) -> Response:
        token = _token(request, needed=True)
        when = f"{token['created']}T00:00:00.000Z"
        access: Row = {"displayName": token["name"], "role": token["type"], "createdAt": when}
        if token["type"] == "fineGrained":
            held = token["permissions"]
            mine = [each.removeprefix("user.") for each in held if each.startswith("user.")]
            whole = [each for each in held if each in ("discussion.write", "post.write")]
            entity = {"_id": _key(USER), "type": "user", "name": USER}
            access["fineGrained"] = {
                "canReadGatedRepos": "gated.read" in held,
                "global": whole,
                "scoped": [{"entity": entity, "permissions": mine}],
            }
        person = {"type": "user", "id": _key(USER), "name": USER, "email": ACCOUNT["email"]}
        told = {
            "fullname": request.episode.get("profile.fullname"),
            "emailVerified": True,
            "isPro": bool(request.episode.items("purchases")),
            "orgs": [{"type": "org", "id": _key(org), "name": org, "roleInOrg": "admin"} for org in ORGS],
            "auth": {"type": "access_token", "accessToken": access},
        }
        return JSONResponse(person | told)

    async def validate(self, request: SiteRequest) -> Response:
        fields = card_fields((await read_fields(request)).text("content"))
        return JSONResponse({"errors": self._license_errors(fields), "warnings": []})

    async def listing(self, request: SiteRequest) -> Response:
        kind, token, query = _kind(request.path_params["kind"]), _token(request), request.query_params
        own = request.episode.items(kind)
        rows = [row for row in own if not row["private"] or _may(token, "read", row)] + self._data[kind]
        rows = [row for row in rows if query.get("author", row["owner"]).lower() == row["owner"].lower()]
        rows = [row for row in rows if query.get("search", "").lower() in _id(row).lower()]
        limit = query.get("limit", "")
        return JSONResponse(
            [_facts(request, kind, row) for row in rows[: int(limit) if limit.isdecimal() else 1000]]
        )

    async def info(self, request: SiteRequest) -> Response:
        kind, row = self._readable(request)
        return JSONResponse(_facts(request, kind, row, whole=True))

    async def tree(self, request: SiteRequest) -> Response:
        kind, row = self._readable(request, files=True)
        files = _files(request, kind, row)
        return JSONResponse(
            [
                {"type": "file", "oid": _hash(text), "size": len(text.encode()), "path": path}
                for path, text in files.items()
            ]
        )

    async def settings(self, request: SiteRequest) -> Response:
        kind, row = self._writable(request)
        body = _body(request)
        changes: Row = {"private": _private(body)} if {"private", "visibility"} & set(body) else {}
        if "gated" in body:
            if body["gated"] not in ("auto", "manual", False):
                raise HubError(400, '"gated" must be one of [auto, manual, false]')
            changes |= {"gated": bool(body["gated"])} | ({"approval": body["gated"]} if body["gated"] else {})
        if not changes:
            raise HubError(400, "there is nothing to change")
        request.episode.update(kind, where={"id": row["id"]}, **changes)
        return JSONResponse(_facts(request, kind, row | changes))

    async def create(self, request: SiteRequest) -> Response:
        body = _body(request)
        kind = _kind_of(body)
        row = {"owner": str(body.get("organization") or USER), "name": str(body.get("name", ""))}
        _demand(_token(request, needed=True), "write", row)
        self._new(request, kind, row | {"private": _private(body), "license": str(body.get("license") or "")})
        return JSONResponse({"url": _address(kind, row), "name": _id(row), "id": _key(kind + _id(row))})

    async def delete(self, request: SiteRequest) -> Response:
        body = _body(request)
        kind = _kind_of(body)
        row = self._own(request, kind, str(body.get("organization") or USER), str(body.get("name", "")))
        self._remove(request, kind, row)
        return Response("OK", media_type="text/plain")

    async def move(self, request: SiteRequest) -> Response:
        body = _body(request)
        kind = _kind_of(body)
        row = self._own(request, kind, *_split(body.get("fromRepo")))
        self._rename(request, kind, row, *_split(body.get("toRepo")))
        return Response("OK", media_type="text/plain")

    async def preupload(self, request: SiteRequest) -> Response:
        self._writable(request)
        asked = _body(request).get("files")
        files = [each for each in asked if isinstance(each, dict)] if isinstance(asked, list) else []
        told = {"uploadMode": "regular", "shouldIgnore": False, "oid": None}
        return JSONResponse({"files": [{"path": each.get("path"), **told} for each in files]})

    async def commit(self, request: SiteRequest) -> Response:
        kind, row = self._writable(request)
        lines = [_object(line) for line in request.content.splitlines() if line.strip()]
        values = [(line.get("key"), line["value"]) for line in lines if isinstance(line.get("value"), dict)]
        header = next((value for key, value in values if key == "header"), None)
        if header is None or not header.get("summary"):
            raise HubError(400, "the header of the commit has no summary")
        where = f"{kind}/{row['id']}"
        if request.query_params.get("create_pr") in ("1", "true", "True"):
            pull = request.episode.add("pull_requests", repo=where, title=str(header["summary"]))
            url = f"{_address(kind, row)}/discussions/{pull['id']}"
            return JSONResponse(_done(_hash(url), url) | {"pullRequestUrl": url})
        with request.episode.transaction():
            for key, value in values:
                path = str(value.get("path", ""))
                if key == "file":
                    self._write(request, kind, row, path, _content(value))
                elif key == "deletedFile":
                    self._write(request, kind, row, path, None)
                elif key in ("deletedFolder", "lfsFile"):
                    raise HubError(400, f"a {key} is not supported here")
        sha = _sha(request, kind, self._find(request, kind, row["owner"], row["name"]) or row)
        return JSONResponse(_done(sha, f"{_address(kind, row)}/commit/{sha}"))

    async def resolve(self, request: SiteRequest) -> Response:
        kind, row = self._readable(request, files=True)
        if request.path_params["revision"] not in ("main", _sha(request, kind, row)):
            raise HubError(404, f"Invalid rev id: {request.path_params['revision']}", "RevisionNotFound")
        text = _files(request, kind, row).get(request.path_params["path"])
        if text is None:
            raise HubError(404, "Entry not found", "EntryNotFound")
        headers = {
            "etag": f'"{_hash(text)}"',
            "x-repo-commit": _sha(request, kind, row),
            "accept-ranges": "bytes",
        }
        return Response(text, headers=headers, media_type="text/plain")

    # --- the forms

    async def web_create(self, request: SiteRequest) -> Response:
        form = _form(request)
        row = {"owner": form.get("owner", USER), "name": form.get("name", "").strip()}
        kind = request.path_params["kind"]
        try:
            if row["owner"] not in (USER, *ORGS):
                raise HubError(403, "You may not create repositories there")
            more = {"private": form.get("private") == "true", "license": form.get("license", "")}
            self._new(request, kind, {**row, **more})
        except HubError as error:
            here = {"error": error.text, "name": row["name"], "license": form.get("license", "")}
            return _to(f"{request.url.path}?{urlencode(here)}")
        return _to(f"{_BASE[kind]}/{_id(row)}")

    async def web_edit(self, request: SiteRequest) -> Response:
        kind, row = self._mine(request)
        form = _form(request)
        if form.get("target") == "pull_request":
            pull = {"title": form.get("summary") or "Update README.md", "content": form.get("content", "")}
            request.episode.add("pull_requests", repo=f"{kind}/{row['id']}", **pull)
            return _to(f"{_BASE[kind]}/{_id(row)}/discussions")
        self._write(request, kind, row, "README.md", form.get("content", ""))
        return _to(f"{_BASE[kind]}/{_id(row)}")

    async def web_move(self, request: SiteRequest) -> Response:
        kind, row = self._mine(request)
        form = _form(request)
        owner, name = form.get("owner", USER), form.get("name", "").strip()
        self._rename(request, kind, row, owner, name)
        return _to(f"{_BASE[kind]}/{owner}/{name}/settings")

    async def web_delete(self, request: SiteRequest) -> Response:
        kind, row = self._mine(request)
        if _form(request).get("confirm", "").strip() != _id(row):
            raise HubError(400, f"type {_id(row)} to confirm")
        self._remove(request, kind, row)
        return _to(f"/{row['owner']}")

    # --- what they share

    def _find(self, request: SiteRequest, kind: str, owner: str, name: str) -> Row | None:
        rows = [*request.episode.items(kind), *self._data[kind]]
        return next((row for row in rows if (row["owner"], row["name"]) == (owner, name)), None)

    def _mine(self, request: SiteRequest) -> tuple[str, Row]:
        """Return the account's repository that a form is about."""
        kind = request.path_params["kind"]
        row = self._find(request, kind, request.path_params["owner"], request.path_params["name"])
        if request.episode.account is None:
            raise HubError(401, "Invalid username or password.")
        if row is None or "body" not in row:
            raise HubError(404, "Repository not found", "RepoNotFound")
        return kind, row

    def _readable(self, request: SiteRequest, *, files: bool = False) -> tuple[str, Row]:
        """Return a repository that the request may read, or (``files``) whose files it may read."""
        kind = _kind(request.path_params["kind"])
        token = _token(request)
        row = self._find(request, kind, request.path_params["owner"], request.path_params["name"])
        here = request.episode.account is not None
        mine = row is not None and "body" in row and (here or _may(token, "read", row))
        if row is None or (row.get("private") and not mine):
            said = (404, "Repository not found") if token else (401, "Invalid username or password.")
            raise HubError(*said, "RepoNotFound")
        if files and row.get("gated") and not mine:
            asked = [each["repo"] for each in request.episode.items("access_requests")]
            if f"{kind}/{_id(row)}" not in asked or not (here or _may(token, "gated", row)):
                text = f"Access to {kind[:-1]} {_id(row)} is restricted."
                raise HubError(403 if token else 401, text, "GatedRepo")
        return kind, row

    def _own(self, request: SiteRequest, kind: str, owner: str, name: str) -> Row:
        """Return a repository of the account that the request's token may write."""
        token = _token(request, needed=True)
        row = self._find(request, kind, owner, name)
        if row is None or "body" not in row or (row["private"] and not _may(token, "read", row)):
            if row is not None and "body" not in row:
                raise HubError(403, f"You don't have the rights to change {_id(row)}")
            raise HubError(404, "Repository not found", "RepoNotFound")
        _demand(token, "write", row)
        return row

    def _writable(self, request: SiteRequest) -> tuple[str, Row]:
        kind = _kind(request.path_params["kind"])
        if request.path_params.get("revision", "main") != "main":
            raise HubError(404, f"Invalid rev id: {request.path_params['revision']}", "RevisionNotFound")
        return kind, self._own(request, kind, request.path_params["owner"], request.path_params["name"])

    def _license_errors(self, fields: Row) -> list[Row]:
        wrong = [each for each in _words(fields["license"]) if each not in self._licenses]
        return [{"message": f'"license" must be one of the known ids; "{each}" is none'} for each in wrong]

    def _new(self, request: SiteRequest, kind: str, row: Row) -> None:
        if not _NAME.fullmatch(row["name"]):
            raise HubError(400, _RULE)
        if self._license_errors(row):
            raise HubError(400, self._license_errors(row)[0]["message"])
        if self._find(request, kind, row["owner"], row["name"]):
            raise HubError(409, f"You already created this {kind[:-1]} repo: {_id(row)}")
        request.episode.add(kind, **row)

    def _rename(self, request: SiteRequest, kind: str, row: Row, owner: str, name: str) -> None:
        if owner not in (USER, *ORGS):
            raise HubError(403, f"You may not move a repository to {owner}")
        if not _NAME.fullmatch(name):
            raise HubError(400, _RULE)
        if (owner, name) != (row["owner"], row["name"]) and self._find(request, kind, owner, name):
            raise HubError(409, f"There is a {kind[:-1]} {owner}/{name} already")
        request.episode.update(kind, where={"id": row["id"]}, owner=owner, name=name)

    def _remove(self, request: SiteRequest, kind: str, row: Row) -> None:
        with request.episode.transaction():
            request.episode.remove("files", repo=f"{kind}/{row['id']}")
            request.episode.remove(kind, id=row["id"])

    def _write(self, request: SiteRequest, kind: str, row: Row, path: str, text: str | None) -> None:
        """Write a file of a repository, or delete it."""
        episode, where = request.episode, f"{kind}/{row['id']}"
        if path == "README.md":
            fields = card_fields(text or "")
            if self._license_errors(fields):
                raise HubError(
                    400, f"Invalid metadata in README.md. {self._license_errors(fields)[0]['message']}"
                )
            episode.update(kind, where={"id": row["id"]}, **fields)
            return
        if not path or path.startswith("/") or ".." in path.split("/"):
            raise HubError(400, f'"{path}" is no path of a file')
        episode.remove("files", repo=where, path=path)
        if text is not None:
            episode.add("files", repo=where, path=path, content=text)


def _answered(handler: Handler) -> Handler:
    async def answer(request: SiteRequest) -> Response:
        try:
            return await handler(request)
        except HubError as error:
            return error.response()

    return answer


def _of(kind: str, handler: Handler) -> Handler:
    """Return a handler of pages of one kind of repository, for those who are signed in where it is a form."""

    async def handle(request: SiteRequest) -> Response:
        request.path_params["kind"] = kind
        if request.method == "POST" and request.episode.account is None:
            return _to("/login")
        return await handler(request)

    return handle


def _token(request: SiteRequest, *, needed: bool = False) -> Row:
    """Return the token of a request; an empty one where there is none and none is needed."""
    if not request.headers.get("authorization"):
        if needed:
            raise HubError(401, "Invalid username or password.")
        return {}
    try:
        row: Row = request.authorize("read", "fineGrained")
    except RefusedError:
        raise HubError(401, "Invalid credentials in Authorization header") from None
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
        raise HubError(403, f"You don't have the rights to change {_id(repo)} with {token['name']}")


def _body(request: SiteRequest) -> Row:
    return _object(request.content)


def _object(text: bytes) -> Row:
    try:
        return read_json(text)
    except ValueError as error:
        raise HubError(400, str(error)) from None


def _form(request: SiteRequest) -> dict[str, str]:
    pairs = parse_qs(request.content.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=100)
    return {name: values[-1] for name, values in pairs.items()}


def _to(path: str) -> Response:
    return RedirectResponse(path, 303)


def _kind(kind: str) -> str:
    if kind not in _BASE:
        raise HubError(404, "Not found")
    return kind


def _kind_of(body: Row) -> str:
    kind = _KINDS.get(str(body.get("type") or "model"))
    if kind is None:
        raise HubError(400, '"type" must be one of [model, dataset]')
    return kind


def _private(body: Row) -> bool:
    """Return whether a request asks for a private repository, in either way of saying it."""
    private = body.get("private", False)
    visibility = body.get("visibility", "private" if private else "public")
    if not isinstance(private, bool) or visibility not in ("public", "private"):
        raise HubError(400, '"private" must be a boolean, "visibility" one of [public, private]')
    return bool(visibility == "private")


def _split(repo: object) -> tuple[str, str]:
    owner, _, name = str(repo or "").partition("/")
    return owner, name


def _words(text: object) -> list[str]:
    return [each.strip() for each in str(text or "").split(",") if each.strip()]


def _content(value: Row) -> str:
    content = str(value.get("content", ""))
    if value.get("encoding") != "base64":
        return content
    try:
        return base64.b64decode(content, validate=True).decode()
    except (binascii.Error, ValueError):
        raise HubError(400, f"the content of {value.get('path')} is not text in base64") from None


def _id(row: Row) -> str:
    return f"{row['owner']}/{row['name']}"


def _address(kind: str, row: Row) -> str:
    return f"https://huggingface.co{_BASE[kind]}/{_id(row)}"


def _done(sha: str, url: str) -> Row:
    return {"success": True, "commitOid": sha, "commitUrl": url, "hookOutput": ""}


def _key(text: str) -> str:
    return _hash(text)[:24]


def _hash(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()


def _files(request: SiteRequest, kind: str, row: Row) -> dict[str, str]:
    """Return the text of each file of a repository."""
    own = request.episode.items("files") if "body" in row else []
    mine = {each["path"]: each["content"] for each in own if each["repo"] == f"{kind}/{row['id']}"}
    return {"README.md": readme(row)} | mine


def _sha(request: SiteRequest, kind: str, row: Row) -> str:
    return _hash(json.dumps([kind, _id(row), _files(request, kind, row)]))


def _facts(request: SiteRequest, kind: str, row: Row, *, whole: bool = False) -> Row:
    """Return what the API says of a repository."""
    licenses, tags = _words(row.get("license")), _words(row.get("tags"))
    facts: Row = {
        "_id": _key(kind + str(row["id"])),
        "id": _id(row),
        "author": row["owner"],
        "sha": _sha(request, kind, row),
        "createdAt": "2025-09-01T00:00:00.000Z",
        "lastModified": "2025-09-22T00:00:00.000Z",
        "private": bool(row.get("private")),
        "gated": (row.get("approval") or "auto") if row.get("gated") else False,
        "disabled": False,
        "downloads": row["downloads"],
        "likes": row["likes"],
        "tags": [*tags, *(f"license:{each}" for each in licenses)],
    }
    if kind == "models":
        facts |= {"modelId": _id(row), "pipeline_tag": str(row["task"]).lower().replace(" ", "-")}
    if whole:
        data: Row = {"license": licenses[0] if len(licenses) == 1 else licenses, "tags": tags}
        data |= {"language": _words(row.get("language"))}
        facts["cardData"] = {key: value for key, value in data.items() if value}
        facts["siblings"] = [{"rfilename": path} for path in _files(request, kind, row)]
    return facts
