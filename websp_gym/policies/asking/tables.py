"""The tables of this package."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from websp_gym.sandbox.schema.strict_yaml import StrictLoader


@cache
def read_table(name: str) -> dict[str, Any]:
    """Return a table of this package by the name of its file."""
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, StrictLoader)
    return found
