"""The environment as Gymnasium and agents see it: options, spaces, limits, rewards, S0."""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from browsergym.utils.obs import flatten_dom_to_str
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import FlattenObservation, FrameStackObservation
from PIL import Image

import websp_gym  # noqa: F401 (registers the ids)
from benchmarks.stock import place_of_browser, write_browser
from tests.conftest import MakeEnv
from websp_gym.browser.settle import settle
from websp_gym.env import WebspEnv
from websp_gym.env.options import Options, kind_for
from websp_gym.env.registration import make_env
from websp_gym.env.task import WebspTask
from websp_gym.errors import InitialStateError, JudgeError, SetupError, WorldError
from websp_gym.observation import WITHOUT_PICTURE, ObservationKind
from websp_gym.records.load import load_trajectory
from websp_gym.records.pictures import marked_picture
from websp_gym.records.verdict import Verdict, unscored
from websp_gym.scoring.judge.pictures import PictureLimits, pictures_of
from websp_gym.scoring.outcome import EpisodeEnd
from websp_gym.scoring.rewards import make_reward
from websp_gym.tasks.goals import Expect
from websp_gym.tasks.instances import load_instance
from websp_gym.world import make_world
from websp_gym.world.initial_state import verify
from websp_gym.world.sandbox import SandboxWorld

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
    "pixels": MARKS - {"elements", "elements_text"} | {"last_action_result"},
    "text": TEXT,
    "axtree": TEXT | {"axtree_object", "extra_element_properties"},
    "browsergym": BROWSERGYM,
    "all": MARKS | BROWSERGYM | {"screenshot_marks"},
}


@dataclass(frozen=True)
class Begun:
    """An episode of one kind of observation after one action, with what it showed so far."""

    env: WebspEnv
    first: dict[str, Any]
    second: dict[str, Any]
    rendered: tuple[Any, ...]
    """What ``render`` gave before the reset, after it, and after the action."""


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[ObservationKind], Begun]]:
    """An episode of each kind, which is recorded. One test of a kind may go on with it; the others look at what is kept."""
    opened: dict[str, Begun] = {}
    with ExitStack() as ends:

        def of(kind: ObservationKind) -> Begun:
            if kind not in opened:
                mode = None if kind in WITHOUT_PICTURE else "rgb_array"
                folder = tmp_path_factory.mktemp(kind)
                options = {"viewport": TINY, "observation": kind, "render_mode": mode, "record_to": folder}
                env = ends.enter_context(closing(make_env(DONE, initial_state="snapshot", **options)))
                rendered, (first, _) = [env.render()], env.reset(seed=1)
                rendered.append(env.render())
                second, *_ = env.step("Scroll_to_end")
                opened[kind] = Begun(env, first, second, (*rendered, env.render()))
            return opened[kind]

        yield of


@pytest.fixture(scope="module")
def todo() -> Iterator[tuple[WebspEnv, dict[str, Any]]]:
    """An episode with its first observation, for tests that leave it where it is."""
    env = make_env(TODO, initial_state="snapshot", max_actions=1000)
    with closing(env):
        yield env, env.reset()[0]


# --- Gymnasium --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name_space", ["websp/", pytest.param("browsergym/websp.", marks=pytest.mark.proof)])
def test_gymnasium_finds_nothing_to_complain_of(name_space: str) -> None:
    env = gym.make(name_space + DONE, initial_state="snapshot", viewport=TINY)
    try:
        check_env(env.unwrapped, skip_render_check=True)
    finally:
        env.close()


@pytest.mark.parametrize("kind", KEYS)
def test_observations_have_the_promised_keys_and_lie_in_their_space(
    begun: Callable[[ObservationKind], Begun], kind: ObservationKind
) -> None:
    episode = begun(kind)
    space = episode.env.observation_space
    for observation in (episode.first, episode.second):
        assert set(observation) == KEYS[kind] == set(space.keys())  # type: ignore[attr-defined]
        for key, each in space.items():  # type: ignore[attr-defined]
            assert each.contains(observation[key]), key
        assert space.contains(observation)
        assert kind in WITHOUT_PICTURE or observation["screenshot"].dtype == np.uint8


