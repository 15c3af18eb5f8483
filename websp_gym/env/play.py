"""The loop that plays an episode: act, step, until it is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Observation = dict[str, Any]
StepResult = tuple[Observation, float, bool, bool, dict[str, Any]]
"""Observation, reward, terminated, truncated, info."""


@dataclass(frozen=True)
class Transition:
    """One step of an episode: what was seen, what was done, and what came of it."""

    before: Observation
    action: str
    observation: Observation
    reward: float
    terminated: bool
    truncated: bool
    info: dict[str, Any]


def play(
    act: Callable[[Observation], str], observation: Observation, step: Callable[[str], StepResult]
) -> Iterator[Transition]:
    """Acts until the episode is over.

    Args:
        act: Chooses an action.
        observation: The first observation.
        step: Carries out an action.

    Yields:
        Each step once it was carried out.
    """
    over = False
    while not over:
        action = act(observation)
        taken = Transition(observation, action, *step(action))
        yield taken
        observation, over = taken.observation, taken.terminated or taken.truncated
