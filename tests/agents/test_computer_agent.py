"""Agents of computer use: the official SDKs against a server on this machine, in the real sandbox."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.agent_support import briefing_of, play
from tests.computer_use_support import (
    ANTHROPIC,
    GEMINI,
    OLD_CLAUDE,
    OPENAI,
    TASK,
    WAY,
    Running,
    Words,
    openai_says,
    pictures_in,
    place,
    running,
    under_policy,
)
from tests.endpoint_support import KEY, Asked, Endpoint, Say, endpoint, error, server
from websp_gym.agents import make_agent
from websp_gym.agents.computer import ComputerAgent
from websp_gym.agents.registry import model_of
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.errors import ModelError, SetupError
from websp_gym.records.load import load_trajectory
from websp_gym.records.runs import Run
from websp_gym.records.trajectory import Trajectory
from websp_gym.runner.batch import run_one
from websp_gym.runner.jobs import Job

__all__ = ["endpoint", "running", "server", "under_policy"]

HAS_GEMINI = find_spec("google") is not None and find_spec("google.genai") is not None
without_gemini = pytest.mark.skipif(not HAS_GEMINI, reason="the extra gemini is not installed")
ALL = [OPENAI, ANTHROPIC, OLD_CLAUDE, pytest.param(GEMINI, marks=without_gemini)]
THREE = [OPENAI, ANTHROPIC, pytest.param(GEMINI, marks=without_gemini)]


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebspEnv]:
    env = make_env(
        TASK, initial_state="snapshot", observation="pixels", record_to=tmp_path_factory.mktemp("records")
    )
    yield env
    env.close()


@dataclass(frozen=True)
class Solved:
    """An episode that was solved."""

    reward: float
    info: dict[str, Any]
    agent: ComputerAgent
    asked: list[Asked]
    record: Trajectory


@pytest.fixture(scope="module")
def solved(env: WebspEnv, server: Endpoint) -> Callable[[Words], Solved]:
    """Solve the episode by what a provider says, once for all tests."""

    known: dict[str, Solved] = {}

    def solve(words: Words) -> Solved:
        if words.spec not in known:
            server.forget()
            agent = ComputerAgent(words.model(server))
            reward, info = play(env, agent, lambda briefing: solving(server, words, env))
            assert env.task is not None
            assert env.task.folder is not None
            record = load_trajectory(env.task.folder)
            known[words.spec] = Solved(reward, info, agent, [*server.asked], record)
        return known[words.spec]

    return solve


def solving(endpoint: Endpoint, words: Words, env: WebspEnv) -> None:
    """Lets the endpoint go the way, by points taken from the record of the last observation."""
    left = list(WAY)

    def answer(asked: Asked) -> Say:
        if not left:
            return words.says("Both are off now.", [], {})
        role, name = left.pop(0)
        return words.says(f"I press\n{name}.", [words.click(*place(env, name, role))], {})

    endpoint.always(answer)


@pytest.mark.parametrize("words", ALL, ids=str)
def test_an_episode_is_solved_by_the_providers_own_tool(
    solved: Callable[[Words], Solved], words: Words
) -> None:
    done = solved(words)
    assert (done.reward, done.info["costs"]["actions"]) == (1.0, 6)
    assert [asked.path.partition("?")[0] for asked in done.asked] == [words.path] * 6
    *steps, last = done.record.steps
    assert [(step.act.kind, step.act.role, step.act.name) for step in steps if step.act] == [
        ("computer", *met) for met in WAY
    ]
    assert [step.thought for step in steps] == [f"I press {name}." for _, name in WAY]
    assert last.action == "ANSWER; Both are off now."
    turns = done.agent.turns
    assert len(turns) == 6
    assert all((turn.input_tokens, turn.output_tokens, turn.calls) == (1000, 100, 1) for turn in turns)
    assert all(turn.cost is not None and turn.cost > 0 for turn in turns)
    assert [len(pictures_in(asked.body)) for asked in done.asked] == [1, 2, 3, 3, 3, 3]
    assert set(pictures_in(done.asked[-1].body)) == {(1280, 1024)}
    sent = json.dumps(done.asked[-1].body, ensure_ascii=False)
    assert "What you did so far" in sent
    assert "https://store.steampowered.com/" in sent
    assert KEY not in sent


def test_openai_gets_its_tool_and_its_own_answers_back(solved: Callable[[Words], Solved]) -> None:
    body = solved(OPENAI).asked[1].body
    assert [tool.get("name", tool["type"]) for tool in body["tools"]] == ["computer", "goto"]
    assert (body["store"], body["include"]) == (False, ["reasoning.encrypted_content"])
    kinds = [item.get("type", item.get("role")) for item in body["input"]]
    assert kinds == [
        "system",
        "user",
        "reasoning",
        "message",
        "computer_call",
        "computer_call_output",
        "user",
    ]
    assert body["input"][5]["call_id"] == "call_1"


def test_anthropic_gets_its_toolset_and_older_models_the_tool_of_their_time(
    solved: Callable[[Words], Solved],
) -> None:
    asked = solved(ANTHROPIC).asked[1]
    assert [tool.get("name", tool.get("type")) for tool in asked.body["tools"]] == [
        "computer_toolset_20260801",
        "goto",
    ]
    assert "anthropic-beta" not in asked.headers
    _, said, result = asked.body["messages"]
    assert [block["type"] for block in said["content"]] == ["thinking", "text", "tool_use"]
    assert [result["content"][0][key] for key in ("type", "tool_use_id", "toolset_name")] == [
        "tool_result",
        "toolu_0",
        "computer",
    ]
    asked = solved(OLD_CLAUDE).asked[1]
    assert asked.headers["anthropic-beta"] == "computer-use-2025-11-24"
    assert asked.body["tools"][0] == {
        "type": "computer_20251124",
        "name": "computer",
        "display_width_px": 1280,
        "display_height_px": 1024,
        "enable_zoom": True,
    }


@without_gemini
def test_gemini_gets_its_tool_and_screens_as_results(solved: Callable[[Words], Solved]) -> None:
    body = solved(GEMINI).asked[1].body
    assert body["tools"] == [{"computerUse": {"environment": "ENVIRONMENT_BROWSER"}}]
    _, said, result = body["contents"]
    assert said["parts"][-1]["thoughtSignature"] == "c2ln"
    given = result["parts"][0]["functionResponse"]
    assert (given["name"], given["response"]["url"]) == ("click", "https://store.steampowered.com/")
    (blob,) = given["parts"][0].values()  # the SDK writes these names in snake case
    assert "image/png" in blob.values()


@pytest.mark.parametrize("words", THREE, ids=str)
def test_actions_given_together_are_taken_one_by_one_until_one_fails(
    running: Running, endpoint: Endpoint, words: Words
) -> None:
    agent = ComputerAgent(words.model(endpoint))
    outside = words.click(5000, 5)
    together = [words.wait, outside, words.wait]
    endpoint.plan(words.says("", together, {}), words.says("I give up.", [], {}))
    observation = running.begun(agent)
    actions = [agent.act(observation)]
    for _ in range(2):
        observation = running.step(actions[-1])
        actions.append(agent.act(observation))
    assert [len(agent.turns), len(endpoint.asked)] == [3, 2]
    assert actions[2] == "ANSWER; I give up."
    assert json.loads(actions[1]) == outside
    assert agent.turns[1].cost == 0
    sent = json.dumps(endpoint.last.body)
    assert "is outside the" in sent
    assert "not carried out" in sent


@pytest.mark.parametrize("words", [OPENAI, ANTHROPIC], ids=str)
def test_an_address_is_opened_by_a_function(running: Running, endpoint: Endpoint, words: Words) -> None:
    agent = ComputerAgent(words.model(endpoint))
    url = "https://store.steampowered.com/account/"
    endpoint.plan(words.says("", [], {"goto": {"url": url}}), words.says("done", [], {}))
    observation = running.begun(agent)
    observation = running.step(agent.act(observation))
    assert (observation["url"], observation["last_action_error"]) == (url, "")
    agent.act(observation)


@pytest.mark.parametrize("words", THREE, ids=str)
def test_an_unknown_action_or_function_is_told_to_the_model(
    running: Running, endpoint: Endpoint, words: Words
) -> None:
    agent = ComputerAgent(words.model(endpoint))
    endpoint.plan(
        words.says("", [], {"fly": {"height": 3}}),
        words.says("", [{**words.wait, "type": "hover_over"} if words is OPENAI else {"name": "hover_over", "input": {}, "args": {}}], {}),
        words.says("done", [], {}),
    )  # fmt: skip
    observation = running.begun(agent)
    for name in ("fly", "hover_over"):
        observation = running.step(agent.act(observation))
        assert f"there is no action '{name}'" in observation["last_action_error"]
    agent.act(observation)
    assert "there is no action 'hover_over'" in json.dumps(endpoint.last.body)


def test_safety_checks_are_acknowledged_and_kept(running: Running, endpoint: Endpoint) -> None:
    check = {"id": "sc_1", "code": "irrelevant_domain", "message": "Is this the right site?"}
    agent = ComputerAgent(OPENAI.model(endpoint))
    endpoint.plan(openai_says("", [{"type": "wait"}], {}, checks=[check]), OPENAI.says("done", [], {}))
    observation = running.begun(agent)
    observation = running.step(agent.act(observation))
    agent.act(observation)
    given = next(item for item in endpoint.last.body["input"] if item.get("type") == "computer_call_output")
    assert given["acknowledged_safety_checks"] == [check]
    assert [json.loads(each) for each in agent.turns[0].checks] == [check]


def test_each_call_of_a_reply_gets_its_kind_of_output(running: Running, endpoint: Endpoint) -> None:
    """OpenAI refuses a call of its computer tool that is answered otherwise, also where it is not the last one."""
    check = {"id": "sc_1", "code": "irrelevant_domain", "message": "Is this the right site?"}
    agent = ComputerAgent(OPENAI.model(endpoint))
    asked = {"goto": {"url": "https://store.steampowered.com/account/"}}
    endpoint.plan(openai_says("", [{"type": "wait"}], asked, checks=[check]), OPENAI.says("done", [], {}))
    observation = running.begun(agent)
    for _ in range(2):
        observation = running.step(agent.act(observation))
    agent.act(observation)
    outputs = [item for item in endpoint.last.body["input"] if "output" in item]
    assert [(item["type"], item["call_id"]) for item in outputs] == [
        ("computer_call_output", "call_1"),
        ("function_call_output", "call_goto"),
    ]
    assert outputs[0]["acknowledged_safety_checks"] == [check]
    assert pictures_in(outputs[0]) == [(1280, 1024)]


@pytest.mark.parametrize(
    "more", [{}, {"goto": {"url": "https://store.steampowered.com/"}}], ids=["alone", "with another"]
)
def test_a_safety_check_may_end_the_episode(
    running: Running, endpoint: Endpoint, more: dict[str, Any]
) -> None:
    check = {"id": "sc_1", "code": "irrelevant_domain", "message": "Is this the right site?"}
    agent = ComputerAgent(OPENAI.model(endpoint), checks="stop")
    endpoint.plan(openai_says("", [{"type": "wait"}], more, checks=[check]))
    observation = running.begun(agent)
    action = agent.act(observation)
    assert action == "ANSWER; Stopped, as a person should confirm first: Is this the right site?"
    assert [json.loads(each) for each in agent.turns[0].checks] == [check]


@without_gemini
def test_geminis_safety_decision_is_acknowledged_and_kept(running: Running, endpoint: Endpoint) -> None:
    decision = {"decision": "require_confirmation", "explanation": "A banner."}
    agent = ComputerAgent(GEMINI.model(endpoint))
    asks = {"name": "move", "args": {"x": 1, "y": 1, "safety_decision": decision}}
    endpoint.plan(GEMINI.says("", [asks], {}), GEMINI.says("done", [], {}))
    observation = running.begun(agent)
    action = agent.act(observation)
    assert json.loads(action) == {"name": "move", "args": {"x": 1, "y": 1}}
    observation = running.step(action)
    agent.act(observation)
    given = endpoint.last.body["contents"][-1]["parts"][0]["functionResponse"]["response"]
    assert given["safety_acknowledgement"] == "true"
    assert json.loads(agent.turns[0].checks[0]) == decision


@pytest.mark.parametrize("words", THREE, ids=str)
def test_an_empty_reply_is_asked_for_again_and_a_refusal_is_an_answer(
    running: Running, endpoint: Endpoint, words: Words
) -> None:
    agent = ComputerAgent(words.model(endpoint))
    said = "I cannot help with that.\nAction: none"  # no action, whatever its second line looks like
    endpoint.plan(words.says("", [], {}), words.says(said, [], {}))
    observation = running.begun(agent)
    assert agent.act(observation) == "ANSWER; I cannot help with that. Action: none"
    assert agent.turns[0].problems == ("it has neither an action nor an answer",)
    assert "Reply again" in json.dumps(endpoint.last.body)
    endpoint.always(words.says("", [], {}))
    agent.begin(briefing_of(running.env))
    action = agent.act(observation)
    told = running.step(action)
    assert "no such action" in told["last_action_error"]


@pytest.mark.parametrize("words", THREE, ids=str)
def test_errors_of_the_provider_are_the_providers(endpoint: Endpoint, words: Words) -> None:
    model = words.model(endpoint, retries=1)
    agent = ComputerAgent(model)
    look = {
        "screenshot": np.zeros((1024, 1280, 3), np.uint8),
        "tabs": (), "url": "https://a.example/", "goal": "Do it.", "last_action_error": "", "actions_left": 5, "seconds_left": 9.0,
    }  # fmt: skip
    slow = error(429, "slow down", headers={"retry-after": "1"})
    endpoint.plan(slow, words.says("done", [], {}))
    assert agent.act(look) == "ANSWER; done"
    assert agent.turns[0].calls == 2
    for status, kind in ((429, "rate_limit"), (500, "server"), (401, "auth"), (400, "bad_request")):
        endpoint.forget()
        endpoint.always(error(status, f"wrong {KEY}"))
        with pytest.raises(ModelError) as caught:
            agent.act(look)
        assert (caught.value.kind, KEY in str(caught.value)) == (kind, False)
    endpoint.always(Say({"nonsense": 1}))
    with pytest.raises(ModelError) as caught:
        agent.act(look)
    assert caught.value.kind == "malformed"
    endpoint.always(Say(trouble="slow"))
    with pytest.raises(ModelError) as caught:
        ComputerAgent(words.model(endpoint, timeout=0.3, retries=0)).act(look)
    assert caught.value.kind == "timeout"
    endpoint.always(None)


@pytest.mark.parametrize("words", [OPENAI, ANTHROPIC], ids=str)
def test_the_user_is_asked_by_a_function_in_episodes_with_policies(
    under_policy: Running, endpoint: Endpoint, words: Words
) -> None:
    agent = ComputerAgent(words.model(endpoint))
    endpoint.plan(words.says("", [], {"ask_user": {"text": "May I?\nReally?"}}), words.says("done", [], {}))
    observation = under_policy.begun(agent)
    action = agent.act(observation)
    assert action == "ASK; May I? Really?"
    observation = under_policy.step(action)
    agent.act(observation)
    sent = json.dumps(endpoint.last.body)
    assert "The user replied: " in sent
    assert "report_to_user" in sent


def test_a_run_plays_the_agent_by_its_string(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in OPENAI.variables.items():
        monkeypatch.setenv(name, value.format(url=endpoint.url, key=KEY))
    endpoint.always(OPENAI.says("Nothing to do.", [], {}))
    spec = "computer:openai:gpt-6.2-sol?screenshots=2"
    run = Run(agent=spec, options={"initial_state": "snapshot"})
    result = run_one(Job(TASK, run, folder=tmp_path))
    assert (result.status, result.agent, result.calls) == ("fail", spec, 1)
    assert model_of(result.agent) == "openai:gpt-6.2-sol"
    endpoint.always(None)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("computer:http://localhost:8000/v1#qwen", "only models at openai, anthropic, gemini use a computer"),
        ("computer:openai:gpt-6.2-sol?screenshots=0", "a whole number from 1 to 20"),
        ("computer:openai:gpt-6.2-sol?checks=ask", "give acknowledge or stop"),
        ("openai:gpt-6.2-sol?checks=stop", "an option of computer:MODEL"),
        ("computer:openai", "names no model"),
        ("computr:openai:gpt-6.2-sol", "computer"),
    ],
)
def test_a_wrong_string_is_explained(spec: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(SetupError, match=why):
        make_agent(spec)


@pytest.mark.skipif(HAS_GEMINI, reason="the extra gemini is installed")
def test_gemini_says_which_extra_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    with pytest.raises(SetupError, match=r"\[gemini\]"):
        make_agent("computer:gemini:gemini-4-argon")
