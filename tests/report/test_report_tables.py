"""The report's tables, against figures worked out by hand, by brute force and from the publication."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from websp_gym.errors import SetupError
from websp_gym.rates import wilson
from websp_gym.records.results import Result, Try
from websp_gym.records.runs import RESULTS, Run, append_result, write_run
from websp_gym.report import Report, make_report, read_report
from websp_gym.report.tables.intervals import Pairs, difference, mcnemar, mean
from websp_gym.report.tables.paper import load_paper
from websp_gym.report.tables.render_text import markdown, show_report
from websp_gym.report.tables.rows import InstanceFacts
from websp_gym.report.tables.table import TableRow
from websp_gym.report.tables.trials import pass_at, pass_hat
from websp_gym.tasks.ids import instance_ids

WITHOUT, WITH = "without_navigation", "with_navigation"
KNOWN = {
    "A-task-1-ON": InstanceFacts("A", "Cookies", "ON", ("Link", "Toggle"), "h"),
    "A-task-1-OFF": InstanceFacts("A", "Cookies", "OFF", ("Link", "Toggle"), "h"),
    "A-task-2": InstanceFacts("A", "Cookies", "", ("Link", "Button"), "h"),
    "B-task-3-ON": InstanceFacts("B", "Mail", "ON", ("Link", "Checkbox"), "h"),
    "B-task-3-OFF": InstanceFacts("B", "Mail", "OFF", ("Link", "Checkbox"), "h"),
    "B-task-4": InstanceFacts("B", "Mail", "", ("Checkbox",), "h"),
}


def played(agent: str, instance: str, outcome: str = "success", **facts: Any) -> Result:
    """A result by the outcome it has in the tables."""
    status: Any = {"success": "pass", "failure": "fail", "time-out": "fail", "stopped": "fail"}.get(
        outcome, outcome
    )
    reward = {"pass": 1.0, "fail": 0.0}.get(status)
    end = {"time-out": "action_limit", "stopped": "stopped", "error": None}.get(outcome, "answer")
    given = {"id": instance, "agent": agent, "status": status, "reward": reward, "end_reason": end}
    return Result(**{**given, **facts})


def small() -> list[Result]:
    """Two agents: one with both wordings; of the other one episode is unscored, one an error, one missing."""
    navigated = {"instruction": WITH}
    return [
        played("good", "A-task-1-ON"), played("good", "A-task-1-OFF"), played("good", "A-task-2"), played("good", "B-task-3-ON"),
        played("good", "B-task-3-OFF", "failure", failure_kinds=("partial completion",), failure_elements=("Checkbox",)),
        played("good", "B-task-4", "time-out", failure_kinds=("repeated actions",), failure_elements=("Checkbox",)),
        played("poor", "A-task-1-ON"),
        played("poor", "A-task-1-OFF", "failure", failure_kinds=("state misunderstanding", "hallucinated success"), failure_elements=("Toggle",)),
        played("poor", "A-task-2", "time-out", end_reason="time_limit"),
        played("poor", "B-task-3-ON", "unscored"), played("poor", "B-task-3-OFF", "error"),
        played("good", "A-task-1-ON", **navigated), played("good", "A-task-1-OFF", "failure", **navigated),
        played("good", "A-task-2", **navigated), played("good", "B-task-3-OFF", **navigated), played("good", "B-task-4", "unscored", **navigated),
    ]  # fmt: skip


@pytest.fixture(scope="module")
def report() -> Report:
    return make_report(small(), known=KNOWN)


def texts(row: TableRow) -> list[str]:
    return [cell.text for cell in row.cells]


def rows(report: Report, key: str, instruction: str = "") -> dict[str, list[str]]:
    return {row.label: texts(row) for row in report.table(key, instruction).rows}


def test_tables_of_work_are_none_of_the_paper() -> None:
    work = [played("good", "SuiteCRM-stwab-47"), played("good", "GitLab-stwab-2", "failure")]
    report = make_report(work)
    assert [table.paper for table in report.tables if table.paper] == []
    assert rows(report, "categories", WITHOUT)["Customer Relations"] == ["1/1"]
    assert "table 4" in markdown(make_report([*work, *small()], known=KNOWN))
    with pytest.raises(SetupError, match="none of these episodes is of an instance of the paper"):
        make_report(work, compare="paper")


# --- the tables, worked out by hand -----------------------------------------------------------------


def test_overall_counts_every_outcome_and_divides_by_what_was_scored(report: Report) -> None:
    found = [[row.label, *texts(row)] for row in report.table("overall").rows]
    assert found == [
        ["good", "66.7 % (30 to 90)", "–", "–", "without", "4", "1", "1", "0", "0", "0", "66.7 % (30 to 90)", "0", "6 of 6"],
        ["good", "75.0 % (30 to 95)", "–", "–", "with", "3", "1", "0", "0", "1", "0", "60.0 % (23 to 88)", "0", "4 of 6"],
        ["poor", "33.3 % (6 to 79)", "–", "–", "without", "1", "1", "1", "0", "1", "1", "20.0 % (4 to 62)", "0", "3 of 6"],
    ]  # fmt: skip


def test_empty_columns_appear_only_in_machine_readable_output() -> None:
    def spoken(*results: Result) -> list[str]:
        table = make_report(results, known=KNOWN).table("overall")
        assert [row.label for row in table.for_people().rows] == [row.label for row in table.rows]
        assert table.cell("a", "Errors").text in table.as_dict()["rows"][0]["cells"]["Errors"]["text"]
        return [column.label for column in table.for_people().columns]

    one = played("a", "A-task-2", strict=1.0)
    usual = ["Success rate", "Siblings", "Strict", "Success", "Failure", "Time-out", "Instances"]
    assert spoken(one) == usual
    assert spoken(one, played("a", "B-task-4", "error")) == [
        *usual[:-1],
        "Errors",
        "Rate of all",
        "Instances",
    ]
    assert spoken(one, played("b", "B-task-4", "stopped")) == [*usual[:-1], "Stopped", "Instances"]
    assert spoken(one, played("b", "B-task-4", "unscored")) == [
        *usual[:-1],
        "Unscored",
        "Rate of all",
        "Instances",
    ]
    assert spoken(replace(one, tries=(Try(error="x", stage="action", step=1),))) == [
        *usual[:-1],
        "Retried",
        "Instances",
    ]
    assert spoken(one, played("a", "A-task-2", instruction=WITH)) == [*usual[:3], "Navigation", *usual[3:]]
    report = make_report([one], known=KNOWN, compare="paper")
    assert report.table("overall").title == "Overall performance, without navigation"
    assert "Retried" not in markdown(report)
    assert (
        "| Agent | Success rate | Siblings | Strict | Success | Failure | Time-out | Instances |"
        in markdown(report)
    )


def test_stricter_rates_are_shown_and_left_open_where_unknown() -> None:
    given = [
        played("a", "A-task-1-ON", strict=1.0, siblings=1.0),
        played("a", "A-task-1-OFF", strict=0.0, siblings=1.0, side_effects=("x",)),
        played("a", "A-task-2", "failure", strict=0.0, siblings=0.0), played("a", "B-task-4", "unscored"),
        played("old", "A-task-1-ON"), played("old", "A-task-2", "failure"),
    ]  # fmt: skip
    found = rows(make_report(given, known=KNOWN), "overall")
    assert found["a"][:3] == ["66.7 % (21 to 94)", "66.7 % (21 to 94)", "33.3 % (6 to 79)"]
    assert found["old"][1:3] == ["–", "–"]


def test_unscored_and_errors_are_named_and_in_no_denominator(report: Report) -> None:
    assert any("2 episodes unscored and 1 infrastructure error" in note for note in report.notes)
    assert rows(report, "sites", WITHOUT)["B"][1] == "–"
    assert rows(report, "effort")["poor"][0] == "4"


def test_unplayed_episodes_are_named(report: Report) -> None:
    missing = [note for note in report.notes if "not played" in note]
    assert missing == [
        "good, with navigation: 5 of 6 instances; not played: B-task-3-ON.",
        "poor, without navigation: 5 of 6 instances; not played: B-task-4.",
    ]


def test_the_wordings_are_compared_on_the_instances_scored_in_both(report: Report) -> None:
    assert rows(report, "wording") == {"good": ["2", "1", "1", "0", "4", "2", "+0.0 (−55 to +55)", "1.000"]}


def test_the_states_are_compared_on_the_tasks_scored_from_both(report: Report) -> None:
    found = rows(report, "states", WITHOUT)
    assert found["good"][:6] == ["1", "1", "0", "0", "2", "0"]
    assert found["poor"][:6] == ["0", "1", "0", "0", "1", "1"]
    assert rows(report, "states", WITH)["good"][:6] == ["0", "1", "0", "0", "1", "1"]


def test_websites_and_categories_divide_the_same_episodes(report: Report) -> None:
    assert [column.label for column in report.table("sites", WITHOUT).columns] == ["good", "poor"]
    expected = {"A": ["3/3", "1/3"], "B": ["1/3", "–"], "All of these": ["4/6", "1/3"]}
    assert rows(report, "sites", WITHOUT) == expected
    named = {"A": "Cookies", "B": "Mail"}
    assert rows(report, "categories", WITHOUT) == {named.get(k, k): v for k, v in expected.items()}
    assert rows(report, "sites", WITH) == {"A": ["2/3"], "B": ["1/1"], "All of these": ["3/4"]}


def test_the_best_of_a_row_is_marked_unless_it_is_alone(report: Report) -> None:
    best = [[cell.best for cell in row.cells] for row in report.table("sites", WITHOUT).rows]
    assert best == [[True, False], [False, False], [True, False]]


def test_an_instance_stands_in_the_row_of_each_of_its_elements_and_time_outs_are_not_blamed(
    report: Report,
) -> None:
    assert rows(report, "elements", WITHOUT) == {
        "Button": ["1/1 (0)", "0/1 (0)"],
        "Checkbox": ["1/3 (1)", "–"],
        "Link": ["4/5 (0)", "1/3 (0)"],
        "Toggle": ["2/2 (0)", "1/2 (1)"],
    }


def test_kinds_of_failure_are_shares_of_all_failures(report: Report) -> None:
    assert rows(report, "kinds", WITHOUT) == {
        "good": ["2", "0/2", "0/2", "0/2", "1/2", "1/2", "0/2"],
        "poor": ["2", "0/2", "1/2", "1/2", "0/2", "0/2", "1/2"],
    }


def test_effort_is_a_mean_over_all_trials_and_never_guesses_a_price() -> None:
    spent: dict[str, Any] = {"calls": 2, "input_tokens": 1500, "output_tokens": 10, "cost": 0.5}
    found = rows(
        make_report(
            [
                played("a", "A-task-2", actions=4, seconds=10.0, side_effects=("x",), **spent),
                played("a", "A-task-2", trial=2, actions=5, seconds=20.0, **{**spent, "cost": 0.25}),
                played("a", "B-task-4", "error", actions=99, seconds=99.0),
                played("b", "A-task-2", **{**spent, "cost": None}),
            ],
            known=KNOWN,
        ),
        "effort",
    )
    assert found["a"] == ["2", "4.5", "15.0", "1", "4", "3,000", "20", "$0.7500"]
    assert found["b"][-1] == "unknown"


def test_trials_are_averaged_over_the_instances_scored_in_every_one() -> None:
    outcomes = {
        "A-task-1-ON": ["success", "failure", "time-out"],
        "A-task-2": ["success"] * 3,
        "B-task-4": ["success", "unscored", "success"],
    }
    report = make_report(
        [
            played("a", name, outcome, trial=trial)
            for name, each in outcomes.items()
            for trial, outcome in enumerate(each, 1)
        ],
        known=KNOWN,
    )
    cells = report.table("trials").rows[0].cells
    assert [cell.value for cell in cells[:3]] == [3, 2, 1]
    assert [cell.value for cell in cells[3:]] == pytest.approx([2 / 3, 5 / 6, 1, 1 / 2, 1 / 2])
    assert rows(report, "overall")["a"][4:7] == ["3", "0", "0"]
    assert any(note.startswith("6 further trials") for note in report.notes)


def three_trials(ids: Sequence[str], outcome: str) -> list[Result]:
    return [played("a", name, outcome, trial=trial) for name in ids for trial in (1, 2, 3)]


def test_trials_of_instances_chosen_by_failure_give_no_success_rate() -> None:
    failures, kept = ["Steam-task-191-ON", "Steam-task-193-ON"], ["Steam-task-191-OFF"]
    further = [played("a", "Steam-task-196-ON"), played("a", "Steam-task-196-OFF")]
    chosen = [*three_trials(failures, "failure"), *three_trials(kept, "success")]
    table = make_report([*chosen, *further]).table("trials")
    assert table.notes == (
        "a: chosen by failure. The 3 instances with 3 trials have all 2 failures of trial 1, and the 2 left out were "
        "solved in it: pass@1 here is not a success rate.",
    )
    assert make_report(chosen).table("trials").notes == ()
    lost = played("a", "Steam-task-197-OFF", "failure")
    assert make_report([*chosen, *further, lost]).table("trials").notes == ()
    assert make_report([*three_trials(kept, "success"), *further]).table("trials").notes == ()
    assert "two successes per website" in make_report(chosen, compare="paper").table("trials").notes[-1]


def test_a_handful_of_episodes_comes_with_a_caution() -> None:
    few = [played("a", f"X-task-{number}") for number in range(29)]
    many = [played("b", f"X-task-{number}") for number in range(30)]
    (note,) = [note for note in make_report([*few, *many]).notes if note.startswith("Fewer than 30")]
    assert note.endswith("(a, without navigation: 29).")
    unscored = [*many[:29], played("b", "X-task-29", "unscored")]
    assert any("b, without navigation: 29" in note for note in make_report(unscored).notes)


def test_an_empty_table_is_left_out() -> None:
    report = make_report([played("a", "B-task-4", "error")], known=KNOWN)
    keys = [table.key for table in report.tables]
    assert not {"wording", "states", "trials", "kinds"} & set(keys)
    with pytest.raises(SetupError, match=r'no table "trials" in this report .*overall'):
        report.table("trials")
    with pytest.raises(
        SetupError,
        match='no table "sites with_navigation" in this report; did you mean "sites without_navigation"',
    ):
        make_report([played("a", "B-task-4")], known=KNOWN).table("sites", WITH)


# --- estimators and intervals -----------------------------------------------------------------------


@pytest.mark.parametrize(("formula", "of"), [(pass_at, any), (pass_hat, all)])
def test_the_estimators_are_what_all_subsets_of_the_trials_give(
    formula: Callable[[int, int, int], float], of: Callable[[Sequence[bool]], bool]
) -> None:
    for n in range(1, 8):
        for c in range(n + 1):
            outcomes = [True] * c + [False] * (n - c)
            for k in range(1, n + 1):
                subsets = [of(chosen) for chosen in combinations(outcomes, k)]
                assert formula(n, c, k) == pytest.approx(sum(subsets) / len(subsets))


@pytest.mark.parametrize(("n", "c", "k"), [(3, 1, 0), (3, 1, 4), (3, 4, 1), (3, -1, 1)])
def test_the_estimators_refuse_what_has_no_meaning(n: int, c: int, k: int) -> None:
    for formula in (pass_at, pass_hat):
        with pytest.raises(ValueError, match="needs"):
            formula(n, c, k)


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_is_the_published_one(hits: int, of: int, low: float, high: float) -> None:
    """Newcombe 1998, Statistics in Medicine 17:857, table I, method 3."""
    found = wilson(hits, of)
    assert [found.low, found.high] == pytest.approx([low, high], abs=5e-5)
    other = wilson(of - hits, of)
    assert [other.low, other.high] == pytest.approx([1 - high, 1 - low], abs=5e-5)


def test_zero_cases_have_no_rate() -> None:
    assert (wilson(0, 0).value, mean([]).value, difference(Pairs(0, 0, 0, 0)).value) == (None, None, None)
    assert mcnemar(Pairs(3, 0, 0, 2)) is None


def test_the_paired_difference_is_the_published_one() -> None:
    """Newcombe 1998, Statistics in Medicine 17:2635, table III, method 10."""
    found = difference(Pairs(36, 12, 2, 0))
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.0569, 0.3404), abs=5e-5)
    turned = difference(Pairs(36, 2, 12, 0))
    assert (turned.value, turned.low, turned.high) == pytest.approx((-0.2, -0.3404, -0.0569), abs=5e-5)


def test_the_paired_difference_of_outcomes_that_agree_has_a_continuity_correction() -> None:
    """The usual case, ad > bc. Computed by the formula of method 10; without the correction the low end is -0.084."""
    found = difference(Pairs(10, 3, 1, 6))
    assert (found.value, found.low, found.high) == pytest.approx((0.1, -0.10662, 0.29226), abs=5e-6)


def test_mcnemars_test_is_the_binomials_two_tails() -> None:
    assert mcnemar(Pairs(5, 1, 9, 5)) == pytest.approx(2 * (1 + 10) / 1024)
    assert mcnemar(Pairs(0, 4, 4, 0)) == 1.0


def test_the_bootstrap_encloses_the_mean_and_repeats_itself() -> None:
    values = [0.0, 1 / 3, 2 / 3, 1.0] * 10
    found = mean(values)
    assert found == mean(values)
    assert found.low is not None
    assert found.high is not None
    assert 0.3 < found.low < 0.5 < found.high < 0.7
    assert mean([1.0] * 20).low == pytest.approx(1 - 0.1611, abs=5e-5)


# --- the publication --------------------------------------------------------------------------------


@pytest.mark.parametrize("wording", [WITHOUT, WITH])
def test_the_published_websites_and_categories_add_up_to_the_published_totals(wording: str) -> None:
    paper = load_paper()
    totals = getattr(paper.overall, wording)
    assert len(paper.sites[wording].rows) == 28
    for block in (paper.sites[wording], paper.categories[wording]):
        assert sum(row.of for row in block.rows.values()) == paper.instances
        solved = [sum(row.solved[at] for row in block.rows.values()) for at in range(len(paper.models))]
        assert dict(zip(paper.models, solved, strict=True)) == {m: totals[m][0] for m in paper.models}
    assert {sum(row) for row in totals.values()} == {paper.instances}


def test_the_published_pairs_add_up_to_the_published_totals() -> None:
    paper = load_paper()
    for model, (both, only_with, only_without, neither) in paper.wording.rows.items():
        assert both + only_with == paper.overall.with_navigation[model][0]
        assert both + only_without == paper.overall.without_navigation[model][0]
        assert both + only_with + only_without + neither == paper.instances
    assert {sum(row) for block in paper.states.values() for row in block.rows.values()} == {62}


def test_every_published_instance_has_a_site_of_the_same_name() -> None:
    sites = {name.partition("-task-")[0] for name in instance_ids()}
    assert sites <= set(load_paper().sites[WITHOUT].rows)


def paper_results(model: int) -> tuple[list[Result], dict[str, InstanceFacts]]:
    """Episodes that a model's row for each website stands for."""
    found, known = [], {}
    for site, row in load_paper().sites[WITHOUT].rows.items():
        for number in range(row.of):
            name = f"{site}-task-{number}"
            known[name] = InstanceFacts(site, "any")
            found.append(played("replayed", name, "success" if number < row.solved[model] else "failure"))
    return found, known