def test_observations_are_stacked_and_what_makes_no_vector_says_so(make: MakeEnv) -> None:
    env = make(DONE, observation="text")
    with pytest.raises(SetupError, match="CandidateActions"):
        FlattenObservation(env)
    stacked = FrameStackObservation(env, 2)
    observation, _ = stacked.reset(seed=0)
    assert observation["url"] == (env.observation["url"],) * 2
    observation, *_ = stacked.step("Google")
    assert [url == "https://www.google.com/" for url in observation["url"]] == [False, True]
    assert observation in stacked.observation_space


def test_the_two_name_spaces_differ_in_what_is_observed() -> None:
    for name, kind in (("websp/", "marks"), ("browsergym/websp.", "browsergym")):
        env = gym.make(name + DONE)
        assert set(env.observation_space.keys()) == KEYS[kind]  # type: ignore[attr-defined]
        env.close()


def test_kind_all_has_a_plain_picture_and_a_marked_one(begun: Callable[[ObservationKind], Begun]) -> None:
    observation = begun("all").first
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
def test_a_wrong_option_is_explained_when_the_environment_is_made(
    options: dict[str, Any], message: str
) -> None:
    for name_space in ("websp/", "browsergym/websp."):
        with pytest.raises(SetupError, match=message):
            gym.make(name_space + TODO, **options)


def test_the_environment_variable_chooses_the_reward_that_was_not_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WEBSP_REWARD", "stat")
    with pytest.raises(SetupError, match='WEBSP_REWARD="stat": no such reward; did you mean "state"'):
        gym.make(f"websp/{TODO}")
    gym.make(f"websp/{TODO}", reward="state").close()


def test_the_viewport_is_the_size_of_picture_and_marks(begun: Callable[[ObservationKind], Begun]) -> None:
    width, height = TINY
    for observation in (begun("marks").first, begun("marks").second):
        assert observation["screenshot"].shape == (height, width, 3)
        for item in observation["elements"]:
            x, y, right, bottom = item["box"] + np.array([0, 0, *item["box"][:2]])
            assert 0 <= x <= right <= width
            assert 0 <= y <= bottom <= height
    assert make_env(TODO, viewport={"width": 640, "height": 480}).options.viewport == (640, 480)


def test_the_seed_decides_the_observation_and_the_colours_of_its_marks(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY)
    one, again, other = (env.reset(seed=seed)[0] for seed in (5, 5, 6))
    pictures = [each.pop("screenshot") for each in (one, again, other)]
    assert np.array_equal(pictures[0], pictures[1])
    assert not np.array_equal(pictures[0], pictures[2])
    assert one == again
    assert one["seconds_left"] == 600.0


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


def test_render_gives_the_last_picture(begun: Callable[[ObservationKind], Begun]) -> None:
    episode = begun("marks")
    before, first, second = episode.rendered
    assert before is None
    assert np.array_equal(first, episode.first["screenshot"])
    assert np.array_equal(second, episode.second["screenshot"])
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("kind", WITHOUT_PICTURE)
def test_an_observation_without_a_picture_cannot_be_rendered(make: MakeEnv, kind: str) -> None:
    assert make(DONE, observation=kind).metadata["render_modes"] == ["human"]
    assert make(DONE).metadata["render_modes"] == ["human", "rgb_array"]
    message = f'render_mode="rgb_array" needs pictures, and observation="{kind}" has none'
    with pytest.raises(SetupError, match=message):
        make_env(DONE, observation=kind, render_mode="rgb_array")


def test_human_is_a_window(make: MakeEnv) -> None:
    env = make(DONE, observation="text", render_mode="human")
    assert (env.options.headless, env.render()) == (False, None)
    with pytest.raises(SetupError, match="leave out headless=True"):
        make_env(DONE, render_mode="human", headless=True)


