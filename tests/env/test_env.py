"""The environment as Gymnasium and agents see it: options, spaces, limits, rewards, S0."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from browsergym.utils.obs import flatten_dom_to_str
from gymnasium.utils.env_checker import check_env
from PIL import Image

import websp_gym  # noqa: F401 (registers the ids)
from benchmarks.stock import place_of_browser, write_browser
from tests.conftest import MakeEnv
from websp_gym.env import WebspEnv
from websp_gym.env.initial_state import verify
from websp_gym.env.options import Options, kind_for
from websp_gym.env.registration import make_env
from websp_gym.env.task import WebspTask
from websp_gym.errors import InitialStateError, JudgeError, SetupError, WorldError
from websp_gym.observation import WITHOUT_PICTURE, ObservationKind
from websp_gym.records.load import load_trajectory
from websp_gym.records.pictures import marked_picture
from websp_gym.records.verdict import Verdict, unscored
from websp_gym.scoring.judge.pictures import Limits, pictures_of
from websp_gym.scoring.outcome import EpisodeEnd
from websp_gym.scoring.rewards import make_reward
from websp_gym.tasks.goals import Expect
from websp_gym.tasks.instances import load_instance
from websp_gym.world import make_world

TODO = "Steam-task-191-ON"
"""Two settings must be turned off."""
DONE = "Steam-task-191-OFF"
"""They are off already: an answer is enough."""
TINY = (400, 300)
MARKS = {
    "goal", "url", "last_action", "last_action_error", "screenshot", "elements", "elements_text", "tabs",
    "actions_left", "seconds_left",
}  # fmt: skip
BROWSERGYM = {
    "goal", "url", "last_action", "last_action_error", "screenshot", "chat_messages", "goal_object",
    "open_pages_urls", "open_pages_titles", "active_page_index", "dom_object", "axtree_object",
    "extra_element_properties", "focused_element_bid", "elapsed_time",
}  # fmt: skip
TEXT = MARKS - {"screenshot"}
KEYS = {
    "marks": MARKS,
    "pixels": MARKS - {"elements", "elements_text"},
    "text": TEXT,
    "axtree": TEXT | {"axtree_object", "extra_element_properties"},
    "browsergym": BROWSERGYM,
    "all": MARKS | BROWSERGYM | {"screenshot_marks"},
}


def number(observation: dict[str, Any], name: str) -> int:
    """Number of the element with this name."""
    return next(int(item["number"]) for item in observation["elements"] if item["name"] == name)


# --- Gymnasium --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name_space", ["websp/", "browsergym/websp."])
def test_gymnasium_finds_nothing_to_complain_of(name_space: str) -> None:
    env = gym.make(name_space + DONE, initial_state="snapshot", viewport=TINY)
    try:
        check_env(env.unwrapped, skip_render_check=True)
    finally:
        env.close()


@pytest.mark.parametrize("kind", KEYS)
def test_observations_have_the_promised_keys_and_lie_in_their_space(make: MakeEnv, kind: str) -> None:
    env = make(DONE, observation=kind, viewport=TINY)
    first, _info = env.reset(seed=1)
    second, *_ = env.step("Scroll_to_end")
    for observation in (first, second):
        assert set(observation) == KEYS[kind] == set(env.observation_space.keys())  # type: ignore[attr-defined]
        for key, space in env.observation_space.items():  # type: ignore[attr-defined]
            assert space.contains(observation[key]), key
        assert env.observation_space.contains(observation)
        assert kind in WITHOUT_PICTURE or observation["screenshot"].dtype == np.uint8


def test_the_two_name_spaces_differ_in_what_is_observed() -> None:
    for name, kind in (("websp/", "marks"), ("browsergym/websp.", "browsergym")):
        env = gym.make(name + DONE)
        assert set(env.observation_space.keys()) == KEYS[kind]  # type: ignore[attr-defined]
        env.close()


def test_kind_all_has_a_plain_picture_and_a_marked_one(make: MakeEnv) -> None:
    observation, _info = make(DONE, observation="all", viewport=TINY).reset(seed=1)
    assert not np.array_equal(observation["screenshot"], observation["screenshot_marks"])


# --- options ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"world": "live"}, "set WEBSP_LIVE=1"),
        ({"world": "sandbx"}, 'did you mean "sandbox"'),
        ({"world": 3}, 'no world "3"'),
        ({"reward": "stat"}, 'did you mean "state"'),
        ({"reward": 1.0}, 'no reward "1.0"'),
        ({"max_action": 3}, 'did you mean "max_actions"'),
        ({"observation": "picture"}, "use one of marks, pixels, text, axtree, browsergym, all"),
        ({"instruction": "short"}, "use one of without_navigation, with_navigation"),
        ({"initial_state": "api"}, "use one of replay, snapshot"),
        ({"login": "none"}, "use one of session, replay"),
        ({"on_unscored": "pass"}, "use one of raise, zero"),
        ({"max_actions": 0}, "max_actions=0"),
        ({"max_actions": "20"}, "max_actions='20'"),
        ({"max_seconds": 0}, "max_seconds=0"),
        ({"max_seconds": float("nan")}, "max_seconds=nan"),
        ({"headless": "no"}, "headless='no'"),
        ({"viewport": (1280,)}, "give width and height"),
        ({"viewport": {"width": 1280}}, "give width and height"),
        ({"viewport": ("wide", "high")}, "give width and height"),
        ({"viewport": (100, 100)}, "at least 200"),
        ({"record_to": 5}, "record_to=5"),
        ({"action_mapping": "click"}, "action_mapping='click'"),
    ],
)
@pytest.mark.parametrize("name_space", ["websp/", "browsergym/websp."])
def test_a_wrong_option_is_explained_when_the_environment_is_made(
    name_space: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(SetupError, match=message):
        gym.make(name_space + TODO, **options)


def test_the_environment_variable_chooses_the_reward_that_was_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEBSP_REWARD", "stat")
    with pytest.raises(SetupError, match='WEBSP_REWARD="stat": no such reward; did you mean "state"'):
        gym.make(f"websp/{TODO}")
    gym.make(f"websp/{TODO}", reward="state").close()


def test_the_instruction_comes_with_or_without_the_way(make: MakeEnv) -> None:
    task = load_instance(TODO).task
    short, _info = make(TODO, viewport=TINY).reset()
    long, _info = make(TODO, viewport=TINY, instruction="with_navigation").reset()
    assert short["goal"] == task.instruction
    assert long["goal"] == task.instruction_with_navigation != task.instruction


@pytest.mark.parametrize("viewport", [(640, 480), {"width": 640, "height": 480}])
def test_the_viewport_is_the_size_of_picture_and_marks(make: MakeEnv, viewport: Any) -> None:
    observation, _info = make(TODO, viewport=viewport).reset()
    assert observation["screenshot"].shape == (480, 640, 3)
    for item in observation["elements"]:
        x, y, width, height = item["box"]
        assert 0 <= x <= x + width <= 640
        assert 0 <= y <= y + height <= 480


def test_the_seed_decides_the_colours_of_the_marks(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY)
    one, again, other = (env.reset(seed=seed)[0]["screenshot"] for seed in (5, 5, 6))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


def test_pictures_are_drawn_at_their_scale_also_where_the_page_is_scrolled(
    make: MakeEnv, tmp_path: Path
) -> None:
    size = (601, 400)
    full = make(DONE, viewport=size, record_to=tmp_path / "full")
    half = make(DONE, viewport=size, record_to=tmp_path / "half", picture_scale=0.5)
    seen = [(full.reset(seed=1)[0], half.reset(seed=1)[0])]
    for action in ("Scroll [WINDOW]; down", "Scroll [WINDOW]; down", "ANSWER; done"):
        seen.append((full.step(action)[0], half.step(action)[0]))
    folders = [tmp_path / name / DONE / "001" for name in ("full", "half")]
    records = [load_trajectory(folder) for folder in folders]
    assert records[1].picture_scale == 0.5
    for index, (large, small) in enumerate(seen):
        assert half.observation_space.contains(small)
        assert small["screenshot"].shape == (200, 301, 3)
        assert [item["box"] for item in small["elements"]] == [item["box"] for item in large["elements"]]
        assert np.array_equal(marked_picture(records[1], folders[1], index), small["screenshot"])
        plain, scaled = (
            Image.open(folder / str(record.views[index].screenshot)).convert("RGB")
            for folder, record in zip(folders, records, strict=True)
        )
        # The same part of the page, drawn twice.
        alike = plain.resize(scaled.size, Image.Resampling.BOX)
        assert np.abs(np.asarray(alike, float) - np.asarray(scaled, float)).mean() < 6


@pytest.mark.parametrize("kind", ["text", "axtree", "browsergym", "all"])
def test_only_pictures_with_marks_are_scaled(kind: str) -> None:
    with pytest.raises(
        SetupError, match=r'picture_scale=0\.5 scales the pictures of observation="marks" and "pixels" only'
    ):
        make_env(DONE, observation=kind, picture_scale=0.5)


def test_render_gives_the_last_picture(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY, render_mode="rgb_array")
    assert env.render() is None
    observation, _info = env.reset()
    assert np.array_equal(env.render(), observation["screenshot"])
    observation, *_ = env.step("Scroll_to_end")
    assert np.array_equal(env.render(), observation["screenshot"])


@pytest.mark.parametrize("kind", WITHOUT_PICTURE)
def test_an_observation_without_a_picture_cannot_be_rendered(make: MakeEnv, kind: str) -> None:
    assert make(DONE, observation=kind).metadata["render_modes"] == []
    assert make(DONE).metadata["render_modes"] == ["rgb_array"]
    message = f'render_mode="rgb_array" needs pictures, and observation="{kind}" has none'
    with pytest.raises(SetupError, match=message):
        make_env(DONE, observation=kind, render_mode="rgb_array")


def test_a_text_observation_takes_no_picture_and_records_none(make: MakeEnv, tmp_path: Path) -> None:
    env = make(DONE, observation="text", record_to=tmp_path)
    env.reset()
    env.step("ANSWER; done")
    assert env.render() is None
    assert env.task is not None
    assert env.task.folder is not None
    assert sorted(path.name for path in env.task.folder.iterdir()) == ["steps.jsonl", "trajectory.json"]
    assert [view.screenshot for view in env.task.trajectory.views] == [None, None]
    assert all(view.marks for view in env.task.trajectory.views)
    with pytest.raises(JudgeError, match='observation 0 has no screenshot: observation="text" takes none'):
        pictures_of(env.task.trajectory, env.task.folder, Limits(), [0])


def test_an_accessibility_tree_takes_pictures_only_for_a_record(make: MakeEnv, tmp_path: Path) -> None:
    views = []
    for folder in (None, tmp_path):
        env = make(DONE, observation="axtree", record_to=folder, viewport=TINY)
        env.reset()
        env.step("ANSWER; done")
        assert env.task is not None
        assert env.render() is None
        views.append(env.task.trajectory.views)
    assert env.task is not None
    assert env.task.folder is not None
    (first, *_) = pictures_of(env.task.trajectory, env.task.folder, Limits(), [0])
    assert Image.open(io.BytesIO(first)).size == TINY
    assert [[view.screenshot for view in each] for each in views] == [
        [None, None],
        ["step_000.png", "step_001.png"],
    ]


def test_a_judge_and_text_observations_exclude_each_other(tmp_path: Path) -> None:
    script = tmp_path / "judge.yaml"
    script.write_text("answers: [pass]\n")
    with pytest.raises(SetupError, match='observation="text" takes none'):
        make_env(DONE, observation="text", reward="judge", judge=f"scripted:{script}")


@pytest.mark.parametrize(
    ("reads", "options", "shown"),
    [
        ("text", {}, "text"),
        ("text", {"reward": "strict"}, "text"),
        ("text", {"reward": "judge"}, "marks"),
        ("text", {"record_to": "runs"}, "marks"),
        ("axtree", {"record_to": "runs"}, "axtree"),
        ("browsergym", {"record_to": "runs"}, "browsergym"),
    ],
)
def test_an_agent_that_reads_text_has_pictures_where_others_look_at_them(
    reads: ObservationKind, options: dict[str, str], shown: str
) -> None:
    assert kind_for(reads, options) == shown


# --- reward and end ---------------------------------------------------------------------------------


def test_the_reward_is_paid_at_the_end_only_and_in_plain_python_types(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY)
    _observation, info = env.reset()
    assert info["initial_state"]["how"] in ("replay", "snapshot")
    assert info["task_info"]["instance"] == DONE
    _observation, reward, terminated, truncated, info = env.step("Scroll_to_end")
    assert (type(reward), reward, terminated, truncated) == (float, 0.0, False, False)
    assert info["action_exec_start"] <= info["action_exec_stop"]
    assert info["action_exec_timeout"] == 0.0
    assert "verdict" not in info
    _observation, reward, terminated, truncated, info = env.step("ANSWER; they are off")
    assert (type(reward), reward, terminated, truncated) == (float, 1.0, True, False)
    assert (type(terminated), type(truncated)) == (bool, bool)
    assert info["reason"] == "answer"
    assert info["verdict"]["status"] == "pass"
    json.dumps(info, allow_nan=False)


def test_an_answer_before_the_goal_is_reached_is_worth_nothing(make: MakeEnv) -> None:
    env = make(TODO, viewport=TINY)
    env.reset()
    _observation, reward, terminated, truncated, info = env.step("Thought: I guess\nAction: ANSWER; done")
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert info["verdict"]["status"] == "fail"
    assert "cookies.valve_analytics" in info["verdict"]["reason"]


def test_reporting_the_task_infeasible_ends_it_without_reward(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY)
    env.reset()
    _observation, reward, terminated, truncated, info = env.step("report_infeasible('I cannot')")
    assert (reward, terminated, truncated, info["reason"]) == (0.0, True, False, "infeasible")


def test_an_ended_episode_rejects_actions_until_reset(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY)
    with pytest.raises(WorldError, match="call reset"):
        env.step("Wait")
    env.reset()
    env.step("ANSWER; done")
    for _ in range(2):
        with pytest.raises(WorldError, match="call reset"):
            env.step("ANSWER; again")
    assert env.page.url == env.instance.site.start_url
    env.reset()
    assert env.step("Scroll_to_end")[1:4] == (0.0, False, False)
    env.close()
    with pytest.raises(WorldError, match="call reset"):
        env.step("Wait")


def test_the_twentieth_action_may_still_be_the_answer(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY)
    observation, _info = env.reset()
    assert observation["actions_left"] == 20
    for left in range(19, 0, -1):
        observation, _reward, terminated, truncated, _info = env.step("Jump")
        assert (observation["actions_left"], terminated, truncated) == (left, False, False)
    assert env.step("ANSWER; done")[1:4] == (1.0, True, False)


def test_scrolling_and_waiting_are_free_and_everything_else_counts(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY, max_actions=2)
    env.reset()
    for action in ("Scroll [WINDOW]; down", "Scroll [WINDOW]; left", "Scroll_to_end", "Wait"):
        assert env.step(action)[0]["actions_left"] == 2
    observation, _reward, _terminated, truncated, _info = env.step("Scroll sideways")
    assert (observation["actions_left"], truncated) == (1, False)
    observation, reward, terminated, truncated, info = env.step("Google")
    assert (observation["actions_left"], reward, terminated, truncated) == (0, 0.0, False, True)
    assert info["reason"] == "action_limit"
    assert info["verdict"]["status"] == "fail"


def test_when_the_time_is_over_the_action_is_not_carried_out(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY, max_seconds=0.001)
    env.reset()
    observation, reward, terminated, truncated, info = env.step("ANSWER; too late")
    assert (reward, terminated, truncated, info["reason"]) == (0.0, False, True, "time_limit")
    assert observation["seconds_left"] == 0.0
    assert "the time was over" in observation["last_action_error"]


def test_an_answer_given_in_time_counts_however_long_the_page_then_takes(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY, max_seconds=2.0)
    env.reset()
    # The page never rests, so settling after the answer outlasts the limit.
    env.page.evaluate("setInterval(() => document.body.append('.'), 1)")
    assert env.step("ANSWER; done")[1:4] == (1.0, True, False)


def test_seconds_left_run_down(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY)
    first, _info = env.reset()
    second, *_ = env.step("Jump")
    assert 600 >= first["seconds_left"] >= second["seconds_left"] > 0


def test_one_seed_begins_with_equal_observations(make: MakeEnv) -> None:
    env = make(DONE, observation="text")
    first, second = (env.reset(seed=7)[0] for _ in range(2))
    assert first == second
    assert first["seconds_left"] == 600.0


# --- actions ----------------------------------------------------------------------------------------


def test_a_bad_action_changes_nothing_and_is_explained(make: MakeEnv) -> None:
    env = make(TODO, max_actions=100)
    before, _info = env.reset()
    assert env.task is not None
    state = env.task.server.state().as_dict()
    bad: tuple[Any, ...] = (
        "", "Fly", "Click", "Click [999]", "Click [" + "9" * 5000 + "]", "Type [0]; text for a link", "\x00\ud800",
        "Switch_tab [https://nowhere.example/]", "GoBack", "click('nope')", "fill('a1')", "upload_file('a', '/etc/passwd')",
        "__import__('os').system('true')", "noop(", None, 5, b"Click [0]",
    )  # fmt: skip
    for action in bad:
        after, reward, terminated, truncated, _info = env.step(action)
        assert after["last_action_error"], action
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert (after["url"], after["elements_text"]) == (before["url"], before["elements_text"]), action
    assert env.task.server.state().as_dict() == state
    assert env.step("Scroll_to_end")[0]["last_action_error"] == ""


def test_a_reply_with_a_thought_is_understood(make: MakeEnv) -> None:
    env = make(TODO)
    observation, _info = env.reset()
    menu = next(item["number"] for item in observation["elements"] if item["expanded"] is False)
    reply = f"Thought: The menu may lead on.\nAction: Click [{menu}]"
    observation, *_ = env.step(reply)
    assert observation["last_action_error"] == ""
    assert observation["last_action"] == reply
    assert env.task is not None
    assert env.task.trajectory.steps[0].thought == "The menu may lead on."


def test_browsergym_agents_can_use_their_own_actions(make: MakeEnv) -> None:
    env = make(DONE, observation="browsergym")
    env.reset()
    link = env.page.locator("a[href*='/app/']:visible").first.get_attribute("bid")
    observation, *_ = env.step(f"click({link!r})")
    assert observation["last_action_error"] == ""
    assert "/app/" in observation["url"]
    observation, *_ = env.step("new_tab()\ngoto('https://www.google.com/')")
    assert observation["open_pages_urls"][1] == "https://www.google.com/"
    assert env.step("send_msg_to_user('all off')")[1:4] == (1.0, True, False)


# --- custom rewards ---------------------------------------------------------------------------------


def test_a_function_can_be_the_reward(make: MakeEnv) -> None:
    seen: list[EpisodeEnd] = []

    def half(outcome: EpisodeEnd) -> float:
        seen.append(outcome)
        return 0.5

    env = make(TODO, viewport=TINY, reward=half)
    env.reset()
    _observation, reward, *_, info = env.step("ANSWER; 42")
    assert (type(reward), reward) == (float, 0.5)
    assert info["verdict"]["source"] == "half"
    (outcome,) = seen
    assert (outcome.answered, outcome.answer) == (True, "42")
    assert outcome.start.sites["steam"].settings == outcome.end.sites["steam"].settings


def nobody_knows(outcome: EpisodeEnd) -> Verdict:
    return unscored("judge", "the judges were out")


def test_an_episode_without_a_verdict_raises(make: MakeEnv, tmp_path: Path) -> None:
    from websp_gym.errors import JudgeError

    env = make(DONE, viewport=TINY, reward=nobody_knows, record_to=tmp_path)
    env.reset()
    with pytest.raises(JudgeError, match="the judges were out"):
        env.step("ANSWER; done")


def test_an_episode_without_a_verdict_pays_zero_with_a_flag_on_request(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY, reward=nobody_knows, on_unscored="zero")
    env.reset()
    _observation, reward, terminated, _truncated, info = env.step("ANSWER; done")
    assert (type(reward), reward, terminated, info["unscored"]) == (float, 0.0, True, True)
    assert info["verdict"]["score"] is None


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "1.0", None])
def test_a_reward_that_is_not_a_number_is_an_error(make: MakeEnv, value: Any) -> None:
    env = make(DONE, viewport=TINY, reward=lambda outcome: value)
    env.reset()
    with pytest.raises((WorldError, SetupError)):
        env.step("ANSWER; done")


# --- S0 ---------------------------------------------------------------------------------------------


def test_replay_and_snapshot_reach_the_same_state(make: MakeEnv) -> None:
    played, snapshot = make(TODO, viewport=TINY, initial_state="replay"), make(TODO, viewport=TINY)
    reached = []
    for env in (played, snapshot, snapshot):
        observation, info = env.reset(seed=1)
        assert env.task is not None
        reached.append((info["initial_state"]["how"], env.task.trajectory.s0, observation["elements_text"]))
    assert reached[0][0] == "replay"
    assert reached[2][0] == "snapshot"
    assert reached[0][1:] == reached[1][1:] == reached[2][1:]


def test_the_agent_starts_on_the_start_page_with_no_way_back(make: MakeEnv) -> None:
    env = make(TODO, viewport=TINY)
    observation, _info = env.reset()
    assert observation["url"] == env.instance.site.start_url
    assert len(observation["tabs"]) == 1
    observation, *_ = env.step("GoBack")
    assert (observation["url"], bool(observation["last_action_error"])) == (env.instance.site.start_url, True)


@pytest.mark.parametrize("how", ["replay", "snapshot"])
def test_signing_in_by_trace_goes_through_the_identity_provider(make: MakeEnv, how: str) -> None:
    env = make(TODO, viewport=TINY, login="replay", initial_state=how)
    for _ in range(2):
        _observation, _info = env.reset()
        assert env.task is not None
        assert env.task.s0 is not None
        state = env.task.s0.state
        assert state.sites["steam"].signed_in
        visited = [event.data.get("host") for event in state.events if event.kind == "visit"]
        assert "accounts.google.com" in visited
        logins = [event for event in state.events if event.kind == "login" and event.site == "steam"]
        assert logins


def test_an_unexpected_initial_state_is_an_error_that_lists_what_differs() -> None:
    instance = load_instance(TODO)
    wrong = instance.config.expect.model_copy(
        update={"settings": {"cookies.state": "accept_all", "cookies.youtube": False, "cookies.no_such": 1}}
    )
    broken = instance.model_copy(update={"config": instance.config.model_copy(update={"expect": wrong})})
    env = WebspEnv(broken, viewport=TINY)
    try:
        with pytest.raises(InitialStateError) as caught:
            env.reset()
    finally:
        env.close()
    assert caught.value.differences == {"cookies.youtube": (False, True), "cookies.no_such": (1, None)}
    assert "cookies.youtube: expected False, actual True" in str(caught.value)
    with pytest.raises(WorldError, match="call reset"):
        env.step("Wait")


def test_an_account_that_is_not_signed_in_is_no_initial_state() -> None:
    instance = load_instance(TODO)
    fresh = instance.model_copy(update={"config": instance.config.model_copy(update={"expect": Expect()})})
    world = make_world("sandbox")
    with closing(world.open_episode(fresh.site, signed_in=True)) as episode:
        assert episode.server is not None
        assert verify(fresh, episode.server).sites["steam"].signed_in
    with closing(world.open_episode(fresh.site, signed_in=False)) as episode:
        assert episode.server is not None
        with pytest.raises(InitialStateError) as caught:
            verify(fresh, episode.server)
    assert caught.value.differences == {"signed in": (True, False)}


# --- BrowserGym -------------------------------------------------------------------------------------


def test_cheat_solves_the_task_and_validate_pays(make: MakeEnv) -> None:
    env = make(TODO)
    env.reset()
    assert env.task is not None
    assert env.chat is not None
    assert env.task.validate(env.page, env.chat.messages)[:2] == (0.0, False)
    env.task.cheat(env.page, env.chat.messages)
    reward, done, message, info = env.task.validate(env.page, env.chat.messages)
    assert (reward, done, message) == (1.0, True, "")
    assert info["verdict"]["status"] == "pass"


def test_a_task_takes_the_options_whole_and_has_no_defaults_of_its_own() -> None:
    instance, world, reward = load_instance(TODO), make_world("sandbox"), make_reward("state")
    plain = WebspTask(3, instance=instance, world=world, reward=reward)
    assert plain.options == Options()
    assert plain.viewport == {"width": 1280, "height": 1024}
    options = Options(instruction="with_navigation", viewport=(640, 480))
    told = WebspTask(3, instance=instance, world=world, reward=reward, options=options)
    assert told.viewport == {"width": 640, "height": 480}
    assert told.trajectory.instruction == instance.instruction("with_navigation")
    assert told.trajectory.options["viewport"] == [640, 480]


STOCK = """
import functools, sys
from browsergym.core.env import BrowserEnv
from websp_gym.tasks.instances import load_instance
from websp_gym.scoring.rewards import make_reward
from websp_gym.env.task import WebspTask
from websp_gym.world import make_world

