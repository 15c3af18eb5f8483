"""A server, browser or driver that stands still is the world's failure; the time it takes is not the agent's."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

import psutil
import pytest

from tests.browser_support import drivers, starved
from tests.conftest import MakeEnv
from tests.env.test_robustness import browser_processes
from tests.kept_tab import close_kept_tabs
from tests.sample import left_to_prove
from websp_gym.browser.deadline import Watch
from websp_gym.browser.driver import event_loop
from websp_gym.browser.launch import BrowserOptions, open_context, shared_browser
from websp_gym.browser.owner import call
from websp_gym.env import WebspEnv
from websp_gym.errors import WorldError
from websp_gym.sandbox.client import VARIABLE, Sandbox

DONE = "Steam-task-191-OFF"
"""Already done at S0: the answer alone is paid, which shows that an episode works."""
SMALL = (400, 300)
TIMEOUT = 6.0
STALL = 4.0
PATIENCE = 120.0
"""Seconds after which what is stopped goes on, and the test fails."""


@pytest.fixture(scope="module", autouse=True)
def _own_world() -> Iterator[None]:
    """A server and browsers that may be killed without harm to other tests of this process."""
    call(close_kept_tabs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sandbox, "_shared", None)
        patch.delenv(VARIABLE, raising=False)
        yield
        if Sandbox._shared is not None:
            Sandbox._shared.close()


def sandbox() -> list[int]:
    return [Sandbox.shared().address.pid]


def browser() -> list[int]:
    return [process.pid for process in browser_processes()]


def driver() -> list[int]:
    return [process.pid for process in drivers()]


@contextmanager
def stopped(processes: list[int], seconds: float = PATIENCE) -> Iterator[None]:
    """Stops processes, for some seconds; at the end of the block they go on at the latest."""
    signal_all(processes, signal.SIGSTOP)
    timer = threading.Timer(seconds, signal_all, [processes, signal.SIGCONT])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        signal_all(processes, signal.SIGCONT)


def signal_all(processes: list[int], number: signal.Signals) -> None:
    """A browser's processes end on their own, and one by one when it is killed: those that are gone are passed over."""
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, number)


Who = Callable[[], list[int]]


def plays(env: WebspEnv) -> bool:
    """Whether an episode can be played from its first observation to its reward."""
    env.reset()
    return env.step("ANSWER; done")[1] == 1.0


@pytest.mark.parametrize("who", [sandbox, browser, left_to_prove(driver)], ids=lambda who: who.__name__)
def test_a_stall_past_the_deadline_is_a_world_error_and_the_next_reset_works(make: MakeEnv, who: Who) -> None:
    env = make(DONE, viewport=SMALL, step_timeout=TIMEOUT)
    env.reset()
    with stopped(who()), pytest.raises(WorldError, match=r"did not answer|did not respond"):
        env.step("Google")
    assert plays(env)


@pytest.mark.parametrize("who", [sandbox, browser], ids=lambda who: who.__name__)
def test_a_stall_that_ends_costs_the_agent_no_time(make: MakeEnv, who: Who) -> None:
    env = make(DONE, viewport=SMALL)
    observation, _ = env.reset()
    before, began = observation["seconds_left"], time.monotonic()
    with stopped(who(), seconds=STALL):
        observation, _, terminated, truncated, _ = env.step("Google")
    assert (terminated, truncated) == (False, False)
    assert observation["url"] == "https://www.google.com/"
    charged = before - observation["seconds_left"]
    # Whole seconds are shown, and the first moments pass before the stall is noticed.
    assert time.monotonic() - began - charged > STALL - 2


@pytest.mark.proof
def test_a_stall_is_not_scored_as_a_time_limit(make: MakeEnv) -> None:
    env = make(DONE, viewport=SMALL, max_seconds=14, step_timeout=40)
    env.reset()
    began = time.monotonic()
    with stopped(sandbox(), seconds=15):
        # A link to the front page: what opens an address gives up after ten seconds.
        *_, terminated, truncated, _ = env.step("Click [0]")
    assert time.monotonic() - began > 14
    assert (terminated, truncated) == (False, False)


def test_the_time_in_which_the_machine_keeps_a_call_waiting_moves_its_deadline() -> None:
    """To four times as far at most; a process of ours that gets no processor stands for a browser."""

    def ended_after(seconds: float) -> Watch:
        with closing(open_context(BrowserOptions(), viewport=SMALL)) as context:
            page = context.new_page()
            with (
                Watch(event_loop(), seconds, context=context) as watch,
                contextlib.suppress(Exception),
            ):
                page.wait_for_timeout(1000 * (seconds + 0.5))
        return watch

    with starved():
        watch = call(lambda: ended_after(1.5))
    assert not watch.expired
    assert 0.5 < watch.moved <= 4.5


def test_a_reset_on_a_stalled_browser_starts_a_new_one(make: MakeEnv) -> None:
    env = make(DONE, viewport=SMALL)
    env.reset()
    with stopped(browser()):
        # The end of the episode before has a deadline of its own, at which the browser is killed.
        assert plays(env)


def test_a_context_opens_although_the_driver_has_just_ended() -> None:
    """Before Playwright has noticed: its browser still looks connected."""

    def evaluated() -> object:
        shared_browser(BrowserOptions())
        (process,) = driver()
        os.kill(process, signal.SIGKILL)
        context = open_context(BrowserOptions(), viewport=(800, 600))
        with closing(context):
            return context.new_page().evaluate("1 + 1")

    assert call(evaluated) == 2


def test_how_an_episode_ended_is_on_record_although_its_end_state_cannot_be_read(make: MakeEnv) -> None:
    env = make(DONE, viewport=SMALL)
    env.reset()
    assert env.task is not None
    os.kill(Sandbox.shared().address.pid, signal.SIGKILL)
    with pytest.raises(WorldError):
        env.task.validate(env.page, [{"role": "assistant", "message": "all done"}])
    record = env.task.trajectory
    assert (record.end_reason, record.answer, record.verdict) == ("answer", "all done", None)


@pytest.mark.proof
def test_a_browser_without_its_zygote_is_not_the_agents_fault(make: MakeEnv) -> None:
    """The zygote, which the system may kill for memory, starts the processes of new pages."""
    env = make(DONE, viewport=SMALL, step_timeout=TIMEOUT)
    env.reset()
    # Listed first: the end of one zygote ends others.
    for process in [each for each in browser_processes() if "--type=zygote" in " ".join(each.cmdline())]:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    # Playwright 1.64 says at once that the new page is gone.
    with pytest.raises(WorldError, match=r"the browser did not answer|Target crashed"):
        env.step("Google")
    with contextlib.suppress(WorldError):  # the first reset may be the one that notices
        env.reset()
    assert plays(env)
