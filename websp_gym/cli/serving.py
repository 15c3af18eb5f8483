"""``websp serve``: the sandbox for a person with a browser."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import threading

from rich.console import Console
from rich.markup import escape

from websp_gym.browser.confinement import browser_environment, unconfined_because
from websp_gym.browser.launch import BrowserOptions, close_browsers, shared_browser
from websp_gym.errors import SetupError, WorldError, nearest
from websp_gym.sandbox.client import Sandbox, SandboxError

INDEX = "https://sandbox.websp/"
_LINES = 12
"""Of what a browser said before it ended with an error."""


def serve_command(site: str | None, *, signed_in: bool, browser: bool, port: int | None = None) -> None:
    """Runs a sandbox until Ctrl-C, and a browser window in which the real addresses lead to it.

    Args:
        site: Slug of the site to open; ``None`` opens the index of all sites.
        signed_in: Whether the browser starts signed in where the sites have accounts.
        browser: Whether a window is opened; without a display it is not.
        port: Where HTTPS is served, and HTTP on the next one; on free ports otherwise.

    Raises:
        SetupError: There is no such site, or a port is taken.
        WorldError: The server does not start, or the browser ends with an error.
    """
    console = Console(highlight=False)
    try:
        sandbox = Sandbox.start(browse=True, port=port)
    except SandboxError as error:
        raise WorldError(f"the sandbox does not start: {error}") from error
    try:
        if port is not None and (sandbox.address.https_port, sandbox.address.http_port) != (port, port + 1):
            raise SetupError(
                f"port {port} or {port + 1} is taken; choose another --port, or leave it out", option="port"
            )
        start = _open_episode(sandbox, site, signed_in)
        flags = sandbox.browser_args()
        command = [_browser(), *_unconfined(flags), *flags, "--no-first-run", start]
        console.print(
            "[bold]The sandbox is running.[/] Every address leads to it; nothing leaves this machine."
        )
        window = browser and bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
        with tempfile.TemporaryDirectory(prefix="websp-profile-") as profile:
            command.insert(1, f"--user-data-dir={profile}")
            if window:
                _browse(command, console)
            else:
                console.print("To browse it, start a Chromium like this:\n")
                console.print("  " + escape(shlex.join(command)), soft_wrap=True)
                console.print("\nCtrl-C ends it.", style="dim")
                _until_interrupted()
    finally:
        sandbox.close()


def _open_episode(sandbox: Sandbox, site: str | None, signed_in: bool) -> str:
    sites = {entry["slug"]: entry for entry in sandbox.sites()}
    if site is not None and site not in sites:
        raise SetupError(
            f'no site "{site}"{nearest(site, list(sites))} (sites: {", ".join(sites)})', site=site
        )
    slug = site or next(iter(sites))
    accounts = [name for name, entry in sites.items() if entry["signs_in"]] if signed_in else []
    try:
        sandbox.open_episode(slug, signed_in=accounts, default=True)
    except SandboxError as error:
        raise WorldError(f"the sandbox failed: {error}") from error
    return f"https://{sites[slug]['hosts'][0]}/" if site else INDEX


def _browser() -> str:
    from websp_gym.browser.driver import playwright
    from websp_gym.browser.find import find_browser

    return find_browser(playwright())


def _unconfined(flags: list[str]) -> list[str]:
    """Turns Chromium's own sandbox off where this machine does not let it have one, which a first start shows."""
    if unconfined_because() is None:
        shared_browser(BrowserOptions(args=tuple(flags)))
        close_browsers()
    return ["--no-sandbox"] if unconfined_because() else []


def _browse(command: list[str], console: Console) -> None:
    console.print("Close the window or press Ctrl-C to end.", style="dim")
    with tempfile.TemporaryFile() as said:
        window = subprocess.Popen(command, stdout=said, stderr=said, env=browser_environment(command))
        try:
            code = window.wait()
        except KeyboardInterrupt:
            window.terminate()
            window.wait()
            return
        if code:
            said.seek(0)
            last = said.read().decode("utf-8", "replace").strip().splitlines()[-_LINES:]
            raise WorldError("\n".join([f"{command[0]} ended with exit code {code}:", *last]))


def _until_interrupted() -> None:
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    try:
        stop.wait()
    except KeyboardInterrupt:
        return
