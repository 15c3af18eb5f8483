"""Environments work wherever they are used from: notebooks, coroutines, threads that come and go, forked children."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from websp_gym.browser.owner import adopt
from websp_gym.errors import WorldError

START = """
import asyncio, multiprocessing, os, sys, threading, time
import gymnasium as gym
import websp_gym

def play(env):
    env.reset(seed=1)
    return env.step("ANSWER; done")[1]

# Already done at S0: the answer alone is paid.
env = gym.make("websp/Steam-task-191-OFF", initial_state="snapshot")
"""

FROM_ANYWHERE = {
    "a running asyncio loop, and threads of all kinds": """
async def main():
    return play(env), await asyncio.to_thread(play, env)

assert asyncio.run(main()) == (1.0, 1.0)

paid = []
for _ in range(3):
    thread = threading.Thread(target=lambda: paid.append(play(env)))
    thread.start()
    thread.join()
assert [*paid, play(env)] == [1.0] * 4, paid

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

# The quickest of many batches: a busy machine may hold up all others.
from websp_gym.browser.owner import call
def batch():
    began = time.monotonic()
    for _ in range(20):
        call(lambda: None)
    return time.monotonic() - began

assert min(batch() for _ in range(50)) < 0.020, "a handover takes less than a millisecond"
""",
    "a forked child": """
def child(queue):
    own = gym.make("websp/Steam-task-191-OFF", initial_state="snapshot")
    queue.put(play(own))
    own.close()

env.reset()
fork = multiprocessing.get_context("fork")
queue = fork.Queue()
process = fork.Process(target=child, args=(queue,))
process.start()
assert queue.get(timeout=60) == 1.0
process.join(30)
assert process.exitcode == 0
assert env.step("ANSWER; done")[1] == 1.0, "the parent's episode went on"
""",
    "a forked child with its parent's environment": """
env.reset()
child = os.fork()
if child == 0:
    try:
        env.step("Google")
    except websp_gym.errors.WorldError as error:
        assert "parent process" in str(error)
        assert play(env) == 1.0
        env.close()
        os._exit(0)
    os._exit(1)
assert os.waitpid(child, 0)[1] == 0
assert env.step("ANSWER; done")[1] == 1.0, "the parent's episode went on"
""",
    "Playwright's objects from another thread": """
env.reset()
page = env.unwrapped.page
assert page.evaluate("location.host") == "store.steampowered.com"
with page.expect_event("console") as heard:
    page.evaluate("console.log('hi')")
assert heard.value.text == "hi"
assert page.context.pages[0] == page
""",
    "a thread that uses Playwright's objects itself, and no other": """
from websp_gym.browser.owner import adopt

adopt()
assert play(env) == 1.0
env.reset()
assert type(env.unwrapped.page).__module__ == "playwright.sync_api._generated"

said = []
def from_another():
    try:
        env.step("Google")
    except websp_gym.errors.WorldError as error:
        said.append(str(error))

thread = threading.Thread(target=from_another)
thread.start()
thread.join()
assert "another thread of this process drives the browser itself" in said[0], said
""",
}


@pytest.mark.parametrize("where", FROM_ANYWHERE)
def test_an_environment_works_from(where: str) -> None:
    done = run(START + "import websp_gym.errors\n" + FROM_ANYWHERE[where] + "env.close()\n")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_thread_cannot_take_the_browser_from_the_one_that_drives_it() -> None:
    with pytest.raises(WorldError, match="a thread of this process drives the browser already"):
        adopt()


def test_an_interrupted_step_ends_at_once_and_the_next_reset_works() -> None:
    script = """
import signal
env = gym.make("websp/Steam-task-191-OFF", initial_state="snapshot", step_timeout=100)
env.reset()
env.unwrapped.page.evaluate("() => { setTimeout(() => { while (true); }, 0); }")
# The timer's own thread gets the signal: the waiting one is not woken by it.
timer = threading.Timer(1, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGINT))
timer.start()
began = time.monotonic()
try:
    env.step("Wait")
except KeyboardInterrupt:
    assert time.monotonic() - began < 60, "it was waited for to the time limit"
    assert play(env) == 1.0
else:
    raise AssertionError("not interrupted")
env.close()
"""
    done = run(START + script)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_process_that_ends_with_an_open_environment_leaves_nothing_behind() -> None:
    done = run(START + "env.reset()\n")
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
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    (output,) = notebook.cells[0].outputs
    assert output.text.startswith("1.0 "), output


def run(script: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", script]
    return subprocess.run(command, capture_output=True, text=True, timeout=150)
