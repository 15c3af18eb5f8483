"""A streamed window: pictures of the current tab go to the viewer, and the viewer's input to the tab.

All of it happens on the browser's thread, while that waits for the browser: the server hands what it hears over to
the event loop of Playwright, which carries it out at once.
"""

from __future__ import annotations

import contextlib
import itertools
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.internals import during_a_call, loop_of
from websp_gym.browser.isolated import session_of
from websp_gym.errors import WebspError, WorldError
from websp_gym.window.input import TabInput
from websp_gym.window.messages import (
    DialogAnswer,
    Go,
    Joined,
    Message,
    Mouse,
    PointerPress,
    PressedKey,
    Seen,
    Tab,
    TypedText,
)
from websp_gym.window.server import ViewerServer

if TYPE_CHECKING:
    import asyncio

    from playwright.sync_api import Dialog, Page

    from websp_gym.browser.tabs import Tabs

_LOOK_MS = 200.0
_PAUSE = 0.05
"""Seconds after which the viewer is told of a change, with those that came meanwhile."""
_QUALITY = 85
_LONGEST = 2_000
"""Characters of an address, a title or a dialog's text that are shown."""
_OVER = "The program goes on in the terminal. You can close this page."


class StreamedWindow:
    """A window in a local page. Make it with :func:`streamed`.

    Attributes:
        url: The address to open.
        port: Its port.
        pressed: Name of the button that the person pressed; None so far.
        ended: Why the window ended by itself, such as by a crash; empty while it goes on.
    """

    def __init__(
        self,
        tabs: Tabs,
        *,
        title: str,
        says: str,
        buttons: Sequence[str],
        port: int,
        seconds: float | None,
        seen: Callable[[], None],
        word: str,
        then: str,
    ) -> None:
        self.pressed: str | None = None
        self.ended = ""
        self._tabs = tabs
        self._buttons = tuple(buttons)
        self._loop = loop_of(tabs.context)
        self._numbers = itertools.count(1)
        self._ids: dict[Page, int] = {}
        self._streams: dict[Page, _StreamedTab] = {}
        self._tab: _StreamedTab | None = None
        self._dialogs: dict[int, Dialog] = {}
        self._due: asyncio.TimerHandle | None = None
        self._state: dict[str, Any] = {}
        self._refreshing = False
        self._closed = False
        self._seconds = seconds
        self._told_of_viewer = seen
        self._then = then
        self._greeting: dict[str, Any] = {
            "title": title,
            "says": says,
            "buttons": self._buttons,
            "until": None,
        }
        self._server = ViewerServer(port, self._greeting, self._on_message, seen=self._seen, word=word)
        self.url = self._server.url
        self.port = self._server.port
        for page in tabs.pages:
            self._follow(page)
        tabs.context.on("page", self._follow)
        tabs.notices.when_added = self._changed

    @property
    def address(self) -> tuple[str, str]:
        """Two lines for the terminal: where the window is, and how to reach it from elsewhere."""
        return (
            f"Open in your browser: {self.url}",
            f"From another computer, first: ssh -L {self.port}:127.0.0.1:{self.port} {socket.gethostname()}",
        )

    def say(self, text: str) -> None:
        """Change what the window says beside its title; from any thread."""
        self._greeting["says"] = text
        self._server.send("says", {"text": text})

    def wait(self, until: Callable[[], bool] = lambda: False) -> str | None:
        """Wait until a button is pressed.

        Args:
            until: Ends the wait too, when it becomes true.

        Returns:
            The button's name; None if ``until`` ended the wait.

        Raises:
            WorldError: The browser was closed or the page crashed.
        """
        while self.pressed is None and not until():
            if not self.ended and not self._tabs.alive:
                crashed = self._tabs.crashed
                self._end("the page crashed" if crashed else "the browser was closed, or it crashed")
            if self.ended:
                raise WorldError(self.ended)
            with contextlib.suppress(PlaywrightError):
                self._tabs.context.wait_for_event("close", timeout=_LOOK_MS)
        return self.pressed

    def close(self) -> None:
        """End the window; the browser stays."""
        if self._closed:
            return
        self._closed = True
        if not self.ended:
            self._server.send("next" if self._then else "ended", {"text": self._then or _OVER})
        if self._due is not None:
            self._due.cancel()
        self._tabs.context.remove_listener("page", self._follow)
        for page in self._ids:
            for event in ("framenavigated", "load", "close"):
                page.remove_listener(event, self._changed)
        with contextlib.suppress(PlaywrightError):
            if self._tab is not None and self._tabs.alive:
                for dialog in self._dialogs.values():
                    dialog.dismiss()
                self._tab.stop()
        self._server.close()

    def _seen(self) -> None:
        """Start the person's time: they see the page now."""
        if self._seconds is not None:
            self._greeting["until"] = time.time() + self._seconds
        self._told_of_viewer()

    # ---------------------------------------------------------------- what the person does
    def _on_message(self, message: Message) -> None:
        """Hand a message over to the browser's thread; called in the server's."""
        with contextlib.suppress(RuntimeError):  # the browser's thread has ended
            self._loop.call_soon_threadsafe(self._take, message)

    def _take(self, message: Message) -> None:
        if self.ended and isinstance(message, Joined):
            self._end(self.ended)
        if self._closed or self.ended:
            return
        if not isinstance(message, Mouse | PressedKey | TypedText):
            during_a_call(partial(self._do, message))
        elif self._tab is not None:
            self._tab.input.put(message)
            self._changed()

    def _do(self, message: Message) -> None:
        with self._failing():
            match message:
                case Joined():
                    self._join()
                case Seen():
                    if self._tab is not None:
                        self._tab.seen(message.id)
                case PointerPress():
                    if message.button in self._buttons:
                        self.pressed = message.button
                case DialogAnswer():
                    self._answer(message)
                case Tab():
                    self._switch(message)
                case Go():
                    self._go(message)

    def _join(self) -> None:
        self._state = {}
        for id_, dialog in self._dialogs.items():
            self._show_dialog(id_, dialog)
        if self._tab is not None:
            self._tab.start()
        self._refresh()

    def _switch(self, message: Tab) -> None:
        page = next((page for page, id_ in self._ids.items() if id_ == message.id), None)
        if page is None or page.is_closed():
            return
        if not message.close:
            self._tabs.activate(page)
        elif len(self._pages) > 1:
            page.close(run_before_unload=True)
        self._changed()

    def _go(self, message: Go) -> None:
        session = session_of(self._current)
        if message.to == "reload":
            session.send("Page.reload")
        elif self._tabs.previous_url() is not None:
            history = session.send("Page.getNavigationHistory")
            entry = history["entries"][history["currentIndex"] - 1]
            session.send("Page.navigateToHistoryEntry", {"entryId": entry["id"]})

    # ---------------------------------------------------------------- dialogs
    def ask(self, dialog: Dialog) -> None:
        """Show the person a dialog of the page."""
        id_ = next(self._numbers)
        self._dialogs[id_] = dialog
        self._show_dialog(id_, dialog)

    def _show_dialog(self, id_: int, dialog: Dialog) -> None:
        shown = {"type": dialog.type, "text": dialog.message[:_LONGEST], "value": dialog.default_value}
        self._server.send("dialog", {"id": id_, **shown})

    def _answer(self, message: DialogAnswer) -> None:
        dialog = self._dialogs.pop(message.id, None)
        if dialog is None:
            return
        if message.accept:
            dialog.accept(message.text if dialog.type == "prompt" else "")
        else:
            dialog.dismiss()

    # ---------------------------------------------------------------- what the viewer shows
    @property
    def _pages(self) -> list[Page]:
        """The tabs without those of an extension, such as the recorder."""
        return [page for page in self._tabs.pages if not page.url.startswith("chrome-extension://")]

    @property
    def _current(self) -> Page:
        page, pages = self._tabs.current, self._pages
        if page in pages or not pages:
            return page
        shown = self._tab.page if self._tab is not None else None
        self._tabs.activate(shown if shown in pages else pages[-1])
        return self._tabs.current

    def _follow(self, page: Page) -> None:
        self._ids[page] = next(self._numbers)
        for event in ("framenavigated", "load", "close"):
            page.on(event, self._changed)
        self._changed()

    def _changed(self, *_: object) -> None:
        """Tell the viewer soon; call it on the browser's event loop or thread."""
        if self._due is None and not self._closed:
            self._due = self._loop.call_later(_PAUSE, lambda: during_a_call(self._refresh))

    def _refresh(self) -> None:
        self._due = None
        if self._closed or self.ended:
            return
        if self._refreshing:
            self._changed()
            return
        self._refreshing = True
        try:
            with self._failing():
                self._show_current()
        finally:
            self._refreshing = False

    def _show_current(self) -> None:
        page = self._current
        if self._tab is None or self._tab.page is not page:
            self._show(page)
        state = {
            "url": page.url[:_LONGEST],
            "back": self._tabs.previous_url() is not None,
            "tabs": [
                {"id": self._ids[each], "title": _title(each), "current": each is page}
                for each in self._pages
                if each in self._ids
            ],
        }
        if state != self._state:
            self._state = state
            self._server.send("state", state)
        notices = self._tabs.notices.texts
        if notices:
            self._tabs.notices.clear()
            self._server.send("notice", {"text": _sentence("; ".join(notices))})

    def _show(self, page: Page) -> None:
        before = self._tab
        if page not in self._streams:
            self._streams[page] = _StreamedTab(page, self._server, self._numbers, self._changed)
        self._tab = self._streams[page]
        if before is not None:
            with contextlib.suppress(PlaywrightError):  # it may have closed
                before.stop()
        page.bring_to_front()
        self._tab.start()

    @contextlib.contextmanager
    def _failing(self) -> Iterator[None]:
        """Go on where a page closed or was replaced meanwhile; end the window where one crashed."""
        try:
            yield
        except PlaywrightError:
            self._changed()
        except WebspError as error:
            self._end(str(error).partition(";")[0])

    def _end(self, reason: str) -> None:
        self.ended = reason
        self._server.send("ended", {"text": _sentence(f"{reason}. {_OVER}")})


