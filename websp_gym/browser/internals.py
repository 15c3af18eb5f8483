"""The private parts of Playwright that this package uses, each with a public alternative.

Playwright 1.44, which browsergym-core pins, and 1.65 have hardly an internal module in common. Each function looks
for the part it knows, and otherwise takes the public way: slower, or with fewer facts, but without an error. No other
module of the package uses a private name of Playwright.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import sys
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import cache
from importlib import import_module
from types import FrameType, ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from greenlet import greenlet
from playwright.sync_api import Error as PlaywrightError

if TYPE_CHECKING:
    from playwright.sync_api import CDPSession, Page, Playwright

Returned = TypeVar("Returned")
_SHOWN = 10
"""Playwright shows the last ten frames with an error."""


def _module(*names: str) -> ModuleType | None:
    """Return the first of Playwright's private modules that is there."""
    for name in names:
        with contextlib.suppress(ImportError):
            return import_module(f"playwright._impl.{name}")
    return None


# -------------------------------------------------------------------------------------------------- the event loop
def loop_of(owner: Any) -> asyncio.AbstractEventLoop:
    """Return the event loop of one of Playwright's objects; call it on the thread of the object.

    The public way: after each of its calls, Playwright leaves its loop marked as the running one of the thread.
    """
    loop: asyncio.AbstractEventLoop | None = getattr(owner, "_loop", None)
    return loop or asyncio.get_running_loop()


def during_a_call(function: Callable[[], Returned]) -> asyncio.Future[Returned]:
    """Run a function that calls Playwright while another call waits; call it on the event loop.

    It runs in its own greenlet, like Playwright's event listeners, which may call Playwright too.

    Returns:
        The future of its result.
    """
    future: asyncio.Future[Returned] = asyncio.get_running_loop().create_future()

    def run() -> None:
        try:
            result = function()
        except Exception as error:
            if not future.done():
                future.set_exception(error)
        else:
            if not future.done():
                future.set_result(result)

    greenlet(run).switch()
    return future


def wait_on_loop(owner: Any, future: Future[Any], seconds: float) -> bool:
    """Run the event loop of one of Playwright's objects until a future of another thread is done.

    Args:
        owner: The object.
        future: The future.
        seconds: Time limit.

    Returns:
        Whether the private part exists; the public way is to wait for an event, again and again.
    """
    sync = getattr(owner, "_sync", None)
    if sync is None:
        return False
    sync(asyncio.wait([asyncio.wrap_future(future, loop=loop_of(owner))], timeout=seconds))
    return True


# -------------------------------------------------------------------------------------------------- the driver
def is_ended(playwright: Playwright) -> bool:
    """Whether calls to a Playwright can only fail or wait forever, because its driver's pipe or its loop has ended.

    Without the private parts, False: the caller also checks whether the driver's process is running.
    """
    failed = getattr(_transport(playwright), "on_error_future", None)
    fiber = getattr(playwright, "_dispatcher_fiber", None)
    return bool(
        (failed is not None and failed.done())
        or (fiber is not None and fiber.dead)
        or loop_of(playwright).is_closed()
    )


def leave(playwright: Playwright) -> None:
    """End the event loop of a Playwright whose driver was killed, so that its calls fail at once.

    The public way, ``stop()``, waits forever below Playwright 1.64.
    """
    loop = loop_of(playwright)
    fiber = getattr(playwright, "_dispatcher_fiber", None)
    with contextlib.suppress(SystemExit, PlaywrightError):
        if fiber is None:
            playwright.stop()
        else:
            fiber.throw(SystemExit)
    if not loop.is_closed():
        loop.close()


def process_of(playwright: Playwright) -> int | None:
    """Return the process id of the driver; None without the private parts."""
    process = getattr(_transport(playwright), "_proc", None)
    return None if process is None else int(process.pid)


def pipe_of(playwright: Playwright) -> int | None:
    """Return the file descriptor of the driver's standard input; None without the private parts."""
    process = getattr(_transport(playwright), "_proc", None)
    if process is None or process.stdin is None:
        return None
    pipe = process.stdin.transport.get_extra_info("pipe")
    return None if pipe is None else int(pipe.fileno())


def _transport(playwright: Any) -> Any:
    connection = getattr(playwright._impl_obj, "_connection", None)
    client = getattr(getattr(playwright.stop, "__self__", None), "_client", None)
    return getattr(connection, "_transport", None) or getattr(client, "_transport", None)


@cache
def fail_calls_of_a_dead_driver(has_started: Callable[[], bool]) -> None:
    """Keep Playwright's event loop running after its driver dies, until all pending calls have failed with its error.

    Below 1.64, Playwright ends the loop at once, so the current call waits forever. Below 1.65, the calls fail with a
    bare ``Exception``.

    Args:
        has_started: Whether a Playwright is running; before that, no call is pending.
    """
    module = _module("_transport")
    sync = _module("_sync_base")
    if module is None or not hasattr(module, "PipeTransport"):
        return
    from playwright._impl._errors import TargetClosedError

    class Gone(asyncio.Future[None]):
        """Future that every pending call watches; fails with Playwright's own error type."""

        def set_exception(self, exception: Any, /) -> None:
            super().set_exception(TargetClosedError(f"the browser's driver has ended: {exception}"))

    transport: Any = module.PipeTransport
    connect, run = transport.connect, transport.run

    async def connected(self: Any) -> None:
        self.on_error_future = Gone(loop=self._loop)
        await connect(self)

    async def running(self: Any) -> None:
        await run(self)
        while not self._stopped and has_started():
            await asyncio.sleep(0.02)  # runs only during a call: nothing else runs the loop

    transport.connect = connected
    if not hasattr(sync, "wait_for_future"):
        transport.run = running


