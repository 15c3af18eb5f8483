"""Check before the first episode what every episode of a run needs."""

from __future__ import annotations

import re
import subprocess

from websp_gym.errors import BrowserNotFoundError, SetupError, WorldError
from websp_gym.models.probe import Probe
from websp_gym.observation import ObservationKind
from websp_gym.patience import output_of
from websp_gym.records.runs import Run

_SEEDS = 2**31
_TO_SAY_VERSION = 60.0
"""Seconds without those in which the browser waits for a processor."""


def check_run(run: Run, instance_id: str) -> str:
    """Build the agent and the environment of a run once and return the browser's version.

    Args:
        run: The run.
        instance_id: Any of its instances.

    Raises:
        SetupError: The seed, the agent, an option or the reward cannot be used, or the browser is missing or
            broken.
    """
    from websp_gym.agents.registry import make_player

    return check_options(run, make_player(run.player).observation, instance_id)


def check_options(run: Run, reads: ObservationKind, instance_id: str) -> str:
    """Check what :func:`check_run` does, except the agent, which reads observations of the kind ``reads``."""
    from websp_gym.env.options import kind_for
    from websp_gym.env.registration import make_env

    if not 0 <= run.seed < _SEEDS:
        raise SetupError(f"seed={run.seed}: give a whole number from 0 to {_SEEDS - 1}", option="seed")
    make_env(instance_id, **{"observation": kind_for(reads, run.options), **run.options}).close()
    return browser_version(headless=run.options.get("headless", True))


def probes_of(run: Run) -> list[Probe]:
    """Return the models that the episodes of a run will ask, to try them out before.

    Raises:
        SetupError: The agent or the judge cannot be made.
    """
    from websp_gym.agents.computer import ComputerAgent
    from websp_gym.agents.llm_agent import LLMAgent
    from websp_gym.agents.registry import make_player
    from websp_gym.scoring.judge import Judge

    agent: object = make_player(run.player)
    asked = [Probe(agent.model, agent.manner.pictures)] if isinstance(agent, LLMAgent) else []
    if isinstance(agent, ComputerAgent):
        asked = [Probe(agent.model, picture=True)]
    if run.options.get("reward") != "judge":
        return asked
    return [*asked, *Judge.of(run.options.get("judge")).probes]


def browser_version(*, headless: bool) -> str:
    """Return the version of the browser that episodes use, such as ``141.0.7390.65``.

    Args:
        headless: Whether the episodes are played without a window.

    Raises:
        SetupError: There is no browser, it does not start, or it does not report a version.
        WorldError: It was killed.
    """
    from websp_gym.browser.driver import playwright
    from websp_gym.browser.find import find_browser
    from websp_gym.browser.owner import call

    path = call(lambda: find_browser(playwright(), headless=headless))
    try:
        said = output_of([path, "--version"], _TO_SAY_VERSION)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BrowserNotFoundError(
            f"{path} does not start: {error} (`websp doctor` tells more)", executable=path
        ) from error
    if said.returncode < 0:
        raise WorldError(f"{path} was ended by signal {-said.returncode} while it started; try again")
    text = said.stdout.decode("utf-8", "replace")
    found = re.search(r"\d+(\.\d+){2,}", text)
    if said.returncode or found is None:
        words = (said.stderr.decode("utf-8", "replace") or text).strip().splitlines()
        raise BrowserNotFoundError(
            f"{path} is not Chromium: `--version` ended with {said.returncode} and said "
            f"{words[-1] if words else 'nothing'!r} (WEBSP_BROWSER chooses another)",
            executable=path,
        )
    return found[0]
