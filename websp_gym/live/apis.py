"""Requests to a website's API by its official client, and reading back what they set."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from websp_gym.errors import InitialStateError, SetupError, WorldError, missing_extra

_NOT_FOUND = 404


@dataclass(frozen=True)
class ApiRequest:
    """A request to a website's API.

    Args:
        method: The HTTP method.
        url: The address.
        body: JSON data, a text that is sent as it is, or ``None``.
        missing: Whether a 404 is fine.
    """

    method: str
    url: str
    body: Any = None
    missing: bool = False

    def __str__(self) -> str:
        return f"{self.method} {self.url}"


@dataclass(frozen=True)
class ApiReply:
    """The reply to such a request: the status, and its JSON data or text."""

    status: int
    data: Any


def send(request: ApiRequest, token: str) -> None:
    """Send a request with the official client of the site, and read back what it set.

    Args:
        request: The request.
        token: The account's access token.

    Raises:
        InitialStateError: The site did not store what was sent.
        MissingExtraError: The client is not installed.
        WorldError: The site refused it, or does not respond.
    """
    client = _client(request.url)
    reply = client(request, token)
    gone = request.missing and reply.status == _NOT_FOUND
    if not 200 <= reply.status < 300 and not gone:
        raise WorldError(
            f"{request} was answered with {reply.status}: {_shortened(reply.data)}", url=request.url
        )
    for read, wanted in _to_read_back(request):
        found = client(read, token)
        differences = dict(_differences(wanted, found))
        if differences:
            lines = [
                f"  {key}: expected {want!r}, actual {have!r}" for key, (want, have) in differences.items()
            ]
            raise InitialStateError(
                f"{request} was accepted, but has not taken effect ({read}):\n" + "\n".join(lines),
                differences=differences,
            )


def undo_of(request: ApiRequest, token: str) -> ApiRequest | None:
    """Return the request that restores what a request is about to set; None if there is none.

    Raises:
        MissingExtraError: The client is not installed.
        WorldError: The site does not respond.
    """
    for read, wanted in _to_read_back(request):
        if isinstance(wanted, Mapping):
            found = _client(request.url)(read, token).data
            if isinstance(found, Mapping) and wanted.keys() <= found.keys():
                return replace(request, body={key: found[key] for key in wanted})
    return None


def described(request: ApiRequest) -> list[str]:
    """Return in words what :func:`send` would do, for a dry run."""
    body = "" if request.body is None else f" {_shortened(request.body)}"
    return [f"{request}{body}", *(f"{read} to read it back" for read, _ in _to_read_back(request))]


@dataclass(frozen=True)
class _Gone:
    """What is read back is to be not found."""


@dataclass(frozen=True)
class _Text:
    """What is read back is to be this text."""

    text: str


def _to_read_back(request: ApiRequest) -> Iterator[tuple[ApiRequest, Mapping[str, Any] | _Gone | _Text]]:
    """Yield the requests that show what a request has set, with what they are to show."""
    parts, body = urlsplit(request.url), request.body
    base = f"{parts.scheme}://{parts.netloc}"
    if parts.hostname == "api.github.com" and request.method in ("PATCH", "PUT") and isinstance(body, dict):
        yield ApiRequest("GET", request.url), body
    elif parts.hostname == "api.github.com" and request.method == "DELETE":
        yield ApiRequest("GET", request.url), _Gone()
    elif parts.hostname != "huggingface.co":
        return
    elif parts.path.endswith("/settings") and isinstance(body, dict):
        yield ApiRequest("GET", request.url.removesuffix("/settings")), body
    elif parts.path == "/api/repos/delete" and isinstance(body, dict):
        kind = body.get("type", "model") + "s"
        yield ApiRequest("GET", f"{base}/api/{kind}/{body['organization']}/{body['name']}"), _Gone()
    elif "/commit/" in parts.path and isinstance(body, str):
        kind, *repo = parts.path.removeprefix("/api/").partition("/commit/")[0].split("/")
        prefix = "" if kind == "models" else f"{kind}/"
        for line in map(json.loads, filter(None, body.split("\n"))):
            if line["key"] == "file":
                value = line["value"]
                text = base64.b64decode(value["content"]).decode("utf-8", "replace")
                url = f"{base}/{prefix}{'/'.join(repo)}/raw/main/{value['path']}"
                yield ApiRequest("GET", url), _Text(text)


def _differences(
    wanted: Mapping[str, Any] | _Gone | _Text, found: ApiReply
) -> Iterator[tuple[str, tuple[Any, Any]]]:
    match wanted:
        case _Gone():
            if found.status != _NOT_FOUND:
                yield "status", (_NOT_FOUND, found.status)
        case _Text():
            if found.data != wanted.text:
                yield "content", (_shortened(wanted.text), _shortened(found.data))
        case _:
            data = found.data if isinstance(found.data, Mapping) else {}
            for key, value in wanted.items():
                if key not in data or data[key] != value:
                    yield key, (value, data.get(key, f"not in the reply ({found.status})"))


def _client(url: str) -> Any:
    host = urlsplit(url).hostname or ""
    if host == "api.github.com":
        return _by_pygithub
    if host == "huggingface.co":
        return _by_huggingface_hub
    raise SetupError(f"no client for the API at {host}: only GitHub and Hugging Face have one", site=host)


def _by_pygithub(request: ApiRequest, token: str) -> ApiReply:
    try:
        import github
    except ImportError as error:
        raise missing_extra("calling GitHub's API needs PyGithub", "live") from error
    try:
        with github.Github(auth=github.Auth.Token(token)) as client:
            _, data = client.requester.requestJsonAndCheck(request.method, request.url, input=request.body)
    except github.GithubException as error:
        return ApiReply(error.status, error.data)
    except OSError as error:  # its transport is requests, whose errors are those of the system
        raise WorldError(f"{request}: {type(error).__name__}: {error}", url=request.url) from error
    return ApiReply(200, data)


def _by_huggingface_hub(request: ApiRequest, token: str) -> ApiReply:
    try:
        # Both are in its reference, under "Utilities".
        from huggingface_hub.utils import build_hf_headers, get_session  # type: ignore[attr-defined]
    except ImportError as error:
        raise missing_extra("calling Hugging Face's API needs huggingface_hub", "live") from error
    as_text = isinstance(request.body, str)
    headers = build_hf_headers(token=token) | ({"content-type": "application/x-ndjson"} if as_text else {})
    content = request.body.encode() if as_text else None
    try:
        reply = get_session().request(
            request.method,
            request.url,
            headers=headers,
            timeout=30,
            **({} if request.body is None else {"data": content} if as_text else {"json": request.body}),
        )
    except Exception as error:
        # Its session is one of requests or of httpx, by its version; both name the trouble and no header.
        raise WorldError(f"{request}: {type(error).__name__}: {error}", url=request.url) from error
    try:
        return ApiReply(reply.status_code, reply.json())
    except ValueError:
        return ApiReply(reply.status_code, reply.text)


def _shortened(data: Any) -> str:
    text = data if isinstance(data, str) else json.dumps(data, default=str)
    return text if len(text) <= 200 else text[:199] + "…"
