"""Verify a submission, or the folder of a run: files, completeness, contents, outcomes and the claimed rate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.exchange.archive import opened
from websp_gym.exchange.consistency import Inconsistency, check_run
from websp_gym.exchange.submission import (
    FILE,
    MOST_EPISODES,
    MOST_TRIALS,
    Key,
    Submission,
    contents_of,
    digest_of_dataset,
    instances_of,
    keys_of,
    options_of,
    read_submission,
    reward_of,
    tally,
)
from websp_gym.records.runs import RUN, Run, no_results, read_results, read_run
from websp_gym.tasks import DATASET_VERSION


@dataclass(frozen=True)
class Verified:
    """What verifying found.

    Args:
        problems: All that is wrong; empty if nothing is.
        split: The claimed split; empty for a run that was not packed.
        world: The world that was played in.
        reward: The reward that decided.
        options: The other options of the run that are not the default, such as the limits.
        episodes: Number of claimed episodes.
        outcomes: Number of episodes that passed, failed and were not scored.
        pass_rate: Passes per episode, those without a score included; ``None`` without any.
    """

    problems: tuple[Inconsistency, ...]
    split: str
    world: str
    reward: str
    options: dict[str, Any]
    episodes: int
    outcomes: dict[str, int]
    pass_rate: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {"verified": not self.problems, **asdict(self)}


def verify(path: Path) -> Verified:
    """Verify a submission, packed or not, or the folder of a run.

    A run that was not packed claims the instances that were planned, with as many trials as any of them has.

    Raises:
        SetupError: It cannot be read, or has entries that no submission has.
    """
    if path.is_dir() and not (path / FILE).exists():
        return _verify_run(path)
    with opened(path) as (folder, digests):
        submission = read_submission(folder)
        if submission is None:
            raise SetupError(f"{path} has no {FILE}; `websp pack RUN` writes one", path=str(path))
        if len(submission.instances) * submission.trials > MOST_EPISODES:
            raise SetupError(
                f"{path} claims {len(submission.instances):,} instances with {submission.trials:,} trials; at most "
                f"{MOST_EPISODES:,} episodes are accepted",
                path=str(path),
            )
        keys = keys_of(submission.instances, submission.trials)
        problems = (
            *_other_files(submission.files, digests),
            *_other_claim(folder, submission),
            *check_run(folder, keys),
        )
        return _verified(folder, problems, submission.split, keys)


def planned_keys(folder: Path, ids: list[str] | None = None, trials: int | None = None) -> list[Key]:
    """Return the episodes that a run claims.

    Args:
        folder: Folder of the run.
        ids: The instances; by default those that were planned.
        trials: Episodes of each; by default as many as any of them has.

    Raises:
        SetupError: The folder has no results of them, or one of a trial that no submission has.
    """
    run, results = read_run(folder), read_results(folder)
    names = (
        ids if ids is not None else list(run.planned if run else ()) or sorted({each.id for each in results})
    )
    most = max((each.trial for each in results if each.id in set(names)), default=0)
    if not most:
        raise no_results([folder])
    if most > MOST_TRIALS:
        raise SetupError(
            f"{folder} has a trial {most}, and at most {MOST_TRIALS} are accepted", path=str(folder)
        )
    return keys_of(names, trials or most)


def _verify_run(folder: Path) -> Verified:
    keys = planned_keys(folder)
    return _verified(folder, tuple(check_run(folder, keys)), "", keys)


def _verified(folder: Path, problems: tuple[Inconsistency, ...], split: str, keys: list[Key]) -> Verified:
    wanted = set(keys)
    outcomes, rate = tally(each for each in read_results(folder) if (each.id, each.trial) in wanted)
    run = read_run(folder) or Run(agent="")
    world, reward, options = run.world, reward_of(run), options_of(run)
    return Verified(problems, split, world, reward, options, len(keys), outcomes, rate)


def _other_files(claimed: Mapping[str, str], found: Mapping[str, str]) -> Iterator[Inconsistency]:
    for name in sorted({*claimed, *found} - {FILE}):
        if name not in found:
            yield Inconsistency(name, f"it is in {FILE} but missing")
        elif name not in claimed:
            yield Inconsistency(name, f"it is not in {FILE}")
        elif claimed[name] != found[name]:
            yield Inconsistency(name, f"it was changed: its SHA-256 is {found[name]}, not {claimed[name]}")


def _other_claim(folder: Path, submission: Submission) -> Iterator[Inconsistency]:
    """Yield where the manifest differs from this version and from the run itself."""
    if submission.dataset != DATASET_VERSION:
        what = f"it is of dataset {submission.dataset}, and this version has {DATASET_VERSION}"
        yield Inconsistency(FILE, f"{what}: verify it with a version that has that one")
    run = read_run(folder) or Run(agent="")
    for name, claimed, own in (
        ("agent", submission.agent, run.agent),
        ("run_hash", submission.run_hash, run.hash),
        ("world", submission.world, run.world),
        ("reward", submission.reward, reward_of(run)),
        ("options", submission.options, options_of(run)),
        ("versions", submission.versions, dict(run.versions)),
    ):
        if claimed != own:
            yield Inconsistency(FILE, f"its {name} is {claimed!r}, and that of {RUN} {own!r}")
    yield from _other_contents(submission, run)
    outcomes, rate = tally(read_results(folder))
    if (submission.outcomes, submission.pass_rate) != (outcomes, rate):
        claim, have = _rate(submission.outcomes, submission.pass_rate), _rate(outcomes, rate)
        yield Inconsistency(FILE, f"it claims {claim}, and the results give {have}")


def _other_contents(submission: Submission, run: Run) -> Iterator[Inconsistency]:
    try:
        contents = contents_of(instances_of(submission.split), run)
    except SetupError as error:
        yield Inconsistency(FILE, f"its split {submission.split!r}: {error}")
        return
    for name in sorted({*contents, *submission.instances}):
        claimed, own = submission.instances.get(name), contents.get(name)
        if claimed is None:
            yield Inconsistency(FILE, f"it lacks {name} of the split {submission.split}")
        elif own is None:
            yield Inconsistency(FILE, f"{name} is not in the split {submission.split}")
        elif claimed != own:
            yield Inconsistency(FILE, f"{name} is {claimed} in it, and {own} in this version")
    if digest_of_dataset(submission.instances) != submission.dataset_hash:
        yield Inconsistency(FILE, "its dataset_hash is not that of its instances")


def _rate(outcomes: Mapping[str, int], rate: float | None) -> str:
    counts = ", ".join(f"{number} {status}" for status, number in outcomes.items())
    return f"{counts}, pass rate {'none' if rate is None else format(rate, '.4f')}"
