"""Keeping a process as small as what it holds."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from functools import cache

_YOUNGER_COLLECTIONS = 3
"""Collections of young objects after which the old ones are looked at too: every five episodes or so."""


def trim_heap() -> None:
    """Frees what past episodes left behind and returns it to the system (1 to 6 ms, every so often 45 ms).

    Playwright's calls leave cycles that hold pictures of several megabytes. Python puts off the collection that
    finds them until a quarter of all objects are new, and glibc keeps the holes they leave: after some hundred
    episodes that would be three quarters of the process.
    """
    if gc.isenabled() and gc.get_count()[2] > _YOUNGER_COLLECTIONS:
        gc.collect()
    trim = _malloc_trim()
    if trim is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    found: Callable[[int], int] | None = getattr(ctypes.CDLL(None), "malloc_trim", None)
    return found
