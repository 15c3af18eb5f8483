"""Which process of this machine is at the other end of a connection."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")


def is_of_session(port: int, session: int) -> bool:
    """Whether the socket with a local port is open in a process of a session, or in one that they have started.

    Args:
        port: The local port of the socket, on this machine.
        session: Id of the process that began the session.
    """
    wanted = {f"socket:[{inode}]" for inode in _inodes(port)}
    return bool(wanted) and any(wanted & set(_sockets(process)) for process in _members(session))


def _inodes(port: int) -> Iterator[str]:
    for table in ("tcp", "tcp6"):  # many libraries open a socket for both
        with contextlib.suppress(OSError):
            for line in (_PROC / "net" / table).read_text().splitlines()[1:]:
                words = line.split()
                if int(words[1].rpartition(":")[2], 16) == port:
                    yield words[9]


def _members(session: int) -> set[int]:
    import psutil  # of the extra `attach`; this module is imported without it too

    members = set()
    for process in psutil.pids():
        with contextlib.suppress(OSError):
            if os.getsid(process) == session:
                members.add(process)
    with contextlib.suppress(psutil.NoSuchProcess):
        members |= {each.pid for each in psutil.Process(session).children(recursive=True)}
    return members


def _sockets(process: int) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for descriptor in os.scandir(_PROC / str(process) / "fd"):
            with contextlib.suppress(OSError):
                yield os.readlink(descriptor.path)
