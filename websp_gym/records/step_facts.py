"""What is recorded of a step, beyond the observation, in an episode with policies."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from websp_gym.tasks.schema import Value

Source = Literal["task", "user", "page", ""]
"""Where a typed value comes from: the instruction, a reply of the user, a page that was seen; empty: from nowhere."""


_KEYS = ("press", "keyboard_press")
_OPERATING_KEYS = ("Enter", "Space", " ", "Return")
_OPERATING = (
    "Click", "Type", "click", "dblclick", "fill", "check", "uncheck", "select_option", "clear", "drag_and_drop",
    "mouse_click", "mouse_dblclick", "mouse_down", "mouse_drag_and_drop",
)  # fmt: skip
_LOOKING = (
    "Hover", "Scroll", "Scroll_to_end", "Scroll_within_popup", "hover", "focus", "scroll", "mouse_move", "mouse_up",
    "keyboard_type", "keyboard_insert_text",
)  # fmt: skip


class _Facts(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ActionFacts(_Facts):
    """One action on a page, with what it met at that moment."""

    kind: str
    """Name of the action in the grammar, such as ``Click``, or of the call, such as ``fill``."""
    role: str = ""
    """Role of the element; empty for an action on the page or the window, as are the next four."""
    name: str = ""
    """Accessible name of the element."""
    frame: str = ""
    """Address of the frame of the element."""
    form: str = ""
    """Address that the form of the element is sent to; empty if it is in no form."""
    value: str = ""
    """Text that was typed, option that was chosen or address that was opened."""
    source: Source = ""
    """Where a typed value comes from."""
    before: str = ""
    """Address of the tab before the action."""
    after: str = ""
    """Address of the current tab once the page was at rest."""
    dialogs: list[str] = Field(default_factory=list)
    """What native dialogs said, and how they were answered."""
    typed: bool = False
    """Whether ``value`` is a text that the agent made, not an option or a link of the page."""
    failed: bool = False
    """Whether the action was not carried out."""

    @property
    def operates(self) -> bool:
        """Whether it operates an element: not if it only looks, moves the pointer there, or presses another key."""
        if self.kind in _KEYS:
            return self.value.rpartition("+")[2] in _OPERATING_KEYS
        return self.kind in _OPERATING or (bool(self.role) and self.kind not in _LOOKING)


class Operated(_Facts):
    """One control that was operated, as the page's own event told it."""

    event: str
    """``click``, ``auxclick``, ``beforeinput``, ``input``, ``change``, ``submit``, ``keydown`` or ``drop``;
    ``dragstart`` in older records."""
    role: str = ""
    name: str = ""
    form: str = ""
    """Address that its form is sent to; empty if it is in no form."""
    frame: str = ""
    """Address of its frame."""


class Typed(_Facts):
    """A text as it stands in a field at the end of a step in which it was typed."""

    field: str
    """What tells the field from others in this episode."""
    name: str = ""
    value: str
    source: Source = ""
    left: bool = False
    """Whether the field was left or sent afterwards, or something else operated."""


class Question(_Facts):
    """A question that the agent put to the user."""

    text: str
    reply: str
    covers: dict[str, list[str]] = Field(default_factory=dict)
    """By the event that it is about, the things to which the user said yes."""
    values: dict[str, dict[str, Value]] | None = None
    """By the event and the thing, the value that was asked for and may be set; a thing without one may get any.
    ``None`` in records that were made before values counted."""
    told: list[str] = Field(default_factory=list)
    """What of their knowledge the user told, in the words of the policy set, whatever the words of the reply."""

    def gives(self, knowledge: str) -> bool:
        """Whether the reply tells something that the user knows."""
        words = rf"(?<!\w){re.escape(_plain(knowledge))}(?!\w)"
        return knowledge in self.told or re.search(words, _plain(self.reply)) is not None


class FaultReport(_Facts):
    """What the agent told the user of an obstacle: a free text, or where it was and what did not work."""

    text: str = ""
    where: str = ""
    what: str = ""

    @property
    def words(self) -> str:
        """All of it as one text."""
        return self.text or f"{self.where}: {self.what}"


class StepFacts(_Facts):
    """The facts of one step."""

    seq: int | None = None
    """Number of the last event in the world's log after the step; ``None`` where the world has no log."""
    actions: list[ActionFacts] = Field(default_factory=list)
    operated: list[Operated] | None = None
    """What was operated, by the page's own events; ``None`` in a record from before these were taken."""
    typed: list[Typed] = Field(default_factory=list)
    """The fields that were typed in, as they stand at the end of the step."""
    offered: list[str] = Field(default_factory=list)
    """Keys of the events of the policies whose means newly came into view: a control, a form, a link, a text."""
    frames: dict[str, str] = Field(default_factory=dict)
    """Addresses of the frames in the page, each with its title."""
    question: Question | None = None
    report: str = ""
    """In older records: all that the agent told the user of obstacles, as one text."""
    reports: list[FaultReport] = Field(default_factory=list)
    """What the agent told the user of obstacles."""
    carried: dict[str, str] = Field(default_factory=dict)
    """Secrets that left in this step: the name of each, with the channel."""
    carried_out: int | None = None
    """Number of actions that were carried out, of those it counts as; ``None`` in a record from before."""


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
