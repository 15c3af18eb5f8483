"""What runs where browsergym-core cannot be installed, and the error of what needs it."""

from __future__ import annotations

import os
import subprocess
import sys

ABSENT = """
import sys
# Its import fails, as where it is not installed.
sys.modules["browsergym"] = None
import gymnasium as gym
import websp_gym
from websp_gym.errors import SetupError
"""
EPISODES = """
for kind in ("marks", "text"):
    env = gym.make("websp/Steam-task-191-ON", observation=kind)
    observation, _ = env.reset(seed=0)
    assert env.observation_space.contains(observation)
    # A call costs the agent an action, and its error names the way to get BrowserGym.
    observation, *_ = env.step('click("12")')
    print(observation["last_action_error"])
    _, reward, terminated, truncated, _ = env.step("ANSWER; done")
    assert (terminated, truncated) == (True, False)
    print(reward)
    env.close()
"""
REFUSED = """
for kind in ("axtree", "browsergym", "all"):
    try:
        gym.make("websp/Steam-task-191-ON", observation=kind)
    except SetupError as error:
        print(error.option, error)
try:
    gym.make("browsergym/websp.Steam-task-191-ON")
except SetupError as error:
    print(error.option, error)
"""
WAY = "pip install pyparsing beautifulsoup4 lxml && pip install --no-deps browsergym-core"


def output_of(code: str) -> list[str]:
    """Run code in a process of its own and return the lines that it prints."""
    done = subprocess.run(
        [sys.executable, "-c", ABSENT + code],
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_without_browsergym_episodes_run_and_what_needs_it_is_refused_when_the_environment_is_made() -> None:
    lines = output_of(REFUSED + EPISODES)
    for line, kind in zip(lines[:4], ("axtree", "browsergym", "all", "browsergym"), strict=True):
        assert line.startswith(f'observation observation="{kind}" needs browsergym-core (')
        assert line.endswith(WAY)
    for error, reward in (lines[4:6], lines[6:]):
        assert error.startswith("a call of BrowserGym needs browsergym-core (")
        assert error.endswith(WAY)
        assert reward == "0.0"
