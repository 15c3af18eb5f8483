"""Imported datasets in the user's data folder: reading them, and putting an instance in their words."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from websp_gym.errors import SetupError, UnknownInstanceError, nearest, unwritable
from websp_gym.tasks.goals import NOTHING, Expect, Unchanged
from websp_gym.tasks.ids import known_ids
from websp_gym.tasks.initial_steps import InitialStep, Prepare, PrepareStep, ReplayStep, TracePath
from websp_gym.tasks.instances import Instance, Origin
from websp_gym.tasks.published import PublishedChecks
from websp_gym.tasks.reading import read_model
from websp_gym.tasks.schema import ConfigModel, OnOff, Value
from websp_gym.tasks.work import WorkStep
from websp_gym.user_folders import datasets_folder

IN_DATASET = "@"
"""Prefix of the names of an imported dataset's traces."""
OFFICIAL = "official"
"""Name of the published dataset."""
FILE = "dataset.json"
OURS = "S0 is reached by our own steps"
"""What is told of an instance whose published traces are not used."""
LeftOutKind = Literal["file", "instance", "instruction", "ground truth", "elements", "trace", "login trace"]


class Missing(ConfigModel):
    """Something of the published files that was not imported, or only in part."""

    kind: LeftOutKind
    subject: str
    """Its file, with the line where there is one, or the instance or site."""
    reason: str
    matters: bool = True
    """Whether an instance is not as published without it."""


class StoredStep(ConfigModel):
    """A trace of S0."""

    trace: TracePath
    """Its path below the dataset's ``traces/``."""
    set: OnOff | Literal["recorded"]


class StoredPlay(ConfigModel):
    """A task of another benchmark, with its own checks, as it is played on our replica."""

    tasks: tuple[int, ...]
    """Numbers of its tasks that are played so; they differ in their policies."""
    start_url: str
    checks: PublishedChecks
    rows: dict[str, tuple[dict[str, Value], ...]] = Field(default_factory=dict)
    """Records that it names, by module: they are added in S0."""
    steps: tuple[WorkStep, ...]
    """Steps that do it."""
    answer: str = "done"
    unsolved: str = ""
    """Why its checks cannot hold; empty if they can."""


class StoredInstance(ConfigModel):
    """What a dataset says of one instance."""

    instruction: str = ""
    instruction_with_navigation: str = ""
    ground_truth: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    replay: tuple[StoredStep, ...] = ()
    """The traces that lead to S0, in order; empty where S0 is reached by our steps."""
    play: StoredPlay | None = None
    """What takes the place of our task; ``None`` for a dataset that only tells it in its own words."""


class StoredTrace(ConfigModel):
    """Where a trace of a dataset is from."""

    source: str
    digest: str
    """Digest of that file."""


class StoredDataset(ConfigModel):
    """An imported dataset: the content of its ``dataset.json``."""

    name: str
    source: str
    """The folder that was read."""
    commit: str = ""
    """Its commit; empty if it is not a git clone."""
    imported: str
    """When, as ISO 8601."""
    licence: str
    version: str
    """The version of websp-gym that imported it."""
    instances: dict[str, StoredInstance]
    traces: dict[str, StoredTrace]
    logins: dict[str, TracePath] = Field(default_factory=dict)
    """Login traces by site."""
    left_out: tuple[Missing, ...] = ()
    policies: dict[str, dict[str, int]] = Field(default_factory=dict)
    """Number of its policies by evaluator, and what became of them."""


def dataset_names() -> list[str]:
    """Return the names of the imported datasets."""
    return sorted(path.parent.name for path in datasets_folder().glob(f"[a-z]*/{FILE}"))


def load_dataset(name: str) -> StoredDataset:
    """Return an imported dataset.

    Raises:
        SetupError: It is not there, or its file is damaged.
    """
    path = _folder(name) / FILE
    return _read(path, path.stat().st_mtime_ns)


def told_by(dataset: str, instance: Instance) -> Instance:
    """Return an instance of ours in the words of an imported dataset, with the traces of its S0.

    Raises:
        SetupError: There is no such dataset, or it does not have the instance.
    """
    stored = load_dataset(dataset)
    told = stored.instances.get(instance.id)
    if told is None:
        raise UnknownInstanceError(
            f'the dataset "{dataset}" has no instance "{instance.id}"{nearest(instance.id, list(stored.instances))}',
            instance=instance.id,
        )
    words: dict[str, Any] = {
        "instruction": told.instruction,
        "instruction_with_navigation": told.instruction_with_navigation,
    }
    config: dict[str, Any] = {"initial_state": tuple(_steps(instance, told, dataset))}
    site = instance.site
    if told.play is not None:
        play = told.play
        words |= {"goal": NOTHING, "refuse": False, "unchanged": Unchanged(), "published": play.checks}
        rows = {module: list(rows) for module, rows in play.rows.items()}
        config = {
            "initial_state": (PrepareStep(prepare=Prepare(collections=rows)),) if rows else (),
            "expect": Expect(collections=rows),
            "ground_truth": play.steps,
            "opposite": (),
            "answer": play.answer,
            "tabs": (),
        }
        site = site.model_copy(update={"start_url": play.start_url})
    sources = [stored.traces[step.trace].digest for step in told.replay]
    text = json.dumps([told.model_dump(mode="json"), sources], sort_keys=True)
    return instance.model_copy(
        update={
            "site": site,
            "task": instance.task.model_copy(update=words),
            "config": instance.config.model_copy(update=config),
            "origin": Origin(
                dataset=dataset,
                digest=hashlib.sha256(text.encode()).hexdigest()[:16],
                ground_truth=told.ground_truth,
                elements=told.elements,
            ),
        }
    )


