"""The folder of a run: its description and its results."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from shlex import quote
from typing import Any

from pydantic import TypeAdapter, ValidationError

from websp_gym.errors import SetupError, unwritable
from websp_gym.files import MAX_RECORD, check_writable_file, open_new, read_file
from websp_gym.records.results import Result

RUN = "run.json"
RESULTS = "results.jsonl"
TRAJECTORIES = "trajectories"
AGENT_LOG = "agent.json"
"""Name of the file with an agent's notes on an episode, in the folder of its trajectory."""
SCHEMA = "websp-run/1"


@dataclass(frozen=True, kw_only=True)
class Run:
    """The settings that all results of a run share.

    Args:
        agent: The agent, by the name under which its results are kept.
        options: Options of the environments that were given, even as their default; the others have their defaults.
        seed: Seed of the first trial; each further trial adds 1.
        started: Start of the run in UTC, as ISO 8601.
        versions: Versions that determine an episode, by name.
        planned: Ids of the instances that were to be played.
        trials: Number of trials that were to be played of each instance that has more than one; empty also for a run
            of an older version.
    """

    agent: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    started: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    planned: tuple[str, ...] = ()
    trials: Mapping[str, int] = field(default_factory=dict)
    spec: str = field(default="", compare=False, repr=False)
    """The string that makes the agent, where that is not its name; it may have secrets, and is never written."""

    @property
    def world(self) -> str:
        """The world in which it is played."""
        return str(self.options.get("world", "sandbox"))

    @property
    def player(self) -> str:
        """The string that makes the agent."""
        return self.spec or self.agent

    @property
    def hash(self) -> str:
        """Digest of agent, options and seed; results with different hashes must not be merged."""
        text = json.dumps([self.agent, dict(self.options), self.seed], sort_keys=True, default=qualified_name)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def also_planning(self, ids: Iterable[str], trials: int) -> Run:
        """Return the same with further episodes that are to be played: the first trials of some instances."""
        names = tuple(ids)
        more = {name: trials for name in names if trials > max(self.trials.get(name, 1), 1)}
        return replace(
            self, planned=tuple(dict.fromkeys((*self.planned, *names))), trials={**self.trials, **more}
        )

    def episodes(self, played: Iterable[Result] = ()) -> list[tuple[str, int]]:
        """Return the planned episodes as id and trial.

        Args:
            played: Results of the run. Where it does not say how many trials were planned, these are as many as the
                last one that was played.
        """
        last = dict.fromkeys(self.planned, 1) | dict(self.trials)
        for result in played:
            last[result.id] = max(result.trial, last.get(result.id, 1))
        return [(name, trial) for name, most in last.items() for trial in range(1, most + 1)]

    def difference(self, other: Run) -> str:
        """Describe how the other run differs in agent, seed and options; empty if it does not."""
        mine, its = ({"agent": run.agent, "seed": run.seed, **run.options} for run in (self, other))
        names = [name for name in {**mine, **its} if mine.get(name) != its.get(name)]
        return ", ".join(f"{name} {mine.get(name)!r}, not {its.get(name)!r}" for name in names)


def read_run(folder: Path) -> Run | None:
    """Read ``run.json``; ``None`` if the folder has none. Raise ``SetupError`` if it is not valid."""
    path = folder / RUN
    try:
        data = json.loads(read_file(path, MAX_RECORD).decode("utf-8"))
        if data.pop("schema") != SCHEMA:
            raise ValueError("another schema")
        given = Run(**{**data, "planned": tuple(data.get("planned", ()))})
        return _run_reader().validate_python(vars(given))
    except FileNotFoundError:
        return None
    except ValidationError as error:
        raise SetupError(f"{path}: not a {SCHEMA} file: {_first_of(error)}", path=str(path)) from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise SetupError(f"{path}: not a {SCHEMA} file: {error}", path=str(path)) from error


