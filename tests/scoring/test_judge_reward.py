"""reward="judge": from gym.make to the verdict, on real episodes of the Steam replica."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import websp_gym  # noqa: F401 (registers the ids)
from tests.conftest import MakeEnv
from tests.judge_support import images
from tests.paths import ROOT
from tests.recorded import JUDGES, recorded, run_folder
from websp_gym.errors import JudgeError, SetupError
from websp_gym.models import Message, Reply
from websp_gym.records.load import load_trajectory
from websp_gym.records.verdict import Verdict
from websp_gym.scoring.judge import Judge
from websp_gym.scoring.judge_reward import JudgeReward
from websp_gym.scoring.rewards import make_reward
from websp_gym.scoring.truth import outcome_of, state_verdict_of_record
from websp_gym.tasks.instances import load_instance

TODO = "Steam-task-191-ON"
"""Two switches must be turned off, first "recentapps", then "app_impressions"."""
VIEW = (800, 640)
RIGHT = """
rules:
  - {when: 'switch "app_impressions', say: '{"result": "CORRECT", "reason": "Both are off."}'}
  - {when: '', say: '{"result": "INCORRECT", "reason": "They are still on."}'}
"""
WRONG = """answers: ['{"result": "INCORRECT", "reason": "Bad mood."}', '{"result": "INCORRECT", "reason": "Again."}']"""
MUTE = """answers: ['', 'CORRECT', 'It is CORRECT.', '{}']"""

Script = Callable[[str, str], str]


@pytest.fixture
def script(tmp_path: Path) -> Script:
    def write(name: str, text: str) -> str:
        (tmp_path / name).write_text(text, "utf-8")
        return f"scripted:{tmp_path / name}"

    return write


def told(*judge: str, run: str, instance: str, parent: Path, quorum: int | None = None) -> Verdict:
    """What a judge says of the first episode of a recorded run."""
    folder = run_folder(run, parent) / "trajectories" / instance / "001"
    outcome = outcome_of(load_trajectory(folder), load_instance(instance))
    assert outcome is not None
    return make_reward("judge", judge=judge, quorum=quorum)(replace(outcome, folder=folder))


def test_the_ensembles_verdict_agrees_with_the_state_where_it_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    record = recorded("judged")
    assert record.verdict is not None
    votes = record.verdict["details"]["votes"]
    assert [vote["model"] for vote in votes] == [JUDGES[0], JUDGES[1], JUDGES[0]]
    assert [vote["result"] for vote in votes] == ["CORRECT", "INCORRECT", "CORRECT"]
    assert votes[1]["reason"] == "Bad mood."
    assert votes[0]["input_tokens"] > 1000
    assert (record.verdict["status"], record.verdict["source"]) == ("pass", "judge")
    assert record.verdict["details"]["cost"] == 0.0
    assert state_verdict_of_record(record, load_instance(TODO)).status == "pass"
    again = told(JUDGES[0], JUDGES[1], JUDGES[0], run="judged", instance=TODO, parent=tmp_path)
    assert [vote["result"] for vote in again.details["votes"]] == ["CORRECT", "INCORRECT", "CORRECT"]
    assert (again.status, again.score, again.reason) == ("pass", 1.0, record.verdict["reason"])


def test_the_ensembles_verdict_is_the_reward_of_an_episode(
    make: MakeEnv, script: Script, tmp_path: Path
) -> None:
    models = [script("a.yaml", RIGHT), script("b.yaml", WRONG), script("c.yaml", RIGHT)]
    env = make(TODO, viewport=VIEW, reward="judge", judge=models, record_to=tmp_path / "runs")
    env.reset(seed=3)
    *_, reward, terminated, _truncated, info = env.step("ANSWER; done")
    assert (type(reward), reward, terminated) == (float, 0.0, True)
    verdict = info["verdict"]
    assert (verdict["status"], verdict["source"]) == ("fail", "judge")
    assert [vote["model"] for vote in verdict["details"]["votes"]] == models
    assert [vote["result"] for vote in verdict["details"]["votes"]] == ["INCORRECT"] * 3
    record = load_trajectory(tmp_path / "runs" / TODO / "001")
    assert record.verdict == json.loads(json.dumps(verdict))
    assert state_verdict_of_record(record, env.instance).status == "fail"


class Curious:
    """A model that remembers what it was shown."""

    spec = "test:curious"

    def __init__(self) -> None:
        self.seen: list[Message] = []

    def ask(self, messages: Any, *, schema: Any = None) -> Reply:
        self.seen = list(messages)
        text = '{"result": "CORRECT", "reason": "Fine."}'
        return Reply(text=text, model="m", input_tokens=1, output_tokens=1, cost=0.0, seconds=0.0)


def test_the_judge_sees_the_whole_run_though_nothing_is_recorded_for_the_user(make: MakeEnv) -> None:
    model = Curious()
    env = make(TODO, viewport=VIEW, reward=JudgeReward(Judge([model])))
    env.reset(seed=1)
    env.step("Thought: I look further down.\nAction: Scroll [WINDOW]; down")
    assert env.task is not None
    secrets, folder = env.task.world_episode.secrets, env.task.folder
    assert folder is not None
    answer = f"Thought: Enough.\nAction: ANSWER; my token is {sorted(secrets)[0]}"
    _observation, reward, terminated, _truncated, _info = env.step(answer)
    assert (reward, terminated) == (1.0, True)
    assert len(images(model.seen)) == 3
    text = model.seen[1].text
    assert "I look further down." in text
    assert "Enough." in text
    assert "my token is •••" in text
    assert not any(secret in text for secret in secrets)
    env.close()
    assert not folder.exists()


def test_an_episode_no_judge_can_score_raises_with_its_votes(
    make: MakeEnv, script: Script, tmp_path: Path
) -> None:
    mute = script("mute.yaml", MUTE)
    env = make(TODO, viewport=VIEW, reward="judge", judge=mute, record_to=tmp_path / "runs")
    env.reset()
    with pytest.raises(
        JudgeError, match="has no verdict: 1 of 1 models must agree; answers: 1 unreadable"
    ) as caught:
        env.step("ANSWER; done")
    assert len(caught.value.facts["verdict"]["details"]["votes"][0]["transcript"]) == 3
    record = load_trajectory(tmp_path / "runs" / TODO / "001")
    assert record.verdict is not None
    assert record.verdict["status"] == "unscored"
    assert record.verdict["details"]["votes"][0]["transcript"][1]["answer"] == "CORRECT"


def test_an_ensemble_that_is_not_complete_pays_no_single_opinion(script: Script, tmp_path: Path) -> None:
    models = [script("a.yaml", RIGHT), script("b.yaml", MUTE), script("c.yaml", MUTE)]
    verdict = told(*models, run="untouched", instance=TODO, parent=tmp_path / "1")
    assert (verdict.status, verdict.score) == ("unscored", None)
    assert "2 of 3 models must agree; answers: 1 INCORRECT, 2 unreadable" in verdict.reason
    models = [script("a.yaml", RIGHT), script("d.yaml", MUTE), script("e.yaml", MUTE)]
    verdict = told(*models, run="untouched", instance=TODO, parent=tmp_path / "2", quorum=1)
    assert (verdict.status, verdict.score) == ("fail", 0.0)


# --- what is missing is missed at once --------------------------------------------------------------


@pytest.fixture
def keyless(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "GEMINI_API_KEY",
        "GOOGLE_API_KEY",
        "OPENROUTER_API_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("keyless")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "GEMINI_API_KEY"),
        ({"judge": "openai:gpt-5.2"}, "OPENAI_API_KEY"),
        ({"judge": ["anthropic:claude-opus-4.6"]}, "ANTHROPIC_API_KEY"),
        ({"judge": "opnai:gpt-5.2"}, 'did you mean "openai"'),
        ({"judge": "scripted:nowhere.yaml"}, r"nowhere\.yaml"),
        ({"judge": []}, "judge="),
        ({"judge": [""]}, "judge="),
        ({"judge": [None]}, "judge="),
        ({"judge": 3}, "judge=3"),
        ({"quorum": 0}, "quorum=0: give a whole number from 1, or None"),
        ({"quorum": 2.0}, r"quorum=2\.0"),
        ({"judge": "scripted:{tmp}/a.yaml", "quorum": 2}, "quorum=2: give a number from 1 to 1"),
    ],
)
def test_a_judge_that_cannot_be_asked_fails_in_make_and_names_what_is_missing(
    options: dict[str, Any], message: str, script: Script, tmp_path: Path
) -> None:
    script("a.yaml", RIGHT)
    options = {
        name: value.format(tmp=tmp_path) if isinstance(value, str) else value
        for name, value in options.items()
    }
    with pytest.raises(SetupError, match=message):
        gym.make(f"websp/{TODO}", reward="judge", **options)


@pytest.mark.usefixtures("keyless")
def test_no_key_is_needed_where_no_judge_is_asked() -> None:
    gym.make(f"websp/{TODO}").close()
