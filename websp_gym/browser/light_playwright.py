"""Make Playwright's own bookkeeping cheap. Results and errors stay the same.

For every message Playwright calls ``inspect.stack()`` and ``traceback.extract_stack()``, which look for the source of
every frame: a third of the Python time of a step. In every answer it looks for references to its own objects, also in
answers of the DevTools protocol, which have none: a quarter of the Python time of BrowserGym's observation keys.
"""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Iterator
from functools import cache
from types import FrameType, SimpleNamespace
from typing import TYPE_CHECKING, Any

from playwright._impl import _connection, _network, _sync_base

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page

_SHOWN = 10
"""Playwright shows the last ten frames with an error."""


class Session:
    """A DevTools session of a page whose answers are plain data.

    It has the two methods of Playwright's session that BrowserGym's functions use.

    Args:
        page: The page.
    """

    def __init__(self, page: Page) -> None:
        self._session: CDPSession = page.context.new_cdp_session(page)

    def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a command and return its result. Raises ``playwright.sync_api.Error``."""
        answer: dict[str, Any] = self._session._sync(self._session._impl_obj.send(method, params))
        return answer

    def detach(self) -> None:
        """Do nothing: the session is shared and stays as long as its page."""


@cache
def install() -> None:
    """Replace what Playwright's modules use for stacks, and how they look for references in an answer."""
    for module in (_sync_base, _connection, _network):
        names = vars(module)
        names["inspect"] = SimpleNamespace(**{**vars(inspect), "stack": _stack})
        names["traceback"] = SimpleNamespace(**{**vars(traceback), "extract_stack": _extract_stack})
    connection: Any = _connection.Connection
    replace = connection._replace_guids_with_channels

    def replace_unless_plain(self: Any, payload: Any) -> Any:
        # Only answers of the DevTools protocol have this form.
        if type(payload) is dict and len(payload) == 1 and type(payload.get("result")) is dict:
            return payload
        return replace(self, payload)

    connection._replace_guids_with_channels = replace_unless_plain


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
