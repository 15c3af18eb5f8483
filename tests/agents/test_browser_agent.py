"""The agent of Anthropic's browser toolset: the official SDK against a server on this machine, in the real sandbox."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from anthropic.types.browser_toolset_20260801_param import BrowserToolset20260801Param
from anthropic.types.tool_result_block_param import ToolResultBlockParam
from pydantic import TypeAdapter

from tests.agent_support import briefing_of, play
from tests.computer_use_support import (
    BROWSER,
    TASK,
    WAY,
    Running,
    member,
    pictures_in,
    running,
    under_policy,
)
from tests.endpoint_support import KEY, Asked, Endpoint, Say, endpoint, server
from websp_gym.agents import make_agent
from websp_gym.agents.browser import BrowserAgent
from websp_gym.agents.registry import model_of
from websp_gym.env.registration import make_env
from websp_gym.errors import ModelError, SetupError
from websp_gym.models.computer.anthropic import MEMBERS
from websp_gym.records.load import load_trajectory
from websp_gym.records.runs import Run
from websp_gym.records.trajectory import Trajectory
from websp_gym.runner.batch import run_one
from websp_gym.runner.jobs import Job
from websp_gym.runner.preflight import probes_of

__all__ = ["endpoint", "running", "server", "under_policy"]


def results(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the last message of a request says came of the calls."""
    return [block for block in body["messages"][-1]["content"] if block["type"] == "tool_result"]


def text(result: Mapping[str, Any]) -> str:
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


def kinds(result: Mapping[str, Any]) -> list[str]:
    return [block["type"] for block in result["content"]]


def says(*calls: dict[str, Any], text: str = "", **functions: Any) -> Say:
    return BROWSER.says(text, [*calls], functions)


@pytest.fixture(scope="module")
def solved(server: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, ...]]:
    """An episode that is solved by reading the page and operating what it has, by references only."""
    left = list(WAY)

    def answer(asked: Asked) -> Say:
        if not left:
            return says(text="Both are off now.")
        role, name = left[0]
        last = asked.body["messages"][-1]["content"][0]
        if last["type"] != "tool_result" or "read_page" not in json.dumps(asked.body["messages"][-2]):
            return says(member("read_page", filter="interactive"), text="I look.")
        found = re.search(rf'^\s*{role} "{re.escape(name)}" \[(ref_\d+)\]', text(last), re.M)
        assert found is not None, text(last)
        left.pop(0)
        target = {"type": "ref", "ref": found[1]}
        way = (
            member("form_input", target=target, value=False)
            if role == "switch"
            else member("left_click", target=target)
        )
        return says(way, text=f"I press {name}.")

    server.forget()
    server.always(answer)
    env = make_env(
        TASK, initial_state="snapshot", observation="pixels", record_to=tmp_path_factory.mktemp("records")
    )
    agent = BrowserAgent(BROWSER.model(server))
    reward, info = play(env, agent)
    assert env.task is not None
    assert env.task.folder is not None
    yield reward, info, agent, [*server.asked], load_trajectory(env.task.folder)
    env.close()


def test_an_episode_is_solved_by_references(solved: tuple[Any, ...]) -> None:
    reward, info, agent, asked, record = solved
    assert (reward, info["costs"]["actions"], len(asked)) == (1.0, 6, 11)
    assert {each.path.partition("?")[0] for each in asked} == {"/v1/messages"}
    assert isinstance(record, Trajectory)
    acts = [step.act for step in record.steps[1:-1:2]]
    assert [(act.kind, act.role, act.name) for act in acts if act] == [("computer", *met) for met in WAY]
    assert [step.counted for step in record.steps] == [0, 1] * 5 + [1]
    assert record.steps[-1].action == "ANSWER; Both are off now."
    assert [turn.thought for turn in agent.turns][:2] == ["I look.", "I press alexrivers."]
    assert all((turn.input_tokens, turn.output_tokens, turn.calls) == (1000, 100, 1) for turn in agent.turns)
    assert all(turn.cost is not None and turn.cost > 0 for turn in agent.turns)


