"""The outcomes of episodes on disk: one folder for each run, one line of JSON for each episode.

A run's folder holds ``run.json`` (what was run), ``results.jsonl`` (a :class:`Result` a line) and
``trajectories/<id>/<nnn>/``. It needs nothing outside itself: a report, a judge or a later scoring reads it anywhere.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from websp_gym.errors import SetupError
from websp_gym.texts import encodable

RUN = "run.json"
RESULTS = "results.jsonl"
TRAJECTORIES = "trajectories"
SCHEMA = "websp-run/1"

ResultStatus = Literal["pass", "fail", "unscored", "error"]
Outcome = Literal["success", "failure", "time-out", "unscored", "error"]


@dataclass(frozen=True, kw_only=True)
class Result:
    """The outcome of one episode.

    Args:
        id: The instance.
        agent: The agent, as it was chosen.
        trial: Which time it played this instance, from 1.
        seed: Seed of the episode.
        instruction: ``without_navigation`` or ``with_navigation``.
        reward: What was paid; None where nothing was scored.
        status: ``unscored`` when nobody knows, ``error`` when the episode could not be played to an end.
        source: Who scored it: ``state``, ``judge``, ``limit`` or the name of a custom reward.
        end_reason: Why the episode ended (:data:`websp_gym.trajectory.EndReason`).
        steps: Actions taken.
        actions: What counted against the limit: scrolling and waiting are free, a list of calls counts as many.
        seconds: The episode from the first observation on, the agent's thinking included.
        reset_seconds: What came before.
        error: Why it could not be played to an end.
        reason: The verdict in a sentence.
        failure_kinds: Which of the paper's five kinds a failure is (section 6), by rule.
        failure_elements: The types of the UI elements it comes from, by rule.
        side_effects: What else changed.
        strict: The score of who counts side effects too; None where nobody knows.
        calls: Requests to the agent's model.
        input_tokens: Tokens its model read; None where unknown or there is none.
        output_tokens: Tokens it wrote.
        cost: US dollars; None where a price is unknown, never a guess.
        trajectory: The episode's folder, relative to the run's; empty where none was kept.
        config_hash: Digest of the instance's configuration.
        run_hash: Digest of agent and options.
    """

    id: str
    agent: str
    trial: int = 1
    seed: int = 0
    instruction: str = "without_navigation"
    reward: float | None
    status: ResultStatus
    source: str = ""
    end_reason: str | None = None
    steps: int = 0
    actions: int = 0
    seconds: float = 0.0
    reset_seconds: float = 0.0
    error: str | None = None
    reason: str = ""
    failure_kinds: tuple[str, ...] = ()
    failure_elements: tuple[str, ...] = ()
    side_effects: tuple[str, ...] = ()
    strict: float | None = None
    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    trajectory: str = ""
    config_hash: str = ""
    run_hash: str = ""

    @property
    def outcome(self) -> Outcome:
        """The column of the paper's table 2 it belongs to; what was not scored has one of its own."""
        if self.status in ("unscored", "error"):
            return "unscored" if self.status == "unscored" else "error"
        if self.status == "pass":
            return "success"
        return "time-out" if self.end_reason in ("action_limit", "time_limit") else "failure"

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What there is one result of: agent, wording, instance and trial."""
        return (self.agent, self.instruction, self.id, self.trial)

    def line(self) -> str:
        """The result as one line of JSON."""
        return encodable(json.dumps(asdict(self), ensure_ascii=False))

    def summary(self) -> str:
        """The fields a program that runs episodes reads, as one line of JSON."""
        keys = ("id", "agent", "trial", "reward", "status", "end_reason", "steps", "seconds", "cost", "error")
        return encodable(json.dumps({key: getattr(self, key) for key in keys}, ensure_ascii=False))


@dataclass(frozen=True, kw_only=True)
class Run:
    """What a run is: everything its results have in common.

    Args:
        agent: The agent, as it was chosen.
        options: Options of the environments, those that are not the default.
        seed: Seed of the first trial; the next ones count on.
        started: When, UTC, ISO 8601.
        versions: Versions of what decides an episode.
    """

    agent: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    started: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """A digest of agent, options and seed; results of another hash do not belong together."""
        text = json.dumps([self.agent, dict(self.options), self.seed], sort_keys=True, default=_name)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def difference(self, other: Run) -> str:
        """What another run has otherwise, for a person; empty when nothing that decides results."""
        mine, its = ({"agent": run.agent, "seed": run.seed, **run.options} for run in (self, other))
        names = [name for name in {**mine, **its} if mine.get(name) != its.get(name)]
        return ", ".join(f"{name} {mine.get(name)!r} and not {its.get(name)!r}" for name in names)


def read_run(folder: Path) -> Run | None:
    """Reads what a folder's run is.

    Args:
        folder: The folder.

    Returns:
        The run; None where the folder holds none.

    Raises:
        SetupError: ``run.json`` cannot be read.
    """
    path = folder / RUN
    try:
        data = json.loads(path.read_text("utf-8"))
        if data.pop("schema") != SCHEMA:
            raise ValueError("another schema")
        return Run(**data)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise SetupError(f"{path}: not a {SCHEMA} file: {error}", path=str(path)) from error


def write_run(folder: Path, run: Run) -> None:
    """Writes what a folder's run is; the file is always a whole one.

    Args:
        folder: The folder; made where it is missing.
        run: The run.

    Raises:
        SetupError: The folder cannot be written to.
    """
    text = json.dumps({"schema": SCHEMA, **asdict(run)}, ensure_ascii=False, indent=1, default=_name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / (RUN + ".part")
        part.write_text(text, "utf-8")
        os.replace(part, folder / RUN)
    except OSError as error:
        raise unwritable(folder, error) from error


def append_result(folder: Path, result: Result) -> None:
    """Adds a result to a run.

    Args:
        folder: The run's folder.
        result: The result.

    Raises:
        SetupError: The folder cannot be written to.
    """
    try:
        with (folder / RESULTS).open("ab+") as file:
            # After a crash in the middle of a line the next one starts on its own.
            torn = file.tell() > 0 and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n"
            file.write(("\n" * torn + result.line() + "\n").encode())
    except OSError as error:
        raise unwritable(folder, error) from error


def read_results(folder: Path) -> list[Result]:
    """Reads the results of a run.

    Args:
        folder: The run's folder.

    Returns:
        The last result of each agent, wording, instance and trial; a half-written line is left out.
    """
    path = folder / RESULTS
    if not path.is_file():
        return []
    found: dict[tuple[str, str, str, int], Result] = {}
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            result = _result(json.loads(line))
        except (ValueError, TypeError):
            continue
        found[result.key] = result
    return list(found.values())


def find_results(folders: Iterable[Path]) -> list[tuple[Path, Result]]:
    """Reads the results of all runs in or below some folders.

    Args:
        folders: The folders.

    Returns:
        Each result with the folder of its run, runs in the order of their names.

    Raises:
        SetupError: A folder is missing, or holds no results at any depth.
    """
    found: list[tuple[Path, Result]] = []
    for folder in folders:
        if not folder.is_dir():
            raise SetupError(f"no folder {folder}", path=str(folder))
        runs = sorted({path.parent for path in folder.rglob(RESULTS)})
        here = [(run, result) for run in runs for result in read_results(run)]
        if not here:
            raise SetupError(
                f"no results in {folder}: `websp run --out {folder}` writes some", path=str(folder)
            )
        found += here
    return found


def unwritable(folder: Path, error: OSError) -> SetupError:
    """The error for a folder that cannot be written to.

    Args:
        folder: The folder.
        error: What the system said.

    Returns:
        The error to raise.
    """
    return SetupError(f"cannot write to {folder}: {error.strerror}", path=str(folder))


def _name(value: Any) -> str:
    """A custom reward by its name: its address would be another one in every process."""
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"


_NAMES = frozenset(item.name for item in fields(Result))
_TUPLES = ("failure_kinds", "failure_elements", "side_effects")


def _result(data: Any) -> Result:
    if not isinstance(data, dict):
        raise TypeError("a result is an object")
    known = {name: value for name, value in data.items() if name in _NAMES}
    return Result(**known | {name: tuple(known.get(name, ())) for name in _TUPLES})


def spent(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Adds up what an agent's model took.

    Args:
        parts: Turns or episodes, with ``calls``, ``input_tokens``, ``output_tokens`` and ``cost``.

    Returns:
        The sums under the same names, None where one of the amounts is unknown; nothing where there are no parts.
    """
    listed = list(parts)
    if not listed:
        return {}
    amounts = {
        name: [part[name] for part in listed] for name in ("calls", "input_tokens", "output_tokens", "cost")
    }
    return {name: None if None in values else sum(values) for name, values in amounts.items()}