parts = dict(instance=load_instance("{id}"), world=make_world("sandbox"), reward=make_reward("state"))
env = BrowserEnv(WebspTask, task_kwargs=parts, pre_observation_delay=0)
observation, _ = env.reset(seed=0)
assert observation["goal"] == parts["instance"].task.instruction
_, reward, terminated, *_ = env.step("noop(0)")
assert (reward, terminated) == (0.0, False)
env.task.cheat(env.page, env.chat.messages)
_, reward, terminated, truncated, info = env.step("noop(0)")
sys.stdout.write(f"{{reward}} {{terminated}} {{info['task_info']['verdict']['status']}}")
env.close()
"""


def test_the_task_works_in_stock_browsergym(tmp_path: Path) -> None:
    """Stock BrowserGym has no option for its chat's browser or for flags, so it gets a folder of browsers."""
    from websp_gym.browser.driver import playwright
    from websp_gym.browser.find import find_browser
    from websp_gym.browser.owner import call
    from websp_gym.sandbox.client import VARIABLE, Sandbox
    from websp_gym.world import make_world

    browser = call(lambda: find_browser(playwright(), headless=True))
    write_browser(tmp_path / place_of_browser(), browser, make_world("sandbox").browser_args())
    # A program of its own is to use this process's server, to which the flags lead.
    shared = Sandbox.shared().address.dump(secret=True)
    environment = {**os.environ, "PLAYWRIGHT_BROWSERS_PATH": str(tmp_path), VARIABLE: shared}
    command = [sys.executable, "-c", STOCK.format(id=TODO)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=150)
    assert done.stdout == "1.0 True pass", done.stderr[-2000:]


