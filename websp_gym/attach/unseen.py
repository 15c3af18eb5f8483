"""Changes of the account that no recorded step has caused, by the event log of the world."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from websp_gym.env.outside import OutsideAction

if TYPE_CHECKING:
    from websp_gym.world import WorldEpisode

_CHANGES_NOTHING = {"visit", "error", "fault", "asked", "egress", "planted", "setup", "sent"}


_LOOKS = {"goto", "go_back", "tab_close", "scroll", "mouse_move"}
"""What changes nothing by itself: the sites change their state by no request that opens a page."""
_MOMENT = 1.0
"""Seconds before a script's action was noticed in which what happened may have been its doing."""


class UnseenChanges:
    """The changes that no action of the agent could have caused.

    On the live web, whose log nobody can read, there are none.

    Args:
        episode: The episode in the world.
    """

    def __init__(self, episode: WorldEpisode) -> None:
        self._episode = episode
        self._seen = self._ask()

    def step_ended(self, turn: object) -> None:
        """Take all until now as caused by the steps so far, if this turn can; this waits for nothing."""
        if not (isinstance(turn, OutsideAction) and not turn.by_script and turn.call[0] in _LOOKS):
            self._seen = self._ask()

    def before(self, turn: object, *, final: bool = False) -> OutsideAction | None:
        """Return what has changed since, and not by a turn, as an action that has happened; ``None`` for nothing.

        Args:
            turn: The turn that comes next; ``None`` for none in time.
            final: Whether the episode ends with it. Then nothing changes any more, so that all is noted.
        """
        if final:
            self._episode.seal()
        last, before = self._ask()(), self._seen()
        self._seen = lambda: last
        if last <= before:
            return None
        until = turn.began - _MOMENT if isinstance(turn, OutsideAction) and turn.by_script else float("inf")
        events = [
            event
            for event in self._episode.state().since(before)
            if event.kind not in _CHANGES_NOTHING and event.time < until
        ]
        if not events:
            return None
        words = ", ".join(
            dict.fromkeys(f"{event.kind} {event.data.get('key', '')}".strip() for event in events)
        )
        changed = OutsideAction(
            ("change", [words], {}), "", by_script=f"changed without an input: {words}", met={}
        )
        changed.end()
        return changed

    def _ask(self) -> Callable[[], int]:
        answer = self._episode.log_position()
        return lambda: answer() or 0
