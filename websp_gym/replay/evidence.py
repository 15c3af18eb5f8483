"""The evidence that an element is the recorded one: what each finding is worth, and the explanation of a choice.

The table is ``evidence.yaml``; ``evidence.js`` applies it on the page.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

import yaml

Witness = Literal["mark", "kind", "name", "heading", "row", "place"]


@dataclass(frozen=True)
class Fact:
    """One fact that is compared, and the worth of each finding."""

    fact: str
    witness: Witness
    label: str
    worth: dict[str, float]
    why: str


@dataclass(frozen=True)
class EvidenceFinding:
    """What the comparison of one fact says for (above 0) or against a candidate."""

    fact: str
    finding: str
    worth: float

    @property
    def label(self) -> str:
        """The fact in words."""
        return next((fact.label for fact in facts() if fact.fact == self.fact), "all texts together")

    def __str__(self) -> str:
        return f"{self.label}: {self.finding} {self.worth:+.2f}"


@dataclass(frozen=True)
class Candidate:
    """An element that may be the recorded one, with the evidence."""

    element: str
    path: str
    evidence: float
    eligible: bool
    """Whether there is more evidence than its place and surroundings."""
    taken: bool
    findings: tuple[EvidenceFinding, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the candidate as plain data."""
        return asdict(self)


@cache
def _table() -> dict[str, Any]:
    text = (files("websp_gym.replay") / "evidence.yaml").read_text("utf-8")
    table: dict[str, Any] = yaml.safe_load(text)
    return table


@cache
def facts() -> tuple[Fact, ...]:
    """Return the facts in the order of the table."""
    return tuple(Fact(**entry) for entry in _table()["facts"])


def rules() -> dict[str, float]:
    """Return the thresholds of the decision by name."""
    return dict(_table()["rules"])


def script() -> str:
    """Return the script that defines the table in a page, as ``__webspEvidence``."""
    table = {"WORTH": {fact.fact: fact.worth for fact in facts()}, "RULES": rules()}
    return f"globalThis.__webspEvidence ??= {json.dumps(table)};"


def markdown() -> str:
    """Return the table as Markdown, as in ``docs/reference/traces.md``."""
    rows = ["| fact | for | against | why |", "|---|---|---|---|"]
    for fact in facts():
        worth = sorted(fact.worth.items(), key=lambda item: -item[1])
        for_ = ", ".join(f"{finding} {value:+g}" for finding, value in worth if value > 0)
        against = ", ".join(f"{finding} {value:g}" for finding, value in reversed(worth) if value < 0)
        rows.append(f"| {fact.label} | {for_} | {against} | {fact.why} |")
    return "\n".join(rows)
