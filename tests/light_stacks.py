"""Make Playwright's record of the caller's stack cheap.

Playwright calls ``inspect.stack()`` and ``traceback.extract_stack()`` for every message. Both look for the source of
every frame, of which a test has about sixty: two thirds of the Python time of a test. Environments are not concerned,
since their browser thread has few frames.
"""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Iterator
from types import FrameType, SimpleNamespace

from playwright._impl import _connection, _network, _sync_base

_SHOWN = 10
"""Playwright shows the last ten frames with an error."""


def _callers() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _stack() -> list[inspect.FrameInfo]:
    return [
        inspect.FrameInfo(frame, frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, None, None)
        for frame in _callers()
    ]


def _extract_stack() -> list[traceback.FrameSummary]:
    frames = [
        traceback.FrameSummary(
            frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, lookup_line=False
        )
        for frame, _ in zip(_callers(), range(_SHOWN), strict=False)
    ]
    return frames[::-1]


def install() -> None:
    """Let Playwright's modules take stacks without their sources."""
    for module in (_sync_base, _connection, _network):
        names = vars(module)
        names["inspect"] = SimpleNamespace(**{**vars(inspect), "stack": _stack})
        names["traceback"] = SimpleNamespace(**{**vars(traceback), "extract_stack": _extract_stack})
