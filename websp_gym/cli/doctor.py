"""``websp doctor``: what works on this machine, and what to do about what does not."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from websp_gym.errors import SetupError, WebspError


@dataclass(frozen=True)
class Finding:
    """One thing that was tried."""

    name: str
    ok: bool
    detail: str


def examine(*, headed: bool = False) -> list[Finding]:
    """Tries everything an episode needs.

    Args:
        headed: Whether a browser must be able to show a window, too.

    Returns:
        One finding per part; where it is not ok, the detail says what to do.
    """
    return [
        _try("python", _python),
        _try("task configurations", _configs),
        _try("sandbox", _sandbox),
        _try("browser", _browser),
        *([_try("window", _window)] if headed else []),
        _try("episode", _episode),
    ]


def _try(name: str, function: Callable[[], str]) -> Finding:
    try:
        return Finding(name, True, function())
    except WebspError as error:
        return Finding(name, False, str(error))


def _python() -> str:
    if not (3, 11) <= sys.version_info[:2] <= (3, 12):
        raise SetupError(f"Python {platform.python_version()}: use 3.11 or 3.12 (Playwright 1.44 needs it)")
    return platform.python_version()


def _configs() -> str:
    from websp_gym.replay.library import trace_path
    from websp_gym.tasks.instances import ReplayStep, all_instances

    count = 0
    for loaded in all_instances():
        count += 1
        for step in loaded.instance.initial_state:
            if isinstance(step, ReplayStep):
                trace_path(step.replay)
    return f"{count} instances, every trace there"


def _browser() -> str:
    from websp_gym.browser.confinement import unconfined_because

    version = _started(headless=True)
    why = unconfined_because()
    confinement = "in Chromium's own sandbox" if why is None else f"without Chromium's own sandbox: {why}"
    return f"Chromium {version}, {confinement}"


def _window() -> str:
    return f"Chromium {_started(headless=False)} has one"


def _started(*, headless: bool) -> str:
    """Starts a browser as an episode does, so that it reaches nothing but the sandbox.

    Returns:
        Its version.
    """
    from websp_gym.browser.launch import BrowserOptions, shared_browser
    from websp_gym.world import make_world

    return shared_browser(BrowserOptions(headless, make_world("sandbox").browser_args())).version


def _sandbox() -> str:
    from websp_gym.world import make_world

    began = time.monotonic()
    make_world("sandbox").browser_args()
    return f"answers after {time.monotonic() - began:.1f} s"


def _episode() -> str:
    from websp_gym.records.results import Run
    from websp_gym.runner.batch import Job, run_one
    from websp_gym.tasks.ids import instance_ids

    result = run_one(Job(instance_ids()[0], Run(agent="oracle")))
    if result.status != "pass":
        raise SetupError(f"the oracle did not pass {result.id}: {result.error or result.reason}")
    return f"oracle passed {result.id} in {result.seconds:.1f} s"
