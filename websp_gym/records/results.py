"""The outcomes of episodes on disk: one folder for each run, one line of JSON for each episode.

A run's folder holds ``run.json`` (what was run), ``results.jsonl`` (a :class:`Result` a line) and
``trajectories/<id>/<nnn>/``. It needs nothing outside itself: a report, a judge or a later scoring reads it anywhere.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import TypeAdapter, ValidationError

from websp_gym.errors import SetupError, unwritable
from websp_gym.records.verdict import Failure, Verdict
from websp_gym.texts import encodable

if TYPE_CHECKING:
    from websp_gym.records.trajectory import Trajectory

RUN = "run.json"
RESULTS = "results.jsonl"
TRAJECTORIES = "trajectories"
SCHEMA = "websp-run/1"

ResultStatus = Literal["pass", "fail", "unscored", "error"]
OutcomeLabel = Literal["success", "failure", "time-out", "unscored", "error"]
Stage = Literal["reset", "agent", "action", "scoring", "process"]


@dataclass(frozen=True, kw_only=True)
class Try:
    """An attempt at an episode that an error ended.

    Args:
        error: The error's type and message.
        stage: What was under way: the ``reset``, the ``agent`` (its model, mostly), an ``action``, the ``scoring``
            after the last one, or nobody knows because the whole ``process`` died.
        step: The action that was under way or had been carried out last, from 1; 0 before the first one.
        seconds: How long it took, the reset included.
        trajectory: Its folder, relative to the run's; empty where none was kept.
    """

    error: str
    stage: Stage
    step: int = 0
    seconds: float = 0.0
    trajectory: str = ""


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
        source: Who scored it: ``state``, ``judge``, ``limit``, the name of a custom reward, or ``runner`` where an
            action of the agent's brought the episode down twice.
        end_reason: Why the episode ended (:data:`~websp_gym.records.trajectory.EndReason`); ``error`` with the status
            ``fail`` where an action of the agent's did it twice.
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
        tries: The attempts that an error ended, in order; empty where the first one came to its end.
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
    tries: tuple[Try, ...] = ()
    trajectory: str = ""
    config_hash: str = ""
    run_hash: str = ""

    @classmethod
    def of(cls, verdict: Verdict, record: Trajectory, **facts: Any) -> Result:
        """The result of an episode that has a verdict.

        Args:
            verdict: The verdict.
            record: The episode; it need not be on disk.
            **facts: Fields that neither tells, ``agent`` among them.

        Returns:
            The result.
        """
        return cls(**facts_of(record) | {"end_reason": record.end_reason} | _scored(verdict) | facts)

    def rescored(self, verdict: Verdict) -> Result:
        """The same episode with another verdict."""
        return replace(self, error=None, **_scored(verdict))

    @property
    def outcome(self) -> OutcomeLabel:
        """The column of the paper's table 2 it belongs to; what was not scored has one of its own."""
        if self.status in ("unscored", "error"):
            return "unscored" if self.status == "unscored" else "error"
        if self.status == "pass":
            return "success"
        return "time-out" if self.end_reason in ("action_limit", "time_limit") else "failure"

    @property
    def brought_down(self) -> bool:
        """Whether the agent failed because an action of its own ended the episode with an error, twice."""
        return self.status == "fail" and self.end_reason == "error"

    @property
    def again(self) -> int:
        """How often it was played again."""
        return max(len(self.tries) - (self.status == "error" or self.brought_down), 0)

    @property
    def key(self) -> tuple[str, str, str, int]:
        """What there is one result of: agent, wording, instance and trial."""
        return (self.agent, self.instruction, self.id, self.trial)

    def line(self) -> str:
        """The result as one line of JSON."""
        return encodable(json.dumps(asdict(self), ensure_ascii=False))

    def summary(self) -> str:
        """The fields a program that runs episodes reads, as one line of JSON."""
        keys = (
            "id",
            "agent",
            "trial",
            "reward",
            "strict",
            "status",
            "end_reason",
            "steps",
            "seconds",
            "cost",
            "error",
            "tries",
        )
        data = asdict(self)
        return encodable(json.dumps({key: data[key] for key in keys}, ensure_ascii=False))


def facts_of(record: Trajectory) -> dict[str, Any]:
    """What a record tells of its result, scored or not.

    Args:
        record: The episode, as far as it came.

    Returns:
        Fields of :class:`Result`.
    """
    return {
        "id": record.instance,
        "seed": record.seed,
        "instruction": record.options["instruction"],
        "steps": len(record.steps),
        "actions": sum(step.counted for step in record.steps),
        "reset_seconds": round(record.reset_seconds, 3),
        "config_hash": record.config_hash,
    }


