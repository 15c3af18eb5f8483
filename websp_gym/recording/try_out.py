"""Trying a recording at once: would its replay find each element? Nothing of the person's is set a second time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.recording.live import signed_in
from websp_gym.replay import Found, Trace
from websp_gym.replay.filled import fill_event
from websp_gym.replay.moved import on_site
from websp_gym.replay.wait_for_target import TargetWaiter, same_page

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs

_SECONDS = 5.0
"""Seconds to look for the first target on a page; once it has settled, the others are there."""
_LATER_SECONDS = 1.0


@dataclass(frozen=True)
class Sighting:
    """What became of looking for the target of an event."""

    number: int
    """Number of the event, from 1."""
    state: Literal["found", "missing", "unreached"]
    """``unreached``: only a press on its page, a sign-in or a window leads to it."""


def look_for_targets(
    trace: Trace, account: Mapping[str, str] | str, *, headless: bool = True
) -> tuple[Sighting, ...]:
    """Open the pages of a recording on the live website in a fresh browser, and look for its targets.

    Nothing is pressed or typed, so nothing is set a second time.

    Args:
        trace: The recording.
        account: Name of one of the user's accounts, which is signed in first; or the values for the placeholders.
        headless: Whether to run without a browser window.

    Returns:
        What became of each event with a target.

    Raises:
        SetupError: There is no browser, or the account cannot be signed in.
    """
    with signed_in(trace, account, headless) as (tabs, values, own_url):
        return tuple(_look(on_site(trace, own_url), tabs, values))


def _look(trace: Trace, tabs: Tabs, values: Mapping[str, str]) -> Iterator[Sighting]:
    targets = TargetWaiter(tabs)
    at = ""
    reached = pressed = False
    for number, written in enumerate(trace.events, 1):
        # What is typed does not matter, and may be a password that is not known here.
        event = fill_event(written.model_copy(update={"value": None, "modal_text": None}), values)
        if event.type == "navigate" or event.target is None:
            pressed = pressed or event.type == "key"
            continue
        if event.popup or not event.url:
            yield Sighting(number, "unreached")
            continue
        patience = _LATER_SECONDS
        if not at or not same_page(event.url, at):
            at, pressed, patience = event.url, False, _SECONDS
            reached = _opened(tabs, at)
        found = reached and isinstance(targets.wait(event, patience), Found)
        yield Sighting(number, "found" if found else "unreached" if pressed or not reached else "missing")
        pressed = pressed or event.type != "type"


def _opened(tabs: Tabs, url: str) -> bool:
    """Open a page, and return whether it is the one that was asked for."""
    try:
        tabs.load(url)
    except PlaywrightError:
        return False
    settle(tabs)
    return same_page(tabs.current.url, url)
