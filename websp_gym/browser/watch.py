"""A deadline for what happens in the browser, and the time in which nobody could have done anything.

Whatever a call into the browser waits for, Playwright's event loop runs meanwhile, in the same thread. A watch sets
its timers there. When the time is over it ends the browser context, which fails the call at hand; a browser that does
not even do that is killed, then its driver. After its first second a call is also watched from the side: browser and
server are asked whether they answer. While they do not, time is not the agent's and no failure is the page's.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from websp_gym.browser.driver import kill_browsers, kill_driver
from websp_gym.browser.openings import known_openings
from websp_gym.browser.owner import on_overdue

if TYPE_CHECKING:
    from types import TracebackType

    from playwright.sync_api import BrowserContext

_FIRST = 1.0
"""Seconds before the first question: most calls are over by then."""
_TICK = 0.25
_SLOW = 0.5
"""Seconds without an answer after which somebody counts as stuck; a loaded machine answers in a tenth of it."""
_TO_CLOSE = 2.0
"""Seconds a browser has to end a context before it is killed."""
_TO_DIE = 1.0

Blame = Literal["page", "browser", "world", "machine"]
_running: list[Watch] = []


def interrupt() -> None:
    """Ends what is watched over at the moment as if its time were over; from any thread."""
    for watch in list(_running):
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            watch.loop.call_soon_threadsafe(watch.expire)


class Watch:
    """Watches over calls into the browser, made in its ``with`` block on the thread that drives it.

    Args:
        loop: Playwright's event loop.
        seconds: The deadline, counted from the start of the block.
        answers: Asks the world's server whether it is there, in another thread; takes the seconds it may take.

    Attributes:
        context: What is ended when the time is over; None while there is none (then the browser is).
        stuck: Seconds in which browser, server or machine stood still.
        expired: Whether the deadline passed.
        blame: Who did not answer when it passed: the suspect, where everybody else did.
        suspect: Who is being waited for; the page, unless the caller says otherwise.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        seconds: float,
        *,
        answers: Callable[[float], bool] | None = None,
    ) -> None:
        self.seconds = seconds
        self.answers = answers
        self.context: BrowserContext | None = None
        self.stuck = 0.0
        self.expired = False
        self.blame: Blame = "page"
        self.suspect: Blame = "page"
        self.loop = loop
        self._asked: dict[Blame, float] = {}
        self._counted = self._last = self._began = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._questions: dict[Blame, asyncio.Future[bool]] = {}
        self._closing: asyncio.Task[Any] | None = None

    def __enter__(self) -> Watch:
        _running.append(self)
        self._began = self._counted = time.monotonic()
        self._plan(min(_FIRST, self.seconds), self._tick)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _running.remove(self)
        self._count()
        if self._timer is not None:
            self._timer.cancel()

    @property
    def frozen(self) -> bool:
        """Whether browser or server have not answered for a while."""
        return bool(self._silent(time.monotonic()))

    def _plan(self, seconds: float, what: Callable[[], None]) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._last = time.monotonic() + seconds
        self._timer = self.loop.call_later(seconds, what)

    def _tick(self) -> None:
        self._count()
        self._ask()
        left = self._began + self.seconds - time.monotonic()
        if left > 0:
            self._plan(min(_TICK, left), self._tick)
        else:
            # Asked just now at the latest: who has not answered by then will not.
            self._plan(_SLOW + _TICK, self.expire)

    def _count(self) -> None:
        """Adds the time since somebody fell silent, or since this process itself stood still."""
        now = time.monotonic()
        since = [self._asked[each] for each in self._silent(now)]
        if now - self._last > _SLOW:
            self._asked.setdefault("machine", self._last)
            since.append(self._last)
        else:
            self._asked.pop("machine", None)
        if since:
            self.stuck += now - max(min(since), self._counted)
            self._counted = now

    def _silent(self, now: float) -> list[Blame]:
        return [who for who, asked in self._asked.items() if now - asked > _SLOW]

    def _ask(self) -> None:
        openings = known_openings(self.context) if self.context is not None else None
        if openings is not None:
            self._await("browser", lambda: self.loop.create_task(openings.answers()))
        answers = self.answers
        if answers is not None:
            self._await("world", lambda: self.loop.run_in_executor(None, answers, 2 * _SLOW))

    def _await(self, who: Blame, ask: Callable[[], asyncio.Future[bool]]) -> None:
        if who in self._questions:
            return
        self._asked.setdefault(who, time.monotonic())
        self._questions[who] = question = ask()
        question.add_done_callback(lambda done: self._answered(who, done))

    def _answered(self, who: Blame, question: asyncio.Future[bool]) -> None:
        del self._questions[who]
        # One that failed is asked again, and silent since it was asked first.
        if not question.cancelled() and question.exception() is None and question.result():
            self._count()
            self._asked.pop(who, None)

    def expire(self) -> None:
        """Ends the calls at hand; runs on the event loop."""
        if self.expired or self not in _running:
            return
        self._count()
        self.expired = True
        self.blame = next(iter(self._silent(time.monotonic())), self.suspect)
        if self.context is not None and self.blame != "browser":
            self._closing = self.loop.create_task(self.context._impl_obj.close())
            self._closing.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._plan(_TO_CLOSE, self._kill_browser)
        else:
            self._kill_browser()

    def _kill_browser(self) -> None:
        kill_browsers()
        self._plan(_TO_DIE, kill_driver)


on_overdue(interrupt, first=True)
