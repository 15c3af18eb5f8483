"""Actions that an agent with its own browser control takes by itself, as steps of an episode."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from concurrent.futures import Future, InvalidStateError
from dataclasses import dataclass
from typing import TypeAlias

from websp_gym.actions.calls import Call, format_call

LONGEST_WAIT = 3.0
"""Seconds after which an action without an end counts as done; four times as many on a busy machine."""


@dataclass(frozen=True)
class OutsideEnd:
    """The end of an outside agent that has given no answer; ``step`` accepts it instead of a text.

    Args:
        detail: What ended it, as a sentence.
    """

    detail: str

    def __str__(self) -> str:
        return f"exit: {self.detail}"


class OutsideAction:
    """An action on its way from an outside agent to the browser; ``step`` accepts it instead of a text.

    The environment records the facts of the element it is about to act on, lets it pass, waits until it is over, and
    then observes as after any action.

    Args:
        call: The action as a call of BrowserGym. The text of one that types grows until it is over.
        target: DevTools id of the tab; empty if unknown.
        by_script: What it is in words, if it has already happened: by a script of the agent, or unseen.
        met: Role, name, form and frame of the element it acts on, if known beforehand.

    Attributes:
        decided: Done once it may pass (empty) or may not (the reason); read by whatever holds it back.
        over: Done once it has happened.
        began: When it began, in seconds of Unix time.
    """

    def __init__(
        self, call: Call, target: str, *, by_script: str = "", met: Mapping[str, str] | None = None
    ) -> None:
        self.call = call
        self.target = target
        self.by_script = by_script
        self.met = met
        self.decided: Future[str] = Future()
        self.over: Future[None] = Future()
        self.began = time.time()
        self.types = False
        """Whether it types into a field, so that later keys are part of it."""

    def __str__(self) -> str:
        return f"script: {self.by_script}" if self.by_script else format_call(self.call)

    def let_pass(self) -> None:
        """Let it happen."""
        self._decide("")

    def refuse(self, reason: str) -> None:
        """Do not let it happen."""
        self._decide(reason)
        self.end()

    def end(self) -> None:
        """Mark it as happened, or as never going to happen; calling this again does nothing."""
        with contextlib.suppress(InvalidStateError):
            self.over.set_result(None)

    def _decide(self, refusal: str) -> None:
        with contextlib.suppress(InvalidStateError):
            self.decided.set_result(refusal)


Turn: TypeAlias = str | OutsideAction | OutsideEnd
"""What an agent does in its turn: a reply for ``step``, or what an outside agent does by itself."""
