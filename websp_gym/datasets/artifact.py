"""Reading a clone of the published artifact: the files of its ``dataset/`` folder, as they are."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from websp_gym.errors import SetupError
from websp_gym.replay.trace_files import parse_json, read_text
from websp_gym.tasks.datasets import LeftOutKind, Missing
from websp_gym.tasks.ids import canonical_id

REPOSITORY = "https://github.com/wi-pi/webspeval_code"
LICENCE = "CC BY-NC 4.0"
_ACTIONS = "dataset/ground_truth_actions.json"
_ELEMENTS = "dataset/ground_truth_ui_elements.csv"
_LOGINS = "dataset/login_files.csv"
_TRACES = "dataset/state_traces"


@dataclass(frozen=True)
class Replayed:
    """A trace that leads to the initial state of an instance."""

    file: str
    """Its path in the clone."""
    set: Literal["on", "off", "recorded"]


@dataclass
class Row:
    """What the task files say of one instance; a text is empty where they do not have it."""

    place: str
    without_navigation: str = ""
    with_navigation: str = ""
    replay: tuple[Replayed, ...] = ()


@dataclass
class Artifact:
    """The published files.

    Attributes:
        root: The folder of the clone.
        rows: Instances by id, as we spell ids.
        ground_truth: Steps in words, by id.
        elements: UI elements, by id.
        logins: File of each site's login trace, as the table has it; empty where none is named.
        traces: The files below ``state_traces/``, relative to the root.
        problems: What could not be read.
    """

    root: Path
    rows: dict[str, Row] = field(default_factory=dict)
    ground_truth: dict[str, tuple[str, ...]] = field(default_factory=dict)
    elements: dict[str, tuple[str, ...]] = field(default_factory=dict)
    logins: dict[str, str] = field(default_factory=dict)
    traces: tuple[str, ...] = ()
    problems: list[Missing] = field(default_factory=list)

    def tell(self, kind: LeftOutKind, subject: str, reason: str, *, matters: bool = True) -> None:
        """Note something that is not imported."""
        self.problems.append(Missing(kind=kind, subject=subject, reason=reason, matters=matters))


def read_artifact(root: Path) -> Artifact:
    """Read a clone of the artifact.

    Raises:
        SetupError: The folder is not such a clone.
    """
    artifact = Artifact(root)
    files = sorted((root / "dataset").glob("*.jsonl"), key=_variants_first)
    if not files:
        raise SetupError(
            f"{root} is not a clone of {REPOSITORY}: it has no dataset/*.jsonl; give the folder that `git clone` "
            "made",
            path=str(root),
        )
    for path in files:
        _read_rows(path, artifact)
    _part(artifact, _ACTIONS, _read_actions)
    _part(artifact, _ELEMENTS, _read_elements)
    _part(artifact, _LOGINS, _read_logins)
    artifact.traces = tuple(
        path.relative_to(root).as_posix() for path in sorted((root / _TRACES).rglob("session-*.json"))
    )
    return artifact


def _variants_first(path: Path) -> tuple[int, str]:
    """Sort the two files with all instances before others, such as that of the artifact's test."""
    return ("with" not in path.stem, path.name)


def _read_rows(path: Path, artifact: Artifact) -> None:
    name = path.relative_to(artifact.root).as_posix()
    try:
        lines = read_text(path).splitlines()
    except SetupError as error:
        artifact.tell("file", name, str(error))
        return
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{name}:{number}"
        try:
            data = json.loads(line)
            key, words = canonical_id(data["id"]), data["ques"].strip()
        except (ValueError, TypeError, KeyError, AttributeError):
            artifact.tell("instance", place, 'not a JSON object with an "id" and a "ques"')
            continue
        row = artifact.rows.setdefault(key, Row(place))
        if "with_navigation" in path.stem:
            row.with_navigation = row.with_navigation or words
        else:
            row.without_navigation = row.without_navigation or words
        row.replay = row.replay or tuple(_replays(data.get("state_reset_ops"), place, artifact))


def _replays(reset: Any, place: str, artifact: Artifact) -> Iterator[Replayed]:
    if not isinstance(reset, dict) or reset.get("type") != "extension":
        return  # no trace: what else leads to S0 is a step of ours
    calls = reset.get("function_calls")
    for call in calls if isinstance(calls, list) else []:
        given = call.get("kwargs") if isinstance(call, dict) else None
        file = given.get("replay_click_file") if isinstance(given, dict) else None
        if not isinstance(file, str) or not file:
            artifact.tell("trace", place, "a function call of its state_reset_ops names no replay_click_file")
            continue
        state = given.get("set_checked_state") if isinstance(given, dict) else None
        yield Replayed(file, "on" if state is True else "off" if state is False else "recorded")


def _part(artifact: Artifact, name: str, read: Callable[[str, Path, Artifact], None]) -> None:
    path = artifact.root / name
    try:
        read(read_text(path), path, artifact)
    except SetupError as error:
        artifact.tell("file", name, str(error))


def _read_actions(text: str, path: Path, artifact: Artifact) -> None:
    data = parse_json(text, path)
    for key, steps in (data if isinstance(data, dict) else {}).items():
        if isinstance(steps, list) and steps and all(isinstance(step, str) for step in steps):
            artifact.ground_truth[canonical_id(key)] = tuple(step.strip() for step in steps)
        else:
            artifact.tell("ground truth", f"{_ACTIONS}: {key}", "not a list of steps in words")


def _read_elements(text: str, _path: Path, artifact: Artifact) -> None:
    for row in csv.DictReader(io.StringIO(text)):
        key, named = row.get("TaskID"), row.get("UI Elements")
        if not key or named is None:
            artifact.tell("elements", _ELEMENTS, 'a row without "TaskID" or "UI Elements"', matters=False)
            continue
        artifact.elements[canonical_id(key)] = tuple(
            part for each in named.split(",") if (part := each.strip())
        )


def _read_logins(text: str, _path: Path, artifact: Artifact) -> None:
    for row in csv.DictReader(io.StringIO(text)):
        if row.get("site"):
            artifact.logins[row["site"].strip()] = (row.get("login_file") or "").strip()
