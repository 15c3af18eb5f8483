"""Episodes of agents that see a picture and act at points: what is counted, recorded, shown and watched."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.computer_use_support import ANTHROPIC, GEMINI, OPENAI, TASK, WAY, member, place
from tests.conftest import MakeEnv
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.records.load import load_trajectory
from websp_gym.records.trajectory import Trajectory


def record_of(env: WebspEnv) -> Trajectory:
    assert env.task is not None
    assert env.task.folder is not None
    return load_trajectory(env.task.folder)


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebspEnv]:
    """An environment with plain pictures and a record."""
    env = make_env(
        TASK, initial_state="snapshot", observation="pixels", record_to=tmp_path_factory.mktemp("records")
    )
    yield env
    env.close()


def error(env: WebspEnv, action: Any) -> str:
    """What the agent is told after an action."""
    return str(env.step(action)[0]["last_action_error"])


def test_an_episode_is_played_by_points_and_its_record_names_what_they_met(env: WebspEnv) -> None:
    env.reset(seed=1)
    clicks = []
    thoughts = [f"I press {name}." if number % 2 else "" for number, (_, name) in enumerate(WAY)]
    # In the words of each provider, as a dictionary and as a text.
    for (role, name), thought, words in zip(WAY, thoughts, [OPENAI, ANTHROPIC, GEMINI] * 2, strict=False):
        action = words.click(*place(env, name, role))
        clicks.append(action)
        said = f"Thought: {thought}\nAction: {json.dumps(action)}" if thought else action
        observation, _, terminated, _, _ = env.step(said)
        assert (observation["last_action_error"], terminated) == ("", False)
    _, reward, terminated, _, info = env.step("ANSWER; done")
    assert (reward, terminated, info["costs"]["actions"]) == (1.0, True, 6)
    *steps, _answer = record_of(env).steps
    acts = [step.act for step in steps if step.act is not None]
    assert [(act.kind, act.role, act.name) for act in acts] == [("computer", *met) for met in WAY]
    assert [json.loads(act.text) for act in acts] == clicks
    assert [step.counted for step in steps] == [1] * 5
    assert [step.thought for step in steps] == thoughts


def test_one_action_counts_one_however_many_calls_it_takes_and_looking_counts_none(env: WebspEnv) -> None:
    first, _ = env.reset(seed=1)
    left = [first["actions_left"]]
    actions: tuple[Any, ...] = (
        {"type": "screenshot"},
        {"type": "move", "x": 5, "y": 5},
        {"type": "scroll", "x": 5, "y": 500, "scroll_x": 0, "scroll_y": 100},
        {"name": "type_text_at", "args": {"x": 300, "y": 300, "text": "a", "press_enter": False}},
        {"action": "triple_click", "coordinate": [5, 5], "text": "ctrl"},
        {"type": "drag", "path": [{"x": n, "y": 500} for n in range(1, 60)]},
        {"type": "click", "x": 5000, "y": 5},
        {"type": "nothing known"},
        {1: {2}},
        '{"type": ',
    )
    for action in actions:
        left.append(env.step(action)[0]["actions_left"])
    assert [before - after for before, after in itertools.pairwise(left)] == [0, 0, 0, 1, 1, 1, 1, 1, 1, 1]


def test_a_wrong_action_is_told_and_the_episode_goes_on(env: WebspEnv) -> None:
    env.reset(seed=1)
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    circle: dict[str, Any] = {"type": "click"}
    circle["x"] = circle
    cases: tuple[tuple[Any, str], ...] = (
        ({"type": "click", "x": 5000, "y": 5}, "outside the picture"),
        ({"type": "click", "x": float("nan"), "y": 5}, "NaN is not a number"),
        (deep, "RecursionError"),
        (circle, "ValueError"),
        ({"type": "type", "text": "a" * 1_000_000}, "expected at most"),
        ({"type": object()}, "TypeError"),
        ([{"type": "wait"}], "no such action"),
    )
    for action, why in cases:
        began = time.process_time()
        told = error(env, action)
        assert why in told
        assert len(told) <= 1_000
        assert time.process_time() - began < 20
    assert error(env, {"type": "click", "x": np.int64(5), "y": np.float32(5)}) == ""
    env.step("ANSWER; done")
    assert all(len(step.action) < 20_100 for step in record_of(env).steps)


def test_a_single_call_of_browsergym_has_its_element_in_the_record_too(env: WebspEnv) -> None:
    env.reset(seed=1)
    x, y = place(env, "alexrivers", "button")
    env.step(f"mouse_click({x}, {y})")
    x, y = place(env, "Account details: alexrivers", "link")
    env.step(f"mouse_move({x}, {y}) mouse_click(y={y}, x={x})")
    env.step("noop(1)")
    env.step("ANSWER; done")
    acts = [step.act for step in record_of(env).steps]
    assert [(act.kind, act.role, act.name) for act in acts if act] == [
        ("calls", "button", "alexrivers"),
        ("calls", None, None),
        ("calls", None, None),
        ("ANSWER", None, None),
    ]


def test_a_native_list_is_operated_where_the_picture_shows_it(make: MakeEnv) -> None:
    env = make("GitHub-task-130-OFF", observation="pixels")
    env.reset(seed=1)
    env.step({"type": "goto", "url": "https://github.com/settings/tokens/new"})
    assert env.task is not None
    view = env.task.trajectory.last_view
    assert view is not None
    (chosen,) = [mark for mark in view.marks if mark["tag"] == "select"]
    env.step(OPENAI.click(*place(env, chosen["name"], chosen["role"])))
    env.step(OPENAI.click(*place(env, "90 days", "option")))
    view = env.task.trajectory.last_view
    assert view is not None
    assert [mark["value"] for mark in view.marks if mark["tag"] == "select"] == ["90 days"]


def test_a_zoom_shows_a_part_enlarged_once_and_the_record_keeps_the_whole(env: WebspEnv) -> None:
    whole, _ = env.reset(seed=1)
    env.page.evaluate("noticed = 0; addEventListener('resize', () => noticed++)")
    zoomed, *_ = env.step({"action": "zoom", "region": [960, 0, 1280, 64]})
    assert "region enlarged" in zoomed["last_action_error"]
    picture = zoomed["screenshot"]
    assert picture.shape == whole["screenshot"].shape
    assert not picture[:383].any()
    assert not picture[-383:].any()
    assert picture[384:640].any()
    part = np.asarray(Image.fromarray(picture[384:640]).resize((320, 64), Image.Resampling.BOX), float)
    assert np.abs(part - whole["screenshot"][:64, 960:]).mean() < 12
    again, *_ = env.step({"type": "screenshot"})
    assert np.array_equal(again["screenshot"], whole["screenshot"])
    assert env.page.evaluate("noticed") == 0
    assert env.task is not None
    assert env.task.folder is not None
    first, after = ((env.task.folder / f"step_00{n}.png").read_bytes() for n in (0, 1))
    assert first == after


def test_a_long_wait_has_the_limit_of_the_step(make: MakeEnv) -> None:
    env = make(TASK, observation="pixels", step_timeout=9)
    env.reset(seed=1)
    assert "an action may take 6" in error(env, {"action": "wait", "duration": 7})
    assert error(env, {"action": "wait", "duration": 1}) == ""


def test_the_harm_guard_sees_what_is_pressed_at_a_point(make: MakeEnv) -> None:
    env = make(TASK, observation="pixels", harm_guard=True)
    env.reset(seed=1)
    env.step({"type": "goto", "url": "https://help.steampowered.com/wizard/HelpDeleteAccount"})
    *_, info = env.step(OPENAI.click(*place(env, "Yes, delete my account")))
    assert info["reason"] == "stopped"


def test_policies_see_the_calls_of_an_action(make: MakeEnv, tmp_path: Path) -> None:
    env = make(TASK, observation="pixels", policies="standard", record_to=tmp_path)
    env.reset(seed=1)
    env.step(OPENAI.click(*place(env, "alexrivers", "button")))
    env.step("ANSWER; done")
    facts = record_of(env).steps[0].facts
    assert facts is not None
    assert [(each.kind, each.role, each.name) for each in facts.actions] == [
        ("mouse_click", "button", "alexrivers")
    ]


def found(env: WebspEnv, query: str) -> dict[str, str]:
    """The target that the browser toolset finds first."""
    result = env.step(member("find", query=query))[0]["last_action_result"]
    ref = re.search(r"\[(ref_\d+)\]", result)
    assert ref is not None, result
    return {"type": "ref", "ref": ref[1]}


def test_the_harm_guard_sees_what_is_pressed_by_a_reference(make: MakeEnv) -> None:
    env = make(TASK, observation="pixels", harm_guard=True)
    env.reset(seed=1)
    env.step(member("navigate", url="help.steampowered.com/wizard/HelpDeleteAccount"))
    *_, info = env.step(member("left_click", target=found(env, "Yes, delete my account")))
    assert info["reason"] == "stopped"


def test_policies_see_the_calls_of_a_member(make: MakeEnv, tmp_path: Path) -> None:
    env = make(TASK, observation="pixels", policies="standard", record_to=tmp_path)
    env.reset(seed=1)
    env.step(member("left_click", target=found(env, "alexrivers button")))
    env.step("ANSWER; done")
    read, pressed, _ = record_of(env).steps
    assert read.facts is not None
    assert pressed.facts is not None
    assert read.facts.actions == []
    assert [(each.kind, each.role, each.name) for each in pressed.facts.actions] == [
        ("click", "button", "alexrivers")
    ]


def test_a_member_that_returns_a_text_needs_an_observation_with_it(make: MakeEnv) -> None:
    env = make(TASK, observation="marks")
    first, _ = env.reset(seed=1)
    assert 'observation="pixels" has only' in error(env, member("get_page_text"))
    point = {"type": "coordinate", "x": 5, "y": 500}
    seen, *_ = env.step(member("scroll", target=point, scroll_direction="down"))
    assert (seen["last_action_error"], "last_action_result" in seen) == ("", False)
    assert seen["actions_left"] == first["actions_left"]
