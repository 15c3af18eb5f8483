"""The episodes of a report: results with facts about their instances."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from websp_gym.errors import SetupError
from websp_gym.records.results import OutcomeLabel, Result
from websp_gym.tasks.ids import is_everyday, is_work
from websp_gym.tasks.instances import Instance, all_instances, all_work, load_instance

UNKNOWN = "unknown"
"""Category of an instance that is not in ``task_configs/``."""

GROUPS: dict[str, tuple[OutcomeLabel, ...]] = {
    "scored": ("success", "failure", "time-out", "stopped"),
    "unsolved": ("failure", "time-out", "stopped"),
    "played": ("success", "failure", "time-out", "stopped", "unscored"),
}
"""Outcomes that a table counts together."""

INSTRUCTIONS = ("without_navigation", "with_navigation")
WORDS = {"without_navigation": "without navigation", "with_navigation": "with navigation"}


@dataclass(frozen=True)
class InstanceFacts:
    """The facts about an instance that a report needs.

    Args:
        site: Name of the website.
        category: Task category.
        state: ``ON`` or ``OFF``; empty if the task has only one initial state.
        elements: Distinct UI element types of the solution.
        config_hash: Digest of its current configuration; empty if unknown.
    """

    site: str
    category: str = UNKNOWN
    state: str = ""
    elements: tuple[str, ...] = ()
    config_hash: str = ""


@dataclass(frozen=True)
class EpisodeRow:
    """One result, with the agent's name in the report and the folder of the run."""

    result: Result
    agent: str
    facts: InstanceFacts
    run: Path | None = None

    @property
    def outcome(self) -> OutcomeLabel:
        """Success, failure, time-out, stopped, unscored or error."""
        return self.result.outcome

    @property
    def scored(self) -> bool:
        """Whether it counts in the denominators of rates."""
        return self.result.status in ("pass", "fail")

    @property
    def solved(self) -> bool:
        """Whether the agent solved the task."""
        return self.result.status == "pass"

    @property
    def task(self) -> str:
        """Id of the task, without the initial state."""
        return self.result.id.removesuffix("-ON").removesuffix("-OFF")

    @property
    def folder(self) -> Path | None:
        """Folder of its trajectory; None if none was recorded."""
        if self.run is None or not self.result.trajectory:
            return None
        return self.run / self.result.trajectory


def catalogue(played: Iterable[str] = ()) -> dict[str, InstanceFacts]:
    """Return the facts about every instance; about every task of work, if nothing else was played."""
    names = list(played)
    known = all_work() if names and all(map(is_work, names)) else all_instances()
    return {instance.id: _facts(instance) for instance in known}


def instance_facts(instance_id: str, known: Mapping[str, InstanceFacts]) -> InstanceFacts:
    """Return the facts about an instance; of one that is not in `known` and is not here, what its id says."""
    if instance_id in known:
        return known[instance_id]
    if is_everyday(instance_id) or is_work(instance_id):
        with contextlib.suppress(SetupError):  # its file is not here
            return _facts(load_instance(instance_id))
    state = instance_id.rpartition("-")[2]
    return InstanceFacts(instance_id.partition("-task-")[0], state=state if state in ("ON", "OFF") else "")


def _facts(instance: Instance) -> InstanceFacts:
    return InstanceFacts(
        site=instance.site.site,
        category=instance.task.category,
        state=instance.config.state or "",
        elements=instance.config.element_types,
        config_hash=instance.config_hash,
    )


def gather(
    found: Iterable[tuple[Path | None, Result]], known: Mapping[str, InstanceFacts]
) -> list[EpisodeRow]:
    """Combine results for a report, in the order given.

    If an agent played the same trial of an instance in two runs, the report has two agents, named after the run
    folders: it cannot know which run is meant.

    Args:
        found: Results, each with the folder of its run.
        known: Known instances by id.
    """
    pairs = list(found)
    seen = Counter(result.key for _, result in pairs)
    twice = {result.agent for _, result in pairs if seen[result.key] > 1}
    names = _names([run for run, result in pairs if result.agent in twice and run is not None])
    return [
        EpisodeRow(
            result,
            f"{result.agent} ({names[run]})" if result.agent in twice and run is not None else result.agent,
            instance_facts(result.id, known),
            run,
        )
        for run, result in pairs
    ]


def first_trials(episodes: Iterable[EpisodeRow]) -> list[EpisodeRow]:
    """Return the first trial of each agent, instruction variant and instance."""
    first: dict[tuple[str, str, str], EpisodeRow] = {}
    for episode in episodes:
        key = (episode.agent, episode.result.instruction, episode.result.id)
        if key not in first or episode.result.trial < first[key].result.trial:
            first[key] = episode
    return list(first.values())


def _names(runs: Iterable[Path]) -> dict[Path, str]:
    """Return the shortest distinct ends of paths."""
    folders = list(dict.fromkeys(runs))
    depth = 1
    while True:
        names = {folder: "/".join(folder.resolve().parts[-depth:]) for folder in folders}
        longest = max((len(folder.resolve().parts) for folder in folders), default=0)
        if len(set(names.values())) == len(folders) or depth >= longest:
            return names
        depth += 1
