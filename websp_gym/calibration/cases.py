"""Labelled cases for calibration: from a file of labels, or labelled by the server state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from websp_gym.calibration.labels import read_label_file
from websp_gym.calibration.variants import kind_of
from websp_gym.errors import SetupError
from websp_gym.records.load import digest_of, load_trajectory
from websp_gym.records.trajectory import Trajectory
from websp_gym.records.verdict import Failure
from websp_gym.scoring.truth import state_verdict_of_record
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.instances import Instance, load_instance


@dataclass(frozen=True)
class Case:
    """A trajectory with its label.

    Args:
        name: Name in reports.
        key: Digest of its data.
        trajectory: The trajectory.
        folder: Folder of its screenshots.
        passed: The label: whether the task was done.
        kind: Kind of variant or edit; ``recorded`` for neither.
        origin: The recording it comes from; cases of one origin are not independent.
    """

    name: str
    key: str
    trajectory: Trajectory
    folder: Path
    passed: bool
    kind: str = "recorded"
    origin: str = ""

    @cached_property
    def instance(self) -> Instance:
        """The instance of the trajectory."""
        return in_dataset(load_instance(self.trajectory.instance), self.trajectory.options.get("dataset"))

    @cached_property
    def groups(self) -> tuple[tuple[str, str], ...]:
        """Pairs of dimension and value that the case counts under; a dimension may occur several times."""
        return tuple(self._groups())

    def _groups(self) -> Iterator[tuple[str, str]]:
        yield "made by", self.kind
        yield "category", self.instance.task.category
        for element in self.instance.config.element_types:
            yield "element type", element
        yield "initial state", self.instance.config.state or "single"
        if not self.passed and self.trajectory.s0:
            failure = state_verdict_of_record(self.trajectory, self.instance).failure or Failure()
            for kind in failure.kinds or ("none of the five",):
                yield "failure kind", kind
            for culprit in failure.elements or ("none",):
                yield "failing element", culprit


def read_labels(path: Path) -> list[Case]:
    """Read cases from a file of labels.

    Args:
        path: As of :func:`~websp_gym.calibration.labels.read_label_file`.

    Returns:
        The cases, in file order.

    Raises:
        SetupError: The file or a trajectory cannot be read, there is no row, a label is missing or unknown,
            or a trajectory occurs twice.
    """
    return [_case(label.folder, label.name, bool(label.passed)) for label in read_label_file(path)]


def label_by_state(folders: Iterable[Path], parent: Path) -> list[Case]:
    """Label recorded trajectories by the server state in them.

    Args:
        folders: Folders of the trajectories.
        parent: Folder that the names of the cases are relative to.

    Returns:
        The cases. Trajectories that the state cannot score are left out.

    Raises:
        SetupError: A trajectory cannot be read, or none can be labelled.
    """
    cases = []
    for folder in folders:
        trajectory = load_trajectory(folder)
        truth = state_verdict_of_record(
            trajectory, in_dataset(load_instance(trajectory.instance), trajectory.options.get("dataset"))
        )
        if truth.status != "unscored":
            name, kind = folder.relative_to(parent).as_posix(), kind_of(folder) or "recorded"
            cases.append(_case(folder, name, truth.status == "pass", kind=kind))
    if not cases:
        raise SetupError(
            f"no run in {parent} has a state verdict to label it by; give the labels in a file",
            path=str(parent),
        )
    return cases


def _case(folder: Path, name: str, passed: bool, *, kind: str = "recorded") -> Case:
    trajectory = load_trajectory(folder)
    return Case(name, digest_of(folder), trajectory, folder, passed, kind=kind, origin=folder.as_posix())
