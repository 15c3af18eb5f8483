"""Loading a replica site from its folder: ``site.yaml``, the entries in ``data``, and the templates that it names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from .company import Company
from .did_you_mean import nearest
from .site import SiteSchema
from .site_schema import Row
from .strict_yaml import read_yaml


class SiteError(Exception):
    """Raised for an error in a ``site.yaml`` or in a file that belongs to it.

    Attributes:
        file: The file with the error.
        problems: One ``key: reason`` per problem.
    """

    def __init__(self, file: Path, problems: list[str]) -> None:
        super().__init__(f"{file}:\n" + "\n".join(f"  {problem}" for problem in problems))
        self.file = file
        self.problems = problems


def load_site(folder: Path) -> SiteSchema:
    """Load and validate ``folder/site.yaml``. Raise SiteError, which lists every problem found."""
    file = folder / "site.yaml"
    try:
        data = read_yaml(file)
    except (OSError, yaml.YAMLError) as error:
        raise SiteError(file, [str(error)]) from error
    try:
        site = SiteSchema.model_validate(data)
    except ValidationError as error:
        raise SiteError(file, [_problem(entry) for entry in error.errors()]) from None
    site._folder = folder
    site._data.update(_read_data(folder / "data"))
    for collection in site.collections.values():
        if collection.company:
            collection._company = Company(collection.company, folder / "data", collection.fields or {})
    root = folder / "templates"
    missing = [
        f'pages {page.path}: template "{page.template}" is not in {root}{nearest(page.template, _templates(root))}'
        for page in site.pages
        if page.template and not page.template.startswith("kit/") and not (root / page.template).is_file()
    ]
    if missing:
        raise SiteError(file, missing)
    return site


def _read_data(folder: Path) -> dict[str, list[Row]]:
    """Return the entries of the YAML files in a folder. Raise SiteError for a file that is not a list of mappings."""
    found: dict[str, list[Row]] = {}
    for file in sorted(folder.glob("*.yaml")):
        try:
            entries = read_yaml(file)
        except (OSError, yaml.YAMLError) as error:
            raise SiteError(file, [str(error)]) from error
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise SiteError(file, ["must be a list of mappings"])
        found[file.stem] = [
            {**entry, "id": str(entry.get("id", number))} for number, entry in enumerate(entries, 1)
        ]
    return found


def _problem(entry: Any) -> str:
    place = ".".join(str(part) for part in entry["loc"] if part not in ("function-after", "function-before"))
    reason = str(entry["msg"]).removeprefix("Value error, ")
    return f"{place}: {reason}" if place else reason


def _templates(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in root.rglob("*.html")]
