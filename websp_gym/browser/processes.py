"""Processes of this machine as ``/proc`` lists them; where a system has none, nothing is found."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

_PATIENCE = 5.0
"""Seconds that a browser's processes may take to end after it was closed."""


def children_of(process: int) -> list[int]:
    """Return the child processes of all threads of a process, the oldest first."""
    words: list[str] = []
    threads: list[Path] = []
    # The process or one of its threads may end at any moment.
    with contextlib.suppress(OSError):
        threads = list(Path(f"/proc/{process}/task").iterdir())
    for thread in threads:
        with contextlib.suppress(OSError):
            words += (thread / "children").read_text("ascii").split()
    return sorted(int(word) for word in words)


def command_of(process: int) -> list[str]:
    """Return the command line of a process; empty if it has ended."""
    try:
        line = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return []
    return os.fsdecode(line).split("\0")


def runs(process: int) -> bool:
    """Whether a process exists and has not ended; true where there is no ``/proc`` to tell."""
    try:
        os.kill(process, 0)
        state = status_of(process)[0]
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return state not in "ZX"


def kill(process: int) -> None:
    """Kill a process, if it is still there."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def kill_group(process: int) -> None:
    """Kill a process, and its group if it leads one, as each browser of a driver does."""
    with contextlib.suppress(ProcessLookupError):
        if os.getpgid(process) == process:
            os.killpg(process, signal.SIGKILL)
    kill(process)


def end_group(leader: int) -> None:
    """Wait until a group of processes that is ending has ended, whose leader may be gone; kill what takes long."""
    until = time.monotonic() + _PATIENCE
    while left := _members(leader):
        if time.monotonic() > until:
            for process in left:
                kill(process)
            return
        time.sleep(0.01)


def _members(group: int) -> list[int]:
    """Return the processes of a group that have not ended."""
    members = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, its_group, *_ = status_of(int(entry.name))
            if int(its_group) == group and state not in "ZX":
                members.append(int(entry.name))
    return members


def status_of(process: int) -> list[str]:
    """Return the fields of a process's status after its name: state, parent, group, ….

    Raises:
        OSError: It is gone, or there is no ``/proc``.
    """
    return Path(f"/proc/{process}/stat").read_text("ascii", "replace").rpartition(")")[2].split()
