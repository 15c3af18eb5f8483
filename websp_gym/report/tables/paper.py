"""The figures published with WebSP-Eval, read from ``paper.yaml``; each block names its table.

They were measured on live websites, so they are shown next to sandbox results for orientation only.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict

from websp_gym.errors import SetupError

LABEL = "{name} (published)"
NOTE = (
    "Published figures were measured on the live websites, with the published wordings. Since dataset 2.0.0 ours "
    "tell the same in other words. Use them for orientation, not for a ranking: the sandbox is a different world."
)


class _Block(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Solved(_Block):
    """One row of a breakdown: number of instances, and how many of them each model solved."""

    of: int
    solved: tuple[int, ...]
    blamed: tuple[int, ...] = ()
    """Explicit failures attributed to the element type (table 6)."""


class Breakdown(_Block):
    """A table by site, category or element type."""

    table: str
    rows: dict[str, Solved]


class Trials(_Block):
    """One row of table 8: instances, pass@1 to 3 and pass^1 to 3."""

    of: int
    at: tuple[float, ...]
    hat: tuple[float, ...]


class Overall(_Block):
    """Table 2: numbers of successes, failures and time-outs of each model."""

    table: str
    with_navigation: dict[str, tuple[int, int, int]]
    without_navigation: dict[str, tuple[int, int, int]]


class Fours(_Block):
    """A table of four counts per model: solved in both, only in the first, only in the second, in neither."""

    table: str
    rows: dict[str, tuple[int, int, int, int]]


class Robustness(_Block):
    """Table 8."""

    table: str
    rows: dict[str, Trials]


class Kinds(_Block):
    """Table 9: failures of the five kinds of section 6, per model."""

    table: str
    rows: dict[str, tuple[int, int, int, int, int]]


class Judges(_Block):
    """Table 1: precision, recall, F1 and accuracy in per cent."""

    table: str
    rows: dict[str, tuple[float, float, float, float]]


class Paper(_Block):
    """All published figures. Models are keys; a tuple has one value per model, in their order."""

    schema_: Literal["websp-paper/1"]
    name: str
    models: tuple[str, ...]
    instances: int
    overall: Overall
    wording: Fours
    sites: dict[str, Breakdown]
    categories: dict[str, Breakdown]
    elements: dict[str, Breakdown]
    states: dict[str, Fours]
    trials: Robustness
    kinds: Kinds
    judge: Judges


@cache
def load_paper() -> Paper:
    """Return the published figures."""
    data = yaml.safe_load((Path(__file__).parent / "paper.yaml").read_text("utf-8"))
    data["schema_"] = data.pop("schema")
    return Paper.model_validate(data)


def reference(name: str | None) -> Paper | None:
    """Return the published figures for ``paper``, None for an empty name; raise SetupError for others."""
    if not name:
        return None
    if name != "paper":
        raise SetupError(
            f'there are no published results named "{name}"; "paper" has those of WebSP-Eval',
            option="compare",
        )
    return load_paper()


def label(model: str) -> str:
    """Return the label of a published row, marked as published."""
    return LABEL.format(name=model)
