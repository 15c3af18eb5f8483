"""The judge's examples, run as a user runs them: docs/examples/model_endpoint.py and judge_reward.py."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.judge_support import put, recorded
from tests.paths import DOCS

EXAMPLES = DOCS / "examples"


def run(name: str, *arguments: str) -> str:
    """Runs an example without any key of the machine's own; returns what it prints."""
    env = {key: value for key, value in os.environ.items() if not key.endswith("_API_KEY")}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        capture_output=True, text=True, timeout=150, check=False, env=env,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def troubles(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The output of model_endpoint.py for a recorded run."""
    folder = put(tmp_path_factory.mktemp("runs") / "001", recorded("Steam-task-191-ON"))
    return run("model_endpoint.py", str(folder))


ENDINGS = [
    ("all is well", "pass (CORRECT in 1, CORRECT in 1, CORRECT in 1; $0.145)"),
    ("one of three disagrees", "pass (CORRECT in 1, CORRECT in 1, INCORRECT in 1; $0.145)"),
    ("429 with Retry-After: 1, once", "pass (CORRECT in 2, CORRECT in 2, CORRECT in 2; $0.145)"),
    ("429 with Retry-After: 600", "unscored (no opinion in 1, no opinion in 1, no opinion in 1; $0.000)"),
    ("500, once", "pass (CORRECT in 2, CORRECT in 2, CORRECT in 2; $0.145)"),
    ("500, always", "unscored (no opinion in 2, no opinion in 2, no opinion in 2; $0.000)"),
    ("prose in place of the verdict", "unscored (no opinion in 3, no opinion in 3, no opinion in 3; $0.436)"),
    ("prose first, then the verdict", "pass (CORRECT in 2, CORRECT in 2, CORRECT in 2; $0.291)"),
    ("a body that is not JSON", "unscored (no opinion in 2, no opinion in 2, no opinion in 2; $0.000)"),
    ("a body that breaks off", "unscored (no opinion in 2, no opinion in 2, no opinion in 2; $0.000)"),
    ("wrong key", "unscored (no opinion in 1, no opinion in 1, no opinion in 1; $0.000)"),
    ("nobody listens", "unscored (no opinion in 2, no opinion in 2, no opinion in 2; $0.000)"),
]  # fmt: skip


def test_each_trouble_of_an_endpoint_ends_as_the_example_shows(troubles: str) -> None:
    assert [line for line in ENDINGS if ": ".join(line) not in troubles.splitlines()] == []


def test_no_model_without_an_opinion_goes_without_a_reason(troubles: str) -> None:
    lines = troubles.splitlines()
    unscored = [place for place, line in enumerate(lines) if ": unscored (" in line]
    assert len(unscored) == 7
    for place in unscored:
        told = [line.split(": ")[0].strip() for line in lines[place + 1 : place + 4]]
        assert told == ["openai:gpt-5.2", "openai:gpt-4.1", "anthropic:claude-opus-4.6"]


@pytest.mark.proof
def test_the_judges_reward_can_be_compared_with_the_servers_state() -> None:
    lines = run("judge_reward.py").splitlines()
    assert lines[0] == "oracle: reward 1.0, pass by the judge"
    assert lines[4] == "    the server's state: pass"
    assert lines[5] == "noop: reward 0.0, fail by the judge"
    assert lines[9] == "    the server's state: fail"
    assert lines[1:4] == [
        "    one.yaml: CORRECT (Both switches were operated.)",
        "    two.yaml: INCORRECT (I accept nothing.)",
        "    three.yaml: CORRECT (Both switches were operated.)",
    ]
