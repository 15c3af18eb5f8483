"""Whether a replay has arrived where its recording ended, signed in if the recording was."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from websp_gym.replay.filled import FilledEvent, FilledTrace
from websp_gym.replay.read_back import Kept
from websp_gym.replay.refusals import asks_password, is_sign_in
from websp_gym.replay.wait_for_target import wait_for_change

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs

_IDENTITY = frozenset({"{{account.email}}", "{{account.username}}"})
_PASSWORD = "{{account.password}}"
_SIGN_IN = _IDENTITY | {_PASSWORD}
_STILL = "the page still asks for the password that was typed (is it wrong?)"


def without_sign_in(kept: Iterable[Kept]) -> list[Kept]:
    """Return the states without the account's name and password, which sign in and are not kept by a page."""
    states = list(kept)
    pages = {one.url for one in states if one.event.written.value == _PASSWORD}
    return [one for one in states if one.url not in pages or one.event.written.value not in _SIGN_IN]


def why_not_at_end(trace: FilledTrace, tabs: Tabs, left: str, timeout: float) -> str | None:
    """Return why the last event did not lead where it led when it was recorded; None if there is no sign of this.

    Args:
        trace: The trace.
        tabs: The browser's open tabs, at rest after the last event.
        left: The page on which the last event was carried out.
        timeout: Seconds to wait for the page to continue.
    """
    last = trace.events[-1]
    if trace.end is None:
        return _STILL if _stays_signed_out(trace.events, tabs) else None
    went_on = bool(last.url) and last.type != "navigate" and _path(trace.end_url) != _path(last.url)
    end = time.monotonic() + timeout
    while went_on and _path(tabs.current.url) == _path(left):
        if (rest := end - time.monotonic()) <= 0:
            page = urlsplit(trace.end.url).path or "/"
            return f"the page did not continue; when it was recorded, it continued to {page}"
        wait_for_change(tabs.current, rest)
    if not asks_password(tabs.current):
        return None
    if trace.end.asks_password:
        here, recorded = _path(tabs.current.url), _path(trace.end_url)
        expected = went_on or here in (_path(left), recorded)
        if expected and (is_sign_in(recorded) or not is_sign_in(here)):
            return None
        return f"the page continued to {here or '/'}, which asks for a password; when it was recorded, it did not"
    typed = any(event.written.value == _PASSWORD for event in trace.events)
    return _STILL if typed else "the page asks for a password, which it did not when it was recorded"


def _stays_signed_out(events: tuple[FilledEvent, ...], tabs: Tabs) -> bool:
    """Whether a trace ends by signing in, and the page still shows the form for that."""
    number = max((at for at, event in enumerate(events) if event.written.value == _PASSWORD), default=None)
    if number is None or number == len(events) - 1:
        return False
    form = events[number]
    names = any(event.written.value in _IDENTITY and event.url == form.url for event in events[:number])
    rest_on_form = all(event.url == form.url for event in events[number:])
    here = _path(tabs.current.url) == _path(form.url)
    return names and rest_on_form and here and asks_password(tabs.current)


def _path(url: str) -> str:
    return urlsplit(url).path.rstrip("/")
