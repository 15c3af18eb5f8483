"""Parsing of requests: query, form or JSON body, and path parameters as one flat dict of fields.

All of it comes from pages, so its size is limited. Anything that cannot be parsed raises a ``ValueError``, which
the app answers with 400.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import yaml
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.types import Receive, Scope

MAX_BODY = 1_000_000
"""The maximum size of a request's body in bytes."""

MAX_URL = 16_384
"""The maximum size of path and query in bytes."""

MAX_HEADERS = 65_536
"""The maximum size of all header names and values in bytes."""

_MAX_FIELDS = 1000
_MAX_DEPTH = 20
_MAX_YAML = 65_536
_MAX_NODES = 2_000

_YamlLoader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Creates texts, lists and mappings only. The C version, if there is one, is thirty times as fast."""


class RefusedError(ValueError):
    """Error for a request that was understood but refused; nothing changed.

    Attributes:
        status: The HTTP status of the response.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True)
class RequestFields:
    """The fields of a request.

    Attributes:
        values: The values by name; a list if a form has the name more than once. Nested JSON has dotted names.
        is_form: Whether the request was a form, where an unticked checkbox is not sent at all.
    """

    values: dict[str, Any]
    is_form: bool

    def text(self, name: str) -> str:
        """Return a field as text (of several values, the last), or ``""`` if it was not sent."""
        value = self.values.get(name, "")
        if isinstance(value, list):
            value = value[-1] if value else ""
        return value if isinstance(value, str) else json.dumps(value)

    def listed(self, name: str) -> list[str]:
        """Return the texts of a field that may have been sent once, several times or not at all."""
        return listed(self.values.get(name))


def listed(value: Any) -> list[str]:
    """Return one text or several as a list; empty for no value."""
    if value is None or value == "":
        return []
    return [str(each) for each in value] if isinstance(value, list) else [str(value)]


def check_head(scope: Scope) -> None:
    """Raise RefusedError if the address or the headers of a request are too long."""
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_URL:
        raise RefusedError(414, f"the address is longer than {MAX_URL} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADERS:
        raise RefusedError(431, f"the headers are longer than {MAX_HEADERS} bytes")


async def read_body(receive: Receive) -> bytes:
    """Read the whole body of a request. Raise RefusedError if it is too long."""
    body = bytearray()
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MAX_BODY:
            raise RefusedError(413, f"the body is longer than {MAX_BODY} bytes")
    return bytes(body)


async def read_fields(request: Request) -> RequestFields:
    """Return the fields of a request. Path parameters override the body, and the body overrides the query.

    Raise ValueError if the body is an invalid form or invalid JSON, or if there are too many fields.
    """
    values: dict[str, Any] = _pairs(request.url.query)
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    is_form = True
    if kind == "multipart/form-data":
        values |= await _multipart(request)
    else:
        body = await request.body()
        # fetch() and sendBeacon() send a string as text/plain, and sites send JSON that way too.
        is_form = not (kind == "application/json" or (kind == "text/plain" and body.lstrip()[:1] == b"{"))
        if is_form:
            values |= _pairs(body.decode("utf-8", "replace"))
        elif body:
            values |= _flat(read_json(body))
    return RequestFields(values | request.path_params, is_form)


def read_json(body: bytes) -> dict[str, Any]:
    """Parse a JSON object. Raise ValueError if it is not one or cannot be stored (lone surrogates, NaN, infinity)."""
    try:
        data = json.loads(body)
        json.dumps(data, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError:
        raise ValueError("the body is nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"the body is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ValueError("the body is not a JSON object")
    return data


def read_yaml(text: str) -> Any:
    """Parse YAML into texts, lists and mappings.

    Raise ValueError if it is invalid or cannot be stored, has anchors or aliases (which let a few characters expand
    to gigabytes), or has more than 64 KB, 2,000 nodes or 20 levels.
    """
    if len(text) > _MAX_YAML:
        raise ValueError(f"the YAML is longer than {_MAX_YAML} characters")
    nodes = depth = 0
    try:
        # Events come one by one, before anything is built or nested.
        for event in yaml.parse(text, _YamlLoader):
            nodes += isinstance(event, yaml.NodeEvent)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.NodeEvent) and event.anchor is not None:
                raise ValueError("the YAML has an anchor or an alias")
            if nodes > _MAX_NODES or depth > _MAX_DEPTH:
                raise ValueError("the YAML has too many nodes or is nested too deeply")
        data = yaml.load(text, _YamlLoader)
    except (yaml.YAMLError, RecursionError):
        raise ValueError("the text is not valid YAML") from None
    json.dumps(data, ensure_ascii=False).encode()
    return data


async def _multipart(request: Request) -> dict[str, Any]:
    try:
        async with request.form(max_fields=_MAX_FIELDS, max_part_size=MAX_BODY) as form:
            return _grouped([(name, value) for name, value in form.multi_items() if isinstance(value, str)])
    except MultiPartException as error:
        raise ValueError(f"the body is not a form: {error.message}") from None


def _pairs(text: str) -> dict[str, Any]:
    return _grouped(parse_qsl(text, keep_blank_values=True, max_num_fields=_MAX_FIELDS))


def _flat(data: dict[str, Any], prefix: str = "", depth: int = 1) -> dict[str, Any]:
    if depth > _MAX_DEPTH:
        raise ValueError("the body is nested too deeply")
    flat: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{prefix}{name}.", depth + 1))
        else:
            flat[f"{prefix}{name}"] = value
    if len(flat) > _MAX_FIELDS:
        raise ValueError(f"more than {_MAX_FIELDS} fields")
    return flat


def _grouped(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    grouped: dict[str, list[str]] = {}
    for name, value in pairs:
        grouped.setdefault(name, []).append(value)
    return {name: values if len(values) > 1 else values[0] for name, values in grouped.items()}
