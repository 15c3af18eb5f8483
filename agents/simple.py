"""Agents without knowledge of the task, as a baseline for scores and a stress test of the environment."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from websp_gym.actions import Action, format_action
from websp_gym.agents.base import Briefing

if TYPE_CHECKING:
    from websp_gym.agents.turns import Turn
    from websp_gym.observation import ObservationKind


class NoopAgent:
    """An agent that answers at once; correct only if S0 already satisfies the goal."""

    name = "noop"
    observation: ObservationKind = "text"
    turns: Sequence[Turn] = ()

    def begin(self, briefing: Briefing) -> None:
        """Do nothing."""

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return an answer."""
        return format_action(Action("ANSWER", text="nothing needs to be done"))


class RandomAgent:
    """An agent that acts at random on the marks; the same seed gives the same actions for the same observations.

    Each action is an answer with probability 1/20, so an episode takes 20 actions on average. The random generator is
    seeded with the seed and the instance, so two instances get different actions.
    """

    name = "random"
    observation: ObservationKind = "text"
    turns: Sequence[Turn] = ()
    _ANSWER_CHANCE = 0.05

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    def begin(self, briefing: Briefing) -> None:
        """Seed the random generator."""
        instance = hashlib.sha256(briefing.instance.id.encode()).digest()
        self._rng = np.random.default_rng([briefing.seed, *instance])

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return a random action: mostly clicks, some scrolling, typing and going back."""
        return format_action(self._choose(observation["elements"]))

    def _choose(self, elements: Sequence[Mapping[str, Any]]) -> Action:
        draw = self._rng.random()
        if draw < self._ANSWER_CHANCE:
            return Action("ANSWER", text="done")
        if not elements or draw < 0.25:
            return Action("Scroll", direction="down" if self._rng.random() < 0.7 else "up")
        if draw < 0.3:
            return Action("GoBack")
        element = elements[int(self._rng.integers(len(elements)))]
        if element["role"] in ("textbox", "searchbox", "combobox") and element["tag"] != "select":
            return Action("Type", element["number"], "privacy")
        return Action("Click", element["number"])