def write_run(folder: Path, run: Run) -> None:
    """Write ``run.json`` atomically, and create the folder if needed. Raise ``SetupError`` if this fails."""
    kept = {name: value for name, value in asdict(run).items() if name != "spec"}
    text = json.dumps({"schema": SCHEMA, **kept}, ensure_ascii=False, indent=1, default=qualified_name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / (RUN + ".part")
        with open_new(part) as file:
            file.write(text.encode("utf-8"))
        os.replace(part, folder / RUN)
    except OSError as error:
        raise unwritable(folder, error) from error


def append_result(folder: Path, result: Result) -> None:
    """Append a result to the run's file. Raise ``SetupError`` if it cannot be written to."""
    append_line(folder / RESULTS, result.line())


def append_line(path: Path, line: str) -> None:
    """Append a line to a file, and create the file if needed. Raise ``SetupError`` if this fails."""
    try:
        check_writable_file(path)
        with path.open("ab+") as file:
            # If a crash left an incomplete line, start a new one.
            torn = file.tell() > 0 and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n"
            # A model's reply may contain a lone surrogate; do not lose the result for it.
            file.write(("\n" * torn + line + "\n").encode(errors="replace"))
    except OSError as error:
        raise unwritable(path.parent, error) from error


@dataclass(frozen=True)
class Broken:
    """A line of a results file that cannot be used.

    Args:
        path: The file.
        line: Number of the line, from 1.
        reason: What is wrong with it.
    """

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass(frozen=True)
class FoundResults:
    """The results in some folders.

    Args:
        results: Each result with the folder of its run.
        broken: Lines that cannot be used.
        empty: Requested folders without results.
    """

    results: Sequence[tuple[Path, Result]]
    broken: Sequence[Broken] = ()
    empty: Sequence[Path] = ()


def read_lines(folder: Path) -> tuple[list[Result], list[Broken]]:
    """Read the results of a run, and the lines that cannot be used.

    Of several results with the same key, only the last is returned. A line is broken if it is incomplete, is
    not a result, or names a trajectory outside the folder.
    """
    path = folder / RESULTS
    try:
        text = read_file(path, MAX_RECORD).decode("utf-8", "replace")
    except FileNotFoundError:
        return [], []
    except OSError as error:
        return [], [Broken(path, 1, str(error.strerror))]
    found: dict[tuple[str, str, str, int], Result] = {}
    broken: list[Broken] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            result = read_result(line)
            _check_inside(folder, result)
        except ValueError as error:
            broken.append(Broken(path, number, str(error)))
        else:
            found[result.key] = result
    return list(found.values()), broken


def read_results(folder: Path) -> list[Result]:
    """Read the results of a run, the last one of each key. :func:`read_lines` also returns broken lines."""
    return read_lines(folder)[0]


def find_results(folders: Iterable[Path]) -> FoundResults:
    """Read the results of all runs in or below some folders, in the order of their names; each run only once.

    Raises:
        SetupError: A folder is missing, or there are no results at all.
    """
    results: list[tuple[Path, Result]] = []
    broken: list[Broken] = []
    empty: list[Path] = []
    filled: dict[Path, bool] = {}
    for folder in folders:
        if not folder.is_dir():
            what = "it is a file" if folder.exists() else "give one that --out named"
            raise SetupError(f"no folder {folder}: {what}", path=str(folder))
        runs = sorted({path.parent for path in folder.rglob(RESULTS)})
        for run in runs:
            if run.resolve() not in filled:
                good, bad = read_lines(run)
                filled[run.resolve()] = bool(good)
                results += [(run, result) for result in good]
                broken += bad
        if not any(filled[run.resolve()] for run in runs):
            empty.append(folder)
    if not results:
        raise no_results(empty, broken)
    return FoundResults(results, broken, empty)


def no_results(folders: Sequence[Path], broken: Sequence[Broken] = ()) -> SetupError:
    """Return the error for folders without results; ``broken`` are their unusable lines."""
    names = ", ".join(str(folder) for folder in folders)
    if broken:
        return SetupError(
            f"no results in {names}: {count(len(broken), 'broken line')}, the first {broken[0]}"
        )
    return SetupError(
        f"no results in {names}: `websp run --out {quote(str(folders[0]))}` writes some", path=names
    )


def count(number: int, what: str) -> str:
    """Return a count for a person, such as ``1 line`` or ``2 lines``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def qualified_name(value: Any) -> str:
    """Return the module and name of a custom reward; its ``repr`` would differ between processes."""
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"


def _first_of(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    return f"{where or 'the line'}: {first['msg']}"


@cache
def _run_reader() -> TypeAdapter[Run]:
    return TypeAdapter(Run)


@cache
def _reader() -> TypeAdapter[Result]:
    return TypeAdapter(Result)


def read_result(line: str | bytes) -> Result:
    """Parse one line of a results file. Fields that an older version did not write get their defaults.

    Raises:
        ValueError: The line is not a result; the message is for a person.
    """
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from error
    try:
        return _reader().validate_python(data)
    except ValidationError as error:
        raise ValueError(f"not a result: {_first_of(error)}") from error


def _check_inside(folder: Path, result: Result) -> None:
    inside = folder.resolve()
    for name in (result.trajectory, *(one.trajectory for one in result.tries)):
        if not (folder / name).resolve().is_relative_to(inside):
            raise ValueError(f"trajectory {name!r} is outside the folder of its run")
