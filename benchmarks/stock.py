"""Stock BrowserGym on pages of the sandbox."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websp_gym.sandbox.client import EPISODE_HEADER, Sandbox

_LAUNCH = """
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    playwright.chromium.launch()
"""


@contextmanager
def stock_env(url: str) -> Iterator[Any]:
    """Yield stock BrowserGym on a page of the sandbox, in a process that has not started Playwright yet.

    Args:
        url: The start page.
    """
    sandbox = Sandbox.shared()
    episode = sandbox.open_episode("steam", signed_in=["steam"])
    headers = {EPISODE_HEADER: episode.id}
    cookies: Any = {"cookies": episode.cookies, "origins": []}
    try:
        with stock_env_of(
            url, sandbox.browser_args(), {"extra_http_headers": headers, "storage_state": cookies}
        ) as env:
            yield env
    finally:
        episode.close()


@contextmanager
def stock_env_of(url: str, flags: Sequence[str], context: Mapping[str, Any]) -> Iterator[Any]:
    """Yield stock BrowserGym on any page, in a process that has not started Playwright yet.

    BrowserGym does not accept Chromium flags, nor another browser for its chat window. So Playwright gets a
    browsers folder in which "Chromium" is a script that adds the flags.

    Args:
        url: The start page.
        flags: Chromium's flags.
        context: Options of the browser context.
    """
    with tempfile.TemporaryDirectory() as folder:
        _offer_browser(Path(folder), flags)
        from browsergym.core.env import BrowserEnv
        from browsergym.core.task import OpenEndedTask

        class FastTask(OpenEndedTask):  # type: ignore[misc]
            """The stock task without its slow motion."""

            def __init__(self, seed: int, start_url: str) -> None:
                super().__init__(seed, start_url, goal="Look at the page.")
                self.viewport = {"width": 1280, "height": 1024}
                self.slow_mo = 0

        env = BrowserEnv(FastTask, task_kwargs={"start_url": url}, pw_context_kwargs=dict(context))
        try:
            yield env
        finally:
            env.close()


def _offer_browser(folder: Path, flags: Sequence[str]) -> None:
    script = folder / os.environ["WEBSP_BENCH_PLACE"]
    write_browser(script, os.environ["WEBSP_BENCH_CHROMIUM"], flags)
    os.environ["PLAYWRIGHT_BROWSERS_PATH"] = str(folder)


def write_browser(script: Path, chromium: str, flags: Sequence[str]) -> None:
    """Write a script that starts a Chromium with more flags."""
    script.parent.mkdir(parents=True)
    quoted = " ".join(f"'{flag}'" for flag in flags)
    script.write_text(f'#!/bin/sh\nexec "{chromium}" {quoted} "$@"\n')
    script.chmod(0o755)


def place_of_browser() -> Path:
    """Return where Playwright looks for its Chromium, relative to its folder of browsers.

    Only the error of a launch says it: newer versions look elsewhere for a browser without a window than for
    ``executable_path``.
    """
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PLAYWRIGHT_BROWSERS_PATH": folder}
        done = subprocess.run(
            [sys.executable, "-c", _LAUNCH], env=environment, capture_output=True, text=True, check=False
        )
        found = re.search(r"Executable doesn't exist at (\S+)", done.stderr)
        if found is None:
            raise RuntimeError(f"Playwright does not say where it looks for its browser: {done.stderr}")
        return Path(found[1]).relative_to(folder)


def find_browser_for_stock() -> None:
    """Set, for child processes, the path of Chromium and the path where Playwright expects its own."""
    from browsergym.core import _get_global_playwright

    from websp_gym.browser.find import find_browser

    os.environ["WEBSP_BENCH_CHROMIUM"] = find_browser(_get_global_playwright(), headless=True)
    os.environ["WEBSP_BENCH_PLACE"] = str(place_of_browser())
