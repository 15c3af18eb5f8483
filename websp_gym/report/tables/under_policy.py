"""All planned episodes under policies, with a verdict on each policy of each, played or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from websp_gym.env.options import Options
from websp_gym.errors import SetupError
from websp_gym.policies.sets import policies_for
from websp_gym.records.load import load_trajectory
from websp_gym.records.policy_verdict import PolicyVerdict
from websp_gym.records.results import Result
from websp_gym.records.runs import Run, count, read_run
from websp_gym.report.tables.rows import EpisodeRow, instance_facts
from websp_gym.scoring.truth import progress_of_record
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.instances import load_instance
from websp_gym.world import is_ours

NEVER = "the episode was never played"


@dataclass(frozen=True)
class Asked:
    """Instances that runs were to play under the same sets of policies, in the sandbox.

    Args:
        sets: Names or paths of the sets; empty if they are not known, or have other policies now.
        ids: The instances, each once.
    """

    sets: tuple[str, ...]
    ids: tuple[str, ...]


@dataclass(frozen=True)
class UnderPolicy:
    """The planned episodes under policies.

    Args:
        episodes: All of them, all trials. One that was never played has the status ``error``. Each has verdicts on
            its policies, except where these are not known any more.
        unjudged: Notes on episodes whose policies are not known.
        unmeasured: Notes on episodes of which nobody knows how much of the goal holds.
        asked: What the runs were asked for.
        sets: Names of the sets of policies, by the folder of the run.
    """

    episodes: tuple[EpisodeRow, ...] = ()
    unjudged: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()
    asked: tuple[Asked, ...] = ()
    sets: Mapping[Path | None, str] = field(default_factory=dict)

    def of(self, agent: str) -> list[EpisodeRow]:
        """Return those of one agent."""
        return [episode for episode in self.episodes if episode.agent == agent]


def under_policy(episodes: Sequence[EpisodeRow]) -> UnderPolicy:
    """Return all episodes under policies that the runs of a report planned.

    The policies of an episode that was not played to its end are those that the sets of its run have for its
    instance; none of them was shown to be kept, so each is an ``error``.

    Args:
        episodes: All results of the report.
    """
    found: list[EpisodeRow] = []
    unjudged: list[str] = []
    unmeasured: list[str] = []
    asked: dict[tuple[str, ...], dict[str, None]] = {}
    names: dict[Path | None, str] = {}
    for agent in dict.fromkeys(episode.agent for episode in episodes):
        own = [episode for episode in episodes if episode.agent == agent]
        runs = {episode.run: read_run(episode.run) if episode.run else None for episode in own}
        sets = {
            folder: _Sets(run, [e.result for e in own if e.run == folder]) for folder, run in runs.items()
        }
        names |= {folder: each.name for folder, each in sets.items()}
        planned = [episode for episode in own if sets[episode.run].rule(episode.result)]
        planned += _never_played(own, runs)
        judged = [
            replace(each, result=sets[each.run].judged(each.result)) for each in map(_with_progress, planned)
        ]
        found += judged
        unjudged += _without_policies(agent, judged, sets.values())
        unmeasured += _without_progress(agent, judged)
        for each in judged:
            if sets[each.run].in_the_sandbox:
                asked.setdefault(sets[each.run].current, {})[each.result.id] = None
    together = tuple(Asked(spec, tuple(ids)) for spec, ids in asked.items())
    return UnderPolicy(tuple(found), tuple(unjudged), tuple(unmeasured), together, names)


class _Sets:
    """The sets of policies of one run, as they are now.

    Args:
        run: The run; ``None`` if nobody knows it.
        results: Its results.
    """

    def __init__(self, run: Run | None, results: Sequence[Result]) -> None:
        spec = (run.options.get("policies") if run is not None else None) or ()
        self._spec = (spec,) if isinstance(spec, str) else tuple(spec)
        self._results = results
        self.in_the_sandbox = run is None or is_ours(run.world)
        self.trouble = ""
        """Why the policies of an episode are not known; empty if those of all are."""

    @property
    def name(self) -> str:
        """The names of the sets, or of their files, in one text."""
        return ", ".join(Path(each).stem for each in self._spec)

    def rule(self, result: Result) -> bool:
        """Whether an episode was played under policies, however it ended."""
        return bool(self._spec or result.policy_digest) or result.policies is not None

    def judged(self, result: Result) -> Result:
        """Return a result with a verdict on each policy; the same if it has them, or if nobody knows its policies."""
        if result.policies is not None:
            return result
        try:
            if not self._spec:
                raise SetupError("the sets of its run are not known")
            policies = policies_for(load_instance(result.id), self._spec)
            if not self.current:
                raise SetupError(
                    f"{', '.join(self._spec)} has other policies now than when the run was played"
                )
        except SetupError as error:
            self.trouble = str(error)
            return result
        verdicts = tuple(
            PolicyVerdict(
                id=policy.id,
                level=policy.level,
                dimension=policy.dimension,
                sentence=policy.rule.sentence(policies.names),
                status="error",
                evidence=NEVER
                if result.error == NEVER
                else f"it was not judged: {result.error or result.reason}",
            )
            for policy in policies.policies
        )
        return replace(result, policies=verdicts)

    @cached_property
    def current(self) -> tuple[str, ...]:
        """The sets; empty if they are not here, or have other policies now for an instance that was played."""
        try:
            played = {(each.id, each.policy_digest) for each in self._results if each.policy_digest}
            same = all(policies_for(load_instance(name), self._spec).digest == then for name, then in played)
        except SetupError:
            return ()
        return self._spec if same else ()


def _never_played(own: Sequence[EpisodeRow], runs: dict[Path | None, Run | None]) -> Iterator[EpisodeRow]:
    """Yield the episodes under policies that the runs of an agent planned and none of them has."""
    there = {episode.result.key[1:] for episode in own}
    for folder, run in runs.items():
        if run is None or not run.options.get("policies"):
            continue
        of_run = [episode for episode in own if episode.run == folder]
        wording = str(run.options.get("instruction", Options.instruction))
        for name, trial in run.episodes(episode.result for episode in of_run):
            if (wording, name, trial) not in there:
                there.add((wording, name, trial))
                lost = Result(
                    id=name,
                    agent=run.agent,
                    trial=trial,
                    instruction=wording,
                    reward=None,
                    status="error",
                    error=NEVER,
                )
                yield EpisodeRow(lost, own[0].agent, instance_facts(name, {}), folder)


def _with_progress(episode: EpisodeRow) -> EpisodeRow:
    """Return an episode that has :attr:`Result.progress`, of an older result by its record."""
    result = episode.result
    if result.progress is not None or not _is_open(result) or episode.folder is None:
        return episode
    try:
        record = load_trajectory(episode.folder)
        instance = in_dataset(load_instance(result.id), record.options.get("dataset"))
        progress = progress_of_record(record, instance)
    except (SetupError, TypeError, ValueError, LookupError, AttributeError):
        return episode  # states of records by others may have any shape
    return replace(episode, result=replace(result, progress=progress))


def _is_open(result: Result) -> bool:
    """Whether an episode that came to its end was not done, so that a part of it may be."""
    return result.status == "fail" and not result.done and not result.brought_down


def _without_policies(agent: str, judged: Iterable[EpisodeRow], sets: Iterable[_Sets]) -> Iterator[str]:
    number = sum(episode.result.policies is None for episode in judged)
    if number:
        why = next(each.trouble for each in sets if each.trouble)
        yield (
            f"{agent}: the policies of {count(number, 'episode')} that did not reach their end are unknown, so its "
            f"risk ratios leave these out: {why}."
        )


def _without_progress(agent: str, judged: Iterable[EpisodeRow]) -> Iterator[str]:
    number = sum(_is_open(episode.result) and episode.result.progress is None for episode in judged)
    if number:
        yield (
            f"{agent}: {count(number, 'failed episode')} without a record of how much of the goal holds; PCR and "
            "pCuP count 0."
        )
