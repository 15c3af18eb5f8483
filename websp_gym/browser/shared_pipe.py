"""A browser's DevTools connection that Playwright shares with other clients; the browser opens no port.

Playwright starts a browser and talks to it through two pipes. Here these pipes end in a thread of this process, which
has two others to the browser. It forwards Playwright's messages unchanged and gives other clients their own sessions.
Each session belongs to one client, so its id alone says who gets a message from the browser.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import re
import shlex
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from websp_gym.browser.devtools import CommandError, Commands, Message
from websp_gym.browser.scratch import scratch_folder
from websp_gym.errors import WorldError

logger = logging.getLogger(__name__)
Returned = TypeVar("Returned")
OnMessage = Callable[[bytes, str], None]
"""Takes a message from the browser and the id of its session."""

_LAUNCHER = Path(__file__).with_name("pipe_launcher.py")
_SESSION = re.compile(rb',"sessionId":"([0-9A-Fa-f]{32})"\}$')
"""The end of a message about a session; what a page says comes before it."""
_ATTACHED = b'{"method":"Target.attachedToTarget"'
_DETACHED = b'{"method":"Target.detachedFromTarget"'
_UNREAD = (b'{"method":"Runtime.consoleAPICalled"', b'{"method":"Log.entryAdded"')
"""Messages that nobody asks Playwright for, and that a page can send without end."""
_TAG = re.compile(rb"--playwright--set--content--[\w@]{1,64}--[0-9]{1,9}--")
"""What Playwright has a page log when setting its content, to know when this began."""
_FIRST_ID = -2_000_000_000
"""Ids of our own commands. Agents have none below 0; Playwright counts from 1, and closes a browser with -9999."""
_PATIENCE = 60.0
"""Seconds that a browser may take to answer a command of ours; if it has ended, this is noticed at once."""


class SharedPipe:
    """The shared DevTools connection of one browser.

    A browser launched with it (:class:`~websp_gym.browser.launch.BrowserOptions`) uses it. All work is done on
    :attr:`loop`, in a separate thread.

    Attributes:
        loop: The event loop of the thread.
    """

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="websp-pipe", daemon=True)
        self._thread.start()
        self._folder: Path | None = None
        self._listener: socket.socket | None = None
        self._link: _Link | None = None

    def executable(self, browser: str) -> str:
        """Return the path of a program that starts a browser with this connection.

        Args:
            browser: Path of the browser's executable.
        """
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="pipe-", dir=scratch_folder()))
            self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            self._listener.bind(str(self._folder / "socket"))
            self._listener.listen()
            threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()
        words = [sys.executable, "-I", "-S", str(_LAUNCHER), str(self._folder / "socket"), browser]
        program = self._folder / "browser"
        program.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n', "utf-8")
        program.chmod(0o700)
        return str(program)

    def run(self, work: Coroutine[Any, Any, Returned], seconds: float = _PATIENCE) -> Returned:
        """Run a coroutine on :attr:`loop` and return its result; call it from another thread.

        Raises:
            WorldError: It did not end in time.
        """
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result(seconds)
        except TimeoutError:
            future.cancel()
            raise WorldError(f"the browser did not answer within {seconds:g} seconds") from None

    async def browser_session(self, on_message: OnMessage) -> str:
        """Open a session with the browser itself, and return its id.

        Args:
            on_message: Gets the messages of this session and of all sessions opened through it.

        Raises:
            CommandError: The browser is gone.
        """
        opened = await self.ask("", "Target.attachToBrowserTarget")
        assert self._link is not None
        return self._link.add_session(opened["sessionId"], on_message)

    async def ask(self, session: str, method: str, **arguments: Any) -> Message:
        """Send a command of our own and return its result; call it on :attr:`loop`.

        Args:
            session: The session it is for; empty for none.
            method: Its name, such as ``Browser.getVersion``.
            **arguments: Its parameters.

        Raises:
            CommandError: The browser refuses it, is gone, or does not answer within a minute.
        """
        result = self.command(session, method, arguments)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(result), _PATIENCE)
        except TimeoutError:
            raise CommandError(f"the browser did not answer {method}") from None

    def command(self, session: str, method: str, arguments: Mapping[str, Any]) -> Future[Message]:
        """Send a command as :meth:`ask` does, and return the future of its result, which nobody needs to await."""
        if self._link is None:
            raise CommandError("the browser has not started")
        return self._link.command(session, method, arguments)

    def close_session(self, session: str) -> None:
        """Close a session with the browser and all sessions opened through it; call it on :attr:`loop`."""
        if self._link is not None:
            self._link.close_session(session)

    def end_sessions(self) -> None:
        """Close the sessions of all clients except Playwright, so that the next ones can share the same browser."""

        async def end() -> None:
            if self._link is not None:
                self._link.end_sessions()

        self.run(end())

    def send(self, message: bytes) -> None:
        """Send the browser a message, which names one of our sessions; call it on :attr:`loop`."""
        if self._link is not None:
            self._link.send(message)

    def close(self) -> None:
        """End the thread; the browser must have been closed."""
        if self._listener is not None:
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(_PATIENCE)

    def _run(self) -> None:
        try:
            self.loop.run_forever()
        finally:
            if self._link is not None:
                self._link.close()
            self.loop.close()

    def _accept(self, listener: socket.socket) -> None:
        """Exchange the pipes with each launcher: Playwright may start a browser twice."""
        with contextlib.suppress(OSError):
            while True:
                link, _ = listener.accept()
                with link:
                    _, (from_playwright, to_playwright), _, _ = socket.recv_fds(link, 1, 2)
                    browser_reads, to_browser = os.pipe()
                    from_browser, browser_writes = os.pipe()
                    ready = asyncio.run_coroutine_threadsafe(
                        self._start(from_playwright, to_playwright, from_browser, to_browser), self.loop
                    )
                    ready.result(_PATIENCE)
                    socket.send_fds(link, [b"2"], [browser_reads, browser_writes])
                    os.close(browser_reads)
                    os.close(browser_writes)

    async def _start(self, *ends: int) -> None:
        if self._link is not None:
            self._link.close()
        self._link = await _Link.open(*ends)


class _Link:
    """The four ends of the pipes of one started browser."""

    def __init__(self) -> None:
        self._to_browser: asyncio.WriteTransport
        self._to_playwright: asyncio.WriteTransport
        self.closed = False
        self._handlers: dict[str, OnMessage] = {}
        self._roots: set[str] = set()
        """The sessions with the browser itself, through which all our other sessions were opened."""
        self._commands = Commands(_FIRST_ID)
        self._tags: set[bytes] = set()
        self._transports: list[asyncio.ReadTransport | asyncio.WriteTransport] = []

    @classmethod
    async def open(
        cls, from_playwright: int, to_playwright: int, from_browser: int, to_browser: int
    ) -> _Link:
        """Connect the four descriptors, which are closed with the link."""
        link = cls()
        link._to_browser = await link._writing(to_browser)
        link._to_playwright = await link._writing(to_playwright)
        # Messages of two clients must not be mixed, so only whole ones are passed on.
        await link._reading(from_playwright, _Messages(link._from_playwright).feed)
        await link._reading(from_browser, _Messages(link._from_browser).feed)
        return link

    def send(self, message: bytes) -> None:
        """Send a message to the browser."""
        self._to_browser.write(message + b"\0")

    def close(self) -> None:
        """Close all ends; clients that wait for an answer get an error."""
        self.closed = True
        for transport in self._transports:
            if not transport.is_closing():  # closing one twice is an error
                transport.close()
        self._commands.end("the browser is gone")

    def command(self, session: str, method: str, arguments: Mapping[str, Any]) -> Future[Message]:
        command = self._commands.command(method, arguments, session)
        if not self.closed:
            self.send(command.text)
        return command.result

    def add_session(self, session: str, on_message: OnMessage) -> str:
        self._handlers[session] = on_message
        self._roots.add(session)
        return session

    def close_session(self, session: str) -> None:
        """Close a session of ours."""
        self.command("", "Target.detachFromTarget", {"sessionId": session})

    def end_sessions(self) -> None:
        """Close all sessions of ours."""
        for session in self._roots:
            self.close_session(session)
        # The browser does not tell of the end of what was opened through them.
        self._handlers = dict.fromkeys(self._roots, lambda text, session: None)
        self._roots.clear()

    async def _reading(self, descriptor: int, feed: Callable[[bytes], None]) -> None:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: _Reader(feed, self.close), os.fdopen(descriptor, "rb", 0)
        )
        self._transports.append(transport)

    async def _writing(self, descriptor: int) -> asyncio.WriteTransport:
        transport, _ = await asyncio.get_running_loop().connect_write_pipe(
            lambda: _Writer(self.close), os.fdopen(descriptor, "wb", 0)
        )
        self._transports.append(transport)
        return transport

    def _from_playwright(self, message: bytes) -> None:
        self._tags.update(_TAG.findall(message))
        self.send(message)

    def _is_unread(self, message: bytes) -> bool:
        if not message.startswith(_UNREAD):
            return False
        awaited = self._tags.intersection(_TAG.findall(message)) if self._tags else set()
        self._tags -= awaited
        return not awaited

    def _from_browser(self, message: bytes) -> None:
        if self._commands.receive(message):
            return
        found = _SESSION.search(message, max(0, len(message) - 64))
        session = found[1].decode() if found is not None else ""
        on_message = self._handlers.get(session)
        if message.startswith(_DETACHED):
            child = json.loads(message)["params"]["sessionId"]
            self._commands.end_session(child)
            if self._handlers.pop(child, None) is not None and on_message is None:
                return  # one of our roots, of which Playwright knows nothing
        elif on_message is not None and message.startswith(_ATTACHED):
            self._handlers[json.loads(message)["params"]["sessionId"]] = on_message
        if on_message is not None:
            on_message(message, session)
        elif not (self._is_unread(message) or (not session and _is_of_a_root(message))):
            self._to_playwright.write(message + b"\0")


def _is_of_a_root(message: bytes) -> bool:
    """Whether a message without a session says that one of our root sessions was opened; Playwright opens none."""
    return message.startswith(_ATTACHED) and b'"type":"browser"' in message[:400]


class _Messages:
    """Cuts a stream into messages, which end in a zero byte."""

    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        self._parts: list[bytes] = []

    def feed(self, chunk: bytes) -> None:
        """Handle all messages that this part of the stream completes; a failure in one does not affect the others."""
        *whole, rest = chunk.split(b"\0")
        if whole:
            whole[0] = b"".join((*self._parts, whole[0]))
            self._parts.clear()
        if rest:
            self._parts.append(rest)
        for message in whole:
            try:
                self._take(message)
            except Exception:
                logger.exception("a message of a DevTools connection was lost")


class _Reader(asyncio.Protocol):
    def __init__(self, feed: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        self._feed = feed
        self._lost = lost

    def data_received(self, data: bytes) -> None:
        self._feed(data)

    def connection_lost(self, error: Exception | None) -> None:
        self._lost()


class _Writer(asyncio.BaseProtocol):
    def __init__(self, lost: Callable[[], None]) -> None:
        self._lost = lost

    def connection_lost(self, error: Exception | None) -> None:
        self._lost()
