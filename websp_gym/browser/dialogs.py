"""Native dialogs: ``alert``, ``confirm``, ``prompt`` and ``beforeunload``.

They are not visible in screenshots and block the page, so each is answered at once and reported to the agent. By
default, nothing is accepted that the agent has not been able to read. Once a question has been reported, the agent
may decide the answer to the next one like it, and then repeat what opened it.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.errors import ActionError
from websp_gym.texts import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Dialog

    from websp_gym.browser.notices import Notices

LONGEST_MESSAGE = 400
"""Maximum number of characters of a message that is shown. A longer one cannot be accepted, because nobody read
it."""
_MOST_READ = 100
"""Number of different questions to remember, the latest ones."""
_MOST_DECISIONS = 10


@dataclass(frozen=True)
class _Answer:
    accept: bool
    told: str


_OK = _Answer(True, "answered with OK")
_CANCEL = _Answer(False, "answered with Cancel")
ANSWERS = {
    "alert": _Answer(True, "closed"),
    "beforeunload": _Answer(True, "answered with Leave"),
    "confirm": _CANCEL,
    "prompt": _CANCEL,
}
"""Answer to each type of native dialog when no decision was made."""
_HOW = {
    "confirm": '"Next_dialog; accept"',
    "prompt": '"Next_dialog; accept; [Content]"',
}
"""The action that has the next question of this type answered with OK."""


@dataclass(frozen=True)
class _Reply:
    accept: bool
    text: str | None


@dataclass(frozen=True)
class _Question:
    """The facts by which two dialogs are the same question."""

    type: str
    message: str
    default: str


class Dialogs:
    """Answers to the native dialogs of an episode.

    Args:
        notices: Gets a sentence about each dialog.

    Attributes:
        seen: Number of dialogs so far.
    """

    def __init__(self, notices: Notices) -> None:
        self.seen = 0
        self._written: list[str] = []
        self._notices = notices
        self._recorded: _Reply | None = None
        self._person: Callable[[Dialog], None] | None = None
        self._new: list[_Question] = []
        self._read: dict[_Question, None] = {}
        self._decisions: list[_Reply] = []
        self._acted = False

    def decide(self, *, accept: bool, text: str | None = None) -> None:
        """Decide the answer to the next ``confirm`` or ``prompt``; decisions made in a row are used in this order.

        A decision holds for one action and its effects: it ends with the next question, or when a second action
        begins. It is used only for a question that the agent has read (:meth:`noted`); any other one is answered with
        Cancel, which ends all decisions.

        Args:
            accept: True for OK, False for Cancel.
            text: Text for a ``prompt``; None for the one it suggests.

        Raises:
            ActionError: No question has been reported to the agent, or this is the eleventh decision in a row.
        """
        if not self._read:
            raise ActionError("the page has not shown a dialog that can be answered; nothing was decided")
        if self._acted:
            self._forget_decisions()
        if len(self._decisions) >= _MOST_DECISIONS:
            raise ActionError(f"{_MOST_DECISIONS} dialogs are already decided; nothing was decided")
        self._decisions.append(_Reply(accept, text))

    def begin_action(self) -> None:
        """End the decisions that an earlier action could have used; called before each action that counts."""
        if self._acted:
            self._forget_decisions()
        self._acted = bool(self._decisions)

    def noted(self) -> None:
        """Mark the dialogs so far as read: they have been reported to the agent."""
        for question in self._new:
            self._read.pop(question, None)
            self._read[question] = None
        self._new.clear()
        for question in list(self._read)[:-_MOST_READ]:
            del self._read[question]

    @contextlib.contextmanager
    def answering(self, *, accept: bool, text: str = "") -> Iterator[None]:
        """Answer alerts, confirms and prompts inside this context manager as recorded.

        Args:
            accept: True for OK, False for Cancel.
            text: Text for an accepted prompt; empty for the one it suggests.
        """
        before, self._recorded = self._recorded, _Reply(accept, text or None)
        try:
            yield
        finally:
            self._recorded = before

    @contextlib.contextmanager
    def left_to(self, person: Callable[[Dialog], None]) -> Iterator[None]:
        """Leave the dialogs inside this context manager to a person; none is noted.

        Args:
            person: Called with each dialog, and answers it sooner or later.
        """
        before, self._person = self._person, person
        try:
            yield
        finally:
            self._person = before

    def drain_written(self) -> list[str]:
        """Return the texts given to prompts since the last call."""
        written, self._written = self._written, []
        return written

    def answer(self, dialog: Dialog) -> None:
        """Answer a dialog, and note it for the agent."""
        self.seen += 1
        if self._person is not None:
            self._person(dialog)
            return
        question = _Question(dialog.type, dialog.message, dialog.default_value)
        reply = self._reply_to(question)
        answer = ANSWERS[question.type] if reply is None else _OK if reply.accept else _CANCEL
        self._note(question, answer, decided=reply is not None)
        text = reply.text if reply is not None else None
        if question.type == "prompt" and answer.accept and text:
            self._written.append(text)
        # The page may have closed meanwhile.
        with contextlib.suppress(PlaywrightError):
            if answer.accept:
                dialog.accept(question.default if text is None else text)
            else:
                dialog.dismiss()

    def note(self, kind: str, message: str, default: str, *, accepted: bool, written: str = "") -> None:
        """Note a dialog that was answered elsewhere.

        Args:
            kind: ``alert``, ``confirm``, ``prompt`` or ``beforeunload``.
            message: Its message.
            default: The text that a prompt suggests.
            accepted: Whether it was answered with OK.
            written: The text that was given to a prompt.
        """
        if kind == "prompt" and accepted and written:
            self._written.append(written)
        usual = ANSWERS[kind]
        answer = usual if usual.accept == accepted else _OK if accepted else _CANCEL
        self._note(_Question(kind, message, default), answer, decided=True)

    def _reply_to(self, question: _Question) -> _Reply | None:
        if self._recorded is not None:
            return None if question.type == "beforeunload" else self._recorded
        if question.type not in _HOW or not self._decisions:
            return None
        if question not in self._read:
            self._forget_decisions()
            return None
        return self._decisions.pop(0)

    def _forget_decisions(self) -> None:
        self._decisions.clear()
        self._acted = False

    def _note(self, question: _Question, answer: _Answer, *, decided: bool) -> None:
        shown = f": {shortened(question.message, LONGEST_MESSAGE)!r}" if question.message else ""
        suggested = (
            f" (suggesting {shortened(question.default, LONGEST_MESSAGE)!r})" if question.default else ""
        )
        note = f"the page showed a native {question.type} dialog{shown}{suggested}; it was {answer.told}"
        if question.type not in _HOW:
            self._notices.add(note)
            return
        whole = max(len(question.message), len(question.default)) <= LONGEST_MESSAGE
        if not whole:
            note += ", as any dialog whose text is too long to be shown"
        elif not decided:
            note += f"; to answer it with OK, say {_HOW[question.type]} first and then repeat what opened it"
        if self._notices.add(note) and whole:
            self._new.append(question)
