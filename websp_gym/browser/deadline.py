"""Deadlines for browser calls, and the time in which browser, server or machine did not respond.

During any call into the browser, Playwright's event loop runs in the same thread; a watch sets its timers
there. At the deadline it closes the browser context, which makes the current call fail. A browser that does
not respond to this is killed, then its driver. After the first second of a call, the watch also checks
whether browser and server respond. While they do not, the time is not counted against the agent and failures
are not blamed on the page, unless it is the page that keeps them busy (:mod:`websp_gym.browser.pulse`).
Time in which driver, browser and this process wait for a processor in use by others is not counted either, and moves
the deadline, up to four times as far (:mod:`websp_gym.patience`).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Literal

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.driver import kill_browsers, kill_driver, processes_of
from websp_gym.browser.internals import during_a_call
from websp_gym.browser.openings import known_openings
from websp_gym.browser.owner import on_moved, on_overdue
from websp_gym.browser.pulse import Busy, Pulse
from websp_gym.patience import Clock, slowness, stretched, tree_of

if TYPE_CHECKING:
    from types import TracebackType

    from playwright.sync_api import BrowserContext

_FIRST = 1.0
"""Seconds before the first check; most calls are over by then."""
_TICK = 0.25
_SOON = 0.05
_SLOW = 0.5
"""Seconds without a response after which a part counts as stuck; a loaded machine needs a tenth of it."""
_TO_CLOSE = 2.0
"""Seconds a browser has to close a context before it is killed; four times as many on a busy machine."""
_TO_DIE = 1.0

Blame = Literal["page", "browser", "world", "machine"]
_running: list[Watch] = []


def interrupt() -> None:
    """End all watched calls as if their deadline had passed; from any thread."""
    # A copy: the browser thread may leave a block meanwhile.
    for watch in list(_running):
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            watch.loop.call_soon_threadsafe(watch.expire)


class Watch:
    """Deadline for the browser calls in its ``with`` block, used on the browser thread.

    Args:
        loop: Playwright's event loop.
        seconds: Deadline, counted from the start of the block.
        context: Context to close at the deadline; None if there is none yet (the browser is then killed).
        answers: Checks in another thread whether the world's server responds; takes a time limit in seconds.

    Attributes:
        context: As given, or set as soon as there is one.
        stuck: Seconds in which browser, server or machine did not respond.
        expired: Whether the deadline passed.
        blame: What did not respond at the deadline; ``suspect`` if everything did.
        suspect: What the call waits for; the page, unless the caller sets it.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        seconds: float,
        *,
        context: BrowserContext | None = None,
        answers: Callable[[float], bool] | None = None,
    ) -> None:
        self.seconds = seconds
        self.context = context
        self.answers = answers
        self.stuck = 0.0
        self.expired = False
        self.blame: Blame = "page"
        self.suspect: Blame = "page"
        self.loop = loop
        self._asked: dict[Blame, float] = {}
        self._counted = self._last = self._began = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._questions: dict[Blame, asyncio.Future[bool]] = {}
        self._closing: asyncio.Future[None] | None = None
        self._pulse: Pulse | None = None
        self._clock: Clock | None = None

    def __enter__(self) -> Watch:
        _running.append(self)
        self._began = self._counted = time.monotonic()
        # No question in the first second: most calls end in it, and a question costs a message to the browser.
        self._plan(min(_FIRST, self.seconds), self._tick)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _running.remove(self)
        self._count()
        if self._timer is not None:
            self._timer.cancel()
        if self._pulse is not None:
            self._pulse.stop()

    @property
    def frozen(self) -> bool:
        """Whether browser or server have not responded for a while."""
        return bool(self._silent(time.monotonic()))

    @property
    def own(self) -> float:
        """Seconds that the call has taken, without those spent waiting for a processor."""
        return time.monotonic() - self._began - self.moved

    @property
    def forgiven(self) -> float:
        """Seconds that are not charged to the agent: nothing responded, or what should was waiting for a
        processor."""
        return max(self.stuck, self.moved)

    @property
    def moved(self) -> float:
        """Seconds by which the deadline has moved."""
        return self._limit() - self.seconds

    def _plan(self, seconds: float, what: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        # When the timer should ring: how late it does tells whether this process itself was stopped (`_count`).
        self._last = time.monotonic() + seconds
        self._timer = self.loop.call_later(seconds, what)

    def _tick(self) -> None:
        self._count()
        self._look()
        self._ask()
        left = self._left()
        if left <= 0 and self._clock is not None:
            # The last look may be a tick old; without another one, time spent waiting would end the call.
            self._clock.look()
            left = self._left()
        if left > 0:
            self._plan(min(_TICK, max(left, _SOON)), self._tick)
        else:
            # All parts have been asked by now; wait for their responses before assigning blame.
            self._plan(_SLOW * slowness() + _TICK, self.expire)

    def _left(self) -> float:
        return self._began + self._limit() - time.monotonic()

    def _limit(self) -> float:
        return stretched(self.seconds, self._clock) if self._clock is not None else self.seconds

    def _look(self) -> None:
        """Count the time in which this process, driver and browser waited for a processor."""
        self._clock = self._clock or Clock(lambda: tree_of(os.getpid()))
        self._clock.look_again()

    def _count(self) -> None:
        """Add the time since browser or server stopped responding, or since this process itself was stopped."""
        now = time.monotonic()
        # Before silence is counted: a page that floods its browser must not buy itself time.
        self._excuse(now)
        since = [self._asked[each] for each in self._silent(now)]
        # The timer itself came late, as on a suspended laptop or with a loop that was blocked.
        if now - self._last > _SLOW:
            self._asked.setdefault("machine", self._last)
            since.append(self._last)
        else:
            self._asked.pop("machine", None)
        if since:
            # From the first that fell silent, and no second twice where several are silent at once.
            self.stuck += now - max(min(since), self._counted)
            self._counted = now

    def _excuse(self, now: float) -> None:
        """Let browser and server start anew to be silent if it is the page that keeps them busy."""
        busy = self._pulse.look() if self._pulse is not None else Busy()
        excused: dict[Blame, bool] = {"browser": busy.flooded or busy.works, "world": busy.flooded}
        for who in self._asked.keys() & excused.keys():
            if excused[who]:
                # Not removed: what is silent for a reason of its own is found half a second later.
                self._asked[who] = now

    def _silent(self, now: float, patience: float = _SLOW) -> list[Blame]:
        return [who for who, asked in self._asked.items() if now - asked > patience]

    def _ask(self) -> None:
        if self._pulse is None and self.context is not None:
            self._pulse = Pulse(self.context, processes_of(self.context))
            self._pulse.start()
        openings = known_openings(self.context) if self.context is not None else None
        if openings is not None:
            self._await("browser", lambda: during_a_call(openings.answers))
        answers = self.answers
        if answers is not None:
            # In another thread, since this one runs the loop on which the browser's answers arrive.
            self._await("world", lambda: self.loop.run_in_executor(None, answers, 2 * _SLOW))

    def _await(self, who: Blame, ask: Callable[[], asyncio.Future[bool]]) -> None:
        # One question at a time: a stuck part would otherwise be sent four a second, and answer them all later.
        if who in self._questions:
            return
        self._asked.setdefault(who, time.monotonic())
        self._questions[who] = question = ask()
        question.add_done_callback(lambda done: self._answered(who, done))

    def _answered(self, who: Blame, question: asyncio.Future[bool]) -> None:
        del self._questions[who]
        # A failed check is repeated, and its silence counts from the first attempt.
        if not question.cancelled() and question.exception() is None and question.result():
            self._count()
            self._asked.pop(who, None)

    def expire(self) -> None:
        """End the current calls; runs on the event loop."""
        # A timer or another thread may come after the block has ended.
        if self.expired or self not in _running:
            return
        self._count()
        self.expired = True
        self.blame = next(iter(self._silent(time.monotonic(), _SLOW * slowness())), self.suspect)
        # Closing is kinder to the other contexts of the browser, but one that does not answer will not close.
        if self.context is not None and self.blame != "browser":
            self._closing = during_a_call(partial(_close, self.context))
            self._plan(_TO_CLOSE * slowness(), self._kill_browser)
        else:
            self._kill_browser()

    def _kill_browser(self) -> None:
        kill_browsers()
        self._plan(_TO_DIE * slowness(), kill_driver)


def _close(context: BrowserContext) -> None:
    with contextlib.suppress(PlaywrightError):
        context.close()


on_overdue(interrupt, first=True)
on_moved(lambda: max((watch.moved for watch in list(_running)), default=0.0))
