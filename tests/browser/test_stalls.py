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

from tests.browser_support import drivers
from tests.conftest import MakeEnv
from tests.env.test_robustness import browser_processes, own_sandbox
from websp_gym.agents import make_agent
from websp_gym.browser.launch import BrowserOptions, open_context, shared_browser
from websp_gym.browser.owner import call
from websp_gym.env import WebspEnv
from websp_gym.errors import WorldError
from websp_gym.runner.batch import run_episode
from websp_gym.sandbox.client import Sandbox

TODO = "Steam-task-191-ON"
TIMEOUT = 4.0
RESET = 12.0
MARGIN = 20.0

pytestmark = pytest.mark.usefixtures(own_sandbox.__name__)


def sandbox() -> list[int]:
    return [Sandbox.shared().address.pid]


def browser() -> list[int]:
    return [process.pid for process in browser_processes()]


def driver() -> list[int]:
    return [process.pid for process in drivers()]


@contextmanager
def stopped(processes: list[int], seconds: float | None = None) -> Iterator[None]:
    """Stops processes, for some seconds or for the block."""
    for process in processes:
        os.kill(process, signal.SIGSTOP)
    timer = threading.Timer(seconds, resume, [processes]) if seconds is not None else None
    if timer is not None:
        timer.start()
    try:
        yield
    finally:
        if timer is not None:
            timer.join()
        resume(processes)


def resume(processes: list[int]) -> None:
    for process in processes:
        if psutil.pid_exists(process):
            os.kill(process, signal.SIGCONT)


Who = Callable[[], list[int]]


@pytest.mark.parametrize("who", [sandbox, browser, driver], ids=lambda who: who.__name__)
def test_a_stall_past_the_deadline_is_a_world_error_and_the_next_reset_works(make: MakeEnv, who: Who) -> None:
    env = make(TODO, step_timeout=TIMEOUT)
    env.reset()
    began = time.monotonic()
    with stopped(who()), pytest.raises(WorldError, match=r"did not answer|did not respond"):
        env.step("Google")
    assert time.monotonic() - began < TIMEOUT + MARGIN
    assert run_episode(env, make_agent("oracle")).reward == 1.0


@pytest.mark.parametrize("who", [sandbox, browser], ids=lambda who: who.__name__)
def test_a_stall_that_ends_costs_the_agent_no_time(make: MakeEnv, who: Who) -> None:
    env = make(TODO, max_seconds=60)
    observation, _ = env.reset()
    before = observation["seconds_left"]
    with stopped(who(), seconds=6):
        observation, _, terminated, truncated, _ = env.step("Google")
    assert (terminated, truncated) == (False, False)
    assert observation["url"] == "https://www.google.com/"
    assert before - observation["seconds_left"] < 6


def test_a_stall_is_not_scored_as_a_time_limit(make: MakeEnv) -> None:
    env = make(TODO, max_seconds=6.5, step_timeout=20)
    env.reset()
    with stopped(sandbox(), seconds=7):
        *_, terminated, truncated, _ = env.step("Google")
    assert (terminated, truncated) == (False, False)


def test_a_reset_on_a_stalled_browser_starts_a_new_one(make: MakeEnv) -> None:
    env = make(TODO)
    env.reset()
    began = time.monotonic()
    with stopped(browser()):
        env.reset()
        # The end of the episode before has a deadline of its own, at which the browser is killed.
        assert time.monotonic() - began < 60
    assert run_episode(env, make_agent("oracle")).reward == 1.0


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
    env = make(TODO)
    env.reset()
    assert env.task is not None
    os.kill(Sandbox.shared().address.pid, signal.SIGKILL)
    with pytest.raises(WorldError):
        env.task.validate(env.page, [{"role": "assistant", "message": "all done"}])
    record = env.task.trajectory
    assert (record.end_reason, record.answer, record.verdict) == ("answer", "all done", None)


def test_a_browser_without_its_zygote_is_not_the_agents_fault(make: MakeEnv) -> None:
    """The zygote, which the system may kill for memory, starts the processes of new pages."""
    env = make(TODO, step_timeout=TIMEOUT, reset_timeout=RESET)
    env.reset()
    # Listed first: the end of one zygote ends others.
    for process in [each for each in browser_processes() if "--type=zygote" in " ".join(each.cmdline())]:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    # Playwright 1.64 says at once that the new page is gone.
    with pytest.raises(WorldError, match=r"the browser did not answer|Target crashed"):
        env.step("Google")
    with_retry(env)
    assert run_episode(env, make_agent("oracle")).reward == 1.0


def with_retry(env: WebspEnv) -> None:
    """The first reset may be the one that notices."""
    try:
        env.reset()
    except WorldError:
        env.reset()