def test_a_text_observation_takes_no_picture_and_records_none(
    begun: Callable[[ObservationKind], Begun],
) -> None:
    episode = begun("text")
    task = episode.env.task
    assert task is not None
    assert task.folder is not None
    assert episode.rendered == (None, None, None)
    assert sorted(path.name for path in task.folder.iterdir()) == ["steps.jsonl", "trajectory.json"]
    assert [view.screenshot for view in task.trajectory.views] == [None, None]
    assert all(view.marks for view in task.trajectory.views)
    with pytest.raises(JudgeError, match='observation 0 has no screenshot: observation="text" takes none'):
        pictures_of(task.trajectory, task.folder, PictureLimits(), [0])


def test_an_accessibility_tree_takes_pictures_only_for_a_record(
    begun: Callable[[ObservationKind], Begun], make: MakeEnv
) -> None:
    recorded, unseen = begun("axtree").env.task, make(DONE, observation="axtree", viewport=TINY)
    unseen.reset()
    assert unseen.task is not None
    assert recorded is not None
    assert recorded.folder is not None
    assert (*begun("axtree").rendered, unseen.render()) == (None,) * 4
    (first, *_) = pictures_of(recorded.trajectory, recorded.folder, PictureLimits(), [0])
    assert Image.open(io.BytesIO(first)).size == TINY
    assert [view.screenshot for view in recorded.trajectory.views] == ["step_000.png", "step_001.png"]
    assert [view.screenshot for view in unseen.task.trajectory.views] == [None]


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
    with pytest.raises(WorldError, match="call reset"):
        env.step("Wait")
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
    # It has ended: no action is taken until the next one begins, and what ended can still be looked at.
    for _ in range(2):
        with pytest.raises(WorldError, match="call reset"):
            env.step("ANSWER; again")
    assert env.page.url == env.instance.site.start_url
    env.reset()
    assert env.step("Scroll_to_end")[1:4] == (0.0, False, False)
    # An agent may also give up, which pays nothing although the settings are as they should be.
    _observation, reward, terminated, truncated, info = env.step("report_infeasible('I cannot')")
    assert (reward, terminated, truncated, info["reason"]) == (0.0, True, False, "infeasible")
    env.close()
    with pytest.raises(WorldError, match="call reset"):
        env.step("Wait")


def test_an_answer_before_the_goal_is_reached_is_worth_nothing(make: MakeEnv) -> None:
    env = make(TODO, viewport=TINY)
    env.reset()
    _observation, reward, terminated, truncated, info = env.step("Thought: I guess\nAction: ANSWER; done")
    assert (reward, terminated, truncated) == (0.0, True, False)
    assert info["verdict"]["status"] == "fail"
    assert "cookies.valve_analytics" in info["verdict"]["reason"]


def test_scrolling_and_waiting_are_free_everything_else_counts_and_the_last_action_may_be_the_answer(
    make: MakeEnv,
) -> None:
    env = make(DONE, viewport=TINY, max_actions=2)
    for last, ended in (("ANSWER; done", (0, 1.0, True, False)), ("Google", (0, 0.0, False, True))):
        env.reset()
        for action in ("Scroll [WINDOW]; down", "Scroll [WINDOW]; left", "Scroll_to_end", "Wait"):
            assert env.step(action)[0]["actions_left"] == 2
        observation, _reward, _terminated, truncated, _info = env.step("Scroll sideways")
        assert (observation["actions_left"], truncated) == (1, False)
        observation, reward, terminated, truncated, info = env.step(last)
        assert (observation["actions_left"], reward, terminated, truncated) == ended
    assert info["reason"] == "action_limit"
    assert info["verdict"]["reason"] == "the limit of 2 actions was reached without an answer"
    env.reset()
    env.step("I think it is done.")
    *_rest, info = env.step("click the first switch")
    assert info["verdict"]["reason"].endswith("without an answer: no reply could be read as an action")