@pytest.mark.parametrize("model", range(8))
def test_the_papers_own_rows_give_the_papers_totals(model: int) -> None:
    paper = load_paper()
    name = paper.models[model]
    results, known = paper_results(model)
    report = make_report(results, known=known, compare="paper")
    success = paper.overall.without_navigation[name][0]
    mine, theirs = report.table("overall").rows[0], rows(report, "overall")[f"{name} (published)"]
    assert mine.cells[4].value == success
    assert (mine.cells[0].text, mine.cells[12].text) == (theirs[0], "200 of 200")
    sites = report.table("sites")
    for row in sites.rows:
        assert sites.cell(row.label, "replayed").text == sites.cell(row.label, f"{name} (published)").text
    assert sites.cell("All of these", "replayed").text == f"{success}/200"


def test_published_figures_are_marked_and_shown_only_on_request(report: Report) -> None:
    compared = make_report(small(), known=KNOWN, compare="paper")
    names = [row.label for row in compared.table("overall").rows if row.reference]
    assert len(names) == 16
    assert all(name.endswith("(published)") for name in names)
    assert any("live websites" in note for note in compared.notes)
    assert not any(row.reference for table in report.tables for row in table.rows)
    assert not any(column.reference for table in report.tables for column in table.columns)
    with pytest.raises(SetupError, match='"paper" has those of WebSP-Eval'):
        make_report(small(), known=KNOWN, compare="papr")


