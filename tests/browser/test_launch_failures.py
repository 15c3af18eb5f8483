"""A browser or driver that dies while it starts is started once more; only what can never start is a set-up error."""

from __future__ import annotations

import contextlib
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from playwright._impl._driver import compute_driver_executable

from tests.browser_support import drivers
from tests.conftest import MakeEnv
from tests.kept_tab import close_kept_tabs
from websp_gym.browser.driver import discard_dead_driver, kill_driver, playwright
from websp_gym.browser.find import find_browser
from websp_gym.browser.launch import BrowserOptions, close_browsers, shared_browser
from websp_gym.browser.owner import call
from websp_gym.errors import BrowserNotFoundError, StorageError, WorldError
from websp_gym.rollouts import Pool, RemoteEnv, Transcript
from websp_gym.runner.preflight import browser_version

DONE = "Steam-task-191-OFF"
SMALL = (400, 300)
LIBRARY = "error while loading shared libraries: libnss3.so: cannot open shared object file"


@pytest.fixture(autouse=True)
def _no_browser_runs() -> Iterator[None]:
    """The first reset of a test launches a browser, and the next test's one launches another."""
    call(close_kept_tabs)
    call(close_browsers)
    yield
    call(close_browsers)


def browser_that(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a script the browser of this process and its children. ``$REAL`` in it is the real one."""
    real = call(lambda: find_browser(playwright(), headless=True))
    path = folder / "chromium"
    path.write_text(f'#!/bin/sh\nREAL="{real}"\ncd "{folder}"\n{script}\n', "utf-8")
    path.chmod(0o755)
    monkeypatch.setenv("WEBSP_BROWSER", str(path))
    return path


def dying(times: int, how: str = "kill -KILL $$") -> str:
    """A script that dies the first times. A folder can be made once, also by two browsers at a time."""
    tries = " ".join(str(number) for number in range(times))
    once = f'for number in {tries}; do mkdir "$number" 2>/dev/null && {how}; done'
    return f'[ "$1" = --version ] || {once}\nexec "$REAL" "$@"'


def answer(played: Transcript) -> str:
    """Answer at once, which is right."""
    return "ANSWER; done"


@pytest.mark.parametrize(
    "how",
    ["kill -KILL $$", *(pytest.param(how, marks=pytest.mark.proof) for how in ("kill -TRAP $$", "exit 21"))],
)
def test_a_reset_whose_browser_dies_as_it_starts_starts_another(
    make: MakeEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    browser_that(tmp_path, dying(1, how), monkeypatch)
    env = make(DONE, viewport=SMALL)
    env.reset()
    assert env.step("ANSWER; done")[1] == 1.0


def test_a_browser_that_dies_twice_as_it_starts_is_an_error_of_the_world(
    make: MakeEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = browser_that(tmp_path, dying(2, "kill -KILL $$"), monkeypatch)
    env = make(DONE, viewport=SMALL)
    with pytest.raises(WorldError, match=r"while it started .*; call reset") as caught:
        env.reset()
    assert str(path) in str(caught.value)
    env.reset()
    assert env.step("ANSWER; done")[1] == 1.0


@pytest.mark.parametrize(
    "delay", [pytest.param(0.0, marks=pytest.mark.proof), 0.02, pytest.param(0.08, marks=pytest.mark.proof)]
)
def test_a_real_browser_killed_as_it_starts_costs_no_reset(make: MakeEnv, delay: float) -> None:
    """At any moment of the start: as soon as its process is there, and a little later."""
    env = make(DONE, viewport=SMALL)
    killer = threading.Thread(target=_kill_the_first, args=("--remote-debugging-pipe", delay))
    killer.start()
    env.reset()
    killer.join()
    assert env.step("ANSWER; done")[1] == 1.0


def test_a_driver_that_dies_as_it_starts_costs_no_reset(
    make: MakeEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "node"
    node, _script = compute_driver_executable()
    path.write_text(
        f'#!/bin/sh\nmkdir {tmp_path}/once 2>/dev/null && kill -KILL $$\nexec {node} "$@"\n', "utf-8"
    )
    path.chmod(0o755)
    call(playwright)
    running = drivers()
    assert running
    kill_driver()
    psutil.wait_procs(running, timeout=120)
    assert call(discard_dead_driver)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(path))
    env = make(DONE, viewport=SMALL)
    env.reset()
    assert (tmp_path / "once").exists()
    assert env.step("ANSWER; done")[1] == 1.0


@pytest.mark.proof
def test_browsers_that_die_as_they_start_lose_no_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each process starts a browser in advance, and a reset that fails is tried again, in another process at last.
    browser_that(tmp_path, dying(9), monkeypatch)
    with Pool(2, viewport=SMALL) as pool:
        first = pool.rollouts([(DONE, seed) for seed in range(4)], answer)
        later = pool.rollouts([(DONE, seed) for seed in range(2)], answer)
    assert {played.reward for played in first} <= {None, 1.0}
    assert all("while it started" in played.page.failure for played in first if played.reward is None)
    assert [played.reward for played in later] == [1.0, 1.0]


def test_an_environment_in_a_process_tries_a_browser_that_dies_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser_that(tmp_path, dying(3), monkeypatch)
    with RemoteEnv(viewport=SMALL) as env:
        env.reset(DONE)
        assert env.step("ANSWER; done").reward == 1.0
        assert env.restarts == 1


@pytest.mark.parametrize(
    ("script", "message"),
    [(f"echo {LIBRARY} >&2; exit 127", "libnss3"), ("exit 126", "code 126")],
)
def test_a_browser_that_can_never_start_is_a_set_up_error(
    make: MakeEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    path = browser_that(tmp_path, script, monkeypatch)
    env = make(DONE, viewport=SMALL)
    with pytest.raises(BrowserNotFoundError, match=message) as caught:
        env.reset()
    assert caught.value.executable == str(path)


def test_a_browser_path_that_is_not_executable_is_a_setup_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = browser_that(tmp_path, "", monkeypatch)
    path.write_text("#!/no/such/interpreter\n", "utf-8")
    with pytest.raises(BrowserNotFoundError, match="No such file"):
        call(lambda: shared_browser(BrowserOptions(args=("--lang=cs",))))


def test_a_full_disk_is_distinguished_from_a_browser_that_dies(
    make: MakeEnv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = 'echo "cannot create a profile: No space left on device" >&2; sleep 1; exit 1'
    browser_that(tmp_path, f'[ "$1" = --version ] || {{ {said}; }}\nexec "$REAL" "$@"', monkeypatch)
    with pytest.raises(StorageError, match="set TMPDIR to another folder") as caught:
        make(DONE, viewport=SMALL).reset()
    assert caught.value.path == tempfile.gettempdir()


def test_a_version_that_a_kill_cut_off_is_an_error_of_the_world(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser_that(tmp_path, 'mkdir once 2>/dev/null && kill -KILL $$\nexec "$REAL" "$@"', monkeypatch)
    with pytest.raises(WorldError, match="signal 9"):
        browser_version(headless=True)
    assert browser_version(headless=True)[0].isdigit()


def _kill_the_first(word: str, delay: float) -> None:
    """Kill the first process of this one that has a word in its command line, some seconds after it appeared."""
    end = time.monotonic() + 300
    while time.monotonic() < end:
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if word in process.cmdline():
                    time.sleep(delay)
                    process.kill()
                    return
