"""Functions for the templates in ``kit/scenery``, which find entries of a site's data files by field or by words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from websp_gym.sandbox.schema.did_you_mean import nearest
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_schema import Row
from websp_gym.texts import texts_in

_PARAMETER = re.compile(r"{(\w+)}")


def helpers(site: SiteSchema | None) -> dict[str, Callable[..., Any]]:
    """Return the functions that templates can call to show a site's data, by name."""
    if site is None:
        return {}

    def entries(name: str, where: Mapping[str, Any], params: Mapping[str, str]) -> list[Row]:
        """Return the entries whose fields have the values of ``where``, which may name parameters of the path."""
        wanted = {
            field: _PARAMETER.sub(lambda name: str(params.get(name[1], name[0])), str(value))
            for field, value in where.items()
        }
        return [
            row
            for row in _rows(site, name)
            if all(_has(row.get(field), value) for field, value in wanted.items())
        ]

    def find_entries(hrefs: Mapping[str, str], text: str) -> list[tuple[str, Row]]:
        """Return the address and the entry of everything that contains all words of a text."""
        words = text.lower().split()
        return [
            (href.format(**row), row)
            for name, href in hrefs.items()
            for row in _rows(site, name)
            if all(word in " ".join(texts_in(row)).lower() for word in words)
        ]

    return {"entries": entries, "find_entries": find_entries}


def _rows(site: SiteSchema, name: str) -> list[Row]:
    if name not in site.data:
        raise ValueError(f'no file "{name}.yaml" in data{nearest(name, site.data)}')
    return site.data[name]


def _has(value: Any, wanted: str) -> bool:
    """Return whether a field has a value, or a list of them has it."""
    return wanted in map(str, value) if isinstance(value, list) else str(value) == wanted
