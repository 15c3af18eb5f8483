"""What happened in an episode, on disk as one JSON file and one PNG per observation.

Screenshots are stored as the browser made them; the marks are data beside them, so a viewer can switch them
off and :func:`websp_gym.observation.observe.marked_picture` draws exactly what the agent saw. Secrets are removed
before anything is written, and nothing is pickled.
"""

from __future__ import annotations

import itertools
import json
import os
import platform
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from websp_gym.errors import SetupError, unwritable
from websp_gym.redaction import redact
from websp_gym.texts import encodable

SCHEMA: Literal["websp-trajectory/1"] = "websp-trajectory/1"
FILE = "trajectory.json"

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


class Step(_Record):
    """One action and the observation after it."""

    number: int
    """1 for the first action."""
    thought: str = ""
    action: str
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

    schema_: Literal["websp-trajectory/1"] = Field(default=SCHEMA, alias="schema")
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


class Recorder:
    """Writes a trajectory while it happens.

    Args:
        parent: Folder of all episodes of the instance; this one gets ``001``, ``002``, … in it.
        trajectory: The record to keep up to date.
        secrets: Texts that must never reach the disk; each is replaced by ``•••``.
    """

    def __init__(self, parent: Path, trajectory: Trajectory, secrets: Iterable[str] = ()) -> None:
        self.folder = _new_folder(parent)
        self.trajectory = trajectory
        self._secrets = tuple(secrets)

    def screenshot(self, index: int, png: bytes) -> str:
        """Stores a screenshot.

        Args:
            index: 0 for the initial observation, n for the one after step n.
            png: The picture as the browser encoded it.

        Returns:
            Its file name.
        """
        name = f"step_{index:03d}.png"
        self._write(name, png)
        return name

    def save(self) -> None:
        """Writes the JSON; the file on disk is always a whole one."""
        record = _walk(self.trajectory.model_dump(by_alias=True), self._clean)
        data = json.dumps(record, ensure_ascii=False, indent=1)
        self._write(FILE + ".part", data.encode())
        try:
            os.replace(self.folder / (FILE + ".part"), self.folder / FILE)
        except OSError as error:
            raise unwritable(self.folder, error, what="the record folder") from error

    def _write(self, name: str, data: bytes) -> None:
        try:
            (self.folder / name).write_bytes(data)
        except OSError as error:
            raise unwritable(self.folder, error, what="the record folder") from error

    def _clean(self, text: str) -> str:
        return encodable(redact(text, self._secrets, mask="•••", parts=False))


def load_trajectory(folder: Path) -> Trajectory:
    """Reads a recorded trajectory.

    Args:
        folder: The episode's folder, or its JSON file.

    Returns:
        The trajectory.

    Raises:
        SetupError: There is none, or it is of another schema.
    """
    path = folder if folder.suffix == ".json" else folder / FILE
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SetupError(f"no trajectory in {folder}: {error.strerror}", path=str(path)) from error
    _check_schema(path, data)
    try:
        return Trajectory.model_validate_json(_whole_pairs(data))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise SetupError(f"{path}: not a {SCHEMA} file: {where}: {first['msg']}", path=str(path)) from error


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


def mark_seed(seed: int, index: int) -> int:
    """Seed of the box colours of one observation, so that a picture can be drawn again later.

    Args:
        seed: The episode's seed.
        index: 0 for the initial observation, n for the one after step n.

    Returns:
        A number below 2**32.
    """
    return (seed * 1_000_003 + index) % 2**32


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


def _whole_pairs(data: bytes) -> bytes:
    """The JSON without halves of surrogate pairs, which other writers escape and no reader of ours takes."""
    if not _HALF.search(data):
        return data
    try:
        return json.dumps(_walk(json.loads(data), encodable)).encode()
    except (ValueError, RecursionError):
        return data  # not JSON at all; the validation says why


def _check_schema(path: Path, data: bytes) -> None:
    try:
        schema = json.loads(data)["schema"]
    except (ValueError, KeyError, TypeError):
        return  # not a trajectory at all; the full validation says why
    if schema != SCHEMA:
        raise SetupError(f"{path} is a {schema} file; this version reads {SCHEMA}", path=str(path))
