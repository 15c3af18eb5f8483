"""Agents that err on purpose fail as intended, and docs/reference/agents.md describes all agents correctly."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeEnv
from tests.paths import DOCS
from tests.sample import long_proof
from websp_gym.agents import Briefing, make_agent
from websp_gym.agents.flawed import FLAWS, FlawedAgent
from websp_gym.agents.registry import SCRIPTED, read_query
from websp_gym.models import PROVIDERS
from websp_gym.runner.batch import run_episode
from websp_gym.tasks.instances import load_instance

GUIDE = DOCS / "reference/agents.md"
ON, OFF = "Steam-task-191-ON", "Steam-task-191-OFF"
"""Two switches to turn off, each stored at once; on and already off in S0."""
FORM = "Steam-task-199"
"""Two check boxes and Save."""
WORDS = "Steam-task-197-OFF"
"""A text field, and Add."""

MISREAD, CLAIMED, PARTLY = "state misunderstanding", "hallucinated success", "partial completion"

FAILURES: dict[str, tuple[str, str, str, tuple[str, ...], tuple[str, ...]]] = {
    "toggles what was right": ("always-toggles", OFF, "failure", (MISREAD, CLAIMED), ("Toggle",)),
    "does not save": ("forgets-save", FORM, "failure", (CLAIMED,), ("Button",)),
    "does not add": ("forgets-save", WORDS, "failure", (CLAIMED,), ("Button",)),
    "stops between two": ("stops-early", ON, "failure", (CLAIMED, PARTLY), ("Toggle",)),
    "goes in circles": ("loops", ON, "time-out", ("repeated actions",), ("Toggle",)),
    "never gets there": ("searches", ON, "failure", ("incorrect navigation", CLAIMED), ("Link",)),
    "closes the account": ("deactivates", ON, "failure", (), ()),
}


@pytest.mark.parametrize("name", long_proof(FAILURES, ["does not save", "does not add", "stops between two"]))
def test_each_flaw_shows_as_the_failure_it_stands_for(make: MakeEnv, name: str) -> None:
    kind, instance, outcome, kinds, elements = FAILURES[name]
    env = make(instance, max_actions=12)
    result = run_episode(env, make_agent(f"flawed:{kind}"))
    assert (result.outcome, result.reward, result.agent) == (outcome, 0.0, f"flawed:{kind}")
    assert (result.failure_kinds, result.failure_elements) == (kinds, elements)
    assert ("account deleted" in result.reason) == (kind == "deactivates")
    assert env.task is not None
    assert all(step.thought for step in env.task.trajectory.steps)
    assert not any(step.error for step in env.task.trajectory.steps if not step.action.count("Scroll"))


@pytest.mark.parametrize(
    ("kind", "instance"),
    [("always-toggles", ON), ("deactivates", "IKEA-task-159")],
)
def test_a_flaw_does_no_harm_where_it_does_not_matter(make: MakeEnv, kind: str, instance: str) -> None:
    assert run_episode(make(instance), make_agent(f"flawed:{kind}")).outcome == "success"


def test_a_flawed_agent_starts_each_episode_afresh() -> None:
    agent = FlawedAgent("searches")
    with pytest.raises(RuntimeError, match="begin"):
        agent.act({})
    briefing = Briefing(load_instance(ON), {}, 0)
    seen: dict[str, Any] = {"goal": "Turn it off.", "elements": []}
    for _ in range(2):
        agent.begin(briefing)
        said = [agent.act(seen) for _ in range(2)]
        assert [text.partition("Action: ")[2] for text in said] == ["Google", "Scroll [WINDOW]; down"]


# --- the guide --------------------------------------------------------------------------------------


def test_the_agent_in_the_guide_solves_its_instance(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = DOCS / "guides/bring-your-agent.md"
    agent, episode, *_ = re.findall(r"```python\n(.*?)```", guide.read_text("utf-8"), re.DOTALL)
    (tmp_path / "my_agent.py").write_text(agent)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, Any] = {}
    exec(compile(episode, str(guide), "exec"), names)
    assert (names["result"].outcome, names["result"].agent) == ("success", "my-agent")


def test_the_guide_names_every_agent_and_every_option() -> None:
    text = GUIDE.read_text("utf-8")
    for name in (*SCRIPTED, *(f"flawed:{kind}" for kind in FLAWS)):
        assert f"`{name}`" in text
    given = (
        "screenshots=2&repairs=1&temperature=0&thinking=high&max_tokens=9&timeout=1.5&retries=0&concurrency=1"
    )
    for name in read_query("any", given):
        assert f"`{name}`" in text
    specs = re.findall(r"`(?:(?:mllm|text):)?(\w+):[^`\s]*\?[^`]*`", text)
    assert specs
    assert set(specs) <= set(PROVIDERS)
