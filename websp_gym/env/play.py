"""The agent loop: choose an action, step, until the episode is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

Observation = dict[str, Any]
StepResult = tuple[Observation, float, bool, bool, dict[str, Any]]
"""Observation, reward, terminated, truncated, info."""
Reply = TypeVar("Reply")
"""An action text, or an action of an outside agent."""


@dataclass(frozen=True)
class Transition:
    """One step of an episode: the observation before it, the action, and what ``step`` returned."""

    before: Observation
    action: str
    observation: Observation
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


def play(
    act: Callable[[Observation], Reply], observation: Observation, step: Callable[[Reply], StepResult]
) -> Iterator[Transition]:
    """Call ``act`` and ``step`` in turn from the first ``observation`` on; yield each step until the end."""
    over = False
    while not over:
        action = act(observation)
        result = step(action)
        # The text of an outside action is whole only after it has happened.
        taken = Transition(observation, str(action), *result)
        yield taken
        observation, over = taken.observation, taken.terminated or taken.truncated
