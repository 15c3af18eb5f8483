"""Groups of processes that are ending, as a browser's are after it was closed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from websp_gym.browser import processes
from websp_gym.browser.processes import children_of, command_of, end_group, runs


def test_a_group_has_ended_when_its_last_process_has() -> None:
    command = ["sh", "-c", "sleep 0.4 & echo $!"]
    leader = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, text=True)
    assert leader.stdout is not None
    other = int(leader.stdout.readline())
    leader.wait()
    assert runs(other)
    end_group(leader.pid)
    assert not runs(other)
    leader.stdout.close()


def test_a_group_that_does_not_end_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_PATIENCE", 0.05)
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as leader:
        end_group(leader.pid)
        assert leader.wait(10) == -9
    before = time.monotonic()
    end_group(leader.pid)
    assert time.monotonic() - before < 5


def test_a_process_is_found_by_its_parent_and_its_command() -> None:
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        assert child.pid in children_of(os.getpid())
        assert command_of(child.pid)[-2] == "input()"
    assert command_of(child.pid) == []
    assert children_of(child.pid) == []


def test_a_process_that_ends_while_it_is_looked_at_has_no_children() -> None:
    for _ in range(300):
        process = subprocess.Popen(["true"])
        with ThreadPoolExecutor() as pool:
            ended = pool.submit(process.wait)
            while not ended.done():
                assert children_of(process.pid) == []