# --- many runs --------------------------------------------------------------------------------------


def put(folder: Path, results: Sequence[Result], **options: Any) -> Path:
    """Results on disk the way a run leaves them."""
    write_run(folder, Run(agent=results[0].agent, options=options))
    for result in results:
        append_result(folder, result)
    return folder


def test_an_agent_that_played_the_same_twice_is_two_agents(tmp_path: Path) -> None:
    put(tmp_path / "first", [played("a", "Steam-task-191-ON")])
    put(tmp_path / "second", [played("a", "Steam-task-191-ON", "failure")])
    report = read_report([tmp_path])
    assert report.agents == ("a (first)", "a (second)")
    assert rows(report, "overall")["a (second)"][4:6] == ["0", "1"]


def test_missing_episodes_and_broken_lines_of_a_folder_are_reported(tmp_path: Path) -> None:
    folder = put(tmp_path / "run", [played("a", "Steam-task-191-ON"), played("a", "Steam-task-191-OFF")])
    outside = replace(played("a", "Steam-task-192-ON"), trajectory="../other/trajectories/x/001")
    bad = ["garbage", '{"id": "x"}', outside.line(), replace(outside, trajectory="/etc").line()]
    with (folder / RESULTS).open("a") as file:
        file.write("\n".join(bad) + "\n")
    (tmp_path / "eval").mkdir()
    report = read_report([folder, tmp_path / "eval"])
    assert report.notes[0] == f"No results found in {tmp_path / 'eval'}."
    assert report.notes[1].startswith(f"4 lines of results could not be read: {folder / RESULTS}:3: not JSON")
    data = report.as_dict()
    assert (data["episodes"], [one["line"] for one in data["broken_lines"]]) == (2, [3, 4, 5, 6])
    assert [one["reason"] for one in data["broken_lines"]][2:] == [
        "trajectory '../other/trajectories/x/001' is outside the folder of its run",
        "trajectory '/etc' is outside the folder of its run",
    ]


