"""An agent that plays scripts: steps on elements, addresses to open, and actions as they are."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.env.walker import DONE, OracleError, Walker
from websp_gym.policies.play_steps import Goto, Meet, PlayStep, Say, TypeAnywhere
from websp_gym.replay import fill
from websp_gym.tasks.ground_truth import GroundTruthStep

if TYPE_CHECKING:
    from websp_gym.agents.base import Briefing
    from websp_gym.agents.turns import Turn
    from websp_gym.observation import ObservationKind

Script = Sequence[PlayStep]
_FIELDS = ("textbox", "searchbox", "combobox")
_FAULTS = {
    "Down for maintenance": "down for maintenance",
    "Something went wrong": "something went wrong, not saved",
    "Something is missing": "something required is missing, not saved",
}
"""What is wrong with a page whose title begins so."""


def fault_on(observation: Mapping[str, Any]) -> str:
    """Return what is wrong with the page in view; empty if no fault of a policy is."""
    title = next((tab["title"] for tab in observation["tabs"] if tab["active"]), "")
    return next((what for start, what in _FAULTS.items() if title.startswith(start)), "")


class ScriptAgent:
    """An agent that plays scripts one after the other, each from the start page, and answers.

    What met a fault is repeated, from the last address that its script opens. A click that then finds nothing is left
    out: a dialog that was closed does not come back.

    Args:
        scripts: The scripts.
        answer: The action that ends the episode.
        name: Name of the agent.
        lenient: Whether it goes on with the next script where a step cannot be carried out.

    Attributes:
        played: For each action so far, the index of its script; the answer belongs to none and is left out.
    """

    observation: ObservationKind = "text"
    turns: Sequence[Turn] = ()

    def __init__(
        self,
        scripts: Iterable[Script] = (),
        *,
        answer: str = DONE,
        name: str = "script",
        lenient: bool = False,
    ) -> None:
        self.name = name
        self._lenient = lenient
        self.played: list[int] = []
        self._scripts = [tuple(script) for script in scripts]
        self._answer = answer
        self._account: Mapping[str, str] = {}
        self._left: deque[tuple[int, PlayStep]] = deque()
        self._walker: tuple[int, Walker] | None = None
        self._walk: list[GroundTruthStep] = []
        self._start = Goto(goto="")
        self._met: set[tuple[int, str, str]] = set()
        self._repeated: set[int] = set()
        self._acted: int | None = None
        """The script that last acted on a page; one that only says something meets no fault."""

    def begin(self, briefing: Briefing) -> None:
        """Start the first script."""
        self._account, self._walker, self.played = briefing.account, None, []
        self._left, self._met, self._repeated, self._acted = deque(), set(), set(), None
        self._start = Goto(goto=briefing.instance.site.start_url)
        moved = False
        for number, script in enumerate(self._scripts):
            if script and moved and not isinstance(script[0], Goto | Say):
                self._left.append((number, self._start))
            self._left.extend((number, step) for step in script)
            moved |= any(not isinstance(step, Say) for step in script)

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return the next action. Raise ``OracleError`` if a step cannot be carried out."""
        if self._acted is not None and (fault := fault_on(observation)):
            self._once_more((self._acted, observation["url"], fault))
        while self._walker is not None or self._left:
            if self._walker is None:
                number, step = self._left.popleft()
                if not isinstance(step, GroundTruthStep):
                    self.played.append(number)
                    self._acted = self._acted if isinstance(step, Say) else number
                    return self._said(step, observation)
                self._begin_walk(number, self._with_following(number, step))
            assert self._walker is not None
            number, walker = self._walker
            try:
                action = walker.act(observation)
            except OracleError as error:
                if number in self._repeated and error.step is not None and error.step.action == "click":
                    self._begin_walk(number, self._walk[walker.at + 1 :])
                    continue
                if not self._lenient:
                    raise
                self._walker = None
                while self._left and self._left[0][0] == number:
                    self._left.popleft()
                continue
            if action != DONE:
                self.played.append(number)
                self._acted = number
                return action
            self._walker = None
        return fill(self._answer, self._account)

    def _once_more(self, met: tuple[int, str, str]) -> None:
        """Put what was played of a script since its last address before what is left, unless it met that before."""
        number, script = met[0], self._scripts[met[0]]
        played = script[: len(script) - sum(number == of for of, _ in self._left)]
        if met in self._met or (played and isinstance(played[-1], Meet)):
            return
        self._met.add(met)
        self._repeated.add(number)
        opened = [at for at, step in enumerate(played) if isinstance(step, Goto)]
        again = played[opened[-1] :] if opened else ()
        if not opened or "#" in getattr(again[0], "goto", ""):
            # A browser does not load a page again whose address differs by nothing.
            again = (self._start, *(again or played))
        self._left.extendleft((number, step) for step in reversed(again))
        self._walker = None

    def _begin_walk(self, number: int, steps: list[GroundTruthStep]) -> None:
        self._walk = steps
        self._walker = number, Walker(steps, self._account, complete=False)

    def _with_following(self, number: int, first: GroundTruthStep) -> list[GroundTruthStep]:
        """Return a step with those on elements that follow it: one walk, which may repeat one after a dialog."""
        steps = [first]
        while self._left and self._left[0][0] == number and isinstance(self._left[0][1], GroundTruthStep):
            steps.append(self._left.popleft()[1])  # type: ignore[arg-type]
        return steps

    def _said(self, step: Goto | Say | TypeAnywhere, observation: Mapping[str, Any]) -> str:
        if isinstance(step, Goto):
            return f"goto({fill(step.goto, self._account)!r})"
        if isinstance(step, Say):
            return fill(step.say, self._account)
        field = next((each for each in observation["elements"] if each["role"] in _FIELDS), None)
        if field is None:
            raise OracleError(f"no text field is in view on {observation['url']}: give plays.type")
        return f"Type [{field['number']}]; {step.type_anywhere}"
