"""Lock the folder of a run, so that one command at a time writes to it."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from websp_gym.errors import SetupError, unwritable
from websp_gym.files import check_writable_file
from websp_gym.records.runs import RESULTS


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a run's folder against writes by other commands; create the folder if it is missing.

    The operating system holds the lock on ``results.jsonl`` and frees it when the process ends, even after a
    crash.

    Raises:
        SetupError: Another process is writing to the folder, or the folder cannot be written to or locked.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        check_writable_file(folder / RESULTS)
        file = (folder / RESULTS).open("ab")
    except OSError as error:
        raise unwritable(folder, error) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SetupError(
                f"another process is writing to {folder}; wait for it, or choose another folder",
                path=str(folder),
            ) from error
        except OSError as error:
            raise SetupError(
                f"{folder} cannot be locked ({error.strerror}); choose a folder on another file system",
                path=str(folder),
            ) from error
        yield
