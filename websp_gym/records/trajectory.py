"""Recording an episode to disk, and loading it.

A trajectory is a JSON header, one line of JSON per step and one PNG per observation. ``trajectory.json``
holds what is known at the start and at the end of the episode. ``steps.jsonl`` grows by one line per step, so
a step costs the same in a long episode as in a short one, and a killed process loses at most the current
step. Screenshots are stored without marks. The marks are data beside them, so a viewer can hide them, and
:func:`websp_gym.records.pictures.marked_picture` draws exactly what the agent saw. Secrets are removed before
anything is written, and nothing is pickled.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import platform
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from websp_gym.actions.calls import looks_like_calls, read_calls
from websp_gym.actions.grammar import Action, format_action, parse_action
from websp_gym.errors import ActionError, SetupError, unwritable
from websp_gym.redaction import redact
from websp_gym.texts import encodable

if TYPE_CHECKING:
    from websp_gym.observation.observe import PageView

SCHEMA: Literal["websp-trajectory/2"] = "websp-trajectory/2"
FILE = "trajectory.json"
STEPS = "steps.jsonl"

_FIRST_SCHEMA = "websp-trajectory/1"
"""A single JSON file with the steps; of each action it has only the text."""
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")

_OLD_BOOKKEEPING = ["consent.choice", "consent_receipts", "cookies.state"]
"""The bookkeeping keys of records that do not list them."""

EndReason = Literal[
    "answer", "infeasible", "action_limit", "time_limit", "unresponsive", "error", "abandoned"
]
EndCause = Literal["agent", "world", "caller"]


@dataclass(frozen=True)
class Ending:
    """How an episode ended. It is fixed before the reward is computed.

    Args:
        reason: ``answer`` and ``infeasible`` come from the agent; ``action_limit`` and ``time_limit`` are
            limits; ``unresponsive``: the page did not respond to the agent's action in time; ``error``: the
            world failed; ``abandoned``: the caller reset or closed the environment.
        answer: The agent's final message, empty if there is none.
        detail: A sentence that explains the reason, where the agent gave no message.
    """

    reason: EndReason
    answer: str = ""
    detail: str = ""

    @property
    def cause(self) -> EndCause:
        """Who caused the end. The agent answers for its actions and for how a page responds to them."""
        match self.reason:
            case "error":
                return "world"
            case "abandoned":
                return "caller"
            case _:
                return "agent"

    @property
    def is_limit(self) -> bool:
        """Whether the episode was cut off before the agent declared that it was done."""
        return self.reason in LIMITS


LIMITS: frozenset[EndReason] = frozenset({"action_limit", "time_limit", "unresponsive"})


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid")


class View(_Record):
    """One observation as stored: the address, the tabs and the marks."""

    url: str
    title: str = ""
    tabs: list[str] = Field(default_factory=list)
    screenshot: str | None = None
    """File name of the screenshot without marks, in the folder of the JSON file; ``None`` if there is none."""
    marks: list[dict[str, Any]] = Field(default_factory=list)
    """The marked elements, as in the observation's ``elements``; boxes are in CSS pixels of the viewport."""

    @classmethod
    def of(cls, page: PageView, screenshot: str | None = None) -> Self:
        """Return the stored form of an observation; ``screenshot`` is the file name of its picture."""
        return cls(
            url=page.url,
            title=page.title,
            tabs=list(page.tabs),
            screenshot=screenshot,
            marks=list(page.marks),
        )


class ActionRecord(_Record):
    """The action that the environment understood from the text of a step."""

    kind: str
    """One of the eleven actions, or ``calls`` for BrowserGym calls."""
    text: str
    """The action without the thought, in the grammar's spelling; calls are kept unchanged."""
    number: int | None = None
    """Number of the mark it names; ``None`` if it names none."""
    role: str | None = None
    """Role of that mark in the view before the step; ``None`` if the view had no such mark."""
    name: str | None = None
    """Accessible name of that mark; ``None`` as for the role."""

    @classmethod
    def of(cls, action: Action, before: View | None) -> Self:
        """Return the record of a parsed action with the element it names in the view ``before`` the step."""
        marks = before.marks if before is not None and action.number is not None else []
        mark = next((mark for mark in marks if mark.get("number") == action.number), None)
        role, name = (None, None) if mark is None else (str(mark.get(key, "")) for key in ("role", "name"))
        return cls(kind=action.kind, text=format_action(action), number=action.number, role=role, name=name)

    @classmethod
    def read(cls, text: str, before: View | None) -> Self | None:
        """Return the record of the action in ``text``; ``None`` if it cannot be parsed as one."""
        try:
            if looks_like_calls(text):
                return cls(kind="calls", text=text) if read_calls(text) else None
            return cls.of(parse_action(text), before)
        except ActionError:
            return None