# -------------------------------------------------------------------------------------------------- messages
@cache
def count_messages(count: Callable[[Any], None]) -> bool:
    """Call a function with the object of each message from the driver, from the next connection on.

    Args:
        count: Takes one of Playwright's implementation objects; its ``_parent`` is the object it belongs to.

    Returns:
        Whether the private part exists; there is no public way.
    """
    module = _module("connection", "_connection")
    connection: Any = getattr(module, "Connection", None)
    dispatch = getattr(connection, "dispatch", None)
    if dispatch is None:
        return False

    def dispatched(self: Any, message: Any) -> None:
        if "guid" in message:
            count(self._objects.get(message["guid"]))
        dispatch(self, message)

    connection.dispatch = dispatched
    return True


def implementation_of(owner: Any) -> Any:
    """Return the implementation object that messages refer to; None without the private parts."""
    return getattr(owner, "_impl_obj", None)


class Session:
    """A DevTools session of a page that returns plain data.

    It has the two methods of Playwright's session that BrowserGym's functions use. Playwright searches every answer
    for references to its own objects, even those of the DevTools protocol, which have none; this class skips that.

    Args:
        page: The page.
    """

    def __init__(self, page: Page) -> None:
        self._session: CDPSession = page.context.new_cdp_session(page)
        self._more = _more_arguments(implementation_of(self._session).__class__)

    def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a command and return its result. Raises ``playwright.sync_api.Error``."""
        if self._more is None:
            return self._session.send(method, params)
        session: Any = self._session
        answer: dict[str, Any] = session._sync(session._impl_obj.send(method, params, *self._more))
        return answer

    def on(self, event: str, listener: Callable[[dict[str, Any]], None]) -> None:
        """Call a listener with each event of that name."""
        self._session.on(event, listener)

    def remove_listener(self, event: str, listener: Callable[[dict[str, Any]], None]) -> None:
        """Stop calling a listener."""
        self._session.remove_listener(event, listener)

    def detach(self) -> None:
        """Do nothing: the session is shared and stays as long as its page."""


@cache
def _more_arguments(implementation: type) -> tuple[None, ...] | None:
    """Return what the implementation of ``send`` wants after method and parameters; None if it is another one."""
    try:
        names = list(inspect.signature(implementation.send).parameters)  # type: ignore[attr-defined]
    except (AttributeError, ValueError):
        return None
    return (None,) * (len(names) - 3) if names[:3] == ["self", "method", "params"] else None


def is_playwrights(value: object) -> bool:
    """Whether an object belongs to Playwright, so that only its thread may use it."""
    return type(value).__module__.startswith("playwright.")


# -------------------------------------------------------------------------------------------------- cheap bookkeeping
@cache
def lighten() -> None:
    """Make Playwright's own bookkeeping cheap. Results and errors stay the same.

    For every message, Playwright below 1.64 calls ``inspect.stack()`` and ``traceback.extract_stack()``, which look
    for the source of every frame: a third of the Python time of a step. In every answer, Playwright below 1.65 looks
    for references to its own objects, also in those of the DevTools protocol: a quarter of the Python time of
    BrowserGym's observation keys. Without these parts, nothing is replaced.
    """
    for module in (_module("_sync_base"), _module("_connection"), _module("_network")):
        names = vars(module) if module is not None else {}
        if "inspect" in names:
            names["inspect"] = SimpleNamespace(**{**vars(inspect), "stack": _stack})
        if "traceback" in names:
            names["traceback"] = SimpleNamespace(**{**vars(traceback), "extract_stack": _extract_stack})
    connection: Any = getattr(_module("_connection"), "Connection", None)
    replace = getattr(connection, "_replace_guids_with_channels", None)
    if replace is None:
        return

    def replace_unless_plain(self: Any, payload: Any) -> Any:
        # Only answers of the DevTools protocol have this form.
        if type(payload) is dict and len(payload) == 1 and type(payload.get("result")) is dict:
            return payload
        return replace(self, payload)

    connection._replace_guids_with_channels = replace_unless_plain


def _callers() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _stack(context: int = 0) -> list[inspect.FrameInfo]:
    return [
        inspect.FrameInfo(frame, frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, None, None)
        for frame in _callers()
    ]


def _extract_stack(f: None = None, limit: int = _SHOWN) -> traceback.StackSummary:
    frames = [
        traceback.FrameSummary(
            frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name, lookup_line=False
        )
        for frame, _ in zip(_callers(), range(limit), strict=False)
    ]
    return traceback.StackSummary.from_list(frames[::-1])
