"""The instances of a run that are played again: its failures and a few successes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.models.test_judge_batch import Websp, websp
from tests.report.test_report_tables import played, put
from websp_gym.errors import SetupError
from websp_gym.records.runs import read_results
from websp_gym.report import read_report
from websp_gym.runner.subset import failed_of
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.instances import load_instance

__all__ = ["websp"]

IDS = instance_ids()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Every third instance failed, every twentieth has no score, later trials went otherwise."""
    outcomes = {
        name: "unscored"
        if number % 20 == 7
        else ("time-out" if number % 2 else "failure")
        if number % 3 == 0
        else "success"
        for number, name in enumerate(IDS)
    }
    first = [played("a", name, outcome) for name, outcome in outcomes.items()]
    later = [played("a", name, "failure", trial=2) for name in IDS[1::3]]
    return put(tmp_path / "run", [*first, *later])


def test_all_failures_and_at_most_two_successes_per_website_are_chosen(run: Path) -> None:
    subset = failed_of(run)
    first = {result.id: result.status for result in read_results(run) if result.trial == 1}
    assert set(subset.failures) == {name for name, status in first.items() if status == "fail"}
    assert all(first[name] == "pass" for name in subset.successes)
    sites = [load_instance(name).site.site for name in subset.successes]
    solved = [load_instance(name).site.site for name, status in first.items() if status == "pass"]
    assert {site: sites.count(site) for site in set(sites)} == {
        site: min(2, solved.count(site)) for site in set(solved)
    }
    assert subset.unscored == sum(status == "unscored" for status in first.values()) > 0
    assert subset.ids == [name for name in IDS if name in {*subset.failures, *subset.successes}]


def test_the_draw_depends_on_the_seed_alone(run: Path) -> None:
    assert failed_of(run) == failed_of(run)
    assert len({failed_of(run, seed=seed).successes for seed in range(8)}) > 1
    assert failed_of(run, per_site=0).successes == ()


def test_a_run_without_a_failure_has_nothing_to_play_again(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no instance failed in trial 1"):
        failed_of(put(tmp_path / "run", [played("a", IDS[0])]))
    with pytest.raises(SetupError, match="no results in"):
        failed_of(tmp_path)


@pytest.mark.proof
def test_the_command_adds_trials_to_the_run_and_goes_on_where_it_was(websp: Websp, tmp_path: Path) -> None:
    out = tmp_path / "run"
    common = ("--agent", "noop", "--observation", "text", "--initial-state", "snapshot")
    patterns = ("Steam-task-191-*", "Steam-task-193-*", "Steam-task-196-OFF")
    assert websp("run", *patterns, *common, "--out", out)[0] == 0
    first = {result.id: result.status for result in read_results(out)}
    assert sorted(first.values()) == ["fail"] * 3 + ["pass"] * 2
    again = ("run", *common, "--failed-of", out, "--per-site", "1", "--trials", "2")
    _code, plan, told = websp(*again, "--dry-run", "--json")
    assert f"from {out}: 3 failures of trial 1 and 1 of its successes" in told
    planned = {(line["id"], line["trial"]) for line in map(json.loads, plan.splitlines())}
    assert len(planned) == 4
    assert {trial for _, trial in planned} == {2}
    assert websp(*again, "--limit", "1")[0] == 0
    assert websp(*again)[0] == 0
    later = {(result.id, result.trial) for result in read_results(out) if result.trial > 1}
    assert later == planned
    assert websp(*again, "--dry-run", "--json")[1] == ""
    table = read_report([out]).table("trials")
    assert table.rows[0].cells[1].value == 4
    assert "chosen by failure" in table.notes[0]
    code, _out, err = websp("run", "--agent", "oracle", "--failed-of", out, "--trials", "2")
    assert (code, "is another run" in err) == (2, True)
    assert "--per-site needs --failed-of" in websp("run", "*", "--per-site", "1")[2]
