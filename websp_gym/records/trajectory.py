"""What happened in an episode, on disk: a header, one line of JSON per step and one PNG per observation.

``trajectory.json`` has what is known at the beginning and at the end; ``steps.jsonl`` grows by a line with each step.
So a step costs the same however long the episode is, and a killed process loses at most the step in progress.
Screenshots are stored as the browser made them; the marks are data beside them, so a viewer can switch them
off and :func:`websp_gym.records.pictures.marked_picture` draws exactly what the agent saw. Secrets are removed
before anything is written, and nothing is pickled.
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
"""One JSON file with the steps in it, and the text of each action only."""
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")

_OLD_BOOKKEEPING = ["consent.choice", "consent_receipts", "cookies.state"]
"""What counted as bookkeeping before records named it themselves."""

EndReason = Literal[
    "answer", "infeasible", "action_limit", "time_limit", "unresponsive", "error", "abandoned"
]
EndCause = Literal["agent", "world", "caller"]


@dataclass(frozen=True)
class Ending:
    """How an episode ended; it stands before anybody asks for a reward.

    Args:
        reason: ``unresponsive`` when the page did not respond to the agent's action within the deadline, ``error``
            when the world failed, ``abandoned`` when the caller reset or closed the environment.
        answer: What the agent said.
        detail: The reason in a sentence, where the agent gave none.
    """

    reason: EndReason
    answer: str = ""
    detail: str = ""

    @property
    def cause(self) -> EndCause:
        """Whose doing it was: what an agent's action, or a page's answer to it, brings about is the agent's."""
        match self.reason:
            case "error":
                return "world"
            case "abandoned":
                return "caller"
            case _:
                return "agent"

    @property
    def is_limit(self) -> bool:
        """Whether the episode was cut off before the agent said that it was done."""
        return self.reason in LIMITS


LIMITS: frozenset[EndReason] = frozenset({"action_limit", "time_limit", "unresponsive"})


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid")


class View(_Record):
    """One observation as stored: where the browser was and what was marked."""

    url: str
    title: str = ""
    tabs: list[str] = Field(default_factory=list)
    screenshot: str | None = None
    """File name of the unmarked screenshot, beside the JSON."""
    marks: list[dict[str, Any]] = Field(default_factory=list)

    @classmethod
    def of(cls, page: PageView, screenshot: str | None = None) -> Self:
        """Make the stored form of what was observed; `screenshot` names the picture's file."""
        return cls(
            url=page.url,
            title=page.title,
            tabs=list(page.tabs),
            screenshot=screenshot,
            marks=list(page.marks),
        )


class ActionRecord(_Record):
    """What the text of a step was read as."""

    kind: str
    """One of the eleven actions, or ``calls`` for BrowserGym calls."""
    text: str
    """The action alone, as the grammar writes it; calls as they came."""
    number: int | None = None
    """The mark it names."""
    role: str | None = None
    """Role of that mark in the view before the step; ``None`` where the view had no such mark."""
    name: str | None = None
    """Its accessible name."""

    @classmethod
    def of(cls, action: Action, before: View | None) -> Self:
        """Record a parsed action.

        Args:
            action: The action.
            before: The view it refers to.

        Returns:
            The action with the element it names.
        """
        marks = before.marks if before is not None and action.number is not None else []
        mark = next((mark for mark in marks if mark.get("number") == action.number), None)
        role, name = (None, None) if mark is None else (str(mark.get(key, "")) for key in ("role", "name"))
        return cls(kind=action.kind, text=format_action(action), number=action.number, role=role, name=name)

    @classmethod
    def read(cls, text: str, before: View | None) -> Self | None:
        """Record the action in a text; ``None`` where it has none that can be read.

        Args:
            text: What the agent said.
            before: The view it refers to.

        Returns:
            As the environment understands the text.
        """
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
    """What the agent said."""
    act: ActionRecord | None = None
    """What was understood; ``None`` where it could not be read."""
    error: str = ""
    counted: int = 1
    """How many actions it counted as: 0 for a free one, more than 1 for a list of calls."""
    seconds: float
    """Duration of the step in the environment."""
    ended: float | None = None
    """When it ended, Unix time: what the world's event log has up to then came of this step or an earlier one."""
    view: View


class Trajectory(_Record):
    """A whole episode."""

    schema_: Literal["websp-trajectory/2"] = Field(default=SCHEMA, alias="schema")
    instance: str
    config_hash: str
    instruction: str
    ground_truth: list[str]
    world: str
    seed: int
    options: dict[str, Any] = Field(default_factory=dict)
    versions: dict[str, str] = Field(default_factory=dict)
    started: str
    reset_seconds: float = 0.0
    s0: dict[str, Any] = Field(default_factory=dict)
    """Server state of the task's site when the agent began."""
    end: dict[str, Any] = Field(default_factory=dict)
    """Server state of the task's site when the agent ended."""
    events: list[dict[str, Any]] = Field(default_factory=list)
    """The world's event log since S0."""
    initial: View | None = None
    steps: list[Step] = Field(default_factory=list)
    end_reason: EndReason | None = None
    answer: str = ""
    error: str = ""
    verdict: dict[str, Any] | None = None
    torn: bool = Field(default=False, exclude=True)
    """Whether the last line of the steps on disk was half-written; that step is left out."""

    @field_validator("s0", "end", mode="before")
    @classmethod
    def _as_kept_today(cls, state: Any) -> Any:
        """Read a state that was recorded when sessions were no collection and bookkeeping was not named."""
        if not isinstance(state, dict) or "sessions" not in state:
            return state
        rest = {key: value for key, value in state.items() if key != "sessions"}
        collections = {**state.get("collections", {}), "sessions": state["sessions"]}
        return {"bookkeeping": _OLD_BOOKKEEPING, **rest, "collections": collections}

    def close(self, ending: Ending) -> None:
        """Writes down how the episode ended; what stands there already stays."""
        if self.end_reason is None:
            self.end_reason, self.answer = ending.reason, ending.answer

    @property
    def views(self) -> list[View]:
        """Every observation in order, the initial one first."""
        return ([self.initial] if self.initial else []) + [step.view for step in self.steps]

    @property
    def last_view(self) -> View | None:
        """The newest observation."""
        return self.steps[-1].view if self.steps else self.initial