class _StreamedTab:
    """The pictures and the input of a tab.

    Args:
        page: The tab.
        server: Where the pictures go.
        numbers: Numbers for the pictures.
        changed: Called with each picture.
    """

    def __init__(
        self, page: Page, server: ViewerServer, numbers: Iterator[int], changed: Callable[[], None]
    ) -> None:
        self.page = page
        self._server = server
        self._numbers = numbers
        self._changed = changed
        self._shown = False
        self._unseen: dict[int, int] = {}
        self._session = page.context.new_cdp_session(page)
        self._session.on("Page.screencastFrame", self._frame)
        self.input = TabInput(page, self._session)

    def start(self) -> None:
        """Begin, also once more, with a picture of what the tab shows."""
        self.stop()
        self._shown = True
        self._session.send("Page.startScreencast", {"format": "jpeg", "quality": _QUALITY})

    def stop(self) -> None:
        """End the pictures. The session stays: while a dialog is open, it cannot be detached."""
        self._shown = False
        self._unseen.clear()
        self._session.send("Page.stopScreencast")

    def seen(self, number: int) -> None:
        """Let the next picture come, as the viewer has drawn this one."""
        session = self._unseen.pop(number, None)
        if session is not None:
            self._session.send("Page.screencastFrameAck", {"sessionId": session})

    def _frame(self, frame: dict[str, Any]) -> None:
        if not self._shown:
            return  # one that was under way when another tab was shown
        number = next(self._numbers)
        self._unseen[number] = frame["sessionId"]
        size = frame["metadata"]
        shown = {"width": size["deviceWidth"], "height": size["deviceHeight"], "data": frame["data"]}
        self._server.send("frame", {"id": number, **shown})
        self._changed()


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _title(page: Page) -> str:
    """Return the title of a tab, also of one that a dialog holds up."""
    history = session_of(page).send("Page.getNavigationHistory")
    return str(history["entries"][history["currentIndex"]]["title"])[:_LONGEST] or page.url[:_LONGEST]


