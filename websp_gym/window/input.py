"""Mouse, keys and text of a person, given to a tab as the browser's own input."""

from __future__ import annotations

import contextlib
from collections import deque
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.internals import during_a_call
from websp_gym.browser.isolated import worlds_of
from websp_gym.browser.pickers import draw_list_at, draw_list_of_focus
from websp_gym.window.messages import Input, Mouse, PressedKey, TypedText

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

    from websp_gym.browser.isolated import Frame

_TEXTS = {"Enter": "\r", "Tab": "\t"}
"""Text of the keys whose name is not their text."""
_CHORD = 1 | 2 | 4
"""Alt, Ctrl and Meta: with one of them a key types nothing."""
_OPENS_LIST = (" ", "Enter", "ArrowDown", "ArrowUp", "F4")


class TabInput:
    """Input of one tab, carried out in its order while the browser's thread waits for the browser.

    Args:
        page: The tab.
        session: A DevTools session of it.
    """

    def __init__(self, page: Page, session: CDPSession) -> None:
        self._page = page
        self._session = session
        self._queue: deque[Input] = deque()
        self._busy = False
        self._drawn: Frame | None = None

    def put(self, event: Input) -> None:
        """Have something carried out; call it on the browser's event loop."""
        if self._queue and _follows(event, self._queue[-1]):
            self._queue.pop()
        self._queue.append(event)
        if not self._busy:
            self._busy = True
            during_a_call(self._work)

    def _work(self) -> None:
        try:
            while self._queue:
                event = self._queue.popleft()
                # The tab may close or its page be replaced at any moment.
                with contextlib.suppress(PlaywrightError):
                    self._carry_out(event)
        finally:
            self._busy = False

    def _carry_out(self, event: Input) -> None:
        if isinstance(event, TypedText):
            self._session.send("Input.insertText", {"text": event.text})
            return
        # The browser's own list of a dropdown is a window, which is in no picture. A page that cannot be asked goes
        # without.
        with contextlib.suppress(PlaywrightError):
            self._draw_list(event)
        if isinstance(event, PressedKey):
            self._session.send("Input.dispatchKeyEvent", _key(event))
        else:
            self._session.send("Input.dispatchMouseEvent", _mouse(event))
        if event.type in ("mouseReleased", "keyUp") and self._drawn is not None:
            self._drawn.ask("closePickers")

    def _draw_list(self, event: Mouse | PressedKey) -> None:
        if isinstance(event, PressedKey):
            if event.type == "keyDown" and event.key in _OPENS_LIST:
                self._drawn = draw_list_of_focus(worlds_of(self._page))
        elif event.type == "mousePressed" and event.button == "left":
            self._drawn = draw_list_at(worlds_of(self._page), event.x, event.y)


def _follows(event: Input, before: Input) -> bool:
    """Whether a movement makes the one before it needless."""
    return (
        isinstance(event, Mouse)
        and isinstance(before, Mouse)
        and event.type == before.type == "mouseMoved"
        and event.buttons == before.buttons
    )


def _mouse(event: Mouse) -> dict[str, Any]:
    wheel = {"deltaX": event.dx, "deltaY": event.dy} if event.type == "mouseWheel" else {}
    return {
        "type": event.type,
        "x": event.x,
        "y": event.y,
        "button": event.button,
        "buttons": event.buttons,
        "clickCount": event.count,
        "modifiers": event.modifiers,
        **wheel,
    }


def _key(event: PressedKey) -> dict[str, Any]:
    text = event.key if len(event.key) == 1 else _TEXTS.get(event.key, "")
    if event.type == "keyUp" or event.modifiers & _CHORD:
        text = ""
    return {
        # Without a text there is no `keypress`.
        "type": "rawKeyDown" if event.type == "keyDown" and not text else event.type,
        "key": event.key,
        "code": event.code,
        "windowsVirtualKeyCode": event.number,
        "location": event.location,
        "isKeypad": event.location == 3,
        "autoRepeat": event.repeat,
        "modifiers": event.modifiers,
        "text": text,
        "unmodifiedText": text,
    }
