"""Waiting on the browser thread for something outside, while browser events are handled."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.internals import wait_on_loop

if TYPE_CHECKING:
    from concurrent.futures import Future

    from playwright.sync_api import BrowserContext

_LOOK_MS = 20.0


def wait_for(context: BrowserContext, future: Future[Any], seconds: float) -> bool:
    """Wait until a future is done, on the browser thread; dialogs, new tabs and other events are handled meanwhile.

    Args:
        context: A context of the thread's browser.
        future: Completed by another thread.
        seconds: Time limit.

    Returns:
        Whether it is done.
    """
    end = time.monotonic() + seconds
    while not future.done() and (left := end - time.monotonic()) > 0:
        if not wait_on_loop(context, future, left):
            with contextlib.suppress(PlaywrightError):
                context.wait_for_event("close", timeout=min(_LOOK_MS, left * 1000))
    return future.done()
