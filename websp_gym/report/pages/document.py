"""Shared parts of HTML reports: templates, hashes for the content security policy, inert JSON."""

from __future__ import annotations

import contextlib
import json
import math
import os
from base64 import b64encode
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import jinja2

from websp_gym.errors import SetupError
from websp_gym.files import open_new

_TEMPLATES = Path(__file__).parent / "templates"
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def environment() -> jinja2.Environment:
    """Return the template environment; it escapes every inserted value."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def source(name: str) -> str:
    """Return a style sheet or script from the templates folder."""
    return (_TEMPLATES / name).read_text("utf-8")


@cache
def sheet(name: str) -> str:
    """Return a page's style sheet, preceded by the one that all pages share."""
    return source("page.css") + source(name)


@cache
def script(name: str) -> str:
    """Return a page's script, preceded by the script that all pages share."""
    return source("nodes.js") + source(name)


def digest(text: str) -> str:
    """Return the hash of a script or style sheet for a content security policy."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def inert_json(data: object) -> str:
    """Return JSON that is inert inside a script element: ASCII, without ``<``, ``>`` and ``&``."""
    return json.dumps(plain(data), allow_nan=False, separators=(",", ":")).translate(_ESCAPES)


def plain(value: Any) -> Any:
    """Return the data with NaN and infinite numbers, which JSON lacks, as strings."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def write_file(target: Path, page: str | bytes | Iterable[str]) -> int:
    """Write a page or another file atomically, create its folder if missing, and return the size in bytes.

    Args:
        target: The file.
        page: The content, as one string, as bytes, or in pieces; pieces of a large page need not be in memory twice.

    Raises:
        SetupError: The file cannot be written.
    """
    part = target.parent / f"{target.name}.part"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with open_new(part) as file:
            for piece in [page] if isinstance(page, str | bytes) else page:
                file.write(piece if isinstance(piece, bytes) else piece.encode("utf-8", errors="replace"))
            size = file.tell()
        os.replace(part, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise SetupError(f"cannot write {target}: {error.strerror}", path=str(target)) from error
    return size
