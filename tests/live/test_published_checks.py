"""Tasks of another benchmark on an installation of the user's own, decided by their own checks on live pages."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.dataset_support import data_home
from tests.live_internet import Internet
from tests.live_support import home, internet, live_env, server
from websp_gym.agents.registry import make_agent
from websp_gym.datasets.importing import import_dataset
from websp_gym.env.rollout import Rollout
from websp_gym.errors import SetupError, WorldError
from websp_gym.exchange.submission import contents_of
from websp_gym.records.runs import Run
from websp_gym.records.verdict import Verdict

__all__ = ["data_home", "home", "internet", "server"]
ID = "SuiteCRM-stwab-47"
TASK = {
    "task_id": 47,
    "sites": ["suitecrm"],
    "start_url": "__SUITECRM__",
    "intent": "Create a new account with the name 'Heron Books'",
    "intent_template_id": 2000,
    "instantiation_dict": {"account_name": "Heron Books"},
    "eval": {
        "eval_types": ["program_html"],
        "program_html": [
            {"url": "last", "locator": "", "required_contents": {"must_include": ["Heron Books"]}}
        ],
    },
}


@pytest.fixture(autouse=True)
def imported(tmp_path: Path, data_home: Path) -> None:
    """A clone of the benchmark with one task of ours, imported."""
    folder = tmp_path / "clone" / "stwebagentbench"
    folder.mkdir(parents=True)
    (folder / "test.raw.json").write_text(json.dumps([TASK]))
    import_dataset(tmp_path / "clone")


def played(agent: str, account: str) -> Verdict:
    env = live_env(ID, account=account, dataset="stwab", reward="state")
    with closing(env):
        rollout = Rollout(env, make_agent(agent))
        for _ in rollout:
            pass
        assert rollout.task is not None
        assert rollout.task.verdict is not None
        return rollout.task.verdict


def test_the_checks_read_the_pages_of_the_installation_after_its_reset(
    internet: Internet, tmp_path: Path
) -> None:
    mark = tmp_path / "reset"
    command = (sys.executable, "-c", f"open({str(mark)!r}, 'a').write('x')")
    account = internet.visit(ID, signed_in=True, reset_command=command)
    done = played("oracle", account)
    assert (done.status, done.source) == ("pass", "published")
    left = played("noop", account)
    assert left.status == "fail"
    assert [check.passed for check in left.checks] == [False, True]
    assert mark.read_text() == "xx"


def test_an_installation_that_was_not_reset_starts_no_episode(internet: Internet) -> None:
    account = internet.visit(
        ID, signed_in=True, reset_command=(sys.executable, "-c", "exit('no such container')")
    )
    env = live_env(ID, account=account, dataset="stwab", reward="state")
    with closing(env), pytest.raises(WorldError, match="no such container"):
        env.reset(seed=1)


def test_without_checks_of_its_own_a_task_still_needs_a_judge(internet: Internet) -> None:
    account = internet.visit("Steam-task-191-ON")
    with pytest.raises(SetupError, match="impossible on a live website"):
        live_env("Steam-task-191-ON", account=account, reward="state")


def test_a_submission_cannot_prove_what_pages_said() -> None:
    with pytest.raises(SetupError, match="which a submission cannot prove"):
        contents_of([ID], Run(agent="oracle", options={"dataset": "stwab"}))