class Recorder:
    """Writes a trajectory while it happens.

    Args:
        parent: Folder of all episodes of the instance; this one gets ``001``, ``002``, … in it.
        trajectory: The record to keep up to date.
        secrets: Texts that must never reach the disk; each is replaced by ``•••``. All of them must be known now: a
            step that was written is not touched again.
    """

    def __init__(self, parent: Path, trajectory: Trajectory, secrets: Iterable[str] = ()) -> None:
        self.folder = _new_folder(parent)
        self.trajectory = trajectory
        self._secrets = tuple(secrets)
        self._written = 0
        self._size = 0

    def view(self, index: int, page: PageView) -> View:
        """Store the picture of an observation.

        Args:
            index: 0 for the initial observation, n for the one after step n.
            page: What was observed.

        Returns:
            The observation as a trajectory stores it.
        """
        return View.of(page, self.screenshot(index, page.png) if page.png else None)

    def screenshot(self, index: int, png: bytes) -> str:
        """Store a screenshot.

        Args:
            index: 0 for the initial observation, n for the one after step n.
            png: The picture as the browser encoded it.

        Returns:
            Its file name.
        """
        name = f"step_{index:03d}.png"
        with self._writing():
            (self.folder / name).write_bytes(png)
        return name

    def append(self) -> None:
        """Write the steps that are not on disk yet; those that are, are neither read nor written again."""
        for step in self.trajectory.steps[self._written :]:
            line = self._encoded(step.model_dump()) + b"\n"
            with self._writing(), (self.folder / STEPS).open("ab") as file:
                file.truncate(self._size)  # what an earlier attempt left of this line, on a full disk
                file.write(line)
            self._size += len(line)
            self._written += 1

    def save(self) -> None:
        """Write what is missing of the steps, and the header anew; the header on disk is always a whole one."""
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
    """Read a recorded trajectory, of this version or the first.

    Args:
        folder: The episode's folder, or its JSON file.

    Returns:
        The trajectory. Of one that a killed process left, all steps that were written whole; :attr:`Trajectory.torn`
        says whether there was more.

    Raises:
        SetupError: There is none, it is of another schema, or it lacks steps that it had.
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
    """Compute the digest of an episode's record, without its pictures; empty where there is none."""
    try:
        whole = hashlib.sha256((folder / FILE).read_bytes())
        if (folder / STEPS).exists():
            whole.update((folder / STEPS).read_bytes())
    except OSError:
        return ""
    return whole.hexdigest()[:16]


def versions(browser: str = "") -> dict[str, str]:
    """The versions that decide what an episode does.

    Args:
        browser: Version of the browser.

    Returns:
        Versions by name.
    """
    from importlib.metadata import version

    names = ("websp-gym", "browsergym-core", "playwright", "gymnasium")
    return {
        "python": platform.python_version(),
        "chromium": browser,
        **{name: version(name) for name in names},
    }


def now() -> str:
    """The current time, UTC, ISO 8601 to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _new_folder(parent: Path) -> Path:
    """Makes the next free folder; another process may be doing the same."""
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
    """The same data with every text in it cleaned, keys included."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_walk(key, clean): _walk(item, clean) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_walk(item, clean) for item in value]
    return value


def _read_steps(path: Path, count: object) -> tuple[list[Any], bool]:
    """The steps that were written whole, and whether the last line was not."""
    try:
        *lines, rest = path.read_bytes().split(b"\n") if path.exists() else [b""]
    except OSError as error:
        raise SetupError(f"cannot read {path}: {error.strerror}", path=str(path)) from error
    if not isinstance(count, int) or len(lines) < count:
        raise SetupError(f"{path}: it has {len(lines)} of {count} steps", path=str(path))
    steps = [_parsed(line, f"{path}:{number}", path) for number, line in enumerate(lines, 1)]
    return steps, bool(rest)


def _parsed(text: bytes, where: str, path: Path) -> dict[str, Any]:
    """A JSON object, without halves of surrogate pairs, which other writers escape and no reader of ours takes."""
    try:
        data = json.loads(text)
        data = _walk(data, encodable) if _HALF.search(text) else data
    except (ValueError, RecursionError) as error:
        raise SetupError(f"{where}: not a {SCHEMA} file: {error}", path=str(path)) from error
    if not isinstance(data, dict):
        raise SetupError(f"{where}: not a {SCHEMA} file: it is no JSON object", path=str(path))
    return data


def _fill_actions(trajectory: Trajectory) -> None:
    """Read the actions of a record that has their texts only."""
    before = trajectory.initial
    for step in trajectory.steps:
        step.act = ActionRecord.read(step.action, before)
        before = step.view
