"""Groups of processes that are ending, as a browser's are after it was closed."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from websp_gym.browser import processes
from websp_gym.browser.processes import command_of, end_group, runs
from websp_gym.patience import children_of


def test_a_group_has_ended_when_its_last_process_has() -> None:
    """And it is waited for."""
    lives, ends = os.pipe()
    command = ["sh", "-c", f"cat <&{lives} & echo $!"]
    leader = subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.PIPE, text=True, pass_fds=[lives]
    )
    assert leader.stdout is not None
    other = int(leader.stdout.readline())
    leader.wait()
    os.close(lives)
    waiting = threading.Thread(target=end_group, args=(leader.pid,))
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive() or not runs(other)
    os.close(ends)
    waiting.join()
    assert not runs(other)
    leader.stdout.close()


def test_a_group_that_does_nothing_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_PATIENCE", 0.05)
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as leader:
        end_group(leader.pid)
        assert leader.wait() == -9
    end_group(leader.pid)


def test_a_process_is_found_by_its_parent_and_its_command() -> None:
    command = [sys.executable, "-c", "print(flush=True); input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert child.pid in children_of(os.getpid())
        assert command_of(child.pid)[-2] == "print(flush=True); input()"
    assert command_of(child.pid) == []
    assert children_of(child.pid) == []


def test_a_process_that_ends_while_it_is_looked_at_has_no_children() -> None:
    with ThreadPoolExecutor() as pool:
        for _ in range(60):
            process = subprocess.Popen(["true"])
            ended = pool.submit(process.wait)
            while not ended.done():
                assert children_of(process.pid) == []
