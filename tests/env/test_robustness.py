"""A failure in mid-episode is a typed error and never a reward, and the next reset is a fresh start."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from weakref import ref

import psutil
import pytest
from playwright.sync_api import Error as PlaywrightError

from benchmarks.soak import soak
from tests.conftest import MakeEnv
from tests.env.deadly_jobs import deadly_job
from tests.process_support import all_ended, words_of
from tests.sample import left_to_prove, long_proof
from websp_gym.agents import Briefing, make_agent
from websp_gym.browser.owner import call
from websp_gym.env import WebspEnv
from websp_gym.errors import SetupError, WorldError
from websp_gym.records.results import Result
from websp_gym.records.runs import Run
from websp_gym.runner.batch import run_batch, run_episode
from websp_gym.runner.jobs import Job, plan_run
from websp_gym.runner.processes import Batch, map_unordered
from websp_gym.sandbox.client import VARIABLE, Sandbox

TODO = "Steam-task-191-ON"
DONE = "Steam-task-191-OFF"
TINY = (640, 480)
PATIENCE = 120
"""Seconds in which a process ends on any machine."""


@pytest.fixture
def own_sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server that may be killed without harm to other test processes."""
    monkeypatch.setattr(Sandbox, "_shared", None)
    monkeypatch.delenv(VARIABLE, raising=False)
    yield
    if Sandbox._shared is not None:
        Sandbox._shared.close()


def browser_processes() -> list[psutil.Process]:
    """The browsers of this process and all their helpers."""
    found: list[psutil.Process] = []
    for process in psutil.Process().children(recursive=True):
        if "--remote-debugging-pipe" in words_of(process):
            with contextlib.suppress(psutil.NoSuchProcess):
                found += [process, *process.children(recursive=True)]
    return found


def kill_browser(env: WebspEnv) -> None:
    for process in browser_processes():
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


def kill_sandbox(env: WebspEnv) -> None:
    server = psutil.Process(Sandbox.shared().address.pid)
    server.kill()
    with contextlib.suppress(psutil.NoSuchProcess):
        server.wait(PATIENCE)


def crash_tab(env: WebspEnv) -> None:
    page, crashed = env.page, list[object]()
    page.on("crash", lambda page: crashed.append(page))
    with contextlib.suppress(PlaywrightError):
        page.goto("chrome://crash")
    # The navigation is reported as aborted before the crash is.
    while not crashed:
        with contextlib.suppress(PlaywrightError):
            page.evaluate("1")


def close_context(env: WebspEnv) -> None:
    assert env.context is not None
    env.context.close()


def lose_page_under_a_step(env: WebspEnv) -> None:
    """The tab goes while the action's page is still being observed."""
    env.page.once("request", lambda request: request.frame.page.context.close())


Accident = Callable[[WebspEnv], None]
ACCIDENTS: tuple[Accident, ...] = (
    kill_sandbox,
    kill_browser,
    crash_tab,
    close_context,
    lose_page_under_a_step,
)


BETWEEN_STEPS = ACCIDENTS[:4]
BETWEEN_EPISODES = ACCIDENTS[:2]


@pytest.fixture
def accident(request: pytest.FixtureRequest) -> Accident:
    """An accident of an environment. Request it before ``make``, so that the environments close first."""
    happens: Accident = request.param
    if happens is kill_sandbox:
        request.getfixturevalue("own_sandbox")
    return happens


@pytest.mark.parametrize(
    "accident",
    long_proof(ACCIDENTS, ACCIDENTS[1:]),
    ids=lambda accident: accident.__name__,
    indirect=True,
)
def test_an_accident_is_a_world_error_that_pays_nothing_and_the_next_episode_is_solved(
    accident: Accident, make: MakeEnv
) -> None:
    env = make(DONE, viewport=TINY)
    # What the agent does meanwhile opens a page, uses one, or ends the episode.
    for action in ("Google", "click('a1')", "ANSWER; done") if accident in BETWEEN_STEPS else ("Google",):
        env.reset()
        accident(env)
        with pytest.raises(WorldError, match=r"sandbox|browser|crashed|closed"):
            env.step(action)
        with pytest.raises(WorldError, match="call reset"):
            env.step(action)
    env.reset()
    assert env.step("ANSWER; done")[1] == 1.0
    if accident in BETWEEN_EPISODES:  # it is not even noticed
        accident(env)
        env.reset()
        assert env.step("ANSWER; done")[1] == 1.0