def test_the_content_of_a_password_field_is_in_no_observation(make: MakeEnv) -> None:
    env = make(DONE, observation="all")
    env.reset(seed=0)
    env.page.evaluate(
        "document.body.innerHTML = '<input type=password value=sesame-of-old><input type=PassWord id=now>'"
        " + '<input type=password value=Save><input id=name value=open-text><button>Save</button>'"
    )
    env.page.fill("#now", "hunter2-hunter2")
    observation, *_ = env.step("Wait")
    shown = json.dumps(observation["dom_object"]) + json.dumps(observation["axtree_object"])
    assert "hunter2" not in shown
    assert "sesame" not in shown
    assert "open-text" in shown
    written = ("sesame-of-old", "hunter2-hunter2", "Save")
    assert flatten_dom_to_str(observation["dom_object"]).count("•") == len("".join(written))
    assert "Save" in flatten_dom_to_str(observation["dom_object"])


def test_a_reset_may_set_options_of_its_episode(make: MakeEnv) -> None:
    env = make(TODO)
    plain, _ = env.reset()
    told, _ = env.reset(options={"instruction": "with_navigation", "max_actions": 3})
    assert told["goal"] == env.instance.task.instruction_with_navigation != plain["goal"]
    assert told["actions_left"] == 3
    assert env.reset()[0]["actions_left"] == 20


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"options": {"max_action": 3}}, 'reset() has no option "max_action"; did you mean "max_actions"?'),
        ({"options": {"viewport": (300, 300)}}, 'reset() has no option "viewport"'),
        ({"options": {"max_actions": 0}}, "max_actions=0: give a whole number from 1"),
        ({"seed": -1}, "seed=-1: give a whole number from 0 to 4294967295"),
        ({"seed": 2**40}, "seed=1099511627776: give a whole number"),
    ],
)
def test_a_wrong_option_of_reset_leaves_the_episode_alone(
    make: MakeEnv, given: dict[str, Any], message: str
) -> None:
    env = make(TODO)
    env.reset()
    with pytest.raises(SetupError) as error:
        env.reset(**given)
    assert str(error.value).startswith(message)
    assert env.step("Wait")[0]["last_action"] == "Wait"
