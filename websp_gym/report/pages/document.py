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

_TEMPLATES = Path(__file__).parent / "templates"
_ESCAPES = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026"}


def environment() -> jinja2.Environment:
    """Templates that escape whatever is put into them."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def source(name: str) -> str:
    """A style sheet or script of the templates' folder.

    Args:
        name: Its file name.

    Returns:
        The text.
    """
    return (_TEMPLATES / name).read_text("utf-8")


@cache
def script(name: str) -> str:
    """A page's script, behind what all of them share.

    Args:
        name: Its file name.

    Returns:
        The text.
    """
    return source("nodes.js") + source(name)


def digest(text: str) -> str:
    """A script or style sheet as a content security policy names it."""
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def inert_json(data: object) -> str:
    """JSON that is inert inside a script element: ASCII, without ``<``, ``>`` and ``&``."""
    return json.dumps(plain(data), allow_nan=False, separators=(",", ":")).translate(_ESCAPES)


def plain(value: Any) -> Any:
    """Data without the numbers JSON does not have."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def write_file(target: Path, page: str | Iterable[str]) -> int:
    """Write a page atomically.

    Args:
        target: The file; its folder is made where it is missing.
        page: The page, whole or in the pieces a template gives: a large one need not be in memory twice.

    Returns:
        Its size in bytes.

    Raises:
        SetupError: The file cannot be written.
    """
    part = target.parent / f"{target.name}.part"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with part.open("wb") as file:
            for piece in [page] if isinstance(page, str) else page:
                file.write(piece.encode("utf-8", errors="replace"))
            size = file.tell()
        os.replace(part, target)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise SetupError(f"cannot write {target}: {error.strerror}", path=str(target)) from error
    return size