def test_a_reset_whose_browser_dies_is_retried(make: MakeEnv) -> None:
    env = make(TODO, viewport=TINY)
    assert isinstance(env, WebspEnv)

    def kill_once_open() -> None:
        while env.context is None:
            time.sleep(0.001)
        kill_browser(env)

    killer = threading.Thread(target=kill_once_open)
    killer.start()
    env.reset(seed=0)
    killer.join()
    assert run_episode(env, make_agent("oracle")).reward == 1.0


def test_a_closed_tab_is_replaced_by_a_blank_one_and_is_not_an_accident(make: MakeEnv) -> None:
    """An agent's own ``tab_close()`` and a page's ``window.close()`` look just the same."""
    env = make(DONE, viewport=TINY)
    env.reset()
    env.page.close()
    observation, reward, terminated, truncated, _info = env.step("Click [0]")
    assert observation["url"] == "about:blank"
    assert observation["last_action_error"]
    assert (reward, terminated, truncated) == (0.0, False, False)
    observation, *_ = env.step("Google")
    assert observation["url"] == "https://www.google.com/"


@pytest.mark.parametrize("kind", ["marks", "browsergym"])
def test_a_frame_whose_address_the_browser_refuses_does_not_hang_the_environment(
    make: MakeEnv, kind: str
) -> None:
    env = make(DONE, viewport=TINY, observation=kind)
    env.reset()
    refused = ("file:///etc/hosts", "mailto:x@y.example", "chrome://version", "blob:x", "about:blank")
    frames = "".join(f"<iframe src='{address}'></iframe>" for address in refused)
    env.page.evaluate("html => { document.body.innerHTML = html; }", frames + "<button>Go on</button>")
    env.step("Scroll_to_end")
    assert env.step("Click [0]" if kind == "marks" else "noop()")[0]["last_action_error"] == ""
    assert env.step("ANSWER; done")[1] == 1.0


def test_a_record_folder_that_went_away_is_a_setup_error(make: MakeEnv, tmp_path: Path) -> None:
    env = make(DONE, viewport=TINY, record_to=tmp_path / "runs")
    env.reset()
    # A file in its place: root, who runs tests in containers, may write to a folder without write permission.
    (tmp_path / "runs").rename(tmp_path / "moved")
    (tmp_path / "runs").write_text("")
    with pytest.raises(SetupError, match="cannot write to the record folder"):
        env.step("ANSWER; done")
    with pytest.raises(SetupError, match="cannot write to the record folder"):
        env.reset()
    (tmp_path / "runs").unlink()
    env.reset()
    assert env.step("ANSWER; done")[1] == 1.0


@pytest.mark.proof
def test_two_environments_of_one_process_do_not_disturb_each_other(make: MakeEnv) -> None:
    games = [_game(make(each, viewport=TINY)) for each in (TODO, "Steam-task-200-ON")]
    rewards = [next(game) for _round in range(40) for game in games]
    assert rewards[-2:] == [1.0, 1.0]


def _game(env: WebspEnv) -> Iterator[float]:
    """Plays one action at a time; once over, its reward again and again."""
    observation, _info = env.reset(seed=3)
    agent = make_agent("oracle")
    assert env.task is not None
    agent.begin(Briefing(env.instance, env.task.world_episode.account, 3))
    reward, over = 0.0, False
    while not over:
        observation, reward, terminated, truncated, _info = env.step(agent.act(observation))
        over = terminated or truncated
        yield reward
    while True:
        yield reward


def test_a_browser_that_one_environment_lost_is_back_for_both(make: MakeEnv) -> None:
    first, second = make(DONE, viewport=TINY), make(DONE, viewport=TINY)
    first.reset()
    second.reset()
    kill_browser(first)
    for env in (first, second):
        with pytest.raises(WorldError):
            env.step("Google")
    for env in (first, second):
        env.reset()
    for env in (first, second):
        assert env.step("ANSWER; done")[1] == 1.0


