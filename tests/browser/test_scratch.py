"""Temporary files of browsers and drivers lie in one folder per process; what a killed process left is removed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

USER = """
import sys
from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
context = new_context(shared_browser(BrowserOptions()), viewport=(320, 240))
context.new_page().goto("about:blank")
sys.stdout.write("ready\\n")
sys.stdout.flush()
sys.stdin.readline()
"""


def start(folder: Path) -> subprocess.Popen[bytes]:
    """A process with a browser, whose temporary files belong into a folder."""
    user = subprocess.Popen(
        [sys.executable, "-c", USER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(folder)},
    )
    assert user.stdout is not None
    assert user.stdout.readline() == b"ready\n"
    return user


def end(user: subprocess.Popen[bytes], *, kill: bool = False) -> None:
    """Ends such a process, and waits until its browser has ended too."""
    family = psutil.Process(user.pid).children(recursive=True)
    if kill:
        for process in [*family, psutil.Process(user.pid)]:
            with contextlib.suppress(psutil.NoSuchProcess):  # it ended with the one before
                process.send_signal(signal.SIGKILL)
    user.communicate(b"")
    _gone, alive = psutil.wait_procs(family, timeout=300)
    assert alive == []


def left(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


def test_the_next_browser_removes_what_a_killed_process_left_and_nothing_else(tmp_path: Path) -> None:
    """A process that ends leaves nothing itself."""
    killed = start(tmp_path)
    (own,) = left(tmp_path)
    assert {path.name.partition("-")[0] for path in left(own)} > {"lock"}
    running = start(tmp_path)
    both = left(tmp_path)
    end(killed, kill=True)
    assert left(tmp_path) == both
    strange = tmp_path / "websp-tmp-mine"
    strange.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "websp-tmp-link").symlink_to(tmp_path / "elsewhere")
    for folder in (*both, strange):
        os.utime(folder, (0, 0))
    third = start(tmp_path)
    names = {path.name for path in left(tmp_path)}
    assert len(names & {path.name for path in both}) == 1
    assert {"websp-tmp-mine", "websp-tmp-link", "elsewhere"} < names
    end(running)
    end(third)
    assert {path.name for path in left(tmp_path)} == {"websp-tmp-mine", "websp-tmp-link", "elsewhere"}
