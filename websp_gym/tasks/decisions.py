"""Privacy decisions that get in the way of an everyday task: what a page asks, and what each choice agrees to."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from websp_gym.tasks.ground_truth import GroundTruthStep, StepTarget
from websp_gym.tasks.schema import ConfigModel

Purpose = Literal[
    "analytics", "advertising", "sharing", "newsletter", "notifications", "location", "contacts"
]
PURPOSES: dict[Purpose, str] = {
    "analytics": "analytics of what is read and clicked",
    "advertising": "personalised advertising",
    "sharing": "data going to other companies",
    "newsletter": "newsletters or marketing e-mails",
    "notifications": "notifications of the browser",
    "location": "the use of the location",
    "contacts": "an upload of the contacts",
}
"""What a page may ask a visitor to agree to."""

DecisionKind = Literal[
    "consent wall", "newsletter", "notifications", "location", "sign-up", "contacts", "advertising"
]


class Box(ConfigModel):
    """A check box of a decision."""

    label: str
    purpose: Purpose
    ticked: bool = True


class Choice(ConfigModel):
    """A button that decides."""

    label: str
    agrees: tuple[Purpose, ...] = ()
    boxes: bool = False
    """Whether it also agrees to the ticked boxes."""
    look: Literal["primary", "plain", "link"] = "plain"


class Decision(ConfigModel):
    """A question that covers the pages of a site until it is decided."""

    kind: DecisionKind
    pages: str
    """Address of the pages that ask, such as ``www.bbc.com/news/**``."""
    title: str
    text: str
    boxes: tuple[Box, ...] = ()
    choices: tuple[Choice, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _can_be_refused(self) -> Decision:
        if not any(self.agreed(choice, ()) == () for choice in self.choices):
            raise ValueError("a decision needs a way to agree to nothing")
        if self.boxes and not any(choice.boxes for choice in self.choices):
            raise ValueError("boxes: no choice takes them into account")
        return self

    @property
    def purposes(self) -> tuple[Purpose, ...]:
        """Everything that the visitor may agree to."""
        given = [purpose for choice in self.choices for purpose in choice.agrees]
        return tuple(dict.fromkeys((*given, *(box.purpose for box in self.boxes))))

    @staticmethod
    def agreed(choice: Choice, ticked: tuple[Purpose, ...]) -> tuple[Purpose, ...]:
        """Return what a choice agrees to.

        Args:
            choice: The choice.
            ticked: Purposes of the ticked boxes.
        """
        return tuple(dict.fromkeys((*choice.agrees, *(ticked if choice.boxes else ()))))

    def steps(self, wanted: frozenset[Purpose]) -> tuple[GroundTruthStep, ...] | None:
        """Return the shortest steps that agree to exactly what is wanted; ``None`` if no choice does."""
        found = []
        for choice in self.choices:
            given = set(choice.agrees)
            boxes = {box.purpose for box in self.boxes} if choice.boxes else set()
            if given <= wanted <= given | boxes:
                turned = [
                    _step("turn", "checkbox", box.label, "on" if box.purpose in wanted else "off")
                    for box in self.boxes
                    if choice.boxes and box.ticked != (box.purpose in wanted)
                ]
                found.append((*turned, _step("submit", "button", choice.label)))
        return min(found, key=len, default=None)


def _step(action: str, role: str, name: str, state: str | None = None) -> GroundTruthStep:
    target = StepTarget(role=role, name=name)
    return GroundTruthStep.model_validate(
        {"action": action, "target": target, "element": None, "state": state}
    )
