"""Checking after a recording whether the pages kept the changes: a change that is lost was not a setting."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.tabs import Tabs
from websp_gym.errors import ReplayError, SetupError
from websp_gym.replay.expectations import is_choice, recorded_state
from websp_gym.replay.filled import fill_event
from websp_gym.replay.read_back import Kept, last_states, look_again
from websp_gym.replay.sign_in import without_sign_in
from websp_gym.replay.trace import Trace, TraceEvent

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

_SECONDS = 5.0
"""Seconds to wait for a page."""


def look_back(trace: Trace, context: BrowserContext, account: Mapping[str, str]) -> dict[int, bool]:
    """Load the pages of a recording again, in a new tab, and check what was set on them.

    Args:
        trace: The recording.
        context: The browser context it was made in.
        account: The account's values for the placeholders.

    Returns:
        Whether the page kept it, by number of the event; without events whose target is not on the loaded page.
    """
    states = without_sign_in(last_states(states_of(trace, account)))
    if not states:
        return {}
    try:
        page = context.new_page()
    except PlaywrightError:
        return {}  # the browser is gone
    tabs = Tabs(context)
    try:
        readings = look_again(states, tabs, timeout=_SECONDS)
    except (PlaywrightError, ReplayError):
        return {}
    finally:
        with contextlib.suppress(PlaywrightError):
            tabs.leave()
            page.close()
    return {reading.kept.number: reading.same for reading in readings if reading.now is not None}


def states_of(trace: Trace, account: Mapping[str, str]) -> Iterator[Kept]:
    """Yield the states that the events of a trace set, as far as the recording knows them."""
    for number, event in enumerate(trace.events, 1):
        if event.target is None or event.popup:
            continue
        try:
            filled = fill_event(event, account)
        except SetupError:
            continue
        text = filled.value if _sets_text(event) else None
        on = recorded_state(event) if text is None and is_choice(event) else None
        if filled.url and (on is not None or text is not None):
            yield Kept(number, filled, filled.url, on, text)


def _sets_text(event: TraceEvent) -> bool:
    return event.type in ("type", "change")
