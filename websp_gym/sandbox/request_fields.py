"""What a request sent: query, form or JSON body and path parameters as one flat dict of fields.

All of it comes from a page, so all of it is bounded, and whatever cannot be read is the request's fault: a
``ValueError``, which the app answers with 400.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.types import Receive, Scope

MAX_BODY = 1_000_000
"""Bytes of a request's body."""

MAX_URL = 16_384
"""Bytes of path and query."""

MAX_HEADERS = 65_536
"""Bytes of all header names and values."""

_MAX_FIELDS = 1000
_MAX_DEPTH = 20


class RefusedError(ValueError):
    """A request was understood and refused; nothing changed.

    Attributes:
        status: The HTTP status of the answer.
    """

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


@dataclass(frozen=True)
class Fields:
    """The fields of a request.

    Attributes:
        values: By name; a list when a form gave the name more than once. Nested JSON has dotted names.
        is_form: Whether it was a form, where an unticked checkbox is not sent at all.
    """

    values: dict[str, Any]
    is_form: bool

    def text(self, name: str) -> str:
        """Returns a field as text, empty when it was not sent."""
        value = self.values.get(name, "")
        if isinstance(value, list):
            value = value[-1] if value else ""
        return value if isinstance(value, str) else json.dumps(value)


def check_head(scope: Scope) -> None:
    """Refuses a request whose address or headers are too long.

    Raises:
        RefusedError: They are.
    """
    if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > MAX_URL:
        raise RefusedError(414, f"the address is longer than {MAX_URL} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADERS:
        raise RefusedError(431, f"the headers are longer than {MAX_HEADERS} bytes")


async def read_body(receive: Receive) -> bytes:
    """Reads the whole body of a request.

    Raises:
        RefusedError: It is too long.
    """
    body = bytearray()
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MAX_BODY:
            raise RefusedError(413, f"the body is longer than {MAX_BODY} bytes")
    return bytes(body)


async def read_fields(request: Request) -> Fields:
    """Reads the fields of a request; path parameters win over the body, the body over the query.

    Raises:
        ValueError: The body is a form or JSON that cannot be read, or has too many fields.
    """
    values: dict[str, Any] = _pairs(request.url.query)
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    is_form = True
    if kind == "multipart/form-data":
        values |= await _multipart(request)
    else:
        body = await request.body()
        # A string given to fetch() or sendBeacon() comes as text/plain; sites send JSON that way too.
        is_form = not (kind == "application/json" or (kind == "text/plain" and body.lstrip()[:1] == b"{"))
        if is_form:
            values |= _pairs(body.decode("utf-8", "replace"))
        elif body:
            values |= _flat(read_json(body))
    return Fields(values | request.path_params, is_form)


def read_json(body: bytes) -> dict[str, Any]:
    """Reads a JSON object.

    Raises:
        ValueError: It is none, or holds what nobody could store: half a surrogate pair, a number that is none.
    """
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
