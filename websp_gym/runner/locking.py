"""One command at a time writes into a run's folder."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from websp_gym.errors import SetupError, unwritable
from websp_gym.records.results import RESULTS


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keeps other commands from writing into a run's folder.

    The lock is on ``results.jsonl`` and the system's: it is gone with the process, however that ends.

    Args:
        folder: The run's folder; made where it is missing.

    Raises:
        SetupError: Another process writes into it, or it cannot be written to.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / RESULTS).open("ab")
    except OSError as error:
        raise unwritable(folder, error) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise SetupError(
                f"another process is writing into {folder}; wait for it, or choose another folder",
                path=str(folder),
            ) from error
        except OSError as error:
            raise SetupError(
                f"{folder} cannot be locked ({error.strerror}); choose a folder on another file system",
                path=str(folder),
            ) from error
        yield