def _scored(verdict: Verdict) -> dict[str, Any]:
    failure = verdict.failure or Failure()
    return {
        "reward": verdict.score,
        "status": verdict.status,
        "source": verdict.source,
        "reason": verdict.reason,
        "failure_kinds": failure.kinds,
        "failure_elements": failure.elements,
        "side_effects": verdict.side_effects,
        "strict": verdict.strict,
    }


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
    append_line(folder / RESULTS, result.line())


def append_line(path: Path, line: str) -> None:
    """Append a line to a file of lines.

    Args:
        path: The file; made where it is missing.
        line: The line.

    Raises:
        SetupError: The file cannot be written to.
    """
    try:
        with path.open("ab+") as file:
            # After a crash in the middle of a line the next one starts on its own.
            torn = file.tell() > 0 and (file.seek(-1, os.SEEK_END), file.read(1))[1] != b"\n"
            # What a model says may end in half a character, which is no reason to lose the result.
            file.write(("\n" * torn + line + "\n").encode(errors="replace"))
    except OSError as error:
        raise unwritable(path.parent, error) from error


@dataclass(frozen=True)
class Broken:
    """A line of a file of results that cannot be used.

    Args:
        path: The file.
        line: Its number, from 1.
        reason: What is wrong with it.
    """

    path: Path
    line: int
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


@dataclass(frozen=True)
class Found:
    """What some folders hold.

    Args:
        results: Each result with the folder of its run.
        broken: The lines that cannot be used.
        empty: Folders that were asked for and have no results.
    """

    results: Sequence[tuple[Path, Result]]
    broken: Sequence[Broken] = ()
    empty: Sequence[Path] = ()


def read_lines(folder: Path) -> tuple[list[Result], list[Broken]]:
    """Reads the results of a run, and says which lines are none.

    Args:
        folder: The run's folder.

    Returns:
        The last result of each agent, wording, instance and trial; and the lines that cannot be used: half-written
        ones, those that are no result, and those whose trajectory is outside the folder.
    """
    path = folder / RESULTS
    if not path.is_file():
        return [], []
    found: dict[tuple[str, str, str, int], Result] = {}
    broken: list[Broken] = []
    for number, line in enumerate(path.read_text("utf-8", errors="replace").split("\n"), 1):
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
    """Reads the results of a run; see :func:`read_lines`, which tells of lines that cannot be used.

    Args:
        folder: The run's folder.

    Returns:
        The last result of each agent, wording, instance and trial.
    """
    return read_lines(folder)[0]


def find_results(folders: Iterable[Path]) -> Found:
    """Reads the results of all runs in or below some folders.

    Args:
        folders: The folders.

    Returns:
        The results, runs in the order of their names, and what could not be used.

    Raises:
        SetupError: A folder is missing, or none of them holds results at any depth.
    """
    results: list[tuple[Path, Result]] = []
    broken: list[Broken] = []
    empty: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            raise SetupError(f"no folder {folder}", path=str(folder))
        before = len(results)
        for run in sorted({path.parent for path in folder.rglob(RESULTS)}):
            good, bad = read_lines(run)
            results += [(run, result) for result in good]
            broken += bad
        if len(results) == before:
            empty.append(folder)
    if not results:
        raise no_results(empty, broken)
    return Found(results, broken, empty)


def no_results(folders: Sequence[Path], broken: Sequence[Broken] = ()) -> SetupError:
    """The error for folders without results.

    Args:
        folders: The folders.
        broken: Lines of theirs that cannot be used.

    Returns:
        The error to raise.
    """
    names = ", ".join(str(folder) for folder in folders)
    if broken:
        return SetupError(
            f"no results in {names}: {count(len(broken), 'broken line')}, the first {broken[0]}"
        )
    return SetupError(f"no results in {names}: `websp run --out {folders[0]}` writes some", path=names)


def count(number: int, what: str) -> str:
    """A number of things, for a person.

    Args:
        number: How many.
        what: One of them.

    Returns:
        Such as ``1 line`` or ``2 lines``.
    """
    return f"{number} {what}{'' if number == 1 else 's'}"


def _name(value: Any) -> str:
    """A custom reward by its name: its address would be another one in every process."""
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"


@cache
def _reader() -> TypeAdapter[Result]:
    return TypeAdapter(Result)


def read_result(line: str | bytes) -> Result:
    """Reads one line of results.

    Args:
        line: JSON; lines of earlier versions lack fields, which then have their defaults.

    Returns:
        The result.

    Raises:
        ValueError: The line is none, in words for a person.
    """
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON ({error})") from error
    try:
        return _reader().validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"not a result: {where or 'the line'}: {first['msg']}") from error


def _check_inside(folder: Path, result: Result) -> None:
    inside = folder.resolve()
    for name in (result.trajectory, *(one.trajectory for one in result.tries)):
        if not (folder / name).resolve().is_relative_to(inside):
            raise ValueError(f"trajectory {name!r} is outside the folder of its run")


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
