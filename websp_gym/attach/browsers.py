"""Browsers behind doors: used by one door at a time, and kept for the next one, as a start takes longer than a reset.

Each episode has its own browser context, which ends with it, as do the sessions of its agent.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from websp_gym.browser.launch import close_browser
from websp_gym.browser.owner import after_fork, call
from websp_gym.browser.shared_pipe import SharedPipe
from websp_gym.errors import WorldError

if TYPE_CHECKING:
    from websp_gym.browser.launch import BrowserOptions

_MOST = 1
"""Browsers that are kept for later doors; each takes about 110 MB."""
_TO_CLOSE = 15.0


class _Free(NamedTuple):
    """A browser that no door uses: the options it was launched with, and its shared connection."""

    options: BrowserOptions
    pipe: SharedPipe


_lock = threading.Lock()
_free: list[_Free] = []
"""In the order in which they were given back."""


def borrow(options: BrowserOptions) -> SharedPipe:
    """Return the connection of a browser that no other door uses; one that is not running is launched again.

    Args:
        options: How the browser is launched, without a connection.
    """
    with _lock:
        for each in _free:
            if each.options == options:
                _free.remove(each)
                return each.pipe
    return SharedPipe()


def give_back(options: BrowserOptions, pipe: SharedPipe, *, keep: bool) -> None:
    """End the sessions of a door, whose episode is over, and keep the browser for the next door.

    Args:
        options: As for :func:`borrow`.
        pipe: Its connection.
        keep: Whether to; otherwise it is closed.
    """
    given = _Free(options, pipe)
    if keep:
        try:
            pipe.end_sessions()
        except WorldError:  # what is over must not cost the episode its score
            keep = False
    with _lock:
        too_many = [given]
        if keep:
            _free.append(given)
            too_many = _free[:-_MOST]
            del _free[:-_MOST]
    for each in too_many:
        flags = replace(each.options, pipe=each.pipe)
        call(lambda flags=flags: close_browser(flags), seconds=_TO_CLOSE)  # type: ignore[misc]
        each.pipe.close()


def _forget() -> list[_Free]:
    """Detach a forked child from the browsers of its parent."""
    global _lock
    left = list(_free)
    _lock = threading.Lock()
    _free.clear()
    return left


after_fork(_forget)
