"""Processes that run the user's script again: what a spawned process does with code that is not guarded."""

from __future__ import annotations

import multiprocessing

from websp_gym.errors import SetupError

UNGUARDED = 81
"""Exit code of a process that ended because it came to this code again."""


def end_unguarded() -> None:
    """End this process if it is one that runs the script again; the first one says what is wrong."""
    if getattr(multiprocessing.current_process(), "_inheriting", False):
        raise SystemExit(UNGUARDED)


def unguarded(what: str) -> SetupError:
    """Return the error of the first process.

    Args:
        what: What starts processes.
    """
    return SetupError(
        f"the processes of {what} run the script again, up to here: put the code that creates it under "
        '`if __name__ == "__main__":`'
    )
