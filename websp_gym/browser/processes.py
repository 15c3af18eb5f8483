"""Processes of this machine as listed in ``/proc``; on a system without it, nothing is found."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

from websp_gym.patience import status_of, wait

_PATIENCE = 5.0
"""Seconds that a closed browser's processes may idle instead of ending."""
_LONGEST = 60.0
"""Seconds that they may take in all; they are writing the profile."""


def command_of(process: int) -> list[str]:
    """Return the command line of a process; empty if it has ended."""
    try:
        line = Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return []
    return os.fsdecode(line).split("\0")


def runs(process: int) -> bool:
    """Whether a process exists and has not ended; true if there is no ``/proc`` to tell."""
    try:
        os.kill(process, 0)
        state = status_of(process)[0]
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return state not in "ZX"


def kill(process: int) -> None:
    """Kill a process if it still exists."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def kill_group(process: int) -> None:
    """Kill a process, and its group if it leads one, as each browser of a driver does."""
    with contextlib.suppress(ProcessLookupError):
        if os.getpgid(process) == process:
            os.killpg(process, signal.SIGKILL)
    kill(process)


def end_group(leader: int) -> None:
    """Wait until an ending process group, whose leader may be gone, has ended; kill what is idle."""

    def ended(patience: float) -> bool:
        until = time.monotonic() + patience
        while _members(leader):
            if time.monotonic() >= until:
                return False
            time.sleep(0.01)
        return True

    if wait(ended, lambda: _members(leader), still=_PATIENCE, longest=_LONGEST) is not None:
        for process in _members(leader):
            kill(process)


def _members(group: int) -> list[int]:
    """Return the processes of a group that have not ended."""
    members = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, its_group, *_ = status_of(int(entry.name))
            if int(its_group) == group and state not in "ZX":
                members.append(int(entry.name))
    return members
