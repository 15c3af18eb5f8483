"""The limits of an episode: how much of them an agent has used, and which one is reached."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from websp_gym.observation.observe import whole_seconds
from websp_gym.records.ending import Ending

if TYPE_CHECKING:
    from websp_gym.browser.deadline import Watch


class Limits:
    """Counts the actions and seconds of one episode.

    Args:
        max_actions: Maximum number of actions.
        max_seconds: Maximum number of seconds.

    Attributes:
        actions: Actions counted so far.
        understood: Whether any reply could be read as an action.
        began: When the clock was started, on the monotonic clock.
    """

    def __init__(self, max_actions: int, max_seconds: float) -> None:
        self.max_actions = max_actions
        self.max_seconds = max_seconds
        self.actions = 0
        self.understood = False
        self.began = 0.0
        self._forgiven = 0.0
        self._watch: Watch | None = None

    @property
    def seconds(self) -> float:
        """Seconds used by the agent and its pages since the first observation, without stalls and waits."""
        forgiven = self._watch.forgiven if self._watch is not None else 0.0
        return time.monotonic() - self.began - self._forgiven - forgiven

    @property
    def is_out_of_time(self) -> bool:
        """Whether the seconds are used up."""
        return self.seconds > self.max_seconds

    @property
    def actions_left(self) -> int:
        """Number of actions left."""
        return max(self.max_actions - self.actions, 0)

    @property
    def seconds_left(self) -> float:
        """Whole seconds left."""
        return whole_seconds(self.max_seconds - self.seconds)

    @property
    def reached(self) -> Ending | None:
        """The ending by the limit reached; None if none is."""
        if self.is_out_of_time:
            return Ending("time_limit", detail=f"the time limit of {self.max_seconds:g} seconds was reached")
        if self.actions >= self.max_actions:
            detail = f"the limit of {self.max_actions} actions was reached without an answer"
            if not self.understood:
                detail += ": no reply could be read as an action"
            return Ending("action_limit", detail=detail)
        return None

    def start(self) -> None:
        """Start the clock."""
        self.began, self._forgiven = time.monotonic(), 0.0

    @contextmanager
    def step(self, called: float, watch: Watch) -> Iterator[None]:
        """Charge a step, without the time from its call to its start and what a watch forgives.

        Args:
            called: Start of the call, on the monotonic clock.
            watch: The watch of the step.
        """
        self._forgiven += time.monotonic() - called
        self._watch = watch
        try:
            yield
        finally:
            self._watch = None
            self._forgiven += watch.forgiven
