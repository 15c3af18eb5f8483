"""A study that is killed in the middle and gone on with has the table of one that was not."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.agentlab.study import AGENTS, INSTANCES
from websp_gym.agents.agentlab import episode_table, outcome_table

LONGEST = 1500.0
"""Seconds a whole study may take; a machine with two idle cores needs a tenth."""


def start(*arguments: str) -> subprocess.Popen[bytes]:
    environment = {name: value for name, value in os.environ.items() if name != "WEBSP_SANDBOX"}
    log = Path(arguments[1]) / "log.txt"
    with log.open("ab") as file:
        return subprocess.Popen(
            [sys.executable, "-m", "tests.agentlab.study", *arguments],
            cwd=Path(__file__).resolve().parents[2],
            env=environment,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )


def finish(process: subprocess.Popen[bytes], root: Path) -> None:
    try:
        assert process.wait(LONGEST) == 0, (root / "log.txt").read_text()[-4000:]
    finally:
        if process.poll() is None:
            kill(process)


def ended(root: Path) -> list[Path]:
    return [path.parent for path in root.glob("*/[!_]*/summary_info.json")]


def study_in(root: Path) -> Path:
    (folder,) = {path.parent for path in root.glob("*/study.pkl.gz")}
    return folder


def interrupt(process: subprocess.Popen[bytes], root: Path, after: int) -> None:
    """Kills a study and all its workers once some episodes have ended."""
    until = time.monotonic() + LONGEST
    while len(ended(root)) < after and time.monotonic() < until:
        assert process.poll() is None, (root / "log.txt").read_text()[-4000:]
        time.sleep(0.05)
    kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a study with all its workers; Ray's are in groups of their own and outlive it for a moment."""
    family = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for one in family:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    _, left = psutil.wait_procs(family, timeout=60)
    assert not left


def summary_of(study: Path) -> Any:
    """AgentLab's own table of a study: rewards, steps and errors by agent."""
    from agentlab.analyze.inspect_results import load_result_df, summarize_study

    return summarize_study(load_result_df(study, progress_fn=None))


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an uninterrupted study."""
    root = tmp_path_factory.mktemp("whole")
    finish(start("joblib", str(root)), root)
    return study_in(root)


@pytest.mark.timeout(3 * LONGEST)
@pytest.mark.parametrize("backend", ["joblib", "ray"])
def test_a_resumed_study_has_the_same_table(backend: str, uninterrupted: Path, tmp_path: Path) -> None:
    episodes = len(AGENTS) * INSTANCES
    interrupt(start(backend, str(tmp_path)), tmp_path, after=episodes // 3)
    study = study_in(tmp_path)
    kept = ended(tmp_path)
    before = Counter(episode_table(study)["outcome"])
    assert episodes // 3 <= len(kept) < episodes
    assert before["error"] == episodes - len(kept)

    finish(start(backend, str(tmp_path), str(study)), tmp_path)
    table = episode_table(study)
    assert set(kept) < set(ended(tmp_path))
    assert len(table) == episodes
    assert table.compare(episode_table(uninterrupted)).empty
    assert summary_of(study).to_dict() == summary_of(uninterrupted).to_dict()
    assert outcome_table(study).loc["oracle", "success"] == INSTANCES
