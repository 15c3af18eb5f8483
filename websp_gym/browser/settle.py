"""Wait until a page has settled: no open requests, DOM changes or short timers, next frame drawn. No fixed sleep."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.frames import give_documents
from websp_gym.browser.isolated import ScriptError, worlds_of
from websp_gym.browser.notices import ASKED
from websp_gym.browser.scripts import event_names
from websp_gym.patience import slowness

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.isolated import Frame
    from websp_gym.browser.tabs import Tabs

SETTLE_CAP = 5.0
"""Seconds after which a page that never settles is observed as it is."""
DOM_PATIENCE = 1.0
"""Seconds after which a DOM that keeps changing while nothing loads is observed as it is."""
_FRAMES = 8
"""Maximum number of child frames to wait for; more are usually advertisements."""


@dataclass(frozen=True)
class Calm:
    """Criteria for a page at rest.

    Args:
        quiet_ms: Milliseconds without a DOM change.
        frames: Animation frames that must have passed.
        after_traffic: Seconds that a page has to react to a response; later DOM changes are awaited anyway.
        timers: Milliseconds up to which a pending timer may be set to be awaited (``timers.js``); 0 for none.
    """

    quiet_ms: int
    frames: int
    after_traffic: float
    timers: int = 0


ANY_PAGE = Calm(quiet_ms=20, frames=2, after_traffic=0.03, timers=500)
"""For unknown pages: they may change the DOM some frames after a response, or by a timer."""
REACTS_AT_ONCE = Calm(quiet_ms=8, frames=1, after_traffic=0.005)
"""For pages of a world with this flag (:attr:`websp_gym.world.World.reacts_at_once`)."""


@dataclass(frozen=True)
class _Rest:
    """State of a page's documents: no DOM changes, and fully parsed."""

    quiet: bool
    parsed: bool = True
    waited: float = 0.0
    """Seconds from the question to the page's own decision."""
    asked: tuple[str, ...] = ()
    """The page's requests to the browser (:data:`websp_gym.browser.notices.ASKED`)."""


LATE_TIMERS = 10_000
"""Milliseconds of the longest timer of which a page may save something."""


def settle(
    tabs: Tabs,
    *,
    cap: float = SETTLE_CAP,
    quiet_ms: int | None = None,
    patience: float = DOM_PATIENCE,
    timers: int | None = None,
) -> bool:
    """Wait until the current tab has settled, and return whether it did before the time limit.

    A tab has settled if no tab is about to open, the document is parsed, no request is open (except streams
    and polls), the DOM has not changed for ``quiet_ms`` (except tickers and spinners), some animation frames
    have passed, and none of this changed during the check. On unknown pages, timers of up to 500 ms are awaited too,
    for ``patience`` seconds altogether; longer ones, intervals and endless chains are not. How long this takes
    depends on whether the pages react at once (:class:`Calm`).

    Args:
        tabs: The browser's open tabs.
        cap: Time limit in seconds; up to four times as many on a busy machine, which loads pages slowly.
        quiet_ms: Milliseconds without a DOM change that count as quiet, if not the usual ones.
        patience: Seconds to wait for a DOM that keeps changing, or for timers, while nothing is loading.
        timers: Milliseconds up to which a timer may be set to be awaited, if not the usual ones.
    """
    calm = REACTS_AT_ONCE if tabs.reacts_at_once else ANY_PAGE
    given = {"quiet_ms": quiet_ms, "timers": timers}
    calm = replace(calm, **{name: value for name, value in given.items() if value is not None})
    # Requests that repeat are polls only while somebody waits: between actions a user may save the same form often.
    with tabs.traffic.wait():
        return _settled(tabs, cap, calm, patience)


def _settled(tabs: Tabs, cap: float, calm: Calm, patience: float) -> bool:
    end = time.monotonic() + cap * slowness()
    timers_end = time.monotonic() + min(cap, patience)
    looked_at: Page | None = None
    waiting = False
    while (left := end - time.monotonic()) > 0:
        # Asked for anew each time: a click may have opened a tab or closed this one.
        page, asked = tabs.current, time.monotonic()
        again = page is looked_at
        # What is still open must be over for as long when the page looks.
        reaction = calm.after_traffic if waiting else tabs.traffic.changed + calm.after_traffic - asked
        # The first look returns at once, and often finds that something loads, which makes the pause unnecessary.
        pause = max(reaction, 0.0) if again else 0.0
        try:
            timers = max(timers_end - asked, 0.0)
            rest = _ask_all(page, calm, min(left, patience), again=again, pause=pause, timers=timers)
        except PlaywrightError:
            # The document was replaced by a navigation: ask the new one.
            # What was known of the old document says nothing of the new one.
            if not tabs.alive:
                raise
            looked_at = None
            continue
        looked_at = page
        for sentence in rest.asked:
            tabs.notices.add(sentence)
        # Always call requests_in_flight(): it also detects requests not worth waiting for.
        waiting = not rest.parsed or tabs.requests_in_flight() > 0 or tabs.opening
        # By its own clock, so that it has run since the response also where the machine is busy.
        reacted = asked + rest.waited - tabs.traffic.changed >= calm.after_traffic
        # A download leaves an empty tab behind, which the agent would be shown.
        if reacted and not waiting and tabs.close_empty():
            continue
        # Only now the answer counts: all of the above may have changed while the page was asked.
        if reacted and not waiting and page is tabs.current:
            give_documents(page)
            return rest.quiet
    give_documents(tabs.current)
    return False


def _ask_all(page: Page, calm: Calm, cap: float, *, again: bool, pause: float, timers: float) -> _Rest:
    """Return whether the DOM of all frames became quiet within ``cap`` seconds.

    ``again``: this page was checked before, so quiet time before this call counts. The main frame answers after
    ``pause`` seconds at the earliest. Timers are awaited for ``timers`` seconds.
    """
    end = time.monotonic() + cap
    # The main frame first: while it changes, its frames may still be replaced.
    worlds = worlds_of(page)
    rest = _ask(worlds.main, calm, cap, known=again, pause=pause, timers=timers)
    if not rest.quiet:
        return rest
    for frame in worlds.children()[:_FRAMES]:
        left = max(0.0, end - time.monotonic())
        try:
            child = _ask(frame, calm, left, known=True, timers=min(left, timers))
        except PlaywrightError:
            # Do not wait for a removed or replaced frame: its replacement counts as an open request.
            if page.is_closed():
                raise
            continue
        rest = replace(rest, quiet=child.quiet, asked=(*rest.asked, *child.asked))
        if not rest.quiet:
            return rest
    return rest


def _ask(frame: Frame, calm: Calm, cap: float, *, known: bool, timers: float, pause: float = 0.0) -> _Rest:
    given: list[Any] = [calm.quiet_ms, cap * 1000, known, pause * 1000, calm.frames]
    if calm.timers:
        ask, tell = event_names("timers.js")
        # Timers live in the page's own world, which ours can only reach by events with names that it cannot guess.
        given.append({"ask": ask, "tell": tell, "ms": timers * 1000, "longest": calm.timers})
    try:
        answer = frame.ask("quiet", *given)
    except ScriptError:
        return _Rest(quiet=False)  # a document that cannot be read is observed as it is
    return _Rest(
        quiet=answer["quiet"] is True,
        parsed=answer["parsed"] is True,
        waited=answer["waited"] / 1000,
        asked=tuple(ASKED[word] for word in str(answer["asked"]).split() if word in ASKED),
    )
