"""Parts of the benchmark: subsets, splits, and that they stay what they are on the way to other processes."""

from __future__ import annotations

import pickle
from collections import defaultdict

import bgym
import pytest
from agentlab.experiments.loop import EnvArgs

import websp_gym
from websp_gym.agents.agentlab import (
    WebspBenchmark,
    WebspEnvArgs,
    make_benchmark,
    make_enterprise_benchmark,
)
from websp_gym.errors import SetupError
from websp_gym.tasks.ids import instance_ids, work_ids
from websp_gym.tasks.instances import load_instance


@pytest.fixture(scope="module")
def whole() -> WebspBenchmark:
    """All instances."""
    return make_benchmark()


def ids_of(benchmark: WebspBenchmark) -> list[str]:
    return [args.instance_id for args in benchmark.env_args_list]


def test_the_benchmark_is_known_to_agentlab_by_name() -> None:
    benchmark = bgym.DEFAULT_BENCHMARKS["websp"]()
    assert ids_of(benchmark) == instance_ids()
    assert benchmark.dependency_graph_over_tasks() == {f"websp.{one}": [] for one in instance_ids()}


def test_the_tasks_of_applications_are_a_benchmark_of_their_own() -> None:
    benchmark = bgym.DEFAULT_BENCHMARKS["websp_enterprise"]()
    assert (benchmark.name, ids_of(benchmark)) == ("websp_enterprise", work_ids())
    shop = make_enterprise_benchmark("Magento-*", policies="hard")
    assert {args.options()["policies"] for args in shop.env_args_list} == {"hard"}
    assert len(shop.subset(category="Shop Administration").env_args_list) == 8


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ({"site": "steam"}, lambda one: one.site.site == "Steam"),
        ({"site": ["BBC", "Docker"]}, lambda one: one.site.site in ("BBC", "Docker")),
        ({"category": "*cookie*"}, lambda one: one.task.category.startswith("Cookie")),
        ({"element": "Toggle"}, lambda one: "Toggle" in one.config.element_types),
        ({"element": "Radio Button", "state": "OFF"}, lambda one: one.config.state == "OFF" and "Radio Button" in one.config.element_types),
        ({"state": ["ON", "OFF"]}, lambda one: one.config.state is not None),
        ({"ids": "Steam-task-19[12]-*"}, lambda one: one.task.id in ("Steam-task-191", "Steam-task-192")),
    ],
    ids=str,
)  # fmt: skip
def test_a_subset_matches_its_name(whole: WebspBenchmark, said: dict[str, str], holds: object) -> None:
    part = whole.subset(**said)
    assert callable(holds)
    expected = [one for one in instance_ids() if holds(load_instance(one))]
    assert expected
    assert ids_of(part) == expected
    assert list(part.task_metadata["task_name"]) == [f"websp.{one}" for one in expected]


def test_every_kind_of_subset_keeps_class_and_version(whole: WebspBenchmark) -> None:
    steam = whole.subset(site="Steam")
    parts = [
        steam,
        whole.subset_from_glob("site", "Steam"),
        whole.subset_from_regexp("state", "^ON$"),
        whole.subset_from_list(["websp.Steam-task-191-ON"]),
        whole.subset_from_task_ratio(0.5, seed=1),
        whole.subset_from_split("train"),
        *whole.split("site"),
        *whole.split("task"),
        *whole.split("state"),
        pickle.loads(pickle.dumps(steam)),
        WebspBenchmark.from_json(steam.to_json()),
    ]
    for part in parts:
        assert type(part) is WebspBenchmark
        assert part.get_version() == websp_gym.__version__
        assert {type(args) for args in part.env_args_list} == {WebspEnvArgs}
    assert ids_of(parts[-1]) == ids_of(parts[-2]) == ids_of(steam) == ids_of(parts[1])