def test_a_process_that_dies_costs_no_job_but_its_own() -> None:
    """What ran when it died is tried again, one at a time, and given up if it dies again; all else is done once."""
    told: list[str] = []
    batch = Batch(
        deadly_job,
        ["one", "dies once", "dies always", "two"],
        on_crash=lambda job: f"lost {job}",
        again=lambda job: f"{job} again",
        on_result=told.append,
    )
    with all_ended():
        found = map_unordered(batch, 2)
    assert found == told
    # The other process may have been at a job as well.
    assert sorted(each.removesuffix(" again") for each in found) == [
        "dies once",
        "lost dies always",
        "one",
        "two",
    ]


@pytest.mark.proof
@pytest.mark.timeout(600)
def test_a_killed_worker_costs_no_other_episode() -> None:
    """The first result kills one worker; whatever ran then is played again, everything else is played once."""
    run = Run(agent="noop", options={"initial_state": "snapshot", "viewport": TINY})
    jobs = plan_run(run, [DONE], trials=5)
    killed: list[int] = []

    def kill_one(result: Result) -> None:
        workers = started.with_word("multiprocessing.spawn")
        if not killed and workers:
            killed.append(workers[-1].pid)
            workers[-1].kill()

    Sandbox.shared()
    with all_ended() as started:
        results = run_batch(jobs, processes=2, on_result=kill_one)
    assert killed
    assert [result.status for result in results] == ["pass"] * 5


LETHAL = """
import os, signal, sys
from websp_gym.records.runs import Run
from websp_gym.runner.batch import run_batch
from websp_gym.runner.jobs import Job

def on_result(result):
    sys.stdout.write(f"{result.id}={result.status}\\n")

if __name__ == "__main__":
    good = {"initial_state": "snapshot", "viewport": (640, 480)}
    run, lethal = (Run(agent="noop", options=options) for options in (good, {**good, "reward": DIE}))
    jobs = [Job("Steam-task-191-OFF", run), Job("Steam-task-200-OFF", lethal), Job("Steam-task-193-OFF", run)]
    run_batch(jobs, processes=2, on_result=on_result)
"""


