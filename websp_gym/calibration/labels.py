"""Files of labels: read them, write them, and compare those of two people."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from websp_gym.calibration.metrics import Counts, measure, too_few
from websp_gym.errors import SetupError, nearest, unwritable
from websp_gym.files import open_new
from websp_gym.rates import Figure
from websp_gym.texts import decoded

LABELS = {"CORRECT": True, "INCORRECT": False, "pass": True, "fail": False}
"""Maps each valid label to whether it means success."""


@dataclass(frozen=True)
class Label:
    """A label of a trajectory.

    Args:
        name: The trajectory as in the file, relative to the folder of the file.
        folder: Folder of the trajectory.
        passed: Whether the task was done; None where it has no label yet.
        note: A remark of the person who gave it.
    """

    name: str
    folder: Path
    passed: bool | None
    note: str = ""

    @property
    def word(self) -> str:
        """``CORRECT``, ``INCORRECT`` or empty."""
        return _word(self.passed)


def read_label_file(path: Path, *, labelled: bool = True) -> list[Label]:
    """Read a file of labels, or a list of trajectories.

    Args:
        path: CSV with a header, or JSON Lines, with the columns ``trajectory`` (its folder or file, relative
            to the folder of this file) and ``label`` (``CORRECT`` or ``INCORRECT``; ``pass`` and ``fail`` work too).
            Of the others, ``note`` is read.
        labelled: Whether every row must have a label.

    Returns:
        The labels, in file order.

    Raises:
        SetupError: The file cannot be read, there is no row, a label is missing or unknown, or a trajectory occurs
            twice.
    """
    found: dict[Path, Label] = {}
    for line, row in _rows(path):
        where = f"{path}:{line}"
        name, label = str(row.get("trajectory") or ""), row.get("label")
        if not labelled and label in (None, ""):
            label = None
        elif label is None:
            name = ""
        if not name:
            needed = "`trajectory` and `label`" if labelled else "`trajectory`"
            raise SetupError(f"{where}: a row needs {needed}", path=str(path))
        if label is not None and (not isinstance(label, str) or label not in LABELS):
            hint = nearest(str(label).upper(), list(LABELS))
            raise SetupError(
                f"{where}: the label is {label!r}: use one of {', '.join(LABELS)}{hint}", path=str(path)
            )
        folder = path.parent / name
        folder = folder.parent if folder.suffix == ".json" else folder
        key = folder.resolve()
        if key in found:
            raise SetupError(f"{where}: {name} appears twice", path=str(path))
        found[key] = Label(
            name, folder, LABELS[label] if label is not None else None, str(row.get("note") or "")
        )
    if not found:
        raise SetupError(f"{path} has no labels" if labelled else f"{path} has no rows", path=str(path))
    return list(found.values())


def write_label_file(path: Path, labels: Iterable[Label]) -> None:
    """Write labels as CSV, atomically, with names relative to the folder of the file.

    Raises:
        SetupError: The file cannot be written.
    """
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["trajectory", "label", "note"])
    for label in labels:
        name = Path(os.path.relpath(label.folder.resolve(), path.parent.resolve())).as_posix()
        rows.writerow([name, label.word, label.note])
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_new(part) as file:
            file.write(text.getvalue().encode("utf-8", "replace"))
        os.replace(part, path)
    except OSError as error:
        raise unwritable(path.parent, error) from error


@dataclass(frozen=True)
class Agreement:
    """How far the labels of two people agree.

    Args:
        counts: Labels of the first against those of the second.
        agreement: Share of equal labels, with its interval.
        kappa: Cohen's kappa, with its interval.
        disagreements: Pairs of labels that differ.
        only_first: Number of trajectories that only the first labelled.
        only_second: Number that only the second labelled.
        warning: Why the figures say little; empty if there are enough labels.
    """

    counts: Counts
    agreement: Figure
    kappa: Figure
    disagreements: tuple[tuple[Label, Label], ...]
    only_first: int
    only_second: int
    warning: str


def compare(first: Sequence[Label], second: Sequence[Label]) -> Agreement:
    """Compare two sets of labels on the trajectories that both have.

    Raises:
        SetupError: They have no trajectory in common.
    """
    others = {label.folder.resolve(): label for label in second}
    pairs = [(label, others[key]) for label in first if (key := label.folder.resolve()) in others]
    if not pairs:
        raise SetupError(
            "the two files have no trajectory in common: their paths are relative to each file's folder"
        )
    labels = [bool(one.passed) for _, one in pairs]
    found = measure(labels, [one.passed for one, _ in pairs])
    return Agreement(
        counts=found.counts,
        agreement=found.accuracy,
        kappa=found.kappa,
        disagreements=tuple(pair for pair in pairs if pair[0].passed is not pair[1].passed),
        only_first=len(first) - len(pairs),
        only_second=len(second) - len(pairs),
        warning=too_few(labels),
    )


def _word(passed: bool | None) -> str:
    return {True: "CORRECT", False: "INCORRECT", None: ""}[passed]


def _rows(path: Path) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield the rows with their line numbers."""
    try:
        text = decoded(path.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"cannot read the labels {path}: {error}", path=str(path)) from error
    if path.suffix == ".csv":
        reader = csv.DictReader(io.StringIO(text, newline=""))
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
