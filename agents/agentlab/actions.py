"""Our actions as an action set, which is how AgentLab asks an agent what it can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from browsergym.core.action.base import AbstractActionSet

from websp_gym.actions import ACTIONS

if TYPE_CHECKING:
    from websp_gym.observation import ObservationKind


class WebspActionSet(AbstractActionSet):  # type: ignore[misc]
    """The actions of an agent of ours, and which observation it chooses them by.

    Args:
        observation: The environment's option of the same name.
    """

    def __init__(self, observation: ObservationKind) -> None:
        super().__init__(strict=False)
        self.observation: ObservationKind = observation

    def describe(self, with_long_description: bool = True, with_examples: bool = True) -> str:
        """The actions, one a line.

        Args:
            with_long_description: Say what each does.
            with_examples: Give an example of each.

        Returns:
            The text.
        """
        lines = []
        for action in ACTIONS:
            meaning = f": {action.meaning}" if with_long_description else ""
            example = f" (example: {action.example})" if with_examples else ""
            lines.append(f"{action.syntax}{meaning}{example}")
        return "\n".join(lines)

    def example_action(self, abstract: bool) -> str:
        """An action.

        Args:
            abstract: Its syntax rather than one that could be taken.

        Returns:
            The text.
        """
        return ACTIONS[0].syntax if abstract else ACTIONS[0].example

    def to_python_code(self, action: Any) -> str:
        """There is none: the environment reads an action's text itself and executes no code."""
        raise NotImplementedError("websp-gym's environments read actions as text and execute no code")