@pytest.mark.proof
@pytest.mark.timeout(600)
def test_an_episode_that_kills_its_worker_every_time_is_an_error_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "lethal.py").write_text(
        "import os, signal\ndef die(outcome):\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    (tmp_path / "main.py").write_text("from lethal import die as DIE\n" + LETHAL)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), os.getcwd()])}
    done = subprocess.run(
        [sys.executable, str(tmp_path / "main.py")],
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
    )
    lines = sorted(done.stdout.split())
    assert lines == ["Steam-task-191-OFF=pass", "Steam-task-193-OFF=pass", "Steam-task-200-OFF=error"], (
        done.stderr
    )


def test_a_crash_of_the_agent_is_one_result_not_the_end_of_the_batch() -> None:
    def broken(outcome: Any) -> float:
        raise KeyError("no such thing")

    common = {"viewport": TINY, "initial_state": "snapshot"}
    runs = [Run(agent="noop", options={**common, "reward": reward}) for reward in (broken, "state")]
    jobs = [Job(DONE, run) for run in runs]
    first, second = run_batch(jobs)
    assert (first.status, first.reward, second.status) == ("error", None, "pass")
    assert str(first.error).startswith("KeyError: 'no such thing' (test_robustness.py:")


USER = """
import sys
from websp_gym.env.registration import make_env
env = make_env("Steam-task-191-OFF", initial_state="snapshot", viewport=(640, 480))
env.reset()
sys.stdout.write("ready\\n")
sys.stdout.flush()
sys.stdin.readline()
WHAT
"""


@pytest.mark.usefixtures("own_sandbox")
@pytest.mark.parametrize(
    ("ending", "what"),
    [
        ("kill -9", ""),
        left_to_prove(("Ctrl-C", "")),
        left_to_prove(("exit without close", "")),
        left_to_prove(("an exception", "raise SystemError")),
        left_to_prove(("close", "env.close()")),
    ],
)
def test_however_a_process_ends_nothing_of_it_keeps_running(ending: str, what: str) -> None:
    command = [sys.executable, "-c", USER.replace("WHAT", what)]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as user:
        assert user.stdout is not None
        descendants = list(_family(user, until=user.stdout.readline))
        if ending == "kill -9":
            user.send_signal(signal.SIGKILL)
        elif ending == "Ctrl-C":
            user.send_signal(signal.SIGINT)
        else:
            user.communicate(b"go on\n")
        user.wait(PATIENCE)
    _gone, alive = psutil.wait_procs(descendants, timeout=PATIENCE)
    assert not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


def _family(user: subprocess.Popen[bytes], until: Callable[[], bytes]) -> Iterator[psutil.Process]:
    """All descendants once the process is ready; a server in a session of its own is still its child."""
    assert until() == b"ready\n"
    family = psutil.Process(user.pid).children(recursive=True)
    names = " ".join(" ".join(process.cmdline()) for process in family)
    assert "sandbox.server" in names
    assert "--type=renderer" in names
    assert "run-driver" in names
    yield from family


@pytest.mark.timeout(600)
@pytest.mark.usefixtures("own_sandbox")
@pytest.mark.proof
def test_many_resets_leave_no_files_open_and_no_zombies() -> None:
    report = soak(resets=8, warm_up=4, samples=1)
    assert report.after["files"] <= report.before["files"]
    assert report.after["threads"] <= report.before["threads"]
    assert report.after["zombies"] == 0
    assert report.after["processes"] <= report.before["processes"]


def test_an_ended_episode_leaves_nothing_in_memory(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY)
    ended: list[ref[object]] = []
    for seed in range(4):
        env.reset(seed=seed)
        env.step("Wait")
        # On the browser thread these are the objects themselves, not proxies of them.
        ended += call(lambda: [ref(each) for each in (env.page, env.context, env.tabs)])
    gc.collect()
    assert [one() for one in ended[:-3]] == [None] * 9
    assert call(lambda: ended[-3]() is env.page)


# In processes of their own: what they do to Playwright's greenlets, pytest does not survive.
INTERRUPTED = """
import os, signal, threading
from websp_gym.errors import WorldError
env.page.evaluate("setInterval(() => document.title = Math.random(), 5)")
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True:
        env.step("Wait")
except KeyboardInterrupt:
    pass
"""
DRIVER_DIED = """
import psutil
from websp_gym.errors import WorldError
(driver,) = [child for child in psutil.Process().children() if "node" in child.name()]
driver.kill()
psutil.wait_procs([driver], timeout=60)
try:
    env.step("Google")
except WorldError:
    pass
"""
DRIVER_DIES_IN_A_CALL = """
import psutil, threading
from websp_gym.errors import WorldError
(driver,) = [child for child in psutil.Process().children() if "node" in child.name()]
threading.Timer(0.3, driver.kill).start()
try:
    env.page.evaluate("new Promise(() => {})")
except Exception as error:
    assert type(error).__name__ == "TargetClosedError", repr(error)
"""
LOOP_ENDS = {
    "interrupted": INTERRUPTED,
    "driver died": DRIVER_DIED,
    "driver dies in a call": DRIVER_DIES_IN_A_CALL,
}
RECOVERS = """
try:
    env.step("Wait")
except WorldError as error:
    assert "call reset" in str(error)
env.reset()
assert env.step("ANSWER; done")[1:4] == (1.0, True, False)
env.reset()
print("recovered: NAME")
"""


@pytest.mark.proof
def test_the_end_of_playwrights_event_loop_hangs_nothing_and_the_next_reset_works() -> None:
    """Ctrl-C ends the loop; a call on it would otherwise wait for ever, at full load."""
    begin = f"from websp_gym.env.registration import make_env\nenv = make_env({DONE!r}, initial_state='snapshot')\nenv.reset()\n"
    ends = [accident + RECOVERS.replace("NAME", name) for name, accident in LOOP_ENDS.items()]
    result = subprocess.run(
        [sys.executable, "-c", begin + "".join(ends)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert result.stdout.splitlines() == [f"recovered: {name}" for name in LOOP_ENDS], result.stderr
