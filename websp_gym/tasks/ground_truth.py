"""The ground truth of an instance: the steps that solve it, as a person would do them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, model_validator

from websp_gym.tasks.schema import ConfigModel, YamlOnOff

ElementType = Literal[
    "Button",
    "Checkbox",
    "Dropdown",
    "Icon",
    "Link",
    "Menu",
    "Option",
    "Radio Button",
    "Text Input",
    "Toggle",
]
"""The ten UI element types of the paper (table 6)."""

STEP_KINDS = ("click", "hover", "turn", "type", "select", "submit", "holds")


class StepTarget(ConfigModel):
    """The element that a ground-truth step acts on, identified by role and accessible name."""

    role: str
    name: str
    within: str | None = None
    """Text of the section or row of the element, if role and name are not unique."""


class GroundTruthStep(ConfigModel):
    """One ground-truth step. In YAML: ``- click: {role: link, name: Privacy}`` plus ``element``.

    ``click`` and ``hover`` only navigate. ``turn``, ``type``, ``select`` and ``submit`` change state.
    ``holds`` is a state that must already hold, so that there is nothing to do.
    """

    action: Literal["click", "hover", "turn", "type", "select", "submit", "holds"]
    target: StepTarget
    element: ElementType | None
    """The annotated UI element type; null for a step that is not in the publication."""
    state: YamlOnOff | None = None
    value: str | None = None
    leads: bool = False
    """Whether it only leads to a place, as typing into a search field does."""

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "action" in data:
            return data
        kinds = [kind for kind in STEP_KINDS if kind in data]
        if len(kinds) != 1:
            raise ValueError(
                f"a step needs exactly one of {', '.join(STEP_KINDS)}; this one has {kinds or 'none'}"
            )
        rest = {key: value for key, value in data.items() if key != kinds[0]}
        return {"action": kinds[0], "target": data[kinds[0]], **rest}

    @model_validator(mode="after")
    def _complete(self) -> GroundTruthStep:
        if (self.action == "turn") and self.state is None:
            raise ValueError("a 'turn' step needs state: on or off")
        if self.action in ("type", "select") and self.value is None:
            raise ValueError(f"a '{self.action}' step needs a value")
        return self

    @property
    def changes_state(self) -> bool:
        """Whether the task must fail if this step is left out."""
        return self.action in ("turn", "type", "select", "submit") and not self.leads

    def text(self) -> str:
        """Return the step as text for a judge. It is generated, so it always matches what the oracle does."""
        what = f"'{self.target.name}' {(self.element or self.target.role).lower()}"
        where = f" under '{self.target.within}'" if self.target.within else ""
        match self.action:
            case "turn":
                return f"TURN {str(self.state).upper()} {what}{where}"
            case "type":
                return f"TYPE '{self.value}' INTO {what}{where}"
            case "select":
                return f"SELECT '{self.value}' FROM {what}{where}"
            case "holds":
                state = f" is already {self.state}" if self.state else " is already as asked"
                return f"NO ACTION: {what}{where}{state}"
            case _:
                return f"{'CLICK' if self.action == 'submit' else self.action.upper()} {what}{where}"


def _without_element(data: Any) -> Any:
    return {"element": None, **data} if isinstance(data, dict) else data


PlainStep = Annotated[GroundTruthStep, BeforeValidator(_without_element)]
"""A step that is not in the publication; in YAML, without ``element``."""


class Mistake(ConfigModel):
    """How to undo something made by mistake through the pages, for ``websp prove``."""

    make: tuple[PlainStep, ...] = ()
    """Steps that make the mistake; none: the ground truth, with ``made-by-mistake`` as the typed text."""
    undo: tuple[PlainStep, ...]
    """Steps that remove it, from the page where it was made; ``[]``: the pages offer no way."""
