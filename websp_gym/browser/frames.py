"""Frames without a document, which would block every call into them."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.patience import slowness

if TYPE_CHECKING:
    from playwright.sync_api import Page

_ANSWER_MS = 1_000
_BLANK_MS = 1_000
PATIENCE = 2.0
"""Time limit in seconds for all frames; only a hostile page has many of them."""


def give_documents(page: Page, *, patience: float = PATIENCE) -> None:
    """Load an empty document into frames whose address the browser refused (``file:``, ``mailto:``, ``chrome:``).

    For Playwright such a frame has no document, and a script sent to it waits forever.

    Args:
        page: A settled page; frames that are still loading must not be changed.
        patience: Time limit in seconds for all frames, each of which takes about one; more on a busy machine.
    """
    pace = slowness()
    end = time.monotonic() + patience * pace
    for frame in [frame for frame in page.frames[1:] if not frame.url]:
        if time.monotonic() > end:
            break
        with contextlib.suppress(PlaywrightError):
            try:
                # Unlike frame.evaluate(), this has a timeout.
                frame.locator(":root").evaluate("() => true", timeout=_ANSWER_MS * pace)
            except PlaywrightError:
                frame.goto("about:blank", timeout=_BLANK_MS * pace, wait_until="commit")
