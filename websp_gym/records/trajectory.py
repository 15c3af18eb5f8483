"""Recording an episode to disk, and loading it.

A trajectory is a JSON header, one line of JSON per step and one PNG per observation. ``trajectory.json``
holds what is known at the start and at the end of the episode. ``steps.jsonl`` grows by one line per step, so
a step costs the same in a long episode as in a short one, and a killed process loses at most the current
step. Screenshots are stored without marks. The marks are data beside them, so a viewer can hide them, and
:func:`websp_gym.records.pictures.marked_picture` draws exactly what the agent saw. Secrets are removed before
anything is written, and nothing is pickled.
"""

from __future__ import annotations

import contextlib
import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator

from websp_gym.actions.calls import looks_like_calls, read_calls
from websp_gym.actions.computer.find import find_computer
from websp_gym.actions.grammar import Action, format_action, parse_action
from websp_gym.errors import ActionError
from websp_gym.project import VERSION
from websp_gym.records.ending import Ending, EndReason
from websp_gym.records.step_facts import StepFacts
from websp_gym.tasks import DATASET_VERSION
from websp_gym.tasks.goals import RightEnd
from websp_gym.tasks.published import PublishedChecks

if TYPE_CHECKING:
    from websp_gym.observation.observe import PageView

SCHEMA: Literal["websp-trajectory/2"] = "websp-trajectory/2"
FILE = "trajectory.json"
STEPS = "steps.jsonl"
_OLD_BOOKKEEPING = ["consent.choice", "consent_receipts", "cookies.state"]
"""The bookkeeping keys of records that do not list them."""


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
    """Name of the action in the grammar, ``calls`` for BrowserGym calls, ``computer`` for an action of computer use,
    ``script`` for what a script did."""
    text: str
    """The action without the thought, in the grammar's spelling; calls are kept unchanged."""
    number: int | None = None
    """Number of the mark it names; ``None`` if it names none."""
    role: str | None = None
    """Role of that mark in the view before the step; ``None`` if the view had no such mark. A single action
    without a number has that of the element at its point or with the focus."""
    name: str | None = None
    """Accessible name of the same; ``None`` as for the role."""

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
            if (written := find_computer(text)) is not None:
                return cls(kind="computer", text=written)
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
    facts: StepFacts | None = None
    """What else is known of the step; ``None`` in an episode without policies."""


class PolicyRecord(_Record):
    """The policies of an episode."""

    sets: list[str]
    """Names of the sets, or paths of the files."""
    digest: str
    """Digest of all of them; results with different ones are not comparable."""
    begun: int | None = None
    """Number of the last event in the world's log before the first action; ``None`` where the world has no log."""
    shown: list[dict[str, str]]
    """What the agent read: ``level``, ``dimension`` and ``sentence`` of each."""
    right_end: RightEnd | None = None
    """What the task ends in under them; ``None`` for its own goal."""


class PageRead(_Record):
    """What was read of a page at the end of an episode, for a published check."""

    url: str
    """Its address, after redirects."""
    text: str | None
    """The text that was found; ``None`` if there was no such page or element."""


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
    policies: PolicyRecord | None = None
    """The policies of the episode; ``None`` for none."""
    initial: View | None = None
    """The first observation."""
    steps: list[Step] = Field(default_factory=list)
    published: PublishedChecks | None = None
    """The published checks of the task, with the account of the episode; ``None`` for other tasks."""
    pages: list[PageRead] = Field(default_factory=list)
    """What the pages of published checks said at the end, in the order of the checks; empty for other tasks."""
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

    @property
    def right_end(self) -> RightEnd | None:
        """What the task is to end in under the policies; ``None`` for its own goal."""
        return self.policies.right_end if self.policies is not None else None

    def close(self, ending: Ending) -> None:
        """Set the reason of the end and the answer, unless they are already set."""
        if self.end_reason is None:
            self.end_reason, self.answer = ending.reason, ending.answer

    @property
    def came_to_its_end(self) -> bool:
        """Whether the agent or a limit ended it, and neither an error nor the caller."""
        return self.end_reason is not None and Ending(self.end_reason).cause == "agent"

    @property
    def picture_scale(self) -> float:
        """Pixels of the screenshots per CSS pixel of the viewport."""
        scale = self.options.get("picture_scale")
        return float(scale) if isinstance(scale, int | float) and 0 < scale <= 1 else 1.0

    @property
    def views(self) -> list[View]:
        """All observations in order, starting with the initial one."""
        return ([self.initial] if self.initial else []) + [step.view for step in self.steps]

    @property
    def last_view(self) -> View | None:
        """The latest observation; ``None`` if there is none."""
        return self.steps[-1].view if self.steps else self.initial


def versions(browser: str = "") -> dict[str, str]:
    """Return the versions that determine an episode, by name; ``browser`` is the version of Chromium."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for name in ("browsergym-core", "playwright", "gymnasium"):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return {
        "python": platform.python_version(),
        "chromium": browser,
        "websp-gym": VERSION,
        "dataset": DATASET_VERSION,
        **found,
    }


def now() -> str:
    """Return the current time in UTC, as ISO 8601 with seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")
