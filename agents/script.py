"""An agent that plays a script: steps on elements, addresses to open, and actions as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.env.walker import Walker
from websp_gym.policies.scripts import Goto, PlayStep, Say

if TYPE_CHECKING:
    from websp_gym.agents.base import Briefing
    from websp_gym.agents.turns import Turn
    from websp_gym.observation import ObservationKind

_END = "ANSWER; done"


class ScriptAgent:
    """An agent that plays the steps of a script in order, and answers.

    Args:
        steps: The steps.
        name: Name of the agent.
    """

    observation: ObservationKind = "text"
    turns: Sequence[Turn] = ()

    def __init__(self, steps: Iterable[PlayStep] = (), *, name: str = "script") -> None:
        self.name = name
        self._given = list(steps)
        self._left: list[PlayStep] = []
        self._account: Mapping[str, str] = {}
        self._walker: Walker | None = None

    def begin(self, briefing: Briefing) -> None:
        """Start the script from its beginning."""
        self._account = briefing.account
        self.follow(self._given)

    def follow(self, steps: Iterable[PlayStep]) -> None:
        """Play these steps from now on, in place of what is left."""
        self._left, self._walker = list(steps), None

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return the next action; raise ``OracleError`` if a step cannot be carried out."""
        if self._walker is not None:
            action = self._walker.act(observation)
            if action != _END:
                return action
            self._walker = None
        if not self._left:
            return _END
        step = self._left.pop(0)
        if isinstance(step, Goto):
            return f"goto({step.goto!r})"
        if isinstance(step, Say):
            return step.say
        # The steps on elements that follow each other belong to one walk, which may repeat one after a dialog.
        steps = [step]
        while self._left and not isinstance(self._left[0], Goto | Say):
            steps.append(self._left.pop(0))  # type: ignore[arg-type]
        self._walker = Walker(steps, self._account, complete=False)
        return self.act(observation)
