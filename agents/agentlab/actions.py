"""The grammar's actions as an action set of AgentLab."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from browsergym.core.action.base import AbstractActionSet

from websp_gym.actions import ACTIONS

if TYPE_CHECKING:
    from websp_gym.observation import ObservationKind


class WebspActionSet(AbstractActionSet):  # type: ignore[misc]
    """The actions of one of our agents, and the observation it reads.

    Args:
        observation: Kind of observation; same values as the environment's ``observation`` option.
    """

    def __init__(self, observation: ObservationKind) -> None:
        super().__init__(strict=False)
        self.observation: ObservationKind = observation

    def describe(self, with_long_description: bool = True, with_examples: bool = True) -> str:
        """Return the actions as text, one per line.

        Args:
            with_long_description: Include the meaning of each.
            with_examples: Include an example of each.
        """
        lines = []
        for action in ACTIONS:
            meaning = f": {action.meaning}" if with_long_description else ""
            example = f" (example: {action.example})" if with_examples else ""
            lines.append(f"{action.syntax}{meaning}{example}")
        return "\n".join(lines)

    def example_action(self, abstract: bool) -> str:
        """Return the example of an action; its syntax instead if `abstract` is true."""
        return ACTIONS[0].syntax if abstract else ACTIONS[0].example

    def to_python_code(self, action: Any) -> str:
        """Raise NotImplementedError: the environment parses actions as text and executes no code."""
        raise NotImplementedError("websp-gym's environments read actions as text and execute no code")
