"""Labelled cases for calibration: from a file of labels, or labelled by the server state."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from websp_gym.calibration.variants import kind_of
from websp_gym.errors import SetupError, nearest
from websp_gym.records.load import digest_of, load_trajectory
from websp_gym.records.trajectory import Trajectory
from websp_gym.records.verdict import Failure
from websp_gym.scoring.truth import state_verdict_of_record
from websp_gym.tasks.instances import Instance, load_instance
from websp_gym.texts import decoded

LABELS = {"CORRECT": True, "INCORRECT": False, "pass": True, "fail": False}
"""Maps each valid label to whether it means success."""


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
        return load_instance(self.trajectory.instance)

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
        path: CSV with a header, or JSON Lines, with the columns ``trajectory`` (a trajectory's folder or
            file, relative to the folder of this file) and ``label`` (``CORRECT`` or ``INCORRECT``; ``pass``
            and ``fail`` work too). Other columns are ignored.

    Returns:
        The cases, in file order.

    Raises:
        SetupError: The file or a trajectory cannot be read, there is no row, a label is missing or unknown,
            or a trajectory occurs twice.
    """
    cases: list[Case] = []
    for line, row in _rows(path):
        where = f"{path}:{line}"
        name, label = str(row.get("trajectory") or ""), row.get("label")
        if not name or label is None:
            raise SetupError(f"{where}: a row needs `trajectory` and `label`", path=str(path))
        if not isinstance(label, str) or label not in LABELS:
            hint = nearest(str(label).upper(), list(LABELS))
            raise SetupError(
                f"{where}: the label is {label!r}: use one of {', '.join(LABELS)}{hint}", path=str(path)
            )
        folder = path.parent / name
        folder = folder.parent if folder.suffix == ".json" else folder
        if any(case.folder == folder for case in cases):
            raise SetupError(f"{where}: {name} appears twice", path=str(path))
        cases.append(_case(folder, name, LABELS[label]))
    if not cases:
        raise SetupError(f"{path} has no labels", path=str(path))
    return cases


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
        truth = state_verdict_of_record(trajectory, load_instance(trajectory.instance))
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


def _rows(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the rows with their line numbers."""
    try:
        text = decoded(path.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"cannot read the labels {path}: {error}", path=str(path)) from error
    if path.suffix == ".csv":
        reader = csv.DictReader(text.splitlines())
        for row in reader:
            yield reader.line_num, {str(key): value for key, value in row.items()}
        return
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise SetupError(f"{path}:{number}: not JSON: {error}", path=str(path)) from error
        if not isinstance(row, dict):
            raise SetupError(f"{path}:{number}: not an object", path=str(path))
        yield number, row
