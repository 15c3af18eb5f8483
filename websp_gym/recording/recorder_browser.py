"""A Chromium with the recorder extension, controlled by a person or a program."""

from __future__ import annotations

import base64
import contextlib
import math
import os
import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser import VIEWPORT
from websp_gym.browser.driver import discard_dead_driver, is_answering
from websp_gym.browser.profiles import unpack
from websp_gym.errors import SetupError
from websp_gym.paths import data_dir
from websp_gym.patience import slowness
from websp_gym.recording.launch import launch
from websp_gym.recording.profile import write_profile
from websp_gym.replay.look_back import look_back
from websp_gym.replay.refusals import errors, may_change, same_site
from websp_gym.replay.trace import Trace, TraceEvent
from websp_gym.replay.trace_files import save_trace

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Request, Worker

_WORKER_SECONDS = 15.0
_REMOVE_SECONDS = 5.0
_POLL_MS = 10
_LATE_SECONDS = 5.0
"""Seconds to wait after a recording for what its last event may send."""
_LATE_MS = 50
_CALL = """async ([name, args]) => {
  if (!globalThis.websp) return null;
  try { return {value: await websp[name](...args)}; } catch (error) { return {error: error.message}; }
}"""


@dataclass(frozen=True)
class Status:
    """The state of the recorder."""

    state: Literal["idle", "recording", "paused", "stopped"]
    name: str
    site: str
    events: int
    omitted: int
    """Number of secret inputs (one-time codes, card numbers, files) that were not recorded."""


