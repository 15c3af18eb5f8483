"""Functions for the templates of panels."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from websp_gym.sandbox.schema.dependencies import Values, is_disabled
from websp_gym.sandbox.schema.panel_pages import data_of, fields_of, list_path, named
from websp_gym.sandbox.schema.panels import Panel
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_schema import Confirm, Row

_LIKE = {"shadow": ("shadow", "aria"), "app": ("app", "aria")}
"""Dialects whose missing templates come from another one."""


def helpers(site: SiteSchema | None) -> dict[str, Callable[..., Any]]:
    """Return the functions that the templates of a site's panels can call, by name."""
    if site is None:
        return {}
    return {
        "parts": _parts,
        "questions": _questions,
        "is_disabled": lambda key, values: is_disabled(site.settings[key], values),
        "panel_data": lambda panel, values: _data(site, panel, values),
        "field_of": lambda panel, key: fields_of(panel)[key],
        "named": lambda panel, values: named(fields_of(panel), values),
        "list_path": lambda panel, name: list_path(name, panel),
    }


def _parts(panel: Panel, name: str) -> list[str]:
    """Return the templates of a part of a panel; the first one that exists is used."""
    dialects = _LIKE.get(panel.dialect, (panel.dialect,))
    own = [f"{folder}/{name}.html" for folder in dict.fromkeys((panel.controls, "controls"))]
    return [
        *own,
        *(f"kit/controls/{dialect}/{name}.html" for dialect in dialects),
        f"kit/controls/{name}.html",
    ]


def _questions(confirms: list[Confirm], item: Row | None = None) -> str:
    """Return questions as JSON, with the fields of an item in their texts."""
    asked = [question.model_dump() for question in confirms]
    if item is not None:
        asked = [
            {name: text.format(**item) if isinstance(text, str) else text for name, text in each.items()}
            for each in asked
        ]
    return json.dumps(asked)


def _data(site: SiteSchema, panel: Panel, values: Values) -> dict[str, Any]:
    return data_of(panel, site.settings, values)
