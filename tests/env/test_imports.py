"""What is loaded for what: each program runs in a fresh interpreter."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest

MAKE = 'import gymnasium, websp_gym; gymnasium.make("websp/Steam-task-191-ON")'
LOADED = "import sys; print(*sys.modules, sep='\\n')"


@cache
def loaded(code: str) -> frozenset[str]:
    """The modules that a program has loaded in the end."""
    command = [sys.executable, "-c", f"{code}\n{LOADED}"]
    return frozenset(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_making_an_environment_loads_few_of_our_modules() -> None:
    ours = [each for each in loaded(MAKE) if each.startswith("websp_gym")]
    assert 50 < len(ours) <= 150


@pytest.mark.parametrize(
    ("code", "unneeded"),
    [
        (MAKE, ("websp_gym.replay.player", "websp_gym.live.world", "websp_gym.policies.sets", "openai", "uvicorn")),
        ("import websp_gym.runner.batch", ("starlette", "uvicorn", "websp_gym.attach", "openai", "anthropic")),
        ("import websp_gym; websp_gym.make_agent('oracle')", ("openai", "anthropic", "websp_gym.attach")),
    ],
)  # fmt: skip
def test_what_is_not_needed_is_not_loaded(code: str, unneeded: tuple[str, ...]) -> None:
    assert loaded(code).isdisjoint(unneeded)
