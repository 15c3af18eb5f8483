"""Results of episodes on disk: one folder per run, one line of JSON per episode.

The folder of a run holds ``run.json`` (its agent and options), ``results.jsonl`` (one :class:`Result` per
line) and ``trajectories/<id>/<nnn>/``. It is self-contained: a report, a judge or a later rescoring needs
nothing else.
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
        error: Type and message of the error.
        stage: What was running: the ``reset``, the ``agent`` (usually its model), an ``action``, the
            ``scoring`` after the last action; ``process`` if the whole process died and nothing more is
            known.
        step: The current or last action, from 1; 0 before the first one.
        seconds: Seconds the attempt took, including the reset.
        trajectory: Folder of its trajectory, relative to that of the run; empty if it was not saved.
    """

    error: str
    stage: Stage
    step: int = 0
    seconds: float = 0.0
    trajectory: str = ""


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of one episode.

    Args:
        id: Id of the instance.
        agent: The agent, as given by the user.
        trial: Number of this repetition, from 1.
        seed: Seed of the episode.
        instruction: ``without_navigation`` or ``with_navigation``.
        reward: The reward; ``None`` if the episode was not scored.
        status: ``pass``, ``fail``, ``unscored`` (the outcome is unknown) or ``error`` (the episode could not
            be played to its end).
        source: Who decided: ``state``, ``strict``, ``judge``, ``limit``, the name of a custom reward, or
            ``runner`` if the same action of the agent ended the episode with an error twice.
        end_reason: Why the episode ended (:data:`~websp_gym.records.trajectory.EndReason`). ``error`` with
            the status ``fail`` means that the same action of the agent caused an error twice.
        steps: Number of steps taken.
        actions: Number of actions that count against the limit. Scrolling and waiting count 0; a list of
            calls may count more than 1.
        seconds: Seconds from the first observation to the end, including the agent's thinking.
        reset_seconds: Seconds of the reset before that.
        error: Why the episode could not be played to its end; ``None`` if it was.
        reason: The verdict in one sentence.
        failure_kinds: Kinds of failure, of the paper's five (section 6), determined by rules.
        failure_elements: UI element types that caused the failure, determined by rules.
        side_effects: Changes that no goal asked for.
        strict: The score if side effects count; ``None`` if unknown.
        calls: Number of requests to the agent's model.
        input_tokens: Tokens read by the model; ``None`` if unknown or if there is no model.
        output_tokens: Tokens written by the model; ``None`` if unknown or if there is no model.
        cost: Cost in US dollars; ``None`` if a price is unknown. It is never estimated.
        tries: The attempts that an error ended, in order; empty if the first attempt reached its end.
        trajectory: Folder of the episode, relative to that of the run; empty if it was not saved.
        config_hash: Digest of the instance's configuration.
        run_hash: Digest of the agent, the options and the seed of the run.
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
        """Return the result of an episode that has a verdict.

        Args:
            verdict: The verdict.
            record: The trajectory; it need not be on disk.
            **facts: Further fields, such as ``agent``, ``trial`` or ``seconds``; they take precedence.
        """
        return cls(**facts_of(record) | {"end_reason": record.end_reason} | _scored(verdict) | facts)

    def rescored(self, verdict: Verdict) -> Result:
        """Return the same result with another verdict."""
        return replace(self, error=None, **_scored(verdict))

    @property
    def outcome(self) -> OutcomeLabel:
        """The column of table 2 of the paper; ``unscored`` and ``error`` are columns of our own."""
        if self.status in ("unscored", "error"):
            return "unscored" if self.status == "unscored" else "error"
        if self.status == "pass":
            return "success"
        return "time-out" if self.end_reason in ("action_limit", "time_limit") else "failure"

    @property
    def brought_down(self) -> bool:
        """Whether the agent failed because the same action ended the episode with an error twice."""
        return self.status == "fail" and self.end_reason == "error"

    @property
    def again(self) -> int:
        """Number of times the episode was retried."""
        return max(len(self.tries) - (self.status == "error" or self.brought_down), 0)

    @property
    def key(self) -> tuple[str, str, str, int]:
        """Agent, instruction variant, instance and trial; a run has one result for each."""
        return (self.agent, self.instruction, self.id, self.trial)

    def line(self) -> str:
        """Return the result as one line of JSON."""
        return encodable(json.dumps(asdict(self), ensure_ascii=False))

    def summary(self) -> str:
        """Return the fields that a calling program needs, as one line of JSON."""
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
    """Return the fields of a result that a trajectory determines, complete or not."""
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
    """What all results of a run have in common.

    Args:
        agent: The agent, as given by the user.
        options: Options of the environments that differ from their defaults.
        seed: Seed of the first trial; each further trial adds 1.
        started: Start of the run in UTC, as ISO 8601.
        versions: Versions that determine an episode, by name.
    """

    agent: str
    options: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    started: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        """Digest of agent, options and seed; results with different hashes must not be merged."""
        text = json.dumps([self.agent, dict(self.options), self.seed], sort_keys=True, default=_name)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def difference(self, other: Run) -> str:
        """Describe how the other run differs in agent, seed and options; empty if it does not."""
        mine, its = ({"agent": run.agent, "seed": run.seed, **run.options} for run in (self, other))
        names = [name for name in {**mine, **its} if mine.get(name) != its.get(name)]
        return ", ".join(f"{name} {mine.get(name)!r} and not {its.get(name)!r}" for name in names)