@contextlib.contextmanager
def streamed(
    tabs: Tabs,
    *,
    title: str,
    says: str = "",
    buttons: Sequence[str] = ("Done",),
    port: int = 0,
    seconds: float | None = None,
    seen: Callable[[], None] = lambda: None,
    word: str = "",
    then: str = "",
) -> Iterator[StreamedWindow]:
    """Show the current tab of a browser in a local page, where a person uses it with mouse and keyboard.

    The tab is shown while the thread waits in a call of Playwright, such as :meth:`StreamedWindow.wait`. Dialogs of
    the page are the person's while the window is open.

    Args:
        tabs: The browser's tabs. Call it on the browser thread.
        title: What the window is for.
        says: What the person is to do.
        buttons: Names of the buttons, the main one first.
        port: The port; 0 takes a free one.
        seconds: Time that the person has from the moment at which they see the page; it is shown, and ends nothing.
        seen: Called at that moment, in another thread.
        word: The random word of its address; empty draws one.
        then: What the page says at the end while it waits for the next window at the same address; empty if there is
            none.

    Raises:
        SetupError: The port is taken.
    """
    window = StreamedWindow(
        tabs,
        title=title,
        says=says,
        buttons=buttons,
        port=port,
        seconds=seconds,
        seen=seen,
        word=word,
        then=then,
    )
    try:
        with tabs.dialogs.left_to(window.ask):
            yield window
    finally:
        window.close()
