"""Notices of native windows, such as dialogs, which no screenshot shows."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 1_000
"""Maximum number of characters of all notices of a step; a page may open dialogs without end."""


class Notices:
    """Sentences for the agent about what the browser showed or refused since the last observation."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._left_out = 0
        self.when_added: Callable[[], None] = lambda: None
        """Called after each new sentence; for a viewer that shows it at once."""

    @property
    def texts(self) -> list[str]:
        """The sentences in order; the last one counts those left out."""
        return self._texts + ([f"and {self._left_out} more"] if self._left_out else [])

    def add(self, text: str) -> bool:
        """Add a sentence, unless the same one is there already, and return whether the agent will see it."""
        if text in self._texts:
            return True
        fits = sum(map(len, self._texts)) + len(text) <= LONGEST
        if fits:
            self._texts.append(text)
        else:
            self._left_out += 1
        self.when_added()
        return fits

    def clear(self) -> None:
        """Forget all sentences, because the agent has seen them."""
        self._texts.clear()
        self._left_out = 0


_DENIED = "the page asked for permission to {}; it was denied"
ASKED = {
    "notifications": _DENIED.format("show notifications"),
    "location": _DENIED.format("know the location"),
    "camera": _DENIED.format("use camera or microphone"),
    "screen": _DENIED.format("see the screen"),
    "clipboard": _DENIED.format("read the clipboard"),
    "midi": _DENIED.format("use MIDI devices"),
    "idle": _DENIED.format("know whether the user is idle"),
    "screens": _DENIED.format("know the screens"),
    "fonts": _DENIED.format("list the fonts of this computer"),
    "device": "the page asked the user to choose a device; none was chosen",
    "key": "the page asked for a passkey or security key; there is none",
    "file": "the page asked the user to choose a file; no file can be chosen here",
    "account": "the page asked the user to choose a kept account or password; there is none",
    "payment": "the page asked the user to pay; nothing was paid",
    "color": "the page asked the user to pick a color from the screen; none was picked",
    "storage": _DENIED.format("use its cookies in this frame"),
    "print": "the page asked to print; nothing was printed",
}
"""Requests of a page to the browser, by their names in ``asks.js``."""
