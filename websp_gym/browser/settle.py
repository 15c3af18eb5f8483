"""Waiting for a page to come to rest: no request in flight, DOM quiet, next frame. Never a fixed sleep."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs

SETTLE_CAP = 5.0
"""Seconds after which a page that never rests is taken as it is."""
_QUIET_MS = 20
_QUIET = """([quiet, cap]) => globalThis.__websp
  ? __websp.quiet(quiet, cap)
  : new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done({quiet: true}))))"""


def settle(tabs: Tabs, *, cap: float = SETTLE_CAP, quiet_ms: int = _QUIET_MS) -> bool:
    """Waits until the current tab is at rest.

    At rest means: the document is parsed, no request is in flight (open streams excepted), the DOM has not
    changed for ``quiet_ms`` and two animation frames have passed.

    Args:
        tabs: The browser's open tabs.
        cap: Seconds to wait at most.
        quiet_ms: Milliseconds without a DOM change that count as quiet.

    Returns:
        Whether the page came to rest before the cap.
    """
    end = time.monotonic() + cap
    while (left := end - time.monotonic()) > 0:
        page = tabs.current
        try:
            page.wait_for_load_state("domcontentloaded", timeout=left * 1000)
            result = page.main_frame.evaluate(_QUIET, [quiet_ms, min(left * 1000, 1000)])
        except PlaywrightError:
            # The document was replaced under the question: a navigation is under way, ask its successor.
            if not tabs.alive:
                raise
            continue
        if result["quiet"] and not tabs.requests_in_flight() and page is tabs.current:
            return True
    return False
