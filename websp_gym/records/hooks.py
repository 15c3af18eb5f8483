"""The step that an episode is in, and the hooks by which others follow an episode."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from websp_gym.actions import Action
    from websp_gym.actions.calls import Call
    from websp_gym.observation.marks import Marks
    from websp_gym.records.ending import Ending
    from websp_gym.records.step_facts import StepFacts
    from websp_gym.records.trajectory import ActionRecord


@dataclass
class CurrentStep:
    """The step that an episode is in.

    Attributes:
        number: Its number, from 1; 0 before the first.
        action: The agent's reply, as it is stored.
        act: The action as understood; ``None`` if the reply could not be parsed.
        error: Why it failed; empty if it did not.
        result: What it returned; empty if it failed or is of those that return nothing.
        counted: Number of actions it counts as.
        facts: What else is known of it; ``None`` in an episode without policies.
        ending: How it ended the episode; ``None`` if it did not.
    """

    number: int = 0
    action: str = ""
    act: ActionRecord | None = None
    error: str = ""
    result: str = ""
    counted: int = 0
    facts: StepFacts | None = None
    ending: Ending | None = None


class EpisodeHooks:
    """Follows one episode; each method does nothing by default.

    They are called in this order: :meth:`begin` once; then in each step :meth:`begin_step`; for what the agent does
    :meth:`before_action` and :meth:`before_press`, :meth:`before_call`, :meth:`called` or :meth:`answered`;
    :meth:`at_rest`; and :meth:`end_step`. A step whose page stops responding ends with :meth:`cut_off`.
    """

    def begin(self, marks: Marks) -> None:
        """S0 is reached, and the first observation is made."""

    def begin_step(self) -> None:
        """The agent has replied; nothing is done yet."""

    def before_action(self, action: Action, marks: Marks) -> None:
        """An action of the grammar is about to be done; raise ``ActionError`` to forbid it."""

    def before_press(self, element: Mapping[str, str]) -> None:
        """The element that the action meets is found; raise ``ActionError`` to forbid it."""

    def before_call(self, call: Call, element: Mapping[str, str] | None) -> None:
        """A call is about to be made; raise ``ActionError`` to forbid it.

        Args:
            call: The call.
            element: Role, name, form and frame of the element it acts on, empty if there is none; ``None`` if it
                could not be read.
        """

    def called(self, call: Call, element: Mapping[str, str] | None, *, by_script: bool) -> None:
        """An outside agent has made a call before it could be looked at: a text it typed, or a script of its own."""

    def answered(self, text: str) -> None:
        """The agent has ended the episode with these words."""

    def at_rest(self) -> None:
        """The page is at rest after the action; the observation comes next."""

    def end_step(self, step: CurrentStep, marks: Marks) -> None:
        """The step is over, and observed."""

    def cut_off(self, step: CurrentStep) -> None:
        """The step is over because the page stopped responding; it was not observed."""