def test_an_episode_that_was_played_again_is_named_and_counted(tmp_path: Path) -> None:
    lost = Try(error="WorldError: gone", stage="action", step=2)
    again = replace(played("a", "Steam-task-191-ON"), tries=(lost,))
    down = replace(played("a", "Steam-task-191-OFF", "failure"), end_reason="error", tries=(lost, lost))
    report = read_report([put(tmp_path, [again, down])])
    assert rows(report, "overall")["a"][11] == "2"
    assert report.as_dict()["retried"] == 2
    assert any(
        note.startswith("2 episodes retried after an infrastructure error, with the same actions unless")
        for note in report.notes
    )
    assert any(note.endswith("the success rate is: a 0.0 %.") for note in report.notes)
    assert any(
        note.startswith("1 failure in which the same action caused an error twice") for note in report.notes
    )


def test_runs_of_one_agent_with_other_options_are_named(tmp_path: Path) -> None:
    put(tmp_path / "x", [played("a", "Steam-task-191-ON")], max_actions=10)
    put(tmp_path / "y", [played("a", "Steam-task-191-OFF", config_hash="old")], max_actions=20)
    put(tmp_path / "z", [played("a", "Nowhere-task-1")], max_actions=20)
    notes = read_report([tmp_path]).notes
    assert "a: merged 3 runs that differ in max_actions." in notes
    assert "Not in the installed task files: Nowhere-task-1." in notes
    assert any("different version" in note and "Steam-task-191-OFF" in note for note in notes)


