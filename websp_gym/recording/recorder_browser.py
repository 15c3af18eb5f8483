"""A real Chromium with the recorder extension in it, driven by a person or by a program."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
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
from websp_gym.browser.confinement import browser_environment, confined, require_display
from websp_gym.browser.driver import playwright
from websp_gym.browser.find import find_browser
from websp_gym.errors import BrowserNotFoundError, SetupError
from websp_gym.paths import data_dir
from websp_gym.replay.trace import Trace, save_trace

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Worker

_FLAGS = (
    # Chromium's switch for unpacked extensions is off by default in branded builds.
    "--disable-features=DisableLoadExtensionCommandLineSwitch,OverlayScrollbars,Translate,MediaRouter,OptimizationHints,"
    "CertificateTransparencyComponentUpdater,SegmentationPlatform",
    "--disable-quic",
    "--no-first-run",
    # What is typed must stay on no disk: no key ring either.
    "--password-store=basic",
    f"--disk-cache-dir={os.devnull}",
)
_PREFERENCES = {
    "autofill": {"enabled": False, "profile_enabled": False, "credit_card_enabled": False},
    "credentials_enable_service": False,
    "profile": {"password_manager_enabled": False},
    "history": {"saving_disabled": True},
}
_WORKER_SECONDS = 15.0
_REMOVE_SECONDS = 5.0
_POLL_MS = 10
_CALL = """async ([name, args]) => {
  if (!globalThis.websp) return null;
  try { return {value: await websp[name](...args)}; } catch (error) { return {error: error.message}; }
}"""


@dataclass(frozen=True)
class Status:
    """What the recorder is doing."""

    state: Literal["idle", "recording", "paused", "stopped"]
    name: str
    site: str
    events: int
    omitted: int
    """Secret inputs (one-time codes, card numbers, files) that were left out."""


class RecorderBrowser:
    """Records in a Chromium of its own, with a profile that is deleted at the end.

    Args:
        args: More command-line flags, such as a world's ``browser_args()``.
        headless: Without a window (Chromium's new headless mode, which runs extensions).
        viewport: Width and height of the pages in CSS pixels.
        extension: Folder of the extension; the one that comes with this package unless given.

    Raises:
        SetupError: No browser found, it does not start, or it does not load the extension.
    """

    def __init__(
        self,
        *,
        args: tuple[str, ...] = (),
        headless: bool = True,
        viewport: tuple[int, int] = VIEWPORT,
        extension: Path | None = None,
    ) -> None:
        self.viewport = viewport
        self._extension = extension or data_dir("extension")
        if not (self._extension / "manifest.json").is_file():
            raise SetupError(
                f"{self._extension} is no extension: it has no manifest.json", path=str(self._extension)
            )
        self.profile = Path(tempfile.mkdtemp(prefix="websp-studio-"))
        self._context: BrowserContext | None = None
        self._window: Page | None = None
        self._gone = False
        try:
            self._write_preferences()
            self._context = self._launch(args, headless)
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
        """The browser context; a sandbox episode can be attached to it."""
        if self._context is None:
            raise SetupError("the studio is closed; open a new one")
        return self._context

    @property
    def open(self) -> bool:
        """Whether the browser still runs; a person may close its window at any time."""
        return self._context is not None and not self._gone

    @property
    def page(self) -> Page:
        """The first tab, where recordings begin."""
        pages = [page for page in self.context.pages if not page.url.startswith("chrome-extension://")]
        return pages[0] if pages else self.context.new_page()

    @property
    def popup_url(self) -> str:
        """Address of the recorder's window, speaking about :attr:`page`."""
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
    ) -> Status:
        """Begins a recording in :attr:`page`; what was recorded before is gone.

        Args:
            name: Name of the trace.
            site: Slug of the site.
            account: Values that become ``{{account.email}}``, ``{{account.username}}`` and ``{{account.name}}``.
            screenshots: Whether a picture is kept after each event.
            rules: The site's class rules, for controls that show their state by a class.

        Returns:
            The recorder's status.

        Raises:
            SetupError: It records already, or the page cannot be recorded.
        """
        fields = ("email", "username", "name")
        options = {
            "name": name,
            "site": site,
            "account": {key: value for key, value in (account or {}).items() if key in fields and value},
            "screenshots": screenshots,
            "viewport": {"width": self.viewport[0], "height": self.viewport[1]},
            "rules": [dict(rule) for rule in rules],
        }
        self.page.bring_to_front()
        return _status(self.call("start", {**options, "tabId": self._tab()}))

    def pause(self) -> Status:
        """Stops taking notes until :meth:`resume`."""
        return _status(self.call("pause"))

    def resume(self) -> Status:
        """Goes on after :meth:`pause`."""
        return _status(self.call("resume"))

    def status(self) -> Status:
        """What the recorder is doing, and how many events it has."""
        return _status(self.call("status"))

    def discard(self) -> Status:
        """Ends the recording and throws it away."""
        return _status(self.call("discard"))

    def trace(self) -> Trace:
        """The recording so far, checked like any other trace.

        Raises:
            SetupError: Nothing has been recorded.
        """
        return Trace.model_validate(self.call("trace"))

    def stop(self) -> Trace:
        """Ends the recording.

        Returns:
            The trace.

        Raises:
            SetupError: Nothing is being recorded.
        """
        self.call("stop")
        return self.trace()

    def save(self, path: str | Path) -> Path:
        """Writes what was recorded: ``name.json``, and its pictures in the folder ``name`` beside it.

        Both are written under another name first, so that a trace is there whole or not at all.

        Args:
            path: The JSON file; missing folders are made.

        Returns:
            The path.
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
        """Closes the browser and deletes its profile."""
        context, self._context = self._context, None
        if context is not None:
            with contextlib.suppress(PlaywrightError):
                context.close()
        # The browser's last helper may write for a moment longer than the browser lives.
        end = time.monotonic() + _REMOVE_SECONDS
        while self.profile.exists() and time.monotonic() < end:
            shutil.rmtree(self.profile, ignore_errors=True)

    # ---------------------------------------------------------------- browser
    def _write_preferences(self) -> None:
        folder = self.profile / "Default"
        folder.mkdir()
        # The recorder's button stands in the tool bar, not behind the puzzle icon.
        pinned = {"pinned_extensions": [_unpacked_id(self._extension)]}
        (folder / "Preferences").write_text(json.dumps({**_PREFERENCES, "extensions": pinned}), "utf-8")
        # Chromium would keep what stands in the fields of open tabs, even a password once shown, to bring it back
        # after a crash. A file where its folder should be leaves it nowhere to write.
        (folder / "Sessions").touch()

    def _launch(self, args: tuple[str, ...], headless: bool) -> BrowserContext:
        if not headless:
            require_display("recording with a window")
        current = playwright()
        executable = find_browser(current)
        extension = str(self._extension)
        flags = [f"--load-extension={extension}", f"--disable-extensions-except={extension}", *_FLAGS, *args]
        try:
            context = confined(
                lambda sandbox: current.chromium.launch_persistent_context(
                    str(self.profile),
                    executable_path=executable,
                    # Playwright's own headless mode is the old one, which knows no extensions.
                    headless=False,
                    args=[*(["--headless=new"] if headless else []), *flags],
                    ignore_default_args=["--hide-scrollbars"],
                    viewport={"width": self.viewport[0], "height": self.viewport[1]},
                    color_scheme="light",
                    chromium_sandbox=sandbox,
                    env={**browser_environment(flags)},
                )
            )
        except PlaywrightError as error:
            raise BrowserNotFoundError(
                f"{executable} does not start: {str(error).splitlines()[0]} (`websp doctor` looks closer)",
                executable=executable,
            ) from error
        context.set_default_timeout(10_000)
        context.on("close", self._closed)
        if not headless:
            # With a listener Playwright leaves native dialogs to the person at the screen.
            context.on("dialog", lambda dialog: None)
        return context

    def _closed(self, _context: BrowserContext) -> None:
        self._gone = True

    def _extension_id(self) -> str:
        return self._worker().url.split("/")[2]

    def _worker(self) -> Worker:
        end = time.monotonic() + _WORKER_SECONDS
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
        """Calls the recorder's own interface (the header of ``extension/background.js`` lists it).

        Args:
            name: The function.
            *arguments: What it takes, as JSON values.

        Returns:
            What it gives.

        Raises:
            SetupError: It refused, or does not answer.
        """
        reply = self._ask(name, list(arguments))
        if "error" in reply:
            raise SetupError(f"the recorder says: {reply['error']}")
        return reply.get("value")

    def _ask(self, name: str, arguments: list[Any]) -> dict[str, Any]:
        """Asks the service worker: one that has just been started knows nothing until its script has run."""
        end = time.monotonic() + _WORKER_SECONDS
        while time.monotonic() < end:
            try:
                reply: dict[str, Any] | None = self._worker().evaluate(_CALL, [name, arguments])
            except PlaywrightError:
                # Chrome stopped the worker. It comes back by itself, with the same recording, but Playwright
                # goes on looking at the old one.
                return self._ask_by_page(name, arguments)
            if reply is not None:
                return reply
            self.page.wait_for_timeout(_POLL_MS)
        raise SetupError("the extension's service worker does not start")

    def _ask_by_page(self, name: str, arguments: list[Any]) -> dict[str, Any]:
        """Asks through a page of the extension, as its popup does."""
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
        """The browser's number of :attr:`page`: it counts its tabs in the order in which Playwright lists them."""
        own = f"chrome-extension://{self._id}/"
        pages = [page for page in self.context.pages if not page.url.startswith(own)]
        tabs = [tab for tab in self.call("tabs") if not tab["url"].startswith(own)]
        return int(tabs[pages.index(self.page)]["id"])

    def _picture(self, name: str) -> bytes:
        return base64.b64decode(str(self.call("picture", name)).split(",", 1)[1])


def _status(data: Mapping[str, Any]) -> Status:
    return Status(data["state"], data["name"], data["site"], data["events"], data["omitted"])


def _unpacked_id(folder: Path) -> str:
    """The id Chromium gives an unpacked extension: the hash of its path, in the letters a to p."""
    digest = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:32]
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digest)
