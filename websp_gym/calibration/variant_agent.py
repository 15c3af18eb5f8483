"""An agent that solves an instance or makes one specified mistake.

It acts through marks, as the oracle does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.actions import parse_action
from websp_gym.agents.flawed import FlawedAgent
from websp_gym.agents.oracle import OracleAgent, OracleError
from websp_gym.calibration.edits import CLAIMS
from websp_gym.calibration.variants import SWITCHES, Variant, last_switch
from websp_gym.tasks.ground_truth import GroundTruthStep

if TYPE_CHECKING:
    from websp_gym.agents import Agent, Briefing, Turn
    from websp_gym.observation import ObservationKind

Seen = Mapping[str, Any]
Moves = Generator[str, Seen, Seen]
"""A generator that yields actions, is sent the observation after each, and returns the last one."""

_FLAWS = {"destructive": "deactivates", "lost": "searches"}
"""Maps the kinds that a flawed agent plays to the name of its flaw."""


class VariantAgent:
    """An agent that plays one variant, with a thought for every action and a confident answer."""

    observation: ObservationKind = "marks"
    turns: Sequence[Turn] = ()

    def __init__(self, play: Variant) -> None:
        self.name = f"calibration:{play.name}"
        self.happened = True
        """Whether the site's pages offered what the variant needs."""
        self._play = play
        self._answer = "done"
        self._briefing: Briefing | None = None
        self._moves: Moves | None = None
        self._flawed: Agent | None = FlawedAgent(_FLAWS[play.kind]) if play.kind in _FLAWS else None

    def begin(self, briefing: Briefing) -> None:
        """Begin an episode and read the ground truth of its instance."""
        self.happened = True
        self._answer = random.Random(f"{briefing.instance.id} {self._play.name}").choice(CLAIMS)
        self._briefing, self._moves = briefing, None
        if self._flawed:
            self._flawed.begin(briefing)

    def act(self, observation: Seen) -> str:
        """Return the next action, with a thought before it."""
        if self._flawed:
            return self._flawed.act(observation)
        if self._briefing is None:
            raise RuntimeError("call begin() first")
        try:
            if self._moves is None:
                self._moves = self._plot(self._briefing, observation)
                action = next(self._moves)
            else:
                action = self._moves.send(observation)
        except StopIteration:
            return f"Thought: That is all that was to be done.\nAction: ANSWER; {self._answer}"
        return f"Thought: {_thought(action, observation)}\nAction: {action}"

    def _plot(self, briefing: Briefing, seen: Seen) -> Moves:
        plots: dict[str, Callable[[Briefing, Seen], Moves]] = {
            "opposite": self._opposite,
            "reverted": self._reverted,
            "extra": self._extra,
        }
        return plots.get(self._play.kind, self._right)(briefing, seen)

    def _right(self, briefing: Briefing, seen: Seen) -> Moves:
        """Follow the ground truth, without the step to leave out if there is one."""
        skip = () if self._play.step is None else (self._play.step,)
        return (yield from self._follow(briefing, OracleAgent(skip=skip), seen))

    def _opposite(self, briefing: Briefing, seen: Seen) -> Moves:
        """Set every control the wrong way."""
        own = briefing.instance.config.opposite
        agent = OracleAgent(steps=own) if own else OracleAgent(opposite=True)
        return (yield from self._follow(briefing, agent, seen))

    def _reverted(self, briefing: Briefing, seen: Seen) -> Moves:
        """Follow the ground truth, then operate the last switch again and save."""
        steps = briefing.instance.config.ground_truth
        seen = yield from self._right(briefing, seen)
        last = last_switch(steps)
        if last is None:
            return self._nothing(seen)
        again = steps[last].model_copy(update={"action": "click", "state": None})
        saves = [step for step in steps[last + 1 :] if step.action == "submit"]
        return (yield from self._follow(briefing, OracleAgent(steps=[again, *saves]), seen, needed=True))

    def _extra(self, briefing: Briefing, seen: Seen) -> Moves:
        """Follow the ground truth, and operate a control that it does not name before the last save."""
        steps = briefing.instance.config.ground_truth
        saves = [index for index, step in enumerate(steps) if step.action == "submit"]
        end = saves[-1] if saves else len(steps)
        if end:
            seen = yield from self._follow(briefing, OracleAgent(steps=steps[:end]), seen)
        others = [mark for mark in seen["elements"] if _is_other(mark, steps)]
        if not others:
            return self._nothing(seen)
        mark = random.Random(briefing.instance.id).choice(others)
        seen = yield f"Click [{mark['number']}]"
        if steps[end:]:
            seen = yield from self._follow(briefing, OracleAgent(steps=steps[end:]), seen)
        return seen

    def _nothing(self, seen: Seen) -> Seen:
        """Note that the site's pages do not offer what the variant needs."""
        self.happened = False
        return seen

    def _follow(self, briefing: Briefing, agent: OracleAgent, seen: Seen, *, needed: bool = False) -> Moves:
        """Follow steps until one is impossible because another was left out; note it if ``needed``."""
        agent.begin(briefing)
        while True:
            try:
                action = agent.act(seen)
            except OracleError:
                return self._nothing(seen) if needed else seen
            if action.startswith("ANSWER"):
                return seen
            seen = yield action


def _is_other(mark: Mapping[str, Any], steps: Sequence[GroundTruthStep]) -> bool:
    """Whether a mark is a switch that no step of the ground truth names."""
    if mark["role"] not in SWITCHES or mark.get("checked") is None or mark.get("disabled"):
        return False
    name = _plain(mark["name"])
    return bool(name) and not any(name.startswith(_plain(step.target.name)) for step in steps)


def _thought(action: str, seen: Seen) -> str:
    """Return a plausible thought for the action."""
    number = parse_action(action).number
    mark = next((mark for mark in seen["elements"] if mark["number"] == number), None)
    return f'"{mark["name"]}" is what I need next.' if mark else "I do not see it yet, so I look further."


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
