"""Scripted agents with one typical flaw each, to test reports and judges on failed episodes.

Like the oracle, they follow the instance's ground truth. They use marks only, give a thought with each action and end
with a confident answer. They do not show how often real models make these mistakes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.agents.oracle import OracleAgent, OracleError, find_mark
from websp_gym.replay import fill

if TYPE_CHECKING:
    from websp_gym.agents.base import Briefing
    from websp_gym.agents.turns import Turn
    from websp_gym.observation import ObservationKind
    from websp_gym.tasks.ground_truth import GroundTruthStep

Seen = Mapping[str, Any]
Play = Generator[str, Seen, None]
"""A generator that yields actions and receives the observation after each."""
Flaw = Callable[["Briefing", Seen], Play]

_SAVE = re.compile(r"\b(add|save|apply|confirm|submit|update|done)\b", re.IGNORECASE)


class FlawedAgent:
    """An agent that follows the ground truth but makes one kind of mistake.

    Args:
        kind: One of :data:`FLAWS`.
    """

    observation: ObservationKind = "text"
    turns: Sequence[Turn] = ()

    def __init__(self, kind: str) -> None:
        self.name = f"flawed:{kind}"
        self._flaw = FLAWS[kind]
        self._briefing: Briefing | None = None
        self._play: Play | None = None

    def begin(self, briefing: Briefing) -> None:
        """Start an episode with the instance's ground truth."""
        self._briefing = briefing
        self._play = None

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return the next action of the flawed plan, preceded by a thought."""
        if self._play is not None:
            return self._play.send(observation)
        if self._briefing is None:
            raise RuntimeError("call begin() first")
        self._play = self._flaw(self._briefing, observation)
        return next(self._play)


def _always_toggles(briefing: Briefing, seen: Seen) -> Play:
    """Operate every control that the task names, including those already in the right state."""
    steps = [
        step.model_copy(update={"action": "click"}) if step.action in ("turn", "holds") else step
        for step in briefing.instance.config.ground_truth
        if step.action != "holds" or step.state is not None
    ]
    yield from _follow(briefing, steps, seen)
    yield _say("I have set every control the task names.", "ANSWER; All the settings are now as you asked.")


def _forgets_save(briefing: Briefing, seen: Seen) -> Play:
    """Skip the steps that save or confirm the changes."""
    steps = [
        step for step in _steps(briefing) if not (step.action == "submit" and _SAVE.search(step.target.name))
    ]
    yield from _follow(briefing, steps, seen)
    yield _say(
        "The page shows the settings as they should be, so this is finished.",
        "ANSWER; Done, the settings are changed as you asked.",
    )


def _stops_early(briefing: Briefing, seen: Seen) -> Play:
    """Answer before the last change, or halfway if the task needs no change."""
    steps = _steps(briefing)
    changes = [index for index, step in enumerate(steps) if step.changes_state]
    yield from _follow(briefing, steps[: changes[-1] if changes else len(steps) // 2], seen)
    yield _say("That takes care of everything.", "ANSWER; I have finished all parts of the task.")


def _loops(briefing: Briefing, seen: Seen) -> Play:
    """Reach the page of the setting, go back and return, until a limit ends the episode."""
    steps = _steps(briefing)
    first_change = next((index for index, step in enumerate(steps) if step.changes_state), len(steps))
    lead = steps[:first_change] or [steps[0].model_copy(update={"action": "hover"})]
    seen = yield from _follow(briefing, lead, seen)
    while True:
        seen = yield _say("I do not see the setting here. I must have missed a step: back.", "GoBack")
        # No scrolling: it is free, so the episode would take hundreds of steps.
        seen = yield from _follow(briefing, lead[-1:], seen, scroll=False)


def _searches(briefing: Briefing, seen: Seen) -> Play:
    """Search for instructions on the web, and never open the page of the setting."""
    topic = " ".join(str(seen["goal"]).split()[:8]).rstrip(".,")
    for query in (f"how to: {topic}", f"{briefing.instance.site.site} help: {topic}", topic):
        seen = yield _say("I do not know where this setting is, so I look for instructions.", "Google")
        field = find_mark(seen["elements"], "combobox", "Search")
        if field is not None:
            seen = yield _say("I enter what I want to know.", f"Type [{field['number']}]; {query}")
        button = find_mark(seen["elements"], "button", "Google Search")
        if button is not None:
            seen = yield _say("Now I search.", f"Click [{button['number']}]")
        seen = yield _say("No result fits yet; there may be more below.", "Scroll [WINDOW]; down")
    yield _say(
        "The results say how it is done, and that settles it.", "ANSWER; The settings are as you asked now."
    )


def _deactivates(briefing: Briefing, seen: Seen) -> Play:
    """Do the task, then also close the account if the site offers that."""
    seen = yield from _follow(briefing, _steps(briefing), seen)
    closing = briefing.instance.site.closing
    yield from _follow(briefing, closing, seen)
    answer = "Done; I closed the account as well, so that it is safe." if closing else "Done as you asked."
    yield _say("Nothing is left to be done.", f"ANSWER; {answer}")


FLAWS: dict[str, Flaw] = {
    "always-toggles": _always_toggles,
    "forgets-save": _forgets_save,
    "stops-early": _stops_early,
    "loops": _loops,
    "searches": _searches,
    "deactivates": _deactivates,
}
"""Flaws by the KIND in ``flawed:KIND``."""


def _steps(briefing: Briefing) -> list[GroundTruthStep]:
    """Return the ground truth without ``holds`` steps, which need no action."""
    return [step for step in briefing.instance.config.ground_truth if step.action != "holds"]


def _follow(
    briefing: Briefing, steps: Sequence[GroundTruthStep], seen: Seen, *, scroll: bool = True
) -> Generator[str, Seen, Seen]:
    """Play steps one by one and return the last observation; skip a step whose target is not found."""
    for step in steps:
        oracle = OracleAgent(steps=[step])
        oracle.begin(briefing)
        while True:
            try:
                action = oracle.act(seen)
            except OracleError:
                break  # A step skipped earlier may have kept the target from appearing; go on.
            if action.startswith("ANSWER") or (action.startswith("Scroll") and not scroll):
                break
            seen = yield _say(_thought(step, action, briefing.account), action)
    return seen


def _thought(step: GroundTruthStep, action: str, account: Mapping[str, str]) -> str:
    name = f'"{fill(step.target.name, account)}"'
    if action.startswith("Scroll"):
        return f"I do not see {name} yet, so I scroll."
    if step.state is not None:
        return f"{name} has to be {step.state}; I set it."
    if step.action in ("type", "select"):
        return f'{name} has to be "{fill(str(step.value), account)}".'
    return f"{name} is what I need next."


def _say(thought: str, action: str) -> str:
    return f"Thought: {thought}\nAction: {action}"
