"""Playing the ground truth on open tabs without an environment, for BrowserGym's ``cheat``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from websp_gym.actions import parse_action
from websp_gym.actions.perform import perform
from websp_gym.browser.settle import settle
from websp_gym.env.play import play
from websp_gym.env.walker import Walker
from websp_gym.errors import ActionError
from websp_gym.observation.marks import collect_marks

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs
    from websp_gym.env.play import StepResult
    from websp_gym.tasks.instances import Instance


def solve(instance: Instance, account: Mapping[str, str], tabs: Tabs) -> str:
    """Carry out the ground truth of ``instance`` on open tabs and return the answer.

    Raise ``OracleError`` or ``ActionError`` if a step cannot be carried out. ``account`` has ``name``,
    ``username`` and ``email``.
    """
    walker, hands = Walker(instance.config.ground_truth, account), _Hands(tabs)
    *_, last = play(walker.act, hands.look(), hands.step)
    return str(last.info["answer"])


class _Hands:
    """Open tabs as a minimal environment: marks as observation, actions as steps."""

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs

    def look(self, error: str = "") -> dict[str, Any]:
        self._marks = collect_marks(self._tabs.current)
        elements = tuple(mark.as_dict() for mark in self._marks)
        return {"elements": elements, "last_action_error": error, "url": self._tabs.current.url}

    def step(self, text: str) -> StepResult:
        action, error = parse_action(text), ""
        if action.kind == "ANSWER":
            return self.look(), 0.0, True, False, {"answer": action.text or ""}
        try:
            perform(action, self._tabs, self._marks)
        except ActionError as problem:
            if action.kind != "Scroll":
                raise
            error = str(problem)
        settle(self._tabs)
        return self.look(error), 0.0, False, False, {}
