"""Leaving the native dialogs of pages to an outside agent that is told of them, for some seconds."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.dialogs import ANSWERS

if TYPE_CHECKING:
    from playwright.sync_api import Dialog

    from websp_gym.browser.dialogs import Dialogs

PATIENCE = 20.0
"""Seconds that an agent has to answer a dialog, which holds its page up; then it is answered as for any agent."""
Send = Callable[[str, str, Mapping[str, Any]], object]


class OutsideDialogs:
    """The dialogs of one episode. All methods but :meth:`forget_answered` run on the loop of the pipe.

    Args:
        dialogs: Gets a note of each answer.
        send: Sends a command of our own: session, method, arguments.
        later: Calls a function after some seconds.
        tells: Whether the agent is told of the dialogs of a tab, by its DevTools id.
    """

    def __init__(
        self,
        dialogs: Dialogs,
        send: Send,
        later: Callable[[float, Callable[[], None]], Any],
        tells: Callable[[str], bool],
    ) -> None:
        self._dialogs = dialogs
        self._send = send
        self._later = later
        self._tells = tells
        self._open: dict[str, Mapping[str, Any]] = {}
        """The open dialog of each session of ours."""
        self._of_playwright: list[Dialog] = []
        self._left = contextlib.ExitStack()

    def begin(self) -> None:
        """Take over the dialogs; on the browser thread, as :meth:`end`."""
        self._left.enter_context(self._dialogs.left_to(self._of_playwright.append))

    def end(self) -> None:
        """Give them back."""
        self._left.close()

    def opened(self, session: str, target: str, dialog: Mapping[str, Any]) -> None:
        """Take a dialog that has opened in a tab."""
        self._open[session] = dialog
        self._later(PATIENCE if self._tells(target) else 0.0, lambda: self._answer(session, dialog))

    def closed(self, session: str, answer: Mapping[str, Any]) -> None:
        """Note that somebody answered the dialog of a tab."""
        dialog = self._open.pop(session, None)
        if dialog is not None:
            kind, message, default = dialog["type"], dialog["message"], dialog.get("defaultPrompt", "")
            written = str(answer.get("userInput", ""))
            self._dialogs.note(kind, message, default, accepted=answer["result"], written=written)

    def forget_answered(self) -> None:
        """Let Playwright forget the dialogs that it did not answer; on the browser thread, between steps."""
        while self._of_playwright and not self._open:
            # It says that there is none any more.
            with contextlib.suppress(PlaywrightError):
                self._of_playwright.pop().dismiss()

    def _answer(self, session: str, dialog: Mapping[str, Any]) -> None:
        if self._open.get(session) is dialog:
            self._send(session, "Page.handleJavaScriptDialog", {"accept": ANSWERS[dialog["type"]].accept})
