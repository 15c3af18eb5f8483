"""One folder for the temporary files of this process's driver and browsers.

When killed, they leave profiles, shared memory and downloads behind. The next browser start removes the folders of
processes that are gone. A folder's lock shows this: the system frees it however a process ends.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from websp_gym.errors import unwritable

_PREFIX = "websp-tmp-"
_LOCK = "lock"
_AGE = 60.0
"""Seconds after which an unlocked folder is a leftover: its owner locks it as soon as it exists."""
_PATIENCE = 60.0
"""Seconds that a browser may take to end after its process; only while it still writes."""


@dataclass
class _Own:
    folder: Path | None = None
    pid: int = 0
    lock: int = -1
    """Descriptor that holds the lock until this process has ended."""


_own = _Own()


def scratch_folder() -> Path:
    """Return the folder of this process, which is removed at exit; create it, and remove those left by others.

    Raises:
        StorageError: The disk is full.
        SetupError: It cannot be created.
    """
    if _own.pid == os.getpid() and _own.folder is not None and _own.folder.is_dir():
        return _own.folder
    parent = Path(tempfile.gettempdir())
    _sweep(parent)
    try:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise unwritable(parent, error, what="the folder for temporary files") from error
    with contextlib.suppress(OSError):  # a file system without locks: it is not removed by others either
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    _own.folder, _own.pid, _own.lock = folder, os.getpid(), lock
    return folder


def remove_folder(folder: Path) -> None:
    """Remove a folder to which an ending browser may still write; wait for it, but not for long."""
    until = time.monotonic() + _PATIENCE
    shutil.rmtree(folder, ignore_errors=True)
    while folder.exists() and time.monotonic() < until:
        time.sleep(0.05)
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(parent: Path) -> None:
    """Remove the folders of processes of this user that are gone."""
    for folder in parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            status = folder.lstat()
            if status.st_uid == os.geteuid() and time.time() - status.st_mtime > _AGE and _is_left(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Whether nobody holds the folder's lock. Raises OSError if there is none or locks do not work."""
    lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(lock)
    return True


def _remove() -> None:
    # A forked child has its parent's folder, but not its id.
    if _own.pid != os.getpid() or _own.folder is None:
        return
    remove_folder(_own.folder)


atexit.register(_remove)
