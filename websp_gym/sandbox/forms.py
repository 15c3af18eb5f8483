"""What a request sent: query, form or JSON body and path parameters as one flat dict of fields."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

_MAX_BODY = 1_000_000


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


async def read_fields(request: Request) -> Fields:
    """Reads the fields of a request; path parameters win over the body, the body over the query.

    Raises:
        ValueError: The body is too long, or JSON that cannot be read.
    """
    values: dict[str, Any] = _grouped(parse_qsl(request.url.query, keep_blank_values=True))
    kind = request.headers.get("content-type", "").partition(";")[0].strip()
    is_form = True
    if kind == "multipart/form-data":
        async with request.form(max_part_size=_MAX_BODY) as form:
            values |= _grouped(
                [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
            )
    else:
        body = await _body(request)
        # A string given to fetch() or sendBeacon() comes as text/plain; sites send JSON that way too.
        is_form = not (kind == "application/json" or (kind == "text/plain" and body.lstrip()[:1] == b"{"))
        if is_form:
            values |= _grouped(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
        elif body:
            values |= _flat(_json(body))
    return Fields(values | request.path_params, is_form)


async def _body(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BODY:
            raise ValueError(f"the body is longer than {_MAX_BODY} bytes")
    return bytes(body)


def _json(body: bytes) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except ValueError as error:
        raise ValueError(f"the body is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ValueError("the body is not a JSON object")
    return data


def _flat(data: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _grouped(pairs: list[tuple[str, str]]) -> dict[str, Any]:
    grouped: dict[str, Any] = {}
    for name, value in pairs:
        if name in grouped:
            earlier = grouped[name]
            grouped[name] = [*earlier, value] if isinstance(earlier, list) else [earlier, value]
        else:
            grouped[name] = value
    return grouped
