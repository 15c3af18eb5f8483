"""A browser's DevTools connection that Playwright shares with other clients."""

from __future__ import annotations

import asyncio
import fcntl
import json
import termios
import time
from array import array
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import psutil
import pytest
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page

from tests.process_support import words_of
from websp_gym.browser.devtools import CommandError
from websp_gym.browser.driver import processes_of
from websp_gym.browser.launch import BrowserOptions, close_browser, open_context
from websp_gym.browser.shared_pipe import SharedPipe


class Other:
    """Another client: sends commands in a session of its own, and gathers what it hears."""

    def __init__(self, pipe: SharedPipe) -> None:
        self.pipe = pipe
        self.heard: list[dict[str, Any]] = []
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.session = pipe.run(pipe.browser_session(self._hear))

    def _hear(self, text: bytes, session: str) -> None:
        message = json.loads(text)
        self.heard.append(message)
        waiting = self._answers.pop(message.get("id", 0), None)
        if waiting is not None:
            waiting.set_result(message)

    async def _ask(self, number: int, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        self._answers[number] = asyncio.get_running_loop().create_future()
        message = {"id": number, "method": method, "params": arguments, "sessionId": self.session}
        self.pipe.send(json.dumps(message).encode())
        return await self._answers[number]

    def ask(self, number: int, method: str, **arguments: Any) -> dict[str, Any]:
        return self.pipe.run(self._ask(number, method, arguments))


@pytest.fixture(scope="module")
def shared(browser_thread: None) -> Iterator[tuple[SharedPipe, Page]]:
    pipe = SharedPipe()
    options = BrowserOptions(pipe=pipe)
    page = open_context(options, viewport=(320, 240)).new_page()
    yield pipe, page
    close_browser(options)
    pipe.close()


def test_the_browser_opens_no_port(shared: tuple[SharedPipe, Page]) -> None:
    _, page = shared
    _driver, *browsers = processes_of(page.context)
    for browser in browsers:
        words = psutil.Process(browser).cmdline()
        assert "--remote-debugging-pipe" in words
        assert not any("--remote-debugging-port" in word for word in words)
        assert psutil.Process(browser).net_connections("tcp") == []


def test_each_client_hears_of_its_own_sessions_only(shared: tuple[SharedPipe, Page]) -> None:
    pipe, page = shared
    first, second = Other(pipe), Other(pipe)
    assert first.session != second.session
    assert first.ask(1, "Browser.getVersion")["result"]["product"].count(".") == 3
    assert second.heard == []
    assert "sessionId" in second.ask(1, "Target.getTargets")
    assert page.evaluate("1 + 1") == 2


def test_messages_of_many_clients_are_not_mixed(shared: tuple[SharedPipe, Page]) -> None:
    """Large ones go through the pipes in parts."""
    pipe, page = shared
    others = [Other(pipe) for _ in range(4)]
    junk = "x" * 300_000

    def talk(other: Other) -> int:
        answers = [other.ask(number, "Target.getTargetInfo", junk=junk) for number in range(1, 30)]
        return sum("result" in answer for answer in answers)

    with ThreadPoolExecutor() as pool:
        talking = [pool.submit(talk, other) for other in others]
        for _ in range(30):
            assert page.evaluate("text => text.length", junk) == 300_000
        assert [each.result(300) for each in talking] == [29] * 4


def test_what_a_page_says_is_never_taken_for_a_session(shared: tuple[SharedPipe, Page]) -> None:
    pipe, page = shared
    other = Other(pipe)
    forged = f'","sessionId":"{other.session}"}}'
    assert page.evaluate("text => text", forged) == forged
    page.evaluate("text => { document.title = text; console.log(text); }", forged)
    assert page.title() == forged
    assert not any("consoleAPICalled" in message.get("method", "") for message in other.heard)


def test_a_closed_session_is_gone_and_playwright_goes_on(shared: tuple[SharedPipe, Page]) -> None:
    pipe, page = shared
    other, left = Other(pipe), Other(pipe)
    pipe.loop.call_soon_threadsafe(pipe.close_session, other.session)
    assert "result" in left.ask(1, "Browser.getVersion")
    before = len(other.heard)
    page.context.new_page().close()
    assert page.evaluate("1 + 1") == 2
    assert len(other.heard) == before


_SHORTEST = 200
"""Bytes of an answer with the version of a browser, at least."""


def bytes_in(pipe: SharedPipe) -> int:
    """How much the browser has said that was not read yet."""
    assert pipe._link is not None
    waiting = array("i", [0])
    for transport in pipe._link._transports:
        if isinstance(transport, asyncio.ReadTransport):
            one = array("i", [0])
            fcntl.ioctl(transport.get_extra_info("pipe"), termios.FIONREAD, one)
            waiting[0] += one[0]
    return waiting[0]


def test_a_client_that_fails_at_one_message_loses_no_other(shared: tuple[SharedPipe, Page]) -> None:
    pipe, page = shared
    heard: list[int] = []

    def hear(text: bytes, session: str) -> None:
        number = json.loads(text)["id"]
        assert number % 2 == 0
        heard.append(number)

    async def ask_all(session: str) -> None:
        for number in range(1, 101):
            message = {"id": number, "method": "Browser.getVersion", "sessionId": session}
            pipe.send(json.dumps(message).encode())
        # All answers are to be in the pipe when it is read again, so nobody reads it until then.
        until = time.monotonic() + 120
        while bytes_in(pipe) < 100 * _SHORTEST and time.monotonic() < until:
            time.sleep(0.01)

    pipe.run(ask_all(pipe.run(pipe.browser_session(hear))))
    assert page.evaluate("1 + 1") == 2
    assert heard == list(range(2, 101, 2))


def browsers() -> set[psutil.Process]:
    """The browsers of this process, with one process or two each."""
    return {
        each
        for each in psutil.Process().children(recursive=True)
        if "--remote-debugging-pipe" in words_of(each)
    }


def test_a_killed_browser_is_an_error_for_all(browser_thread: None) -> None:
    pipe, others = SharedPipe(), browsers()
    page = open_context(BrowserOptions(pipe=pipe), viewport=(320, 240)).new_page()
    Other(pipe)
    for each in browsers() - others:
        with suppress(psutil.NoSuchProcess):  # it has ended with the other one
            each.kill()
    with pytest.raises(PlaywrightError):
        page.wait_for_timeout(20_000)
    with pytest.raises(CommandError):
        pipe.run(pipe.browser_session(lambda text, session: None))
    pipe.close()


def test_without_a_browser_there_is_no_session() -> None:
    pipe = SharedPipe()
    with pytest.raises(CommandError, match="has not started"):
        pipe.run(pipe.browser_session(lambda text, session: None))
    pipe.close()
