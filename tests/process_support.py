"""Processes that a test started, told from all others of its worker and of the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psutil
import pytest

_MARK = "XDG_WEBSP_TEST"
"""A variable that every process hands on to those it starts; browsers get those named XDG_ too."""

UNMEASURED = {"COVERAGE_PROCESS_CONFIG": ""}
"""Variables for a process that `make coverage` must not measure."""


def words_of(process: psutil.Process) -> list[str]:
    """The command line of a process; empty if it has ended."""
    try:
        return list(process.cmdline())
    except psutil.Error:
        return []


class Started:
    """Processes with a mark.

    Args:
        mark: What they have in their environment.
    """

    def __init__(self, mark: str) -> None:
        self._mark = mark

    def with_word(self, word: str = "") -> list[psutil.Process]:
        """Those that run and have a word in their command line."""
        return [
            each
            for each in psutil.process_iter()
            if self._is_marked(each) and word in " ".join(words_of(each))
        ]

    def _is_marked(self, process: psutil.Process) -> bool:
        try:
            return process.environ().get(_MARK) == self._mark
        except (psutil.Error, OSError):
            return False


@contextmanager
def all_ended() -> Iterator[Started]:
    """Mark the processes that are started in the block, also by others of them; none may be left at its end."""
    started = Started(uuid4().hex)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(_MARK, started._mark)
        yield started
    # Python's own resource tracker stays as long as the process that started it.
    left = [each for each in started.with_word() if "resource_tracker" not in " ".join(words_of(each))]
    assert psutil.wait_procs(left, timeout=120)[1] == []
