"""Turning ground-truth steps into the actions of an agent (the oracle).

The target of a step is looked up by role and accessible name among the marks of the current view. If it is
not in view, the walker scrolls. It uses nothing that an agent could not use.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from websp_gym.errors import WebspError
from websp_gym.replay import fill
from websp_gym.tasks.ground_truth import GroundTruthStep

DONE = "ANSWER; done"
"""The action after the last step."""
_NAMED = 40
"""Maximum number of elements named in an error."""
_CAN_ACCEPT = "Next_dialog; accept"
"""In the error text: a native dialog appeared that the agent may accept the next time."""
_OPPOSITE = {"on": "off", "off": "on"}


@dataclass(eq=False, repr=False, kw_only=True)
class OracleError(WebspError):
    """Raised when the ground truth cannot be carried out: the task configuration and the site disagree.

    Args:
        step: The step of the ground truth that failed.
    """

    step: GroundTruthStep | None = None


class Walker:
    """The oracle's policy: ground-truth steps in order, one action per call of :meth:`act`.

    Args:
        steps: The steps.
        account: ``name``, ``username`` and ``email`` of the account.
        opposite: Whether to do the opposite: ``turn`` the other way, and change what ``holds``.
        complete: Whether no step was left out; only then must every ``holds`` step already be true.
    """

    def __init__(
        self,
        steps: Iterable[GroundTruthStep],
        account: Mapping[str, str],
        *,
        opposite: bool = False,
        complete: bool = True,
    ) -> None:
        self._steps = list(steps)
        self._given = len(self._steps)
        self._account = account
        self._opposite = opposite
        self._complete = complete
        self._sweep: list[str] = []
        self._picking = False
        self._done: GroundTruthStep | None = None
        self.at = 0
        """Index of the step that the latest action belongs to."""

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return the next action: the next step, or a scroll that looks for its target.

        After the last step, return an ``ANSWER``. Raise ``OracleError`` if the next step cannot be carried
        out.
        """
        if _CAN_ACCEPT in observation["last_action_error"] and self._done is not None:
            # What a native dialog asked was answered with Cancel, so the step has had no effect yet.
            self._steps.insert(0, self._done)
            self._done = None
            return _CAN_ACCEPT
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
        return DONE

    def _do(self, step: GroundTruthStep, mark: Mapping[str, Any]) -> str | None:
        """Return the action for a step whose target is in view; ``None`` when there is nothing to do."""
        number = mark["number"]
        if step.action == "select" and not self._picking:
            self._picking = True
            return f"Click [{number}]"
        self._picking = False
        self._done = self._steps.pop(0)
        if step.action == "holds":
            if self._complete and not self._opposite:
                _check_holds(step, mark)
            return self._undo(step, number)
        if step.action == "turn":
            return None if is_on(mark) == (self._wanted(step) == "on") else f"Click [{number}]"
        if step.action == "type":
            return f"Type [{number}]; {fill(str(step.value), self._account)}"
        return f"{'Hover' if step.action == 'hover' else 'Click'} [{number}]"

    def _wanted(self, step: GroundTruthStep) -> str:
        state = str(step.state)
        return _OPPOSITE[state] if self._opposite else state

    def _undo(self, step: GroundTruthStep, number: int) -> str | None:
        """Return the click that changes what should be left alone, if the opposite is wanted."""
        return f"Click [{number}]" if self._opposite and step.state else None

    def _look_further(self, step: GroundTruthStep, observation: Mapping[str, Any]) -> str:
        if not self._sweep:
            self._sweep = ["down", "up"]
        elif observation["last_action_error"]:
            self._sweep.pop(0)
        if not self._sweep:
            elements = observation["elements"]
            seen = ", ".join(f"{item['role']} {item['name']!r}" for item in elements[:_NAMED])
            seen += f", and {len(elements) - _NAMED} more" if len(elements) > _NAMED else ""
            raise OracleError(
                f"{step.text()}: no {step.target.role} named {step.target.name!r} on {observation['url']}; "
                f"in view: {seen}",
                step=step,
            )
        return f"Scroll [WINDOW]; {self._sweep[0]}"


def find_mark(
    elements: Sequence[Mapping[str, Any]], role: str, name: str, *, near: str | None = None
) -> Mapping[str, Any] | None:
    """Return the element with this role and accessible name; ``None`` if it is not in view.

    Args:
        elements: The elements of the observation.
        role: The role to find.
        name: The name to find. Case and spacing are ignored; without an exact match, a single name that
            begins with it is accepted.
        near: The name of a nearby element that decides between several matches.

    Raises:
        OracleError: Several elements match, and ``near`` does not decide.
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
    """Return the distance between the centres of two boxes, in pixels."""
    return math.dist(
        (one[0] + one[2] / 2, one[1] + one[3] / 2), (other[0] + other[2] / 2, other[1] + other[3] / 2)
    )


def is_on(mark: Mapping[str, Any]) -> bool | None:
    """Whether a checkbox, switch, tab or option is on; ``None`` for an element without such a state."""
    for key in ("checked", "selected"):
        if mark.get(key) is not None:
            return bool(mark[key])
    return None


def _check_holds(step: GroundTruthStep, mark: Mapping[str, Any]) -> None:
    if step.state is not None and is_on(mark) != (step.state == "on"):
        raise OracleError(f"{step.text()}: but it is not", step=step)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().casefold()
