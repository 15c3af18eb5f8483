"""Data for the page's list of episodes, its filters and its search."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.records.load import load_trajectory
from websp_gym.records.trajectory import Trajectory
from websp_gym.report.pages.embedding import Packed
from websp_gym.report.tables.paired import pairings
from websp_gym.report.tables.rows import WORDS, EpisodeRow, first_trials

_SEARCHED = 6000
"""Most characters of an episode's text that the search covers."""


def listed(episodes: Iterable[EpisodeRow], packed: Packed) -> list[dict[str, Any]]:
    """Return one row per episode for the list, as JSON data."""
    given = list(episodes)
    first = first_trials(given)
    pairs, ones = pairings(first), set(first)
    return [_row(episode, packed, pairs.get(episode, {}), episode in ones) for episode in given]


def _row(episode: EpisodeRow, packed: Packed, pairs: Mapping[str, str], is_first: bool) -> dict[str, Any]:
    result, facts = episode.result, episode.facts
    shown = (
        "trial",
        "steps",
        "actions",
        "seconds",
        "cost",
        "failure_elements",
        "side_effects",
        "siblings",
        "strict",
        "reason",
        "error",
    )
    return {
        "id": result.id,
        "agent": episode.agent,
        "instruction": result.instruction,
        "site": facts.site,
        "category": facts.category,
        "state": facts.state or "one",
        "elements": facts.elements,
        "outcome": episode.outcome,
        "kinds": result.failure_kinds,
        "broken": result.broken,
        "kept": result.kept,
        "first": is_first,
        "pairs": pairs,
        "end": result.end_reason,
        "source": result.source,
        **{name: getattr(result, name) for name in shown},
        "tries": [asdict(one) for one in result.tries],
        "page": packed.places.get(episode),
        "missing": packed.missing.get(episode, ""),
        "text": _searched(episode),
    }


def _searched(episode: EpisodeRow) -> str:
    """Return further text to search: instruction, thoughts, actions and answer."""
    if episode.folder is None:
        return ""
    try:
        trajectory = load_trajectory(episode.folder)
    except SetupError:
        return ""
    return " ".join(text for text in _texts(trajectory) if text)[:_SEARCHED]


def _texts(trajectory: Trajectory) -> Iterator[str]:
    yield trajectory.instruction
    yield trajectory.answer or ""
    for step in trajectory.steps:
        yield step.thought or ""
        yield step.action


def choices(rows: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the values of each filter, by its name, for the rows of :func:`listed`."""
    found: dict[str, set[str]] = {}
    for row in rows:
        for name in ("agent", "instruction", "site", "category", "state"):
            found.setdefault(name, set()).add(row[name])
        for name, many in (("element", "elements"), ("kind", "kinds"), ("policy", "broken")):
            found.setdefault(name, set()).update(row[many])
    return {name: sorted(values) for name, values in found.items()}


def wording(name: str) -> str:
    """Return the name of an instruction variant for people."""
    return WORDS.get(name, name)


def filters_of(filters: Mapping[str, str], *, every_trial: bool) -> str:
    """Return a cell's filters as JSON for the page; empty if the cell counts no episodes.

    Args:
        filters: The filters.
        every_trial: Whether the cell's table counts further trials.
    """
    if not filters:
        return ""
    return json.dumps({**filters, **({} if every_trial else {"trial": "first"})})
