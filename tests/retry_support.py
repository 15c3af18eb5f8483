"""Agents that bring their episode down, as a page or a text might: each knows how often it was asked."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import psutil


class Poison:
    """An action that ends the browser whenever the environment reads it."""

    def __repr__(self) -> str:
        kill_browsers()
        return "Wait"


class Wrecker:
    """Waits, ends the browser during its second action, and answers; ``turns`` has an entry for each time it is asked."""

    name = "wrecker"
    observation: Literal["text", "marks"] = "marks"
    poisoned = False

    def __init__(self) -> None:
        self.turns: Sequence[Any] = ()
        self.asked: list[int] = []
        LAST.append(self)

    def begin(self, briefing: Any) -> None:
        """Nothing to prepare."""

    def act(self, observation: Mapping[str, Any]) -> Any:
        """Gives the next of its actions."""
        self.asked.append(observation["actions_left"])
        if len(self.asked) == 2:
            if self.poisoned:
                return Poison()
            kill_browsers()
        return "Wait" if len(self.asked) < 4 else "ANSWER; done"


class Poisoner(Wrecker):
    """Its second action ends the browser each time it is carried out."""

    poisoned = True


LAST: list[Wrecker] = []


def kill_browsers() -> None:
    """Kills every Chromium of this process."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            if "chrom" in process.name():
                process.kill()
