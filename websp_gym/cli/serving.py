"""``websp serve``: browse the sandbox by hand."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
import threading
from typing import Annotated

import typer
from rich.markup import escape

from websp_gym.browser.confinement import browser_environment, unconfined_because
from websp_gym.browser.launch import BrowserOptions, close_browsers, shared_browser
from websp_gym.cli.completing import complete_site
from websp_gym.cli.options import SignedOut
from websp_gym.cli.output import Console
from websp_gym.errors import SetupError, WorldError, nearest
from websp_gym.sandbox.client import Sandbox, SandboxError

INDEX = "https://sandbox.websp/"
_LINES = 12
"""Lines of a browser's output to show when it ends with an error."""
_POLL = 0.2
"""Seconds after which a waiting thread looks for signals: one that comes just before a wait does not end it."""


def serve(
    site: Annotated[
        str | None,
        typer.Argument(
            parser=str.lower,
            autocompletion=complete_site,
            help="Site to open, e.g. steam. Default: the index of all sites.",
        ),
    ] = None,
    *,
    signed_out: SignedOut = False,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Open no window; print a command that opens one.")
    ] = False,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65534, help="Port for HTTPS; HTTP uses the next one. Default: free ports."),
    ] = None,
) -> None:
    """Browse the sandbox by hand, under the real host names, until Ctrl-C.

    Example: `websp serve steam`
    """
    console = Console()
    try:
        sandbox = Sandbox.start(browse=True, port=port)
    except SandboxError as error:
        raise WorldError(f"the sandbox does not start: {error}") from error
    try:
        if port is not None and (sandbox.address.https_port, sandbox.address.http_port) != (port, port + 1):
            raise SetupError(
                f"port {port} or {port + 1} is taken; choose another --port, or leave it out", option="port"
            )
        start = _open_episode(sandbox, site, not signed_out)
        flags = sandbox.browser_args()
        command = [_browser(), *_unconfined(flags), *flags, "--no-first-run", start]
        console.print(
            "[bold]The sandbox is running.[/] Every address resolves to it; nothing leaves this machine."
        )
        window = not no_browser and bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
        with tempfile.TemporaryDirectory(prefix="websp-profile-") as profile:
            command.insert(1, f"--user-data-dir={profile}")
            if window:
                _browse(command, console)
            else:
                console.print("To browse it, start Chromium like this:\n")
                console.print("  " + escape(shlex.join(command)), soft_wrap=True)
                console.print("\nPress Ctrl-C to stop.", style="dim")
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
    """Return the flag that turns off Chromium's own sandbox, if a first start shows that it cannot have one."""
    if unconfined_because() is None:
        shared_browser(BrowserOptions(args=tuple(flags)))
        close_browsers()
    return ["--no-sandbox"] if unconfined_because() else []


def _browse(command: list[str], console: Console) -> None:
    console.print("Close the window or press Ctrl-C to stop.", style="dim")
    with tempfile.TemporaryFile() as output:
        window = subprocess.Popen(command, stdout=output, stderr=output, env=browser_environment(command))
        try:
            code = window.wait()
        except KeyboardInterrupt:
            window.terminate()
            window.wait()
            return
        if code:
            output.seek(0)
            last = output.read().decode("utf-8", "replace").strip().splitlines()[-_LINES:]
            raise WorldError("\n".join([f"{command[0]} ended with exit code {code}:", *last]))


def _until_interrupted() -> None:
    stop = threading.Event()
    try:
        while not stop.wait(_POLL):
            pass
    except KeyboardInterrupt:
        return