def reach_by_ours(name: str, reasons: Mapping[str, str]) -> StoredDataset:
    """Let some instances of an imported dataset reach S0 by our own steps from now on.

    Args:
        name: Name of the dataset.
        reasons: Why, by instance; it is noted in the dataset.

    Returns:
        The dataset as it is stored now.

    Raises:
        SetupError: There is no such dataset, or it cannot be written.
    """
    stored = load_dataset(name)
    changed = {key: stored.instances[key].model_copy(update={"replay": ()}) for key in reasons}
    noted = [Missing(kind="trace", subject=key, reason=f"{OURS}: {why}") for key, why in reasons.items()]
    stored = stored.model_copy(
        update={
            "instances": {**stored.instances, **changed},
            "left_out": (*stored.left_out, *noted),
        }
    )
    write_dataset(stored, _folder(name))
    return stored


def write_dataset(dataset: StoredDataset, folder: Path) -> None:
    """Write the file of a dataset into its folder, whole or not at all.

    Raises:
        SetupError: It cannot be written.
    """
    path, part = folder / FILE, folder / f"{FILE}.part"
    text = json.dumps(dataset.model_dump(mode="json"), ensure_ascii=False, indent=1)
    try:
        part.write_text(text + "\n", "utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise unwritable(path, error) from error


def remove_dataset(name: str) -> Path:
    """Remove an imported dataset; return its folder.

    Raises:
        SetupError: It is not there, or it cannot be removed.
    """
    folder = _folder(name)
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise unwritable(folder, error) from error
    return folder


def _folder(name: str) -> Path:
    folder = datasets_folder() / name
    if re.fullmatch(r"[a-z][a-z0-9_-]*", name) and (folder / FILE).is_file():
        return folder
    there = dataset_names()
    hint = nearest(name, [*there, OFFICIAL]) if name != OFFICIAL else ""
    listed = f"imported: {', '.join(there)}" if there else "none is imported"
    raise SetupError(
        f'there is no dataset "{name}" on this machine{hint} ({listed}; `websp dataset import DIR` imports your '
        "clone of the published one)",
        option="dataset",
    )


@lru_cache(maxsize=8)
def _read(path: Path, _modified: int) -> StoredDataset:
    try:
        return read_model(
            path, StoredDataset, keys=[*StoredDataset.model_fields, *StoredInstance.model_fields]
        )
    except SetupError as error:
        raise SetupError(
            f"{error}\nimport it again: `websp dataset import DIR --overwrite`", path=str(path)
        ) from error


def _steps(instance: Instance, told: StoredInstance, dataset: str) -> Iterator[InitialStep]:
    """Yield the steps to S0: the dataset's traces in the place of ours, and what else leads there."""
    replayed = [ReplayStep(replay=trace_in(dataset, step.trace), set=step.set) for step in told.replay]
    for step in instance.config.initial_state:
        if not isinstance(step, ReplayStep) or not told.replay:
            yield step
            continue
        yield from replayed
        replayed = []
    yield from replayed


def trace_in(dataset: str, name: str) -> str:
    """Return the name of an imported dataset's trace in configurations and commands."""
    return f"{IN_DATASET}{dataset}/{name}"


def of_dataset(ids: Iterable[str], dataset: str | None, named: Iterable[str] = ()) -> list[str]:
    """Return those of some ids that a dataset has.

    Args:
        ids: Ids, as they were selected.
        dataset: Name of an imported dataset; None for ours, which has all.
        named: Ids that were named one by one; they stay, so that playing them is an error.

    Raises:
        SetupError: There is no such dataset, or none is left.
    """
    if dataset is None:
        return list(ids)
    known = load_dataset(dataset).instances
    kept = {*known, *known_ids(named)}
    found = [each for each in ids if each in kept]
    if not found:
        raise SetupError(f'the dataset "{dataset}" has none of these instances', option="dataset")
    return found


def in_dataset(instance: Instance, dataset: str | None) -> Instance:
    """Return an instance in the words of a dataset.

    Args:
        instance: The instance of ours.
        dataset: Name of an imported dataset; None for ours, which reads nothing.

    Raises:
        SetupError: There is no such dataset, or it does not have the instance.
    """
    if dataset is None or (instance.origin is not None and instance.origin.dataset == dataset):
        return instance
    return told_by(dataset, instance)
