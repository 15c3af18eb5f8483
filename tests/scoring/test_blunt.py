"""Scores without reading the instruction: computed, and shown beside those of agents."""

from __future__ import annotations

import importlib.util

import pytest

from tests.conftest import MakeEnv
from tests.paths import DOCS
from tests.recorded import OFF, ON, recorded
from websp_gym.cli.progress import summarise
from websp_gym.env.registration import make_sampled_env
from websp_gym.records.results import Result
from websp_gym.report.tables.build import make_report
from websp_gym.rollouts import RemoteEnv
from websp_gym.scoring.blunt import BEST, PAGE, POLICIES, blunt_rates, blunt_verdict
from websp_gym.scoring.rewards import make_reward
from websp_gym.scoring.solved_at_start import without_solved
from websp_gym.scoring.truth import outcome_of
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.instances import load_instance


def test_the_rates_of_all_instances_are_as_they_were_found_from_outside() -> None:
    rates = blunt_rates(instance_ids())
    solved = {name: rates[name].solved for name in ("nothing", "all off", "most private", "flip")}
    assert solved == {"nothing": 43, "all off": 66, "most private": 82, "flip": 54}
    assert rates["nothing"].solved == len(instance_ids()) - len(without_solved(instance_ids()))
    assert rates[BEST].solved >= max(rate.solved for rate in rates.values())
    assert all(
        rate.strict <= rate.siblings <= rate.solved <= rate.instances == 200 for rate in rates.values()
    )


def test_brute_force_has_side_effects() -> None:
    rates = blunt_rates(instance_ids())
    nothing, private = rates["nothing"], rates["most private"]
    assert nothing.strict == nothing.siblings == nothing.solved, "doing nothing has none"
    assert private.strict < private.siblings < nothing.solved < private.solved


def test_flipping_the_page_of_the_goal_is_paid_by_the_score_and_hardly_by_the_siblings_score() -> None:
    page = blunt_rates(instance_ids())[PAGE]
    assert (page.solved, page.siblings, page.strict) == (54, 13, 13)
    flipped = blunt_verdict(load_instance("Reddit-task-51-ON"), PAGE)
    assert (flipped.score, flipped.siblings) == (1.0, 0.0)
    task = blunt_verdict(load_instance("Goal-task-93-ON"), PAGE)
    assert (task.score, task.siblings, task.strict) == (1.0, 1.0, 1.0)


def test_a_policy_is_scored_as_an_episode_is() -> None:
    private = blunt_verdict(load_instance(ON), "most private")
    assert (private.score, private.siblings, private.strict) == (1.0, 0.0, 0.0)
    assert private.side_effects
    assert private.sibling_effects
    assert all("steam:" in effect for effect in private.side_effects)
    assert blunt_verdict(load_instance(ON), "nothing").score == 0.0
    assert blunt_verdict(load_instance(OFF), "nothing").strict == 1.0


def test_the_best_policy_of_a_site_is_chosen_for_each_site() -> None:
    steam = [name for name in instance_ids() if name.startswith("Steam-")]
    moodle = [name for name in instance_ids() if name.startswith("Moodle-")]
    parts = [blunt_rates(steam)[BEST].solved, blunt_rates(moodle)[BEST].solved]
    assert blunt_rates([*steam, *moodle])[BEST].solved == sum(parts)
    assert parts[0] == max(blunt_rates(steam)[policy].solved for policy in POLICIES)


def _result(name: str) -> Result:
    return Result(id=name, agent="noop", reward=1.0, status="pass", strict=1.0)


def test_reports_and_runs_show_them_for_the_instances_that_were_played(
    capsys: pytest.CaptureFixture[str],
) -> None:
    results = [_result(ON), _result(OFF), _result("Elsewhere-task-1")]
    rows = make_report(results).table("overall").rows
    computed = {row.label: row.cells for row in rows if row.label.startswith("computed: ")}
    assert list(computed) == [
        "computed: nothing done",
        "computed: all switches most private",
        "computed: best fixed way on each site",
    ]
    assert [cells[4].value for cells in computed.values()] == [1, 2, 2]
    assert {cells[-1].text for cells in computed.values()} == {"2 of 2"}
    assert all(row.computed and not row.reference for row in rows if row.label in computed)
    summarise("noop", results, played=3, skipped=0, folder=None)
    said = "without reading the instruction (computed), of 2: nothing done 1, all switches most private 2"
    assert said in capsys.readouterr().out
    summarise("noop", [_result("Elsewhere-task-1")], played=1, skipped=0, folder=None)
    assert "computed" not in capsys.readouterr().out


def test_splits_and_rollouts_are_paid_without_side_effects_only_and_evaluation_as_in_the_papers(
    make: MakeEnv, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("WEBSP_REWARD", raising=False)
    assert make_sampled_env("Steam-*", split="train").options.reward == "strict"
    assert make_sampled_env("Steam-*").options.reward == "strict"
    assert make_sampled_env("Steam-*", split="train", reward="state").options.reward == "state"
    assert make(ON).options.reward == "state"
    assert RemoteEnv()._options["reward"] == "strict"
    assert RemoteEnv(reward="state")._options["reward"] == "state"
    monkeypatch.setenv("WEBSP_REWARD", "state")
    assert make_sampled_env("Steam-*", split="train").options.reward == "state"


@pytest.mark.parametrize(("reward", "paid"), [("strict", 0.0), ("siblings", 0.0), ("state", 1.0)])
def test_an_episode_with_a_side_effect_is_paid_by_the_state_reward_only(reward: str, paid: float) -> None:
    record, instance = recorded("side-effect"), load_instance(OFF)
    assert (record.verdict or {})["side_effects"] == ["steam: cookies.vimeo changed from False to True"]
    assert (record.verdict or {})["score"] == 0.0, "it was played for the strict reward"
    outcome = outcome_of(record, instance)
    assert outcome is not None
    assert make_reward(reward)(outcome).score == paid


def test_the_tables_in_the_documentation_are_current() -> None:
    spec = importlib.util.spec_from_file_location("baselines", DOCS / "baselines.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for path in module.PAGES:
        assert "all switches most private" in path.read_text("utf-8")
        assert module.page(path) == path.read_text("utf-8"), f"run make docs: {path.name} is out of date"