class RecorderBrowser:
    """A browser that records traces. Its temporary profile is deleted when it closes.

    Args:
        args: Further command-line flags, such as a world's ``browser_args()``.
        headless: Whether to run without a window (Chromium's new headless mode, which supports extensions).
        viewport: Width and height of the pages in CSS pixels.
        extension: Folder of the extension; None for the one in this package.
        profile: The profile to start with (:mod:`websp_gym.browser.profiles`); empty for a new one.

    Raises:
        SetupError: No browser was found, it does not start, or it does not load the extension.
    """

    def __init__(
        self,
        *,
        args: tuple[str, ...] = (),
        headless: bool = True,
        viewport: tuple[int, int] = VIEWPORT,
        extension: Path | str | None = None,
        profile: bytes = b"",
    ) -> None:
        self.viewport = viewport
        self._extension = Path(extension or data_dir("extension"))
        if not (self._extension / "manifest.json").is_file():
            raise SetupError(
                f"{self._extension} is not an extension: it has no manifest.json", path=str(self._extension)
            )
        self.profile = Path(tempfile.mkdtemp(prefix="websp-studio-"))
        self._context: BrowserContext | None = None
        self._window: Page | None = None
        self._gone = False
        self._kept: dict[int, bool] = {}
        self._sent: dict[int, bool] = {}
        self._requests: list[tuple[float, str]] = []
        """When what may change something was sent, in milliseconds since 1970, and where to."""
        self._shows_error = False
        self._account: Mapping[str, str] = {}
        self._begun: tuple[TraceEvent, ...] = ()
        self._begun_at = ""
        try:
            unpack(profile, self.profile)
            write_profile(self.profile, self._extension)
            self._context = launch(self.profile, self._extension, args, headless=headless, viewport=viewport)
            self._context.on("close", self._closed)
            self._context.on("request", self._note)
            self._id = self._extension_id()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def context(self) -> BrowserContext:
        """The browser context, to which a sandbox episode can be attached."""
        if self._context is None:
            raise SetupError("this RecorderBrowser is closed; open a new one")
        return self._context

    @property
    def open(self) -> bool:
        """Whether the browser is running; a person may close its window, or kill it, at any time."""
        return self._context is not None and not self._gone and is_answering(self._context)

    @property
    def page(self) -> Page:
        """The first tab, where recordings start."""
        pages = [page for page in self.context.pages if not page.url.startswith("chrome-extension://")]
        return pages[0] if pages else self.context.new_page()

    @property
    def popup_url(self) -> str:
        """URL of the extension's popup for :attr:`page`."""
        return f"chrome-extension://{self._id}/popup.html?tab={self._tab()}"

    # ---------------------------------------------------------------- recording
    def start(
        self,
        name: str,
        site: str,
        *,
        account: Mapping[str, str] | None = None,
        screenshots: bool = False,
        rules: Sequence[Mapping[str, str]] = (),
        opened: str = "",
    ) -> Status:
        """Start a recording in :attr:`page`. The previous recording is discarded.

        Args:
            name: Name of the trace.
            site: Slug of the site.
            account: Values to replace by ``{{account.email}}``, ``{{account.username}}`` and
                ``{{account.name}}``. Its ``password`` is only compared with typed ones, to leave out all others.
            screenshots: Whether to keep a screenshot after each event.
            rules: The site's class rules, for controls that show their state only by a CSS class.
            opened: Address that led to the page, where the trace starts; empty for the page's own, or for the site's
                root if that one has secret parameters, as a sign-in page that was reached by a redirect.

        Returns:
            The recorder's status.

        Raises:
            SetupError: A recording is already running, or the page cannot be recorded.
        """
        self._kept, self._sent, self._shows_error, self._account = {}, {}, False, dict(account or {})
        self._requests.clear()
        fields = ("email", "username", "name", "password")
        options = {
            "name": name,
            "site": site,
            "account": {key: value for key, value in (account or {}).items() if key in fields and value},
            "screenshots": screenshots,
            "viewport": {"width": self.viewport[0], "height": self.viewport[1]},
            "rules": [dict(rule) for rule in rules],
            **({"opened": opened} if opened else {}),
        }
        self.page.bring_to_front()
        return _status(self.call("start", {**options, "tabId": self._tab()}))

    def pause(self) -> Status:
        """Pause the recording until :meth:`resume`."""
        return _status(self.call("pause"))

    def resume(self) -> Status:
        """Continue the recording after :meth:`pause`."""
        return _status(self.call("resume"))

    def status(self) -> Status:
        """Return the recorder's state and number of events."""
        return _status(self.call("status"))

    def discard(self) -> Status:
        """Stop the recording and delete it."""
        return _status(self.call("discard"))

    def go_on_from(self, begun: Trace) -> None:
        """Continue the recording from a trace that was replayed in :attr:`page`; its events come first."""
        self._begun = tuple(event.model_copy(update={"screenshot": None}) for event in begun.events)
        self._begun_at = begun.start_url

    def trace(self) -> Trace:
        """Return the recording so far as a validated trace. Raise SetupError if nothing was recorded."""
        trace = Trace.model_validate(self.call("trace"))
        events = [
            event.model_copy(
                update={
                    "kept": self._kept.get(number, event.kept),
                    "sent": self._sent.get(number, event.sent),
                }
            )
            for number, event in enumerate((*self._begun, *trace.events), 1)
        ]
        if self._begun_at:
            trace = trace.model_copy(update={"start_url": self._begun_at})
        end = trace.end and trace.end.model_copy(update={"shows_error": self._shows_error})
        return trace.model_copy(update={"events": tuple(events), "end": end})

    def stop(self) -> Trace:
        """Stop the recording and return its trace.

        The pages on which something was set are reloaded, to note whether they kept it.

        Returns:
            The trace.

        Raises:
            SetupError: No recording is running.
        """
        self.call("stop")
        self.look_back(self.trace())
        return self.trace()

    def look_back(self, trace: Trace) -> None:
        """Reload the pages on which something was set, and note whether they kept it and what they sent.

        :meth:`stop` does this; call it if a person has stopped the recording in the popup.

        Args:
            trace: The recording.
        """
        pages = [page for page in self.context.pages if page.url.startswith(("https://", "http://"))]
        self._shows_error = any(errors(page) for page in pages)
        self._kept = look_back(trace, self.context, self._account)
        self._sent = self._sent_after(trace)

    def _sent_after(self, trace: Trace) -> dict[int, bool]:
        """Return whether a request followed each event that sets or presses something, by its number."""
        times = [0.0] * len(self._begun) + [float(time) for time in self.call("times")]
        acts = [event.target is not None for event in trace.events]
        if len(times) != len(trace.events) or not any(acts):
            return {}
        last = len(times) - 1
        end = time.monotonic() + _LATE_SECONDS
        # A page that shows a change when it is loaded anew, and has not sent it, may collect changes for a while.
        while self._kept.get(last + 1) and not self._requests_in(times[last], math.inf, trace):
            if time.monotonic() > end:
                break
            self.page.wait_for_timeout(_LATE_MS)
        ends = [*times[1:], math.inf]
        return {
            number: bool(self._requests_in(begun, ended, trace))
            for number, (begun, ended, act) in enumerate(zip(times, ends, acts, strict=True), 1)
            if act and number > len(self._begun)
        }

    def _requests_in(self, begun: float, ended: float, trace: Trace) -> int:
        """Return how many requests to the site of a trace were sent between two moments, in milliseconds."""
        times = [moment for moment, url in self._requests if same_site(url, trace.start_url)]
        return sum(begun <= moment < ended for moment in times)

    def save(self, path: str | Path) -> Path:
        """Save the recording as ``name.json``, with its screenshots in the folder ``name`` next to it.

        Everything is written to a temporary folder first, so that no incomplete trace is left behind.

        Args:
            path: The JSON file; missing folders are created.

        Returns:
            The path of the JSON file.
        """
        path = Path(path)
        trace = self.trace()
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = path.with_suffix("")
        with tempfile.TemporaryDirectory(prefix=f".{path.stem}-", dir=path.parent) as work:
            draft = Path(work)
            save_trace(trace, draft / "trace.json")
            names = [event.screenshot for event in trace.events if event.screenshot]
            pictures = draft / "pictures"
            for name in names:
                pictures.mkdir(exist_ok=True)
                (pictures / name).write_bytes(self._picture(name))
            shutil.rmtree(folder, ignore_errors=True)
            if names:
                os.replace(pictures, folder)
            os.replace(draft / "trace.json", path)
        return path

    def close(self) -> None:
        """Close the browser and delete its profile."""
        context, self._context = self._context, None
        discard_dead_driver()
        if context is not None:
            with contextlib.suppress(PlaywrightError):
                context.close()
        # The browser's helper processes may still write for a moment after it has closed.
        end = time.monotonic() + _REMOVE_SECONDS
        while self.profile.exists() and time.monotonic() < end:
            shutil.rmtree(self.profile, ignore_errors=True)

    # ---------------------------------------------------------------- browser
    def _note(self, request: Request) -> None:
        if may_change(request):
            self._requests.append((time.time() * 1000, request.url))

    def _closed(self, _context: BrowserContext) -> None:
        self._gone = True

    def _extension_id(self) -> str:
        return self._worker().url.split("/")[2]

    def _worker(self) -> Worker:
        end = time.monotonic() + _WORKER_SECONDS * slowness()
        while True:
            for worker in reversed(self.context.service_workers):
                if worker.url.startswith("chrome-extension://"):
                    return worker
            left = end - time.monotonic()
            if left <= 0:
                raise SetupError(
                    f"the browser did not load the extension in {self._extension} "
                    "(Google Chrome no longer loads unpacked ones; use Chromium)",
                    path=str(self._extension),
                )
            with contextlib.suppress(PlaywrightError):
                self.context.wait_for_event("serviceworker", timeout=left * 1000)

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a function of the recorder (listed at the top of ``extension/background.js``).

        Args:
            name: Name of the function.
            *arguments: Its arguments, as JSON values.

        Returns:
            The function's result.

        Raises:
            SetupError: The recorder reports an error or does not respond.
        """
        reply = self._ask(name, list(arguments))
        if "error" in reply:
            raise SetupError(f"the recorder says: {reply['error']}")
        return reply.get("value")

    def _ask(self, name: str, arguments: list[Any]) -> dict[str, Any]:
        """Send a call to the service worker, and repeat it until the worker's script has loaded."""
        end = time.monotonic() + _WORKER_SECONDS * slowness()
        while time.monotonic() < end:
            try:
                reply: dict[str, Any] | None = self._worker().evaluate(_CALL, [name, arguments])
            except PlaywrightError:
                # Chrome stopped the worker. It restarts by itself with the same recording, but Playwright
                # still refers to the old one.
                return self._ask_by_page(name, arguments)
            if reply is not None:
                return reply
            self.page.wait_for_timeout(_POLL_MS)
        raise SetupError("the extension's service worker does not start")

    def _ask_by_page(self, name: str, arguments: list[Any]) -> dict[str, Any]:
        """Send a call through a page of the extension, as its popup does."""
        try:
            if self._window is None or self._window.is_closed():
                front = self.page
                self._window = self.context.new_page()
                self._window.goto(f"chrome-extension://{self._id}/popup.html")
                front.bring_to_front()
            reply: dict[str, Any] = self._window.evaluate(
                "([call, args]) => chrome.runtime.sendMessage({kind: 'call', call, args})", [name, arguments]
            )
        except PlaywrightError as error:
            raise SetupError(f"the recorder does not answer: {error.message}") from error
        return reply

    def _tab(self) -> int:
        """Return the browser's tab id of :attr:`page`; it lists tabs in the same order as Playwright."""
        own = f"chrome-extension://{self._id}/"
        pages = [page for page in self.context.pages if not page.url.startswith(own)]
        tabs = [tab for tab in self.call("tabs") if not tab["url"].startswith(own)]
        return int(tabs[pages.index(self.page)]["id"])

    def _picture(self, name: str) -> bytes:
        return base64.b64decode(str(self.call("picture", name)).split(",", 1)[1])


def _status(data: Mapping[str, Any]) -> Status:
    return Status(data["state"], data["name"], data["site"], data["events"], data["omitted"])