def test_a_folder_without_results_explains_how_to_get_some(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="websp run --out"):
        read_report([tmp_path])
    with pytest.raises(SetupError, match="no folder"):
        read_report([tmp_path / "gone"])


# --- shown ------------------------------------------------------------------------------------------

EVIL = "[bold]x[/] |*_`<script>alert(1)</script>`\n# no heading ~~"


def evil() -> Report:
    known = {"A-task-1-ON": InstanceFacts(EVIL, EVIL, "ON", ("Link",))}
    return make_report(
        [played(EVIL, "A-task-1-ON", "failure"), played("b", "A-task-1-ON")], known=known, compare="paper"
    )


def test_hostile_names_are_text_in_the_terminal() -> None:
    console = Console(file=io.StringIO(), width=400, highlight=False)
    show_report(evil(), console)
    assert isinstance(console.file, io.StringIO)
    assert "[bold]x[/] |*_`<script>alert(1)</script>`" in console.file.getvalue()


def test_a_narrow_terminal_loses_no_column(report: Report) -> None:
    console = Console(file=io.StringIO(), width=60, highlight=False)
    show_report(report, console)
    assert isinstance(console.file, io.StringIO)
    text = "".join(console.file.getvalue().split())
    for part in ("Instances6of6", "Sideeffects", "Partialcompletion"):
        assert part in text
    assert max(map(len, console.file.getvalue().splitlines())) == 60