class Step(_Record):
    """One action and the observation after it."""

    number: int
    """1 for the first action."""
    thought: str = ""
    action: str
    """The agent's reply."""
    act: ActionRecord | None = None
    """The action as understood; ``None`` if the reply could not be parsed."""
    error: str = ""
    """Why the action failed; empty if it did not."""
    counted: int = 1
    """Number of actions it counted as: 0 for a free one, more than 1 for a list of calls."""
    seconds: float
    """Seconds the step took in the environment."""
    ended: float | None = None
    """Unix time when it ended; events in the world's log up to then belong to this step or an earlier one."""
    view: View
    """The observation after the step."""


class Trajectory(_Record):
    """The record of a whole episode, as :func:`load_trajectory` returns it.

    ``views[0]`` is the first observation and ``views[n]`` the one after step n.
    """

    schema_: Literal["websp-trajectory/2"] = Field(default=SCHEMA, alias="schema")
    instance: str
    """Id of the instance."""
    config_hash: str
    """Digest of the instance's configuration (:attr:`websp_gym.tasks.instances.Instance.config_hash`)."""
    instruction: str
    ground_truth: list[str]
    """One line of text per step."""
    world: str
    """``sandbox`` or ``live``."""
    seed: int
    options: dict[str, Any] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    started: str
    """Start of the episode in UTC, as ISO 8601."""
    reset_seconds: float = 0.0
    """Seconds the reset took."""
    s0: dict[str, Any] = Field(default_factory=dict)
    """Server state of the task's site when the agent started."""
    end: dict[str, Any] = Field(default_factory=dict)
    """Server state of the task's site at the end of the episode."""
    events: list[dict[str, Any]] = Field(default_factory=list)
    """Events in the world's log since S0."""
    initial: View | None = None
    """The first observation."""
    steps: list[Step] = Field(default_factory=list)
    end_reason: EndReason | None = None
    """Why the episode ended; ``None`` while it runs, or if its process was killed."""
    answer: str = ""
    error: str = ""
    """The error that ended the episode; empty if none did."""
    verdict: dict[str, Any] | None = None
    """The :class:`~websp_gym.records.verdict.Verdict` as JSON data; ``None`` if the episode was not scored."""
    torn: bool = Field(default=False, exclude=True)
    """Whether the last step on disk was only partly written; it is left out."""

    @field_validator("s0", "end", mode="before")
    @classmethod
    def _as_kept_today(cls, state: Any) -> Any:
        """Convert a state from before sessions became a collection and records named their bookkeeping."""
        if not isinstance(state, dict) or "sessions" not in state:
            return state
        rest = {key: value for key, value in state.items() if key != "sessions"}
        collections = {**state.get("collections", {}), "sessions": state["sessions"]}
        return {"bookkeeping": _OLD_BOOKKEEPING, **rest, "collections": collections}

    def close(self, ending: Ending) -> None:
        """Set the reason of the end and the answer, unless they are already set."""
        if self.end_reason is None:
            self.end_reason, self.answer = ending.reason, ending.answer

    @property
    def views(self) -> list[View]:
        """All observations in order, starting with the initial one."""
        return ([self.initial] if self.initial else []) + [step.view for step in self.steps]

    @property
    def last_view(self) -> View | None:
        """The latest observation; ``None`` if there is none."""
        return self.steps[-1].view if self.steps else self.initial