def read_run(folder: Path) -> Run | None:
    """Read ``run.json``; ``None`` if the folder has none. Raise ``SetupError`` if it is not valid."""
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
    """Write ``run.json`` atomically, and create the folder if needed. Raise ``SetupError`` if this fails."""
    text = json.dumps({"schema": SCHEMA, **asdict(run)}, ensure_ascii=False, indent=1, default=_name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        part = folder / (RUN + ".part")
        part.write_text(text, "utf-8")
        os.replace(part, folder / RUN)
    except OSError as error:
        raise unwritable(folder, error) from error


def append_result(folder: Path, result: Result) -> None:
    """Append a result to the run's file. Raise ``SetupError`` if it cannot be written to."""
    append_line(folder / RESULTS, result.line())


def append_line(path: Path, line: str) -> None:
    """Append a line to a file, and create the file if needed. Raise ``SetupError`` if this fails."""
    try:
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
class Found:
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
    """Read the results of a run, the last one of each key. :func:`read_lines` also returns broken lines."""
    return read_lines(folder)[0]


def find_results(folders: Iterable[Path]) -> Found:
    """Read the results of all runs in or below some folders, in the order of their names.

    Raises:
        SetupError: A folder is missing, or there are no results at all.
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
    """Return the error for folders without results; ``broken`` are their unusable lines."""
    names = ", ".join(str(folder) for folder in folders)
    if broken:
        return SetupError(
            f"no results in {names}: {count(len(broken), 'broken line')}, the first {broken[0]}"
        )
    return SetupError(f"no results in {names}: `websp run --out {folders[0]}` writes some", path=names)


def count(number: int, what: str) -> str:
    """Return a count for a person, such as ``1 line`` or ``2 lines``."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _name(value: Any) -> str:
    """Return the qualified name of a custom reward; its ``repr`` would differ between processes."""
    return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', type(value).__qualname__)}"


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
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"not a result: {where or 'the line'}: {first['msg']}") from error


def _check_inside(folder: Path, result: Result) -> None:
    inside = folder.resolve()
    for name in (result.trajectory, *(one.trajectory for one in result.tries)):
        if not (folder / name).resolve().is_relative_to(inside):
            raise ValueError(f"trajectory {name!r} is outside the folder of its run")


def spent(parts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up the model usage of turns or episodes.

    The parts have ``calls``, ``input_tokens``, ``output_tokens`` and ``cost``, and so has the result. A sum
    is ``None`` if one of its amounts is unknown. Without parts the result is empty.
    """
    listed = list(parts)
    if not listed:
        return {}
    amounts = {
        name: [part[name] for part in listed] for name in ("calls", "input_tokens", "output_tokens", "cost")
    }
    return {name: None if None in values else sum(values) for name, values in amounts.items()}