def test_hostile_names_break_no_markdown_table() -> None:
    text = markdown(evil())
    assert "<script" not in text.replace("\\<script", "")
    assert "# no heading" not in text.replace("\\# no heading", "")
    for block in text.split("\n\n"):
        if block.startswith("|"):
            bars = {line.replace("\\|", "").count("|") for line in block.splitlines()}
            assert len(bars) == 1


def test_markdown_sets_what_was_published_in_italics_and_the_best_in_bold() -> None:
    text = markdown(make_report(small(), known=KNOWN, compare="paper"))
    assert "| *Gemini-2.5-Flash (published)* | *53.0 % (46 to 60)* | *–* | *–* | *without* | *106* |" in text
    assert "| A | **3/3** | 1/3 |" in text
    assert "## By website, without navigation (table 4 of the paper)" in text


def test_json_has_values_and_intervals_for_a_program(report: Report) -> None:
    data = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert (data["schema"], data["agents"], data["episodes"], data["instances"]) == (
        "websp-report/1", ["good", "poor"], 16, 6,
    )  # fmt: skip
    tables = {(table["key"], table["instruction"]): table for table in data["tables"]}
    assert tables["overall", None]["paper_table"] == "2"
    cell = tables["sites", WITHOUT]["rows"][0]["cells"]["good"]
    assert cell["value"] == {"count": 3, "of": 3}
    assert cell["interval"] == pytest.approx([0.4385, 1.0], abs=5e-5)
    assert len({table.name for table in report.tables}) == len(report.tables)
