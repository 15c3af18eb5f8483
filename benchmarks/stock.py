"""Stock BrowserGym on pages of the sandbox."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websp_gym.sandbox.client import EPISODE_HEADER, Sandbox


@contextmanager
def stock_env(url: str) -> Iterator[Any]:
    """Yield stock BrowserGym on a page of the sandbox, in a process that has not started Playwright yet.

    BrowserGym does not accept Chromium flags, nor another browser for its chat window. So Playwright gets a
    browsers folder in which "Chromium" is a script that adds the sandbox's flags.

    Args:
        url: The start page.
    """
    sandbox = Sandbox.shared()
    episode = sandbox.open_episode("steam", signed_in=["steam"])
    with tempfile.TemporaryDirectory() as folder:
        _offer_browser(Path(folder), sandbox.browser_args())
        from browsergym.core.env import BrowserEnv
        from browsergym.core.task import OpenEndedTask

        class FastTask(OpenEndedTask):  # type: ignore[misc]
            """The stock task without its slow motion."""

            def __init__(self, seed: int, start_url: str) -> None:
                super().__init__(seed, start_url, goal="Look at the page.")
                self.viewport = {"width": 1280, "height": 1024}
                self.slow_mo = 0

        env = BrowserEnv(
            FastTask,
            task_kwargs={"start_url": url},
            pw_context_kwargs={
                "extra_http_headers": {EPISODE_HEADER: episode.id},
                "storage_state": {"cookies": episode.cookies, "origins": []},
            },
        )
        try:
            yield env
        finally:
            env.close()
            episode.close()


def _offer_browser(folder: Path, flags: list[str]) -> None:
    place, chromium = os.environ["WEBSP_BENCH_PLACE"], os.environ["WEBSP_BENCH_CHROMIUM"]
    script = folder / place
    script.parent.mkdir(parents=True)
    quoted = " ".join(f"'{flag}'" for flag in flags)
    script.write_text(f'#!/bin/sh\nexec "{chromium}" {quoted} "$@"\n')
    script.chmod(0o755)
    os.environ["PLAYWRIGHT_BROWSERS_PATH"] = str(folder)


def find_browser_for_stock() -> None:
    """Set, for child processes, the path of Chromium and the path where Playwright expects its own."""
    from browsergym.core import _get_global_playwright

    from websp_gym.browser.find import find_browser

    playwright = _get_global_playwright()
    os.environ["WEBSP_BENCH_CHROMIUM"] = find_browser(playwright, headless=True)
    # …/ms-playwright/chromium-1117/chrome-linux/chrome
    os.environ["WEBSP_BENCH_PLACE"] = "/".join(Path(playwright.chromium.executable_path).parts[-3:])
