"""Reading trajectories from disk."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from websp_gym.errors import SetupError
from websp_gym.files import MAX_RECORD, read_file
from websp_gym.records.trajectory import FILE, SCHEMA, STEPS, ActionRecord, Trajectory
from websp_gym.texts import encodable, map_texts

_FIRST_SCHEMA = "websp-trajectory/1"
"""A single JSON file with the steps; of each action it has only the text."""
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")


def load_trajectory(folder: Path | str) -> Trajectory:
    """Load a recorded trajectory, of schema ``websp-trajectory/2`` or ``/1``.

    Args:
        folder: The folder of the episode, or its JSON file.

    Returns:
        The trajectory. If the recording process was killed, it has all steps that were written completely,
        and :attr:`Trajectory.torn` shows whether a partly written one was left out.

    Raises:
        SetupError: There is no trajectory, its schema is not supported, it is not valid, or steps are
            missing.
    """
    folder = Path(folder)
    path = folder if folder.suffix == ".json" else folder / FILE
    try:
        text = read_file(path, MAX_RECORD)
    except OSError as error:
        raise SetupError(
            f"no trajectory in {folder}: {path.name}: {error.strerror}", path=str(path)
        ) from error
    data = _parsed(text, str(path), path)
    schema = data.get("schema")
    if schema == SCHEMA:
        data["steps"], data["torn"] = _read_steps(path.with_name(STEPS), data.get("steps"))
    elif schema == _FIRST_SCHEMA:
        data["schema"] = SCHEMA
    elif schema is not None:
        raise SetupError(f"{path} is a {schema} file; this version reads {SCHEMA}", path=str(path))
    try:
        trajectory = Trajectory.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SetupError(f"{path}: not a {SCHEMA} file: {where}: {first['msg']}", path=str(path)) from error
    if schema == _FIRST_SCHEMA:
        _fill_actions(trajectory)
    return trajectory


def read_header(folder: Path) -> dict[str, Any]:
    """Return the header of an episode's record as JSON data, unchecked and without steps; empty if it has none."""
    try:
        return _parsed(read_file(folder / FILE, MAX_RECORD), str(folder / FILE), folder / FILE)
    except (OSError, SetupError):
        return {}


def digest_of(folder: Path) -> str:
    """Return a digest of the record of an episode without its pictures; empty where there is none."""
    try:
        whole = hashlib.sha256(read_file(folder / FILE, MAX_RECORD))
        with contextlib.suppress(FileNotFoundError):
            whole.update(read_file(folder / STEPS, MAX_RECORD))
    except OSError:
        return ""
    return whole.hexdigest()[:16]


def _read_steps(path: Path, count: object) -> tuple[list[Any], bool]:
    """Return the completely written steps, and whether the last line is only partly written."""
    try:
        *lines, rest = read_file(path, MAX_RECORD).split(b"\n")
    except FileNotFoundError:
        lines, rest = [], b""
    except OSError as error:
        raise SetupError(f"cannot read {path}: {error.strerror}", path=str(path)) from error
    if not isinstance(count, int) or len(lines) < count:
        raise SetupError(f"{path}: it has {len(lines)} of {count} steps", path=str(path))
    steps = [_parsed(line, f"{path}:{number}", path) for number, line in enumerate(lines, 1)]
    return steps, bool(rest)


def _parsed(text: bytes, where: str, path: Path) -> dict[str, Any]:
    """Parse a JSON object. Replace lone surrogates, which other writers escape and our readers reject."""
    try:
        data = json.loads(text)
        data = map_texts(data, encodable) if _HALF.search(text) else data
    except (ValueError, RecursionError) as error:
        raise SetupError(f"{where}: not a {SCHEMA} file: {error}", path=str(path)) from error
    if not isinstance(data, dict):
        raise SetupError(f"{where}: not a {SCHEMA} file: it is not a JSON object", path=str(path))
    return data


def _fill_actions(trajectory: Trajectory) -> None:
    """Fill in the parsed actions of a record that has only their texts."""
    before = trajectory.initial
    for step in trajectory.steps:
        step.act = ActionRecord.read(step.action, before)
        before = step.view