def test_an_answer_counts_if_it_is_given_in_time_however_long_the_page_then_takes(
    make: MakeEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = make(DONE, viewport=TINY, max_seconds=0.001)
    env.reset()
    observation, reward, terminated, truncated, info = env.step("ANSWER; too late")
    assert (reward, terminated, truncated, info["reason"]) == (0.0, False, True, "time_limit")
    assert observation["seconds_left"] == 0.0
    assert "the time was up" in observation["last_action_error"]
    assert env.task is not None
    assert env.task.trajectory.steps[-1].counted == 0, "what was not carried out is no action"

    observation, _info = env.reset(options={"max_seconds": 600})
    assert 600 >= observation["seconds_left"] >= env.step("Jump")[0]["seconds_left"] > 0
    assert env._episode is not None
    limits = env._episode._limits

    def rests_after_the_limit(tabs: Any) -> bool:
        limits.began -= limits.max_seconds
        return settle(tabs)

    monkeypatch.setattr("websp_gym.env.episode.settle", rests_after_the_limit)
    assert env.step("ANSWER; done")[1:4] == (1.0, True, False)
    assert limits.is_out_of_time


# --- actions ----------------------------------------------------------------------------------------


def test_a_bad_action_changes_nothing_and_is_explained(todo: tuple[WebspEnv, dict[str, Any]]) -> None:
    env, first = todo
    assert first["url"] == env.instance.site.start_url
    assert len(first["tabs"]) == 1
    assert env.task is not None
    before, state = env.step("Scroll [WINDOW]; up")[0], env.task.world_episode.state().as_dict()
    bad: tuple[Any, ...] = (
        "", "Fly", "Click", "Click [999]", "Click [" + "9" * 5000 + "]", "Type [0]; text for a link", "\x00\ud800",
        "Switch_tab [https://nowhere.example/]", "click('nope')", "fill('a1')", "upload_file('a', '/etc/passwd')",
        "__import__('os').system('true')", "noop(", None, 5, b"Click [0]",
    )  # fmt: skip
    for action in bad:
        after, reward, terminated, truncated, _info = env.step(action)
        assert after["last_action_error"], action
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert (after["url"], after["elements_text"]) == (before["url"], before["elements_text"]), action
    assert env.task.world_episode.state().as_dict() == state
    assert env.step("Scroll_to_end")[0]["last_action_error"] == ""


def test_a_reply_with_a_thought_is_understood(todo: tuple[WebspEnv, dict[str, Any]]) -> None:
    env, _first = todo
    env.page.evaluate("scrollTo(0, 0)")
    observation, *_ = env.step("Scroll [WINDOW]; up")
    for expanded in (False, True):  # it opens, and closes again
        menu = next(item["number"] for item in observation["elements"] if item["expanded"] is expanded)
        reply = f"Thought: The menu may lead on.\nAction: Click [{menu}]"
        observation, *_ = env.step(reply)
        assert observation["last_action_error"] == ""
        assert observation["last_action"] == reply
        assert env.task is not None
        assert env.task.trajectory.steps[-1].thought == "The menu may lead on."


def test_browsergym_agents_can_use_their_own_actions(begun: Callable[[ObservationKind], Begun]) -> None:
    env = begun("browsergym").env
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
    # What is not a number is an error.
    assert env.task is not None
    for value in ("1.0", None):
        with pytest.raises(SetupError, match="must return a number"):
            make_reward(lambda _, value=value: value)(outcome)  # type: ignore[misc]
    for number in (float("nan"), float("inf")):
        with pytest.raises(WorldError, match=r"the reward .* gave"):
            env.task.reward_of(make_reward(lambda _, number=number: number)(outcome))  # type: ignore[misc]


def nobody_knows(outcome: EpisodeEnd) -> Verdict:
    return unscored("judge", "the judges were out")


def test_an_episode_without_a_verdict_raises_or_pays_zero_with_a_flag_on_request(
    make: MakeEnv, tmp_path: Path
) -> None:
    env = make(DONE, viewport=TINY, reward=nobody_knows, record_to=tmp_path)
    env.reset()
    with pytest.raises(JudgeError, match="the judges were out"):
        env.step("ANSWER; done")
    env = make(DONE, viewport=TINY, reward=nobody_knows, on_unscored="zero")
    env.reset()
    _observation, reward, terminated, _truncated, info = env.step("ANSWER; done")
    assert (type(reward), reward, terminated, info["unscored"]) == (float, 0.0, True, True)
    assert info["verdict"]["score"] is None


# --- S0 ---------------------------------------------------------------------------------------------


def test_replay_and_snapshot_reach_the_same_state(make: MakeEnv) -> None:
    env, reached = make(TODO, viewport=TINY), []
    for how in ("replay", "snapshot", "snapshot"):
        observation, info = env.reset(seed=1, options={"initial_state": how})
        assert env.task is not None
        reached.append((info["initial_state"]["how"], env.task.trajectory.s0, observation["elements_text"]))
    assert (reached[0][0], reached[2][0]) == ("replay", "snapshot")
    assert reached[0][1:] == reached[1][1:] == reached[2][1:]


def test_signing_in_by_trace_goes_through_the_identity_provider(make: MakeEnv) -> None:
    env = make(TODO, viewport=TINY, login="replay")
    for how in ("replay", "snapshot", "snapshot"):
        env.reset(options={"initial_state": how})
        assert env.task is not None
        assert env.task.s0 is not None
        state = env.task.s0.state
        assert state.sites["steam"].signed_in
        visited = [event.data.get("host") for event in state.events if event.kind == "visit"]
        assert "accounts.google.com" in visited
        assert [event for event in state.events if event.kind == "login" and event.site == "steam"]


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
    world = SandboxWorld()
    with closing(world.open_episode(fresh.site, signed_in=True)) as episode:
        assert verify(fresh, episode).sites["steam"].signed_in
    episode = world.open_episode(fresh.site, signed_in=False)
    with closing(episode), pytest.raises(InitialStateError) as caught:
        verify(fresh, episode)
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
from websp_gym.world.sandbox import SandboxWorld

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
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.stdout == "1.0 True pass", done.stderr[-2000:]


def test_the_content_of_a_password_field_is_in_no_observation(
    begun: Callable[[ObservationKind], Begun],
) -> None:
    env = begun("all").env
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
    task = load_instance(TODO).task
    assert task.instruction != task.instruction_with_navigation
    env = make(TODO, viewport=TINY, instruction="with_navigation")
    long, _ = env.reset()
    short, _ = env.reset(options={"instruction": "without_navigation", "max_actions": 3})
    assert (long["goal"], long["actions_left"]) == (task.instruction_with_navigation, 20)
    assert (short["goal"], short["actions_left"]) == (task.instruction, 3)
    again, _ = env.reset()
    assert (again["goal"], again["actions_left"]) == (long["goal"], 20)


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
    todo: tuple[WebspEnv, dict[str, Any]], given: dict[str, Any], message: str
) -> None:
    env, _first = todo
    with pytest.raises(SetupError) as error:
        env.reset(**given)
    assert str(error.value).startswith(message)
    assert env.step("Wait")[0]["last_action"] == "Wait"


def test_options_of_a_reset_are_a_dictionary_and_an_environment_is_not_copied(make: MakeEnv) -> None:
    env = make(DONE, viewport=TINY)
    env.reset(seed=0)
    with pytest.raises(SetupError, match=r"options=\[1\]: give reset\(\) a dictionary"):
        env.reset(options=[1])  # type: ignore[arg-type]
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled; make another one"):
            copied(env)
    assert env.step("ANSWER; done")[1] == 1.0, "the episode goes on"
