"""Accounts of one site are dealt out over the processes of a run: each episode has one of its own."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from tests.command_support import websp
from tests.judge_support import says
from tests.live.small_site import Author, author, home, press, site
from websp_gym.live.account import locked
from websp_gym.live.accounts import Account, save_accounts
from websp_gym.records.runs import Run
from websp_gym.runner.batch import run_one
from websp_gym.runner.jobs import Job

__all__ = ["author", "home", "site"]
NAMES = ("small-1", "small-2", "small-3")


@pytest.fixture
def judge(tmp_path: Path) -> str:
    path = tmp_path / "judge.yaml"
    path.write_text(json.dumps({"rules": [{"when": "", "say": says("CORRECT")}]}))
    return f"scripted:{path}"


def write(author: Author) -> None:
    """Writes a task that needs an account, and accounts whose browsers can be told apart."""
    author.write(press("link", "Privacy", f"{author.site.url}/", "/privacy"), expect={}, account="password")
    save_accounts({name: Account(site="small", sign_in="by_hand", user_agent=name) for name in NAMES})


def test_three_accounts_play_at_a_time_and_a_fourth_episode_waits_for_one(
    author: Author, judge: str, tmp_path: Path
) -> None:
    write(author)
    author.site.together = len(NAMES)
    out = tmp_path / "run"
    run = websp("run", "Small-task-1", "--trials", "4", "--jobs", "4", "--agent", "noop", "--world", "live",
                "--judge", judge, "--out", str(out))  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    results = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert [(each["status"], each["tries"]) for each in results] == [("pass", [])] * 4
    assert set(author.site.visitors) == set(NAMES)


def test_an_episode_waits_for_longer_than_a_reset_does(
    author: Author, judge: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(author)
    monkeypatch.setattr("websp_gym.live.account._TO_WAIT", 0.1)
    options = {"world": "live", "account": "small-3,small-2", "judge": [judge]}
    job = Job("Small-task-1", Run(agent="noop", options=options))
    taken = [locked([name])[1] for name in ("small-2", "small-3")]
    waits = []

    def wait(level: int, message: str, *_: object) -> None:
        waits.append((level, message))
        taken.pop(0).release()

    monkeypatch.setattr(logging.getLogger("websp_gym.runner.batch"), "log", wait)
    result = run_one(job)
    assert (result.status, result.tries) == ("pass", ())
    assert waits == [(logging.WARNING, "%s; waiting")]
    assert set(author.site.visitors) == {"small-2"}
    taken.pop().release()
