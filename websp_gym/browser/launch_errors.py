"""Why a browser does not start: it cannot be executed, or it ended while starting."""

from __future__ import annotations

import errno
import re
import subprocess
import tempfile
from typing import TYPE_CHECKING

from websp_gym.errors import BrowserNotFoundError, StorageError, WebspError, WorldError
from websp_gym.patience import output_of

if TYPE_CHECKING:
    from playwright.sync_api import Error as PlaywrightError

_EXIT = re.compile(r"<process did exit: exitCode=(?:null|(\d+)), signal=(?:null|(\w+))>")
_SAID = re.compile(r"^\[pid=\d+\]\[err\] (.+)", re.MULTILINE)
_FROM_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")
_CANNOT_EXECUTE = (126, 127)
"""Exit codes of shells and loaders: the file cannot run on this machine, or libraries are missing."""
_PASSING = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ETXTBSY)
_TO_SAY_VERSION = 20.0
"""Seconds without those in which it waits for a processor."""
_LONGEST = 300


class LaunchError(WorldError):
    """Raised when a browser ended or hung while it started; another attempt may work.

    The system may have killed it for lack of memory, or processes, files or space ran short.
    """


def launch_error(error: PlaywrightError, executable: str) -> WebspError:
    """Return the error for a launch that failed.

    Args:
        error: The error of Playwright, which may have the browser's output and how its process ended.
        executable: The browser.

    Returns:
        A ``BrowserNotFoundError`` if every other launch would fail too: there is no such file, it cannot be
        executed, or libraries are missing; a ``StorageError`` if the disk is full. Otherwise a ``LaunchError``.
    """
    text = str(error)
    if "ENOSPC" in text or "No space left on device" in text:
        folder = tempfile.gettempdir()
        return StorageError(
            f"the browser does not start: no space left in {folder}; free some space, or set TMPDIR to another "
            "folder",
            path=folder,
        )
    problem = cannot_execute(executable)
    if problem:
        return BrowserNotFoundError(
            f"{executable} cannot be executed: {problem} (run `websp doctor` for details)",
            executable=executable,
        )
    said = _SAID.findall(text)
    detail = (said[-1] if said else text.splitlines()[0])[:_LONGEST]
    return LaunchError(
        f"the browser ended or hung while it started ({detail}); call reset() to try again; if it never starts, "
        f"run `websp doctor` to check {executable}"
    )


def cannot_execute(executable: str) -> str:
    """Return why an executable cannot be executed; empty if it can, or if the problem may be temporary.

    The error of a launch does not always say how the browser's process ended, so it is executed once more.
    """
    try:
        said = output_of([executable, "--version"], _TO_SAY_VERSION)
    except subprocess.TimeoutExpired:
        return ""
    except OSError as error:
        return "" if error.errno in _PASSING else str(error.strerror)
    if said.returncode not in _CANNOT_EXECUTE:
        return ""
    lines = said.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:_LONGEST] if lines else f"it exited with code {said.returncode}"


def ended_by_itself(error: PlaywrightError) -> bool | None:
    """Whether a starting browser ended by itself rather than being killed; None if the error does not say."""
    found = _EXIT.search(str(error))
    return None if found is None else found[2] not in _FROM_OUTSIDE
