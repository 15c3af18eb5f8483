"""One study of AgentLab's where the extra `agentlab` is installed already; `make test-agentlab` runs all of them."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.paths import TESTS

STUDY = TESTS / "agentlab" / "test_study.py"
TEST = "test_an_unscored_episode_is_an_error_to_agentlab_and_unscored_to_us"


@pytest.mark.timeout(900)
@pytest.mark.skipif(find_spec("agentlab") is None, reason="the extra agentlab is not installed")
def test_a_study_of_agentlabs_is_read_by_us() -> None:
    # In a process of its own: AgentLab's imports are full of warnings, and set variables for good.
    command = [sys.executable, "-m", "pytest", "-q", f"{STUDY}::{TEST}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
