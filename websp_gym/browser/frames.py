"""Frames that would not answer."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

if TYPE_CHECKING:
    from playwright.sync_api import Page

_ANSWER_MS = 1_000
_BLANK_MS = 1_000
PATIENCE = 2.0
"""Seconds for all of them: only a page that wants to be waited for has many."""


def give_documents(page: Page, *, patience: float = PATIENCE) -> None:
    """Gives an empty document to frames whose address the browser refused (``file:``, ``mailto:``, ``chrome:``).

    For Playwright such a frame has no document at all, and a script sent into it waits for one for ever.

    Args:
        page: A page at rest: a frame that is still loading must be let alone.
        patience: Seconds for all of them; a frame takes one.
    """
    end = time.monotonic() + patience
    for frame in [frame for frame in page.frames[1:] if not frame.url]:
        if time.monotonic() > end:
            break
        with contextlib.suppress(PlaywrightError):
            try:
                # Unlike a plain evaluate, this gives up.
                frame.locator(":root").evaluate("() => true", timeout=_ANSWER_MS)
            except PlaywrightError:
                frame.goto("about:blank", timeout=_BLANK_MS, wait_until="commit")