class Recorder:
    """A writer that saves a trajectory to disk while the episode runs.

    Args:
        parent: Folder of all episodes of the instance; this episode gets the next free subfolder, ``001``,
            ``002`` and so on.
        trajectory: The trajectory to write.
        secrets: Texts that must never be written; each is replaced by ``•••``. All must be known now, because
            a written step is never changed.
    """

    def __init__(self, parent: Path, trajectory: Trajectory, secrets: Iterable[str] = ()) -> None:
        self.folder = _new_folder(parent)
        self.trajectory = trajectory
        self._secrets = tuple(secrets)
        self._written = 0
        self._size = 0

    def view(self, index: int, page: PageView) -> View:
        """Store the screenshot of observation ``index`` (0 is the initial one) and return its stored form."""
        return View.of(page, self.screenshot(index, page.png) if page.png else None)

    def screenshot(self, index: int, png: bytes) -> str:
        """Store a screenshot and return its file name; ``index`` is 0 for the initial observation."""
        name = f"step_{index:03d}.png"
        with self._writing():
            (self.folder / name).write_bytes(png)
        return name

    def append(self) -> None:
        """Write the steps that are not on disk yet. Steps on disk are neither read nor written again."""
        for step in self.trajectory.steps[self._written :]:
            line = self._encoded(step.model_dump()) + b"\n"
            with self._writing(), (self.folder / STEPS).open("ab") as file:
                file.truncate(self._size)  # a part of this line that an earlier attempt wrote to a full disk
                file.write(line)
            self._size += len(line)
            self._written += 1

    def save(self) -> None:
        """Write the missing steps and replace the header; the header on disk is always complete."""
        self.append()
        header = self.trajectory.model_dump(by_alias=True, exclude={"steps"}) | {"steps": self._written}
        part = self.folder / (FILE + ".part")
        with self._writing():
            part.write_bytes(self._encoded(header, indent=1))
            os.replace(part, self.folder / FILE)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise unwritable(self.folder, error, what="the record folder") from error

    def _encoded(self, data: dict[str, Any], indent: int | None = None) -> bytes:
        return json.dumps(_walk(data, self._clean), ensure_ascii=False, indent=indent).encode()

    def _clean(self, text: str) -> str:
        return encodable(redact(text, self._secrets, mask="•••", parts=False))


def load_trajectory(folder: Path) -> Trajectory:
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
    path = folder if folder.suffix == ".json" else folder / FILE
    try:
        text = path.read_bytes()
    except OSError as error:
        raise SetupError(f"no trajectory in {folder}: {error.strerror}", path=str(path)) from error
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


def digest_of(folder: Path) -> str:
    """Return a digest of the record of an episode without its pictures; empty where there is none."""
    try:
        whole = hashlib.sha256((folder / FILE).read_bytes())
        if (folder / STEPS).exists():
            whole.update((folder / STEPS).read_bytes())
    except OSError:
        return ""
    return whole.hexdigest()[:16]


def versions(browser: str = "") -> dict[str, str]:
    """Return the versions that determine an episode, by name; ``browser`` is the version of Chromium."""
    from importlib.metadata import version

    names = ("websp-gym", "browsergym-core", "playwright", "gymnasium")
    return {
        "python": platform.python_version(),
        "chromium": browser,
        **{name: version(name) for name in names},
    }


def now() -> str:
    """Return the current time in UTC, as ISO 8601 with seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _new_folder(parent: Path) -> Path:
    """Create and return the next free folder; other processes may do the same at the same time."""
    for number in itertools.count(1):
        folder = parent / f"{number:03d}"
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        except OSError as error:
            raise unwritable(folder, error, what="the record folder") from error
        return folder
    raise AssertionError("unreachable")


def _walk(value: Any, clean: Callable[[str], str]) -> Any:
    """Return a copy of the data with ``clean`` applied to every text, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_walk(key, clean): _walk(item, clean) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(item, clean) for item in value]
    return value


def _read_steps(path: Path, count: object) -> tuple[list[Any], bool]:
    """Return the completely written steps, and whether the last line is only partly written."""
    try:
        *lines, rest = path.read_bytes().split(b"\n") if path.exists() else [b""]
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
        data = _walk(data, encodable) if _HALF.search(text) else data
    except (ValueError, RecursionError) as error:
        raise SetupError(f"{where}: not a {SCHEMA} file: {error}", path=str(path)) from error
    if not isinstance(data, dict):
        raise SetupError(f"{where}: not a {SCHEMA} file: it is no JSON object", path=str(path))
    return data


def _fill_actions(trajectory: Trajectory) -> None:
    """Fill in the parsed actions of a record that has only their texts."""
    before = trajectory.initial
    for step in trajectory.steps:
        step.act = ActionRecord.read(step.action, before)
        before = step.view
