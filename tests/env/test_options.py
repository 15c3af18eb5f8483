"""The options of an environment, to JSON and back."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import MakeEnv
from websp_gym.env.options import (
    OnError,
    OnUnscored,
    Options,
    read_options,
)
from websp_gym.errors import SetupError
from websp_gym.observation import ObservationKind
from websp_gym.records.load import load_trajectory
from websp_gym.records.runs import Run, read_run, write_run
from websp_gym.scoring.outcome import REWARDS, EpisodeEnd
from websp_gym.tasks.instances import InstructionVariant
from websp_gym.world import InitialStateMode, Login, world_kind

OF_LIVE = world_kind("live").options
SECONDS = st.one_of(
    st.integers(1, 10**9), st.floats(0, exclude_min=True, allow_infinity=False, allow_nan=False)
)
MODEL = st.text(min_size=1).filter(str.strip)
SIDE = st.integers(200, 8192)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "world": st.sampled_from(["sandbox", "live"]),
    **{name: st.one_of(st.none(), MODEL) for name in OF_LIVE if name != "restore"},
    "restore": st.booleans(),
    "harm_guard": st.sampled_from([None, True, False]),
    "instruction": st.sampled_from(get_args(InstructionVariant)),
    "reward": st.sampled_from(REWARDS),
    "judge": st.one_of(st.none(), MODEL, st.lists(MODEL, min_size=1).map(tuple)),
    "quorum": st.one_of(st.none(), st.integers(min_value=1)),
    "initial_state": st.sampled_from(get_args(InitialStateMode)),
    "login": st.sampled_from(get_args(Login)),
    "observation": st.sampled_from(get_args(ObservationKind)),
    "max_actions": st.integers(min_value=1),
    "max_seconds": SECONDS,
    "step_timeout": SECONDS,
    "reset_timeout": SECONDS,
    "headless": st.booleans(),
    "viewport": st.tuples(SIDE, SIDE),
    "picture_scale": st.floats(0.25, 1),
    "on_unscored": st.sampled_from(get_args(OnUnscored)),
    "on_error": st.sampled_from(get_args(OnError)),
    "render_mode": st.sampled_from([None, "rgb_array"]),
    "dataset": st.sampled_from([None, "official"]),
    "policies": st.one_of(st.none(), st.lists(MODEL, min_size=1).map(tuple)),
    "user": st.sampled_from(["scripted", "console", "model:openai:gpt-6.2-sol"]),
}
NOT_STORED = {"record_to", "action_mapping"}


def all_is_well(end: EpisodeEnd) -> float:
    return 1.0


def consistent(values: dict[str, Any]) -> dict[str, Any]:
    """Leave out what counts only beside another option."""
    odd = set() if values.get("observation", "marks") == "marks" else {"picture_scale"}
    if values.get("world") != "live":
        odd |= set(OF_LIVE)
    else:
        odd |= {"reward"} if values.get("reward") != "judge" else set()
    if values.get("policies") is None:
        odd |= {"user"} | ({"reward"} if values.get("reward") == "policy" else set())
    return {key: value for key, value in values.items() if key not in odd}


@given(st.fixed_dictionaries({}, optional=VALUES).map(consistent))
def test_options_are_the_same_after_json(values: dict[str, Any]) -> None:
    options = read_options(values)
    assert Options.from_dict(json.loads(json.dumps(options.as_dict(), allow_nan=False))) == options
    # What a user gives, as run.json holds it.
    assert Options.from_dict(json.loads(json.dumps(values))) == options


def test_every_option_is_stored_or_known_not_to_be() -> None:
    names = {field.name for field in fields(Options)}
    every = Options(world="live", policies=("standard",), dataset="official", harm_guard=True)
    assert set(every.as_dict()) == names - NOT_STORED
    optional = {"policies", "user", "dataset", "harm_guard", *OF_LIVE}
    assert set(Options().as_dict()) == names - NOT_STORED - optional
    assert set(VALUES) == names - NOT_STORED


def test_a_function_as_reward_is_stored_by_its_name_and_has_to_be_given_again() -> None:
    options = Options(reward=all_is_well, max_actions=5)
    data = json.loads(json.dumps(options.as_dict()))
    assert data["reward"] == f"{__name__}.all_is_well"
    with pytest.raises(SetupError, match=r"all_is_well\" names a function.*put the function in its place"):
        Options.from_dict(data)
    assert Options.from_dict({**data, "reward": all_is_well}) == options


@pytest.mark.parametrize(("name", "value"), [("max_action", 5), ("login", "magic"), ("viewport", None)])
def test_what_is_no_option_is_refused(name: str, value: Any) -> None:
    with pytest.raises(SetupError, match=name):
        Options.from_dict({**Options().as_dict(), name: value})


@pytest.mark.parametrize("name", ["max_seconds", "step_timeout", "reset_timeout"])
def test_a_time_without_end_is_refused(name: str) -> None:
    with pytest.raises(SetupError, match=f"{name}=inf: give a finite number above 0"):
        read_options({name: math.inf})


def test_the_options_of_an_episode_are_those_of_its_trajectory(make: MakeEnv, tmp_path: Path) -> None:
    env = make(
        "Steam-task-191-ON", reward="strict", on_error="truncate", viewport=(800, 600), record_to=tmp_path
    )
    env.reset(options={"max_actions": 5})
    (folder,) = {path.parent for path in tmp_path.rglob("trajectory.json")}
    stored = Options.from_dict(load_trajectory(folder).options)
    assert stored == replace(env.options, max_actions=5, record_to=None)
    assert (stored.reward, stored.on_error, stored.viewport) == ("strict", "truncate", (800, 600))


def test_the_options_of_a_run_are_those_of_its_folder(tmp_path: Path) -> None:
    options = {"reward": "judge", "judge": ["openai:gpt-6.2-sol"], "viewport": [800, 600], "headless": False}
    write_run(tmp_path, Run(agent="oracle", options=options))
    run = read_run(tmp_path)
    assert run is not None
    assert Options.from_dict(run.options) == Options(
        reward="judge", judge=("openai:gpt-6.2-sol",), viewport=(800, 600), headless=False
    )
