"""Watching the short timers of unknown pages, so that a step can wait for them."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.isolated import session_of
from websp_gym.browser.scripts import timer_script

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

_WATCHED = "_websp_timers_watched"


def watch_timers(context: BrowserContext) -> None:
    """Add ``timers.js`` to a context's pages, once; in open pages it sees timers started from now on."""
    if vars(context).get(_WATCHED):
        return
    vars(context)[_WATCHED] = True
    context.add_init_script(timer_script())
    for page in context.pages:
        # A script that runs at once does so in all frames; later documents have that of the context.
        with contextlib.suppress(PlaywrightError):
            send = session_of(page).send
            send("Page.enable", {})
            given = {"source": timer_script(), "runImmediately": True}
            send(
                "Page.removeScriptToEvaluateOnNewDocument",
                send("Page.addScriptToEvaluateOnNewDocument", given),
            )