def test_the_toolset_is_declared_and_answered_as_the_sdk_types_it(solved: tuple[Any, ...]) -> None:
    asked = solved[3]
    (tool,) = asked[0].body["tools"]
    TypeAdapter(BrowserToolset20260801Param).validate_python(tool)
    assert tool["type"] == "browser_toolset_20260801"
    assert {name: each["enabled"] for name, each in tool["configs"].items()} == MEMBERS
    assert "anthropic-beta" not in asked[0].headers
    read, pressed = results(asked[1].body)[0], results(asked[2].body)[0]
    for result in (read, pressed):
        TypeAdapter(ToolResultBlockParam).validate_python(result)
        assert (result["toolset_name"], "is_error" in result) == ("browser", False)
        (state,) = (block for block in result["content"] if block["type"] == "browser_state")
        assert [(tab["tab_id"], tab["active"]) for tab in state["tabs"]] == [("1", True)]
    assert kinds(read) == ["text", "browser_state"]
    assert kinds(pressed) == ["text", "image", "browser_state"]
    # What was read stays, so that its references can be used; of the pictures only the last ones do.
    assert len(asked[-1].body["messages"]) == 21
    assert [len(pictures_in(each.body)) for each in asked] == [1, 1, 2, 2, *[3] * 7]
    assert KEY not in json.dumps(asked[-1].body)


def test_what_a_page_says_is_fenced(solved: tuple[Any, ...]) -> None:
    read = results(solved[3][1].body)[0]
    assert re.search(r"\[\[[0-9a-f]{32} what your last action returned\n.*link \"STORE\"", text(read), re.S)


def test_several_calls_are_taken_one_by_one_until_one_fails(running: Running, endpoint: Endpoint) -> None:
    agent = BrowserAgent(BROWSER.model(endpoint))
    many = [member("screenshot"), member("javascript_exec", text="1 + 1"), member("get_page_text")]
    endpoint.plan(says(*many), says(text="I give up."))
    observation = running.begun(agent)
    left = [observation["actions_left"]]
    for _ in range(2):
        observation = running.step(agent.act(observation))
        left.append(observation["actions_left"])
    assert agent.act(observation) == "ANSWER; I give up."
    assert (left[0] - left[1], left[1] - left[2]) == (0, 1)
    looked, refused, rest = results(endpoint.last.body)
    assert [kinds(each) for each in (looked, refused, rest)] == [
        ["text", "image", "browser_state"],
        ["text"],
        ["text"],
    ]
    assert "is_error" not in looked
    assert refused["is_error"] is rest["is_error"] is True
    assert "javascript_exec is not offered here: code of an agent is never run" in text(refused)
    assert "not carried out" in text(rest)
    assert agent.turns[1].cost == 0


def test_tabs_are_told_as_the_state_of_the_browser(running: Running, endpoint: Endpoint) -> None:
    agent = BrowserAgent(BROWSER.model(endpoint))
    endpoint.plan(
        says(member("new_tab"), member("navigate", url="store.steampowered.com/account/")),
        says(member("list_tabs")),
        says(text="done"),
    )
    observation = running.begun(agent)
    for _ in range(3):
        observation = running.step(agent.act(observation))
    opened, gone = results(endpoint.last.body)
    agent.act(observation)
    (listed,) = results(endpoint.last.body)
    first, second = observation["tabs"]
    assert (second["url"], second["active"]) == ("https://store.steampowered.com/account/", True)
    assert opened["content"][-1]["state_changes"] == [{"type": "tab_opened", "tab_id": str(second["id"])}]
    assert "state_changes" not in gone["content"][-1]
    assert [tab["url"] for tab in gone["content"][-1]["tabs"]] == [first["url"], second["url"]]
    assert f"tab_id {second['id']} (active)" in text(listed)
    assert kinds(listed) == ["text", "browser_state"]
    running.step(json.dumps(member("close_tab", tab_id=str(second["id"]))))


def test_a_dialog_is_told_without_calling_the_action_failed(running: Running, endpoint: Endpoint) -> None:
    agent = BrowserAgent(BROWSER.model(endpoint))
    running.env.page.evaluate("addEventListener('keydown', () => alert('Really?'), { once: true })")
    endpoint.plan(says(member("key", text="a")), says(text="done"))
    observation = running.begun(agent)
    observation = running.step(agent.act(observation))
    agent.act(observation)
    (result,) = results(endpoint.last.body)
    assert "Really?" in text(result)
    assert "is_error" not in result


