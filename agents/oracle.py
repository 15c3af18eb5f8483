"""The oracle: plays an instance's ground truth through the same marks and actions an MLLM agent uses.

It has no back door. A step's target is looked for by role and accessible name among the marks of the current
view; when it is not there the oracle scrolls, as anybody would.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from websp_gym.agents.base import Briefing
from websp_gym.errors import WebspError
from websp_gym.replay import fill
from websp_gym.tasks.ground_truth import Step
from websp_gym.tasks.instances import LoadedInstance

if TYPE_CHECKING:
    from websp_gym.agents.turns import Turn
    from websp_gym.browser.tabs import Tabs
    from websp_gym.observation.observe import ObservationKind

_OPPOSITE = {"on": "off", "off": "on"}


class OracleError(WebspError):
    """The ground truth could not be carried out: the task's configuration and the site disagree."""


class OracleAgent:
    """Carries out the ground-truth steps in order.

    Args:
        skip: Indices of steps to leave out (to prove that each one matters).
        opposite: Whether ``turn`` steps do the opposite.
        steps: Other steps than the instance's ground truth.
    """

    name = "oracle"
    observation: ObservationKind = "text"
    turns: Sequence[Turn] = ()

    def __init__(
        self, *, skip: Sequence[int] = (), opposite: bool = False, steps: Sequence[Step] | None = None
    ) -> None:
        self._skip = frozenset(skip)
        self._opposite = opposite
        self._other_steps = steps
        self._account: Mapping[str, str] = {}
        self._steps: list[Step] = []
        self._given = 0
        self._sweep: list[str] = []
        self._picking = False
        self.at = 0
        """Index of the ground-truth step that the last action belongs to (of those not left out)."""

    def begin(self, briefing: Briefing) -> None:
        """Takes the instance's ground truth."""
        steps = self._other_steps or briefing.loaded.instance.ground_truth
        self._steps = [step for index, step in enumerate(steps) if index not in self._skip]
        self._account = briefing.account
        self._given = len(self._steps)
        self._sweep = []
        self._picking = False

    def act(self, observation: Mapping[str, Any]) -> str:
        """The action that carries out the next step, or one that looks for its target."""
        while self._steps:
            self.at = self._given - len(self._steps)
            step = self._steps[0]
            name = fill(str(step.value) if self._picking else step.target.name, self._account)
            role = "option" if self._picking else step.target.role
            mark = find_mark(observation["elements"], role, name, near=step.target.within)
            if mark is None:
                return self._look_further(step, observation)
            self._sweep = []
            action = self._do(step, mark)
            if action:
                return action
        return "ANSWER; done"

    def _do(self, step: Step, mark: Mapping[str, Any]) -> str | None:
        """The action for a step whose target is in view; ``None`` when there is nothing to do."""
        number = mark["number"]
        if step.action == "select" and not self._picking:
            self._picking = True
            return f"Click [{number}]"
        self._picking = False
        self._steps.pop(0)
        if step.action == "holds":
            if not self._skip and not self._opposite:
                _check_holds(step, mark)
            return self._undo(step, number)
        if step.action == "turn":
            return None if is_on(mark) == (self._wanted(step) == "on") else f"Click [{number}]"
        if step.action == "type":
            return f"Type [{number}]; {fill(str(step.value), self._account)}"
        return f"{'Hover' if step.action == 'hover' else 'Click'} [{number}]"

    def _wanted(self, step: Step) -> str:
        state = str(step.state)
        return _OPPOSITE[state] if self._opposite else state

    def _undo(self, step: Step, number: int) -> str | None:
        """Doing the opposite of leaving something alone is changing it."""
        return f"Click [{number}]" if self._opposite and step.state else None

    def _look_further(self, step: Step, observation: Mapping[str, Any]) -> str:
        if not self._sweep:
            self._sweep = ["down", "up"]
        elif observation["last_action_error"]:
            self._sweep.pop(0)
        if not self._sweep:
            seen = ", ".join(f"{item['role']} {item['name']!r}" for item in observation["elements"][:40])
            raise OracleError(
                f"{step.text()}: no {step.target.role} named {step.target.name!r} on {observation['url']}; "
                f"in view: {seen}",
                step=step,
            )
        return f"Scroll [WINDOW]; {self._sweep[0]}"


def find_mark(
    elements: Sequence[Mapping[str, Any]], role: str, name: str, *, near: str | None = None
) -> Mapping[str, Any] | None:
    """Finds the mark with this role and accessible name.

    Args:
        elements: The observation's elements.
        role: Role wanted.
        name: Name wanted; case and spaces do not count, and a single longer name that begins with it will do.
        near: Where several fit, the name of an element beside the right one.

    Returns:
        The element, or ``None``.

    Raises:
        OracleError: More than one fits.
    """
    wanted = _plain(name)
    same_role = [item for item in elements if item["role"] == role]
    for fits in (str.__eq__, str.startswith):
        found = [item for item in same_role if fits(_plain(item["name"]), wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            return _nearest(found, elements, near, f"{role} named {name!r}")
    return None


def _nearest(
    found: list[Mapping[str, Any]], elements: Sequence[Mapping[str, Any]], near: str | None, what: str
) -> Mapping[str, Any] | None:
    anchors = [item for item in elements if near and _plain(item["name"]).startswith(_plain(near))]
    if near is None or len(anchors) > 1:
        raise OracleError(f"{len(found)} elements are a {what}: {[item['number'] for item in found]}")
    if not anchors:
        return None
    return min(found, key=lambda item: _distance(item["box"], anchors[0]["box"]))


def _distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Distance between the centres of two boxes, in pixels."""
    return math.dist(
        (one[0] + one[2] / 2, one[1] + one[3] / 2), (other[0] + other[2] / 2, other[1] + other[3] / 2)
    )


def is_on(mark: Mapping[str, Any]) -> bool | None:
    """Whether a stateful element is on; ``None`` for one without a state."""
    for key in ("checked", "selected"):
        if mark.get(key) is not None:
            return bool(mark[key])
    return None


def solve(loaded: LoadedInstance, account: Mapping[str, str], tabs: Tabs) -> str:
    """Carries out an instance's ground truth on open tabs, for BrowserGym's ``cheat``.

    Args:
        loaded: The instance.
        account: The account's name, username and email.
        tabs: The browser's open tabs.

    Returns:
        The answer.
    """
    from websp_gym.actions import parse_action
    from websp_gym.actions.perform import perform
    from websp_gym.browser.settle import settle
    from websp_gym.errors import ActionError
    from websp_gym.observation.marks import collect_marks

    agent = OracleAgent()
    agent.begin(Briefing(loaded, account, 0))
    error = ""
    while True:
        marks = collect_marks(tabs.current)
        elements = [mark.as_dict() for mark in marks.marks]
        text = agent.act({"elements": elements, "last_action_error": error, "url": tabs.current.url})
        action = parse_action(text)
        if action.kind == "ANSWER":
            return action.text or ""
        try:
            error = ""
            perform(action, tabs, marks)
        except ActionError as problem:
            error = str(problem)
            if action.kind != "Scroll":
                raise
        settle(tabs)


def _check_holds(step: Step, mark: Mapping[str, Any]) -> None:
    if step.state is not None and is_on(mark) != (step.state == "on"):
        raise OracleError(f"{step.text()}: but it is not", step=step)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()
