"""Doors one after the other use the same browser, and each has nothing of another one."""

from __future__ import annotations

import json
from contextlib import closing, suppress

import psutil
import pytest

from tests.attach_support import COOKIES, STEAM, Client, CommandError, until
from tests.conftest import MakeEnv
from tests.kept_tab import close_kept_tabs
from tests.process_support import words_of
from websp_gym.attach import attach
from websp_gym.attach.agent import OutsideAgent
from websp_gym.browser.launch import BrowserOptions, close_browser, close_browsers, open_context
from websp_gym.browser.owner import call
from websp_gym.browser.shared_pipe import SharedPipe
from websp_gym.errors import WorldError


@pytest.fixture(scope="module", autouse=True)
def _no_other_browsers() -> None:
    """Close what other files have left open in this process; here browsers are counted and killed."""
    call(close_kept_tabs)
    call(close_browsers)
    until(lambda: not doors_browsers())


def doors_browsers() -> set[int]:
    """Return the processes of the browsers behind doors of this process, which has no others."""
    return {
        each.pid
        for each in psutil.Process().children(recursive=True)
        if "--remote-debugging-pipe" in (words := words_of(each))
        and any(word.startswith("--user-data-dir") for word in words)
    }


@pytest.mark.proof
def test_doors_at_once_have_a_browser_each_and_the_next_one_has_nothing_of_the_last_agents() -> None:
    with attach(STEAM) as door, closing(Client(door.cdp_url)) as old:
        old.open(COOKIES)
        old.evaluate("localStorage.left = 1; document.cookie = 'left=1; path=/'; void 0")
        # It would hold up every new tab of the browser.
        old.send("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=True, flatten=True)
        targets = {each["targetId"] for each in old.send("Target.getTargets")["targetInfos"]}
        first = doors_browsers()
        with attach(STEAM, seed=1):
            assert len(doors_browsers()) == 2 * len(first)
        # One is kept, beside that of the door that is still open.
        assert len(doors_browsers()) == 2 * len(first)
    kept = doors_browsers()
    assert len(kept) == len(first)
    with attach(STEAM) as door, closing(Client(door.cdp_url)) as new:
        assert doors_browsers() == kept == first
        new.open(COOKIES)
        assert new.evaluate("[localStorage.left ?? '', document.cookie.includes('left')]") == ["", False]
        assert not targets & {each["targetId"] for each in new.send("Target.getTargets")["targetInfos"]}
        with pytest.raises(CommandError, match="No target"):
            new.attach(targets.pop())


def test_a_browser_that_an_agent_has_ended_is_not_the_next_doors() -> None:
    with attach(STEAM) as door:
        for each in doors_browsers():
            with suppress(psutil.NoSuchProcess):  # it has ended with the other one
                psutil.Process(each).kill()
        with pytest.raises(WorldError):
            door.finish()
    with attach(STEAM) as door, closing(Client(door.cdp_url)) as client:
        client.open(COOKIES)


def test_a_browser_in_which_no_episode_began_is_not_kept(make: MakeEnv) -> None:
    env, agent = make(STEAM, observation="text"), OutsideAgent("any")
    agent.join(env)
    env.reset(seed=0)
    assert doors_browsers()
    agent.leave()  # as after an error of the reset
    until(lambda: not doors_browsers())


def test_sessions_that_are_ended_hear_nothing_more_and_new_ones_do() -> None:
    pipe = SharedPipe()
    options = BrowserOptions(pipe=pipe)
    context = call(lambda: open_context(options, viewport=(320, 240)))
    heard: dict[str, list[bytes]] = {"old": [], "new": []}

    def listen(name: str) -> None:
        session = pipe.run(pipe.browser_session(lambda text, session: heard[name].append(text)))
        for method, arguments in (
            ("Target.setDiscoverTargets", {"discover": True}),
            ("Target.setAutoAttach", {"autoAttach": True, "waitForDebuggerOnStart": False, "flatten": True}),
        ):
            message = {"id": 1, "method": method, "params": arguments, "sessionId": session}
            pipe.loop.call_soon_threadsafe(pipe.send, json.dumps(message).encode())

    listen("old")
    call(lambda: context.new_page().set_content("<p>One"))
    until(lambda: heard["old"])
    pipe.end_sessions()
    before = len(heard["old"])
    listen("new")
    call(lambda: context.new_page().set_content("<p>Two"))
    until(lambda: heard["new"])
    assert len(heard["old"]) == before
    call(lambda: close_browser(options))
    pipe.close()