def test_unusable_replies_are_asked_for_again(running: Running, endpoint: Endpoint) -> None:
    agent = BrowserAgent(BROWSER.model(endpoint))
    endpoint.plan(
        BROWSER.says("I would", [], {}, stop="pause_turn"),
        BROWSER.says("cut", [member("screenshot")], {}, stop="max_tokens"),
        BROWSER.says("I am done.", [], {}, usage=None),
    )
    observation = running.begun(agent)
    assert agent.act(observation) == "ANSWER; I am done."
    (turn,) = agent.turns
    assert len(turn.problems) == 2
    assert (turn.attempts, turn.input_tokens, turn.cost) == (3, None, None)
    endpoint.always(BROWSER.says("", [], {}))
    agent.begin(briefing_of(running.env))
    assert "no such action" in running.step(agent.act(observation))["last_action_error"]
    endpoint.always(None)


def test_errors_of_the_provider_are_the_providers(running: Running, endpoint: Endpoint) -> None:
    agent = BrowserAgent(BROWSER.model(endpoint, retries=0))
    endpoint.plan(Say({"nonsense": 1}))
    with pytest.raises(ModelError) as caught:
        agent.act(running.begun(agent))
    assert caught.value.kind == "malformed"


def test_the_user_is_asked_by_a_function_in_episodes_with_policies(
    under_policy: Running, endpoint: Endpoint
) -> None:
    agent = BrowserAgent(BROWSER.model(endpoint))
    endpoint.plan(
        says(ask_user={"text": "May I?"}),
        says(report_to_user={"text": "The page was not saved"}),
        says(text="done"),
    )
    observation = under_policy.begun(agent)
    action = agent.act(observation)
    assert action == "ASK; May I?"
    observation = under_policy.step(action)
    action = agent.act(observation)
    (told,) = results(endpoint.last.body)
    agent.act(under_policy.step(action))
    assert "The user replied: " in text(told)
    assert {"browser_state", "toolset_name"}.isdisjoint({*kinds(told), *told})
    assert action == "REPORT; The page was not saved"
    assert [tool.get("name", tool.get("type")) for tool in endpoint.last.body["tools"]] == [
        "browser_toolset_20260801",
        "ask_user",
        "report_to_user",
    ]


def test_what_was_read_long_ago_becomes_a_line(running: Running, endpoint: Endpoint) -> None:
    agent = BrowserAgent(BROWSER.model(endpoint))
    endpoint.always(says(member("read_page", filter="all")))
    observation = {**running.begun(agent), "last_action_result": "button\n" * 1_200}
    for _ in range(25):
        agent.act(observation)
    first, *_, last = endpoint.last.body["messages"]
    returned = [
        each for message in endpoint.last.body["messages"] for each in results({"messages": [message]})
    ]
    assert sum(len(text(each)) for each in returned) <= 120_000
    assert len(returned) > 10
    assert "button" in text(last["content"][0])
    assert '1. {"toolset_name": "browser", "name": "read_page"' in first["content"][0]["text"]
    endpoint.always(None)


def test_a_run_plays_the_agent_by_its_string(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in BROWSER.variables.items():
        monkeypatch.setenv(name, value.format(url=endpoint.url, key=KEY))
    endpoint.always(says(text="Nothing to do."))
    spec = "browser:anthropic:claude-opus-5.5?screenshots=2&repairs=1"
    run = Run(agent=spec, options={"initial_state": "snapshot"})
    assert [(probe.model.spec, probe.picture) for probe in probes_of(run)] == [
        ("anthropic:claude-opus-5.5", True)
    ]
    result = run_one(Job(TASK, run, folder=tmp_path))
    assert (result.status, result.agent, result.calls) == ("fail", spec, 1)
    assert result.cost is not None
    assert result.cost > 0
    assert model_of(result.agent) == "anthropic:claude-opus-5.5"
    endpoint.always(None)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("browser:openai:gpt-6.2-sol", "only models at anthropic use a browser"),
        ("browser:anthropic:claude-opus-5.5?checks=stop", "an option of computer:MODEL"),
        ("browser:anthropic:claude-opus-5.5?screenshots=0", "a whole number from 1 to 20"),
        ("browser:anthropic", "names no model"),
        ("browsr:anthropic:claude-opus-5.5", "browser"),
    ],
)
def test_a_wrong_string_is_explained(spec: str, why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with pytest.raises(SetupError, match=why):
        make_agent(spec)
