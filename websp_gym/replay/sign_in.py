"""Whether a replay has arrived where its recording ended, and is signed in where that was so."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from websp_gym.replay.read_back import Kept
from websp_gym.replay.refusals import asks_password, is_sign_in
from websp_gym.replay.trace import Trace, TraceEvent, fill
from websp_gym.replay.wait_for_target import wait_for_change

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs

_IDENTITY = frozenset({"{{account.email}}", "{{account.username}}"})
_PASSWORD = "{{account.password}}"
_STILL = "the page still asks for the password that was typed (is it wrong?)"


def without_sign_in(kept: Iterable[Kept]) -> list[Kept]:
    """Return the states without the account's name and password, which sign in and are not kept by a page."""
    states = list(kept)
    pages = {one.url for one in states if one.event.value == _PASSWORD}
    return [
        one
        for one in states
        if one.event.value != _PASSWORD and not (one.url in pages and one.event.value in _IDENTITY)
    ]


def why_not_at_end(
    trace: Trace, tabs: Tabs, left: str, account: Mapping[str, str], timeout: float
) -> str | None:
    """Return why the last event did not lead where it led when it was recorded; None if nothing says so.

    Args:
        trace: The trace.
        tabs: The browser's open tabs, at rest after the last event.
        left: The page on which the last event was carried out.
        account: The account's values for the placeholders.
        timeout: Seconds to wait for the page to go on.
    """
    last = trace.events[-1]
    if trace.end is None:
        return _STILL if _stays_signed_out(trace.events, tabs, account) else None
    went_on = bool(last.url) and last.type != "navigate" and _path(trace.end.url) != _path(last.url)
    end = time.monotonic() + timeout
    while went_on and _path(tabs.current.url) == _path(left):
        if (rest := end - time.monotonic()) <= 0:
            page = urlsplit(trace.end.url).path or "/"
            return f"the page did not go on; when it was recorded, it went on to {page}"
        wait_for_change(tabs.current, rest)
    if not asks_password(tabs.current):
        return None
    if trace.end.asks_password:
        here, recorded = _path(tabs.current.url), _path(trace.end.url)
        expected = went_on or here in (_path(left), recorded)
        if expected and (is_sign_in(recorded) or not is_sign_in(here)):
            return None
        return (
            f"the page went on to {here or '/'}, which asks for a password; when it was recorded, it did not"
        )
    typed = any(event.value == _PASSWORD for event in trace.events)
    return _STILL if typed else "the page asks for a password, and did not when it was recorded"


def _stays_signed_out(events: tuple[TraceEvent, ...], tabs: Tabs, account: Mapping[str, str]) -> bool:
    """Whether a trace ends by signing in, and the page still shows the form for that."""
    number = max((at for at, event in enumerate(events) if event.value == _PASSWORD), default=None)
    if number is None or number == len(events) - 1:
        return False
    form = events[number]
    names = any(event.value in _IDENTITY and event.url == form.url for event in events[:number])
    rest_on_form = all(event.url == form.url for event in events[number:])
    here = _path(tabs.current.url) == _path(fill(form.url, account))
    return names and rest_on_form and here and asks_password(tabs.current)


def _path(url: str) -> str:
    return urlsplit(url).path.rstrip("/")