def test_an_empty_selection_is_an_error_that_names_the_nearest_id(whole: WebspBenchmark) -> None:
    with pytest.raises(SetupError, match='no instance has site=Steem; did you mean "Steam"'):
        whole.subset(site="Steem")
    with pytest.raises(SetupError, match='did you mean "site"'):
        whole.split("sites")
    with pytest.raises(SetupError, match="cannot be divided"):
        whole.subset(site="Airbnb").split("site")
    with pytest.raises(SetupError, match="between 0 and 1"):
        whole.split("task", share=1.5)
    with pytest.raises(SetupError, match='did you mean "initial_state"'):
        make_benchmark(initial_stat="snapshot")


@pytest.mark.parametrize("by", ["site", "task", "state"])
@pytest.mark.parametrize("seed", range(5))
def test_a_split_divides_everything_and_tears_nothing_apart(
    whole: WebspBenchmark, by: str, seed: int
) -> None:
    train, test = whole.split(by, seed=seed)
    assert sorted(ids_of(train) + ids_of(test)) == sorted(instance_ids())
    kept = {"site": "site", "task": "task", "state": "state"}[by]
    sides: dict[str, set[str]] = {"train": set(), "test": set()}
    for side, part in (("train", train), ("test", test)):
        sides[side] = set(part.task_metadata[kept])
    assert sides["train"].isdisjoint(sides["test"])
    if by == "state":
        assert sides["test"] == {"OFF"}
    else:
        share = len(ids_of(test)) / len(instance_ids())
        assert 0.1 <= share <= 0.5
    again = whole.split(by, seed=seed)
    assert [ids_of(part) for part in again] == [ids_of(train), ids_of(test)]


def test_tasks_of_every_large_site_are_on_both_sides(whole: WebspBenchmark) -> None:
    train, test = whole.split("task")
    tasks = defaultdict(set)
    for one in instance_ids():
        tasks[load_instance(one).site.site].add(load_instance(one).task.id)
    large = {site for site, ids in tasks.items() if len(ids) >= 3}
    assert large
    for part in (train, test):
        assert large <= set(part.task_metadata["site"])
    assert set(whole.subset_from_split("test").task_metadata["task_name"]) == set(
        test.task_metadata["task_name"]
    )


def test_another_seed_divides_otherwise(whole: WebspBenchmark) -> None:
    assert len({tuple(ids_of(whole.split("task", seed=seed)[1])) for seed in range(5)}) > 1


def test_trials_are_seeds_that_count_on() -> None:
    benchmark = make_benchmark("Airbnb-task-180", trials=3, seed=7, instruction="with_navigation")
    assert [args.task_seed for args in benchmark.env_args_list] == [7, 8, 9]
    assert {args.options()["instruction"] for args in benchmark.env_args_list} == {"with_navigation"}


def test_browsergyms_word_for_trials_is_understood() -> None:
    benchmark = bgym.DEFAULT_BENCHMARKS["websp"](n_repeats=2)
    assert len(benchmark.env_args_list) == 2 * len(instance_ids())
    with pytest.raises(SetupError, match="give one of them"):
        make_benchmark("Airbnb-*", trials=2, n_repeats=3)
    with pytest.raises(SetupError, match='no option "task_seed"') as error:
        make_benchmark("Airbnb-*", task_seed=3)
    assert "task_name" not in str(error.value)


def test_unsupported_options_are_reported_before_the_environment_is_made() -> None:
    with pytest.raises(SetupError, match="record_video is not supported"):
        WebspEnvArgs(task_name="websp.Airbnb-task-180", record_video=True).make_env(None, ".")
    with pytest.raises(SetupError, match="did you mean"):
        WebspEnvArgs(task_name="websp.Airbnb-task-180", initial_state="snapshots").make_env(None, ".")


def test_agentlabs_own_arguments_stay_what_they_are() -> None:
    ours = WebspEnvArgs(
        task_name="websp.Airbnb-task-180", max_steps=5, viewport={"width": 800, "height": 600}
    )
    assert isinstance(ours, EnvArgs)
    assert ours.options() == {"max_actions": 5, "viewport": {"width": 800, "height": 600}}
    assert pickle.loads(pickle.dumps(ours)) == ours
