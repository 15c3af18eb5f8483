"""Environments work wherever they are used from: notebooks, coroutines, threads that come and go, forked children."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from websp_gym.browser.owner import adopt
from websp_gym.errors import WorldError
from websp_gym.sandbox.client import VARIABLE, Sandbox

START = """
import asyncio, multiprocessing, os, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
import gymnasium as gym
import websp_gym
from websp_gym.errors import WorldError

def play(env):
    env.reset(seed=1)
    return env.step("ANSWER; done")[1]

# Already done at S0: the answer alone is paid.
env = gym.make("websp/Steam-task-191-OFF", initial_state="snapshot")
"""

FROM_ANYWHERE = """
from websp_gym.browser.owner import call

async def main():
    return play(env), await asyncio.to_thread(play, env)

assert asyncio.run(main()) == (1.0, 1.0), "in a running asyncio loop, and in a thread of it"

# An episode begun in one thread and ended in another.
env.reset()
paid = []
thread = threading.Thread(target=lambda: paid.append(env.step("ANSWER; done")[1]))
thread.start()
thread.join()
assert paid == [1.0]

# Two environments in two threads at once.
others = [env, gym.make("websp/Steam-task-191-OFF", initial_state="snapshot")]
paid = []
threads = [threading.Thread(target=lambda env=env: paid.append(play(env))) for env in others]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert paid == [1.0, 1.0]
others[1].close()

# Playwright's objects from another thread.
env.reset()
page = env.unwrapped.page
assert page.evaluate("location.host") == "store.steampowered.com"
with page.expect_event("console") as heard:
    page.evaluate("console.log('hi')")
assert heard.value.text == "hi"
assert page.context.pages[0] == page

# A forked child with an environment of its own.
def child(queue):
    own = gym.make("websp/Steam-task-191-OFF", initial_state="snapshot")
    queue.put(play(own))
    own.close()

fork = multiprocessing.get_context("fork")
queue = fork.Queue()
process = fork.Process(target=child, args=(queue,))
process.start()
assert queue.get(timeout=400) == 1.0
process.join()
assert process.exitcode == 0

# A forked child with its parent's environment.
child = os.fork()
if child == 0:
    try:
        env.step("Google")
    except WorldError as error:
        assert "parent process" in str(error)
        assert play(env) == 1.0
        env.close()
        os._exit(0)
    os._exit(1)
assert os.waitpid(child, 0)[1] == 0
assert env.step("ANSWER; done")[1] == 1.0, "the parent's episode went on"

# The quickest of many batches, beside those of a plain thread: a busy machine holds up both.
def batch(hand_over):
    began = time.monotonic()
    for _ in range(20):
        hand_over()
    return time.monotonic() - began

with ThreadPoolExecutor(1) as pool:
    ours, plain = zip(*(
        (batch(lambda: call(lambda: None)), batch(lambda: pool.submit(lambda: None).result())) for _ in range(50)
    ))
assert min(ours) < 20 * min(plain), "a handover takes no time to speak of"

# The process ends with an open environment.
env.reset()
"""
DRIVEN_HERE = """
from websp_gym.browser.owner import adopt

adopt()
env.reset()
assert type(env.unwrapped.page).__module__ == "playwright.sync_api._generated"

said = []
def from_another():
    try:
        env.step("Google")
    except WorldError as error:
        said.append(str(error))

thread = threading.Thread(target=from_another)
thread.start()
thread.join()
assert "another thread of this process already drives the browser" in said[0], said
assert play(env) == 1.0
env.close()
"""


@pytest.mark.proof
def test_an_environment_works_from_anywhere_and_leaves_nothing_behind() -> None:
    """From a running asyncio loop, threads that come and go, and forked children; and if nobody closes it."""
    done = run(START + FROM_ANYWHERE)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_thread_that_uses_playwrights_objects_itself_is_the_only_one() -> None:
    done = run(START + DRIVEN_HERE)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_thread_cannot_take_the_browser_from_the_one_that_drives_it() -> None:
    with pytest.raises(WorldError, match="another thread of this process already drives the browser"):
        adopt()


def test_an_interrupted_step_ends_at_once_and_the_next_reset_works() -> None:
    script = """
import signal
env = gym.make("websp/Steam-task-191-OFF", initial_state="snapshot", step_timeout=3600)
env.reset()
env.unwrapped.page.evaluate("() => { setTimeout(() => { while (true); }, 0); }")
# The timer's own thread gets the signal: the waiting one is not woken by it.
timer = threading.Timer(1, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
timer.start()
try:
    env.step("Wait")  # an hour, if it were waited for
except KeyboardInterrupt:
    assert play(env) == 1.0
else:
    raise AssertionError("not interrupted")
env.close()
"""
    done = run(START + script)
    assert (done.returncode, done.stderr) == (0, "")


STUCK = """
import time
from websp_gym.browser import owner
owner.GRACE = owner._LAST_WAIT = 0.1
owner.on_shut_down(lambda: time.sleep(60))
owner.call(lambda: None)
try:
    raise SystemExit("what went wrong before")
finally:
    owner.shut_down()
"""


def test_a_browser_that_does_not_close_hides_no_error() -> None:
    assert run(STUCK).stderr == "what went wrong before\n"


def test_the_quick_start_runs_in_a_notebook(tmp_path: Path) -> None:
    cell = nbformat.v4.new_code_cell(START + "print(play(env), env.unwrapped.page)\nenv.close()")
    notebook = nbformat.v4.new_notebook(cells=[cell])
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    (output,) = notebook.cells[0].outputs
    assert output.text.startswith("1.0 "), output


def run(script: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, which uses the server of this one."""
    command = [sys.executable, "-W", "error", "-c", script]
    variables = {**os.environ, VARIABLE: Sandbox.shared().address.dump(secret=True)}
    return subprocess.run(command, capture_output=True, text=True, timeout=600, env=variables)
