"""What a submission claims: a split, its instances by content, the outcomes, and the digest of each file."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from websp_gym.env.options import Options
from websp_gym.errors import SetupError
from websp_gym.files import MAX_RECORD, read_file
from websp_gym.records.results import Result
from websp_gym.records.runs import Run
from websp_gym.tasks import DATASET_VERSION
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.selection import select_instances
from websp_gym.tasks.splits import SIDES, side_of_split
from websp_gym.world import is_ours

FILE = "submission.json"
ALL = "all"
MOST_TRIALS, MOST_EPISODES = 1000, 200_000
Key = tuple[str, int]
"""An episode of a run: id of the instance, and trial."""


class Submission(BaseModel):
    """The manifest of a submission."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    schema_: Literal["websp-submission/1"] = Field(default="websp-submission/1", alias="schema")
    agent: str
    run_hash: str
    """Digest of agent, options and seed."""
    world: str
    reward: str
    """Who decided: the name of the reward."""
    options: dict[str, Any]
    """The other options of the run that are not the default, such as the limits."""
    split: str
    """The claimed instances: ``all``, a side such as ``test:site``, or a glob of ids."""
    trials: int = Field(ge=1, le=MOST_TRIALS)
    """Episodes of each instance."""
    dataset: str
    """Version of tasks and sites."""
    dataset_hash: str
    """Digest of the contents of all claimed instances."""
    instances: dict[str, str]
    """Digest of the content of each claimed instance."""
    outcomes: dict[str, int]
    """Number of episodes that passed, failed and were not scored."""
    pass_rate: float | None
    """Passes per episode, unscored ones included, so that losing one gains nothing. ``None`` without any."""
    versions: dict[str, str]
    files: dict[str, str]
    """SHA-256 of each file, but for the manifest itself."""

    @classmethod
    def of(
        cls, run: Run, results: Iterable[Result], *, split: str, trials: int, files: Mapping[str, str]
    ) -> Submission:
        """Return the manifest of a run's results."""
        contents = contents_of(instances_of(split), run)
        outcomes, rate = tally(results)
        return cls(
            agent=run.agent,
            run_hash=run.hash,
            world=run.world,
            reward=reward_of(run),
            options=options_of(run),
            split=split,
            trials=trials,
            dataset=DATASET_VERSION,
            dataset_hash=digest_of_dataset(contents),
            instances=contents,
            outcomes=outcomes,
            pass_rate=rate,
            versions=dict(run.versions),
            files=dict(files),
        )

    def text(self) -> str:
        """Return it as JSON."""
        return json.dumps(self.model_dump(by_alias=True), ensure_ascii=False, indent=1) + "\n"


def read_submission(folder: Path) -> Submission | None:
    """Read the manifest in a folder; ``None`` if there is none. Raise ``SetupError`` if it is not valid."""
    path = folder / FILE
    try:
        return Submission.model_validate_json(read_file(path, MAX_RECORD))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise SetupError(f"{path}: {error.strerror}", path=str(path)) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SetupError(
            f"{FILE} is not a manifest: {where or 'the file'}: {first['msg']}", path=str(path)
        ) from error


def reward_of(run: Run) -> str:
    """Return the name of a run's reward, whatever the default is here."""
    return str(run.options.get("reward", "state" if is_ours(run.world) else "judge"))


def options_of(run: Run) -> dict[str, Any]:
    """Return the options of a run, but world and reward, that are not the default."""
    default = Options().as_dict()
    return {
        name: value
        for name, value in run.options.items()
        if name not in ("world", "reward") and value != default.get(name)
    }


def options_in_words(options: Mapping[str, Any]) -> str:
    """Return options as they follow the world and the reward in a line for a person."""
    return "".join(f", {name}={json.dumps(value, ensure_ascii=False)}" for name, value in options.items())


def instances_of(split: str) -> list[str]:
    """Return the ids of a split.

    Args:
        split: ``all``; a side of a default split, such as ``test:site`` or ``train:task``; or a glob of ids.

    Raises:
        SetupError: There is no such split, or the glob matches nothing.
    """
    if split == ALL:
        return instance_ids(own=True)
    side, colon, by = split.partition(":")
    return side_of_split(side, by) if colon and side in SIDES else select_instances([split])


def keys_of(ids: Iterable[str], trials: int) -> list[Key]:
    """Return the episodes of some instances, the first trials first."""
    listed = list(ids)
    return [(name, trial) for trial in range(1, trials + 1) for name in listed]


def contents_of(ids: Iterable[str], run: Run) -> dict[str, str]:
    """Return the digest of each instance's content in this version, as a run plays it.

    Raises:
        SetupError: An instance is decided by texts of pages, which no one can check later.
    """
    dataset: Any = run.options.get("dataset")
    found = {name: in_dataset(load_instance(name), dataset) for name in ids}
    if any(instance.task.published is not None for instance in found.values()):
        raise SetupError(
            f'the dataset "{dataset}" is decided by what pages said at the end, which a submission cannot prove',
            option="dataset",
        )
    return {name: instance.config_hash for name, instance in found.items()}


def digest_of_dataset(contents: Mapping[str, str]) -> str:
    """Return a digest of the contents of instances, in any order."""
    return hashlib.sha256(json.dumps(sorted(contents.items())).encode()).hexdigest()


def tally(results: Iterable[Result]) -> tuple[dict[str, int], float | None]:
    """Return how many episodes passed, failed and were not scored, and the passes per episode."""
    counts = Counter(result.status for result in results)
    outcomes = {status: counts[status] for status in ("pass", "fail", "unscored")}
    number = sum(outcomes.values())
    return outcomes, counts["pass"] / number if number else None
