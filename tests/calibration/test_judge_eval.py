"""Measuring a judge: figures, intervals, made-up runs with true labels, and a judge whose errors are known."""

from __future__ import annotations

import copy
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.judge_support import NAMES, FunctionModel, put, recorded, says
from websp_gym.calibration.calibrate import evaluate, judge_cases
from websp_gym.calibration.cases import Case, label_by_state, read_labels
from websp_gym.calibration.edits import EDITS, cut
from websp_gym.calibration.generate import KINDS, OTHER_TASK, generate
from websp_gym.calibration.metrics import measure, too_few
from websp_gym.cli.evaluating import judge_eval
from websp_gym.errors import SetupError
from websp_gym.rates import wilson
from websp_gym.records.trajectory import Trajectory
from websp_gym.scoring.judge import Judge
from websp_gym.scoring.judge.batch import find_runs
from websp_gym.scoring.truth import state_verdict_of_record
from websp_gym.tasks.instances import load_instance

# --- figures ----------------------------------------------------------------------------------------


def cells(ta: int, fa: int, tr: int, fr: int, unscored: int = 0) -> tuple[list[bool], list[bool | None]]:
    labels = [True] * ta + [False] * fa + [False] * tr + [True] * fr + [True] * unscored
    opinions: list[bool | None] = [True] * ta + [True] * fa + [False] * tr + [False] * fr + [None] * unscored
    return labels, opinions


def test_the_figures_of_the_papers_ensemble_follow_from_its_counts() -> None:
    """Table 1: 115 CORRECT and 85 INCORRECT; precision 97.32, recall 94.782, F1 96.04, accuracy 95.50."""
    found = measure(*cells(109, 3, 82, 6))
    figures = (found.precision, found.recall, found.f1, found.accuracy)
    assert [round(100 * (figure.value or 0), 2) for figure in figures] == [97.32, 94.78, 96.04, 95.5]


@pytest.mark.parametrize(
    ("counts", "kappa"),
    [((20, 5, 15, 10), 0.4), ((45, 15, 15, 25), 0.1304), ((50, 0, 50, 0), 1.0), ((25, 25, 25, 25), 0.0)],
)
def test_kappa_takes_away_what_chance_agrees_on(counts: tuple[int, int, int, int], kappa: float) -> None:
    assert measure(*cells(*counts)).kappa.value == pytest.approx(kappa, abs=1e-4)


def test_unscored_cases_are_counted_and_in_no_figure() -> None:
    assert (
        measure(*cells(10, 2, 8, 1, unscored=30)).accuracy.value
        == measure(*cells(10, 2, 8, 1)).accuracy.value
    )
    assert measure(*cells(10, 2, 8, 1, unscored=30)).counts.unscored == 30


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (0, 0, 5, 0), (5, 0, 0, 0)])
def test_a_figure_that_is_not_defined_is_none_and_not_zero(counts: tuple[int, int, int, int]) -> None:
    found = measure(*cells(*counts))
    undefined = {"recall"} if counts[2] else {"false_accept_rate"}
    for name in undefined if sum(counts) else {"accuracy", "precision", "recall", "f1", "kappa"}:
        assert getattr(found, name).value is None
        assert getattr(found, name).low is None


def test_the_intervals_have_about_their_nominal_coverage() -> None:
    rng = random.Random(5)
    hits = 0
    for _ in range(200):
        labels = [rng.random() < 0.5 for _ in range(300)]
        opinions = [label if rng.random() > 0.2 else not label for label in labels]
        accuracy = measure(labels, opinions).accuracy
        assert accuracy.low is not None
        assert accuracy.high is not None
        hits += accuracy.low <= 0.8 <= accuracy.high
    assert 180 <= hits <= 199


def test_runs_of_one_origin_make_the_intervals_wider() -> None:
    labels = [number % 2 == 0 for number in range(400)]
    origins = [str(number // 40) for number in range(400)]
    opinions: list[bool | None] = [
        label if number < 320 else not label for number, label in enumerate(labels)
    ]
    alone, together = measure(labels, opinions).accuracy, measure(labels, opinions, clusters=origins).accuracy
    assert alone.value == together.value == 0.8
    assert _width(together) > 2 * _width(alone)


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "accuracy", "kappa", "false_accept_rate"])
def test_a_metric_without_an_error_still_has_an_interval_and_a_narrower_one_with_more_cases(
    name: str,
) -> None:
    few, many = (getattr(measure(*cells(n, 0, n, 0)), name) for n in (3, 100))
    assert few.value == many.value == (0.0 if name.startswith("false") else 1.0)
    assert _width(few) > 0.3 > 0.1 > _width(many) > 0


def test_a_perfect_score_on_three_cases_has_wilsons_interval() -> None:
    found = measure([True, False, False], [True, False, False])
    assert found.accuracy == wilson(3, 3)
    assert found.false_accept_rate == wilson(0, 2)
    assert found.precision == wilson(1, 1)
    assert found.f1.low == pytest.approx(2 * 0.2065 / 1.2065, abs=1e-4)
    assert found.kappa.low == pytest.approx((0.4385 - 5 / 9) / (4 / 9), abs=1e-4)


def test_a_judge_that_accepts_everything_has_an_interval_of_kappa_around_nothing() -> None:
    kappa = measure(*cells(20, 20, 0, 0)).kappa
    assert kappa.value == 0
    assert kappa.low < -0.2 < 0.2 < kappa.high  # type: ignore[operator]


def test_without_an_error_the_recordings_count_and_not_the_runs_made_from_them() -> None:
    labels = [True, False] * 100
    alone = measure(labels, list(labels)).accuracy
    together = measure(labels, list(labels), clusters=[str(number // 50) for number in range(200)]).accuracy
    assert (alone, together) == (wilson(200, 200), wilson(4, 4))


@pytest.mark.parametrize(
    ("passed", "failed", "expected"),
    [(2, 1, "3, 2 CORRECT, 1 INCORRECT"), (40, 10, "10 INCORRECT"), (29, 100, "29 CORRECT"), (30, 30, "")],
)
def test_too_few_cases_are_reported(passed: int, failed: int, expected: str) -> None:
    told = too_few([True] * passed + [False] * failed)
    assert told == (
        f"Fewer than 30 cases ({expected}): these figures say little; look at the intervals."
        if expected
        else ""
    )


def _width(figure: Any) -> float:
    return float(figure.high - figure.low)


# --- made-up runs -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The recorded runs on disk."""
    folder = tmp_path_factory.mktemp("runs")
    for name in NAMES:
        put(folder / name / "001", recorded(name))
    return folder


MADE = 300


@pytest.fixture(scope="module")
def made(runs: Path) -> list[Case]:
    """Edited runs; nothing was played."""
    return generate(find_runs(runs), MADE, kinds=KINDS)


def check_variety(made: list[Case], number: int) -> None:
    assert len(made) == number
    assert len({case.key for case in made}) == len({case.name for case in made}) == number
    assert {case.kind for case in made} == {*EDITS, OTHER_TASK}, "what no screenshot shows is never edited in"
    passed = sum(case.passed for case in made)
    assert number / 4 < passed < 3 * number / 4


def test_many_different_runs_come_from_a_handful(made: list[Case]) -> None:
    check_variety(made, MADE)


@pytest.mark.proof
def test_a_thousand_different_runs_come_from_a_handful(runs: Path) -> None:
    many = generate(find_runs(runs), 1000, kinds=KINDS)
    check_variety(many, 1000)
    for case in many:
        check_truth(case)


def test_the_same_seed_makes_the_same_runs(runs: Path, made: list[Case]) -> None:
    again = generate(find_runs(runs), 50, kinds=KINDS)
    assert [case.key for case in again] == [case.key for case in made[:50]]
    other = generate(find_runs(runs), 50, kinds=KINDS, seed=1)
    assert [case.key for case in other] != [case.key for case in again]


def test_every_label_matches_the_state_check(made: list[Case]) -> None:
    for case in made:
        check_truth(case)


def check_truth(case: Case) -> None:
    assert (state_verdict_of_record(case.trajectory, case.instance).status == "pass") == case.passed
    assert case.trajectory.steps[-1].action.startswith("ANSWER")


def test_the_event_log_leads_from_the_first_state_to_the_last(made: list[Case]) -> None:
    for case in made:
        assert replayed(case.trajectory) == case.trajectory.end["settings"], case.name


def replayed(run: Trajectory) -> dict[str, Any]:
    settings = copy.deepcopy(run.s0["settings"])
    for event in run.events:
        if event["kind"] == "set" and "collection" not in event["data"]:
            assert settings[event["data"]["key"]] == event["data"]["old"]
            settings[event["data"]["key"]] = event["data"]["new"]
    return settings  # type: ignore[no-any-return]


def test_kinds_fail_or_pass_as_their_names_suggest(made: list[Case]) -> None:
    always_wrong = {"omitted", "unsaved", "reverted", "false_claim"}
    for case in made:
        if case.kind in always_wrong:
            assert not case.passed, case.name
        if case.kind in ("oracle", "false_denial"):
            assert case.passed, case.name


def test_every_screenshot_is_one_that_was_taken_and_shows_its_page(made: list[Case]) -> None:
    real = {
        name: {view.screenshot: (view.url, len(view.marks)) for view in recorded(name).views}
        for name in NAMES
    }
    for case in made:
        taken = real[Path(case.origin).parent.name]
        for view in case.trajectory.views:
            assert taken[view.screenshot] == (view.url, len(view.marks))


def test_a_cut_run_has_the_state_it_had_then() -> None:
    run = recorded("Steam-task-191-ON")
    half = cut(run, 4, "done")
    assert half is not None
    assert half.end["settings"]["cookies.content_customization"] is False
    assert half.end["settings"]["cookies.valve_analytics"] is True
    nothing = cut(run, 0, "done")
    assert nothing is not None
    assert nothing.end["settings"] == run.s0["settings"]
    assert [step.action for step in nothing.steps] == ["ANSWER; done"]
    added = recorded("Steam-task-197-OFF")
    before = cut(added, 4, "done")
    assert before is not None
    assert before.end["collections"]["always_filter"] == []
    assert len(added.end["collections"]["always_filter"]) == 2


def test_an_edit_leaves_the_recording_alone(runs: Path) -> None:
    rng = random.Random(0)
    for name in NAMES:
        run = recorded(name)
        instance = load_instance(name)
        for edit in EDITS.values():
            for _ in range(3):
                edit(run, instance, rng)
        assert run == recorded(name)


def test_impossible_variants_are_explained(runs: Path, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match='no kind "opposit"; did you mean "opposite"'):
        generate(find_runs(runs), 10, kinds=["opposit"])
    run = recorded(NAMES[0])
    run.config_hash = "another"
    put(tmp_path / "old", run)
    with pytest.raises(SetupError, match="no run here passed"):
        generate(find_runs(tmp_path), 10)


# --- labels -----------------------------------------------------------------------------------------


def test_labels_are_read_from_csv_and_json_lines(runs: Path) -> None:
    rows = [(name, "CORRECT" if number % 2 else "fail") for number, name in enumerate(NAMES)]
    table = runs / "labels.csv"
    table.write_text(
        "label,trajectory,note\n" + "".join(f'{label},{name}/001,"a, b"\n' for name, label in rows)
    )
    lines = runs / "labels.jsonl"
    lines.write_text(
        "\n".join(
            json.dumps({"trajectory": f"{name}/001/trajectory.json", "label": label}) for name, label in rows
        )
    )
    for path in (table, lines):
        assert [(case.folder.parent.name, case.passed) for case in read_labels(path)] == [
            (name, label == "CORRECT") for name, label in rows
        ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.csv", "trajectory,label\n", "has no labels"),
        ("a.csv", "trajectory,label\nSteam-task-199/001,Correct\n", r'a\.csv:2: .*did you mean "CORRECT"'),
        ("a.csv", "trajectory,verdict\nSteam-task-199/001,CORRECT\n", "needs `trajectory` and `label`"),
        ("a.csv", "trajectory,label\nnowhere,CORRECT\n", "no trajectory in"),
        ("a.csv", "trajectory,label\nSteam-task-199/001,pass\nSteam-task-199/001,fail\n", "appears twice"),
        ("a.jsonl", '{"trajectory": "Steam-task-199/001", "label": true}', "the label is True"),
        ("a.jsonl", '{"trajectory": ', r"a\.jsonl:1: not JSON"),
        ("a.jsonl", "[1]", "not an object"),
    ],
)
def test_a_mistake_in_a_labelled_set_is_located(runs: Path, name: str, text: str, message: str) -> None:
    (runs / name).write_text(text)
    try:
        with pytest.raises(SetupError, match=message):
            read_labels(runs / name)
    finally:
        (runs / name).unlink()


def test_without_labels_the_state_decides(runs: Path) -> None:
    assert [case.passed for case in label_by_state(find_runs(runs), runs)] == [True] * len(NAMES)


# --- a judge whose errors are known -----------------------------------------------------------------

RATES = {"a": (0.10, 0.06), "b": (0.15, 0.02), "c": (0.05, 0.20)}
"""Of each model: how many failures it accepts, how many successes it rejects."""


def scripts(made: list[Case], folder: Path) -> list[str]:
    """Models that answer case after case, wrong exactly at their rates, and independently."""
    for name, rates in RATES.items():
        rng = random.Random(name)
        wrong: set[str] = set()
        for passed, rate in zip((False, True), rates, strict=True):
            cases = [case.name for case in made if case.passed is passed]
            wrong |= set(rng.sample(cases, round(rate * len(cases))))
        answers = [says("CORRECT" if case.passed != (case.name in wrong) else "INCORRECT") for case in made]
        (folder / f"{name}.yaml").write_text(yaml.safe_dump({"answers": answers}))
    return [f"scripted:{folder / name}.yaml" for name in RATES]


@pytest.mark.parametrize("number", [200, pytest.param(400, marks=pytest.mark.proof)])
def test_known_error_rates_are_recovered_within_their_intervals(
    runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], number: int
) -> None:
    made = generate(find_runs(runs), number, kinds=KINDS)
    models = scripts(made, tmp_path)
    code = judge_eval(
        runs, models=models, make=number, kinds=[",".join(KINDS)], jobs=1, asks=1, max_cost=1.0,
        out=tmp_path / "out", as_json=True,
    )  # fmt: skip
    report = json.loads(capsys.readouterr().out)
    assert (code, report["cases"]) == (0, number)
    assert len(report["ensembles"]) == 7
    for found in report["ensembles"]:
        rates = [RATES[Path(model).stem] for model in found["models"]]
        if len(rates) == 2:
            continue
        for name, column in (("false_accept_rate", 0), ("false_reject_rate", 1)):
            expected = rates[0][column] if len(rates) == 1 else two_of_three([rate[column] for rate in rates])
            figure = found[name]
            assert figure["low"] <= expected <= figure["high"], (found["models"], name, expected, figure)
            assert figure["high"] - figure["low"] < 0.2
    pair = next(found for found in report["ensembles"] if len(found["models"]) == 2)
    assert pair["counts"]["unscored"] > 0
    assert json.loads((tmp_path / "out" / "report.json").read_text()) == report
    lines = (tmp_path / "out" / "cases.jsonl").read_text().splitlines()
    assert Counter(json.loads(line)["label"] == "CORRECT" for line in lines)[True] == sum(
        case.passed for case in made
    )


def two_of_three(rates: list[float]) -> float:
    a, b, c = rates
    return a * b + a * c + b * c - 2 * a * b * c


def test_false_accepts_and_rejects_are_reported_by_group(runs: Path, made: list[Case]) -> None:
    cases = made[:200]
    judge = Judge([FunctionModel(lambda messages: says("CORRECT"))])
    report = evaluate(judge, judge_cases(judge, cases))
    assert {dimension for dimension, _value in report.groups} == {
        "made by", "category", "element type", "initial state", "failure kind", "failing element",
    }  # fmt: skip
    failed = sum(not case.passed for case in cases)
    by_state = [counts for (dimension, _), counts in report.groups.items() if dimension == "initial state"]
    assert sum(counts.false_accepts for counts in by_state) == failed
    assert sum(counts.scored for counts in by_state) == 200
    assert report.usage["test:model"]["input_tokens_mean"] == 100
    json.dumps(report.as_dict())


def test_each_model_and_ensemble_has_its_own_errors_by_group(made: list[Case]) -> None:
    models = [FunctionModel(lambda messages: says("CORRECT"), "test:yes"),
              FunctionModel(lambda messages: says("INCORRECT"), "test:no")]  # fmt: skip
    judge = Judge(models)
    report = evaluate(judge, judge_cases(judge, made[:60])).as_dict()
    kinds = {
        tuple(found["models"]): [row for row in found["groups"] if row["dimension"] == "made by"]
        for found in report["ensembles"]
    }

    def total(models: tuple[str, ...], name: str) -> int:
        return sum(row[name] for row in kinds[models])

    passed = sum(case.passed for case in made[:60])
    assert total(("test:yes",), "false_accepts") == 60 - passed
    assert total(("test:yes",), "false_rejects") == total(("test:no",), "false_accepts") == 0
    assert total(("test:no",), "false_rejects") == passed
    assert total(("test:yes", "test:no"), "unscored") == 60


def test_runs_into_a_limit_are_in_no_figure(runs: Path, made: list[Case]) -> None:
    case = made[0]
    limit = Case(
        "limit", "k", case.trajectory.model_copy(update={"end_reason": "time_limit"}), case.folder, False
    )
    lost = Case("lost", "l", case.trajectory, runs, False)
    judge = Judge([FunctionModel(lambda messages: says("CORRECT"))])
    report = evaluate(judge, judge_cases(judge, [case, limit, lost]))
    assert (report.cases, report.without_a_call, report.not_shown) == (1, 1, 1)


def test_the_money_ends_before_the_cases(made: list[Case]) -> None:
    from websp_gym.scoring.judge.batch import Spending

    judge = Judge([FunctionModel(lambda messages: says("CORRECT"))])
    spending = Spending(0.055)
    assert len(judge_cases(judge, made[:50], jobs=1, spending=spending)) <= 5
    assert spending.spent <= 0.055


def test_tables_for_a_person(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "yes.yaml").write_text(yaml.safe_dump({"rules": [{"when": "", "say": says("CORRECT")}]}))
    spec = f"scripted:{tmp_path / 'yes.yaml'}"
    judge_eval(runs, models=[spec, spec], make=30, jobs=2, asks=1, compare="paper")
    out = capsys.readouterr().out
    for part in (
        "precision",
        "kappa",
        "false accepts",
        "initial state",
        "30 cases",
        "Fewer than 30 cases (",
        f"{spec} (2)",
        "tokens read",
        "GPT-5.2 (published)",
        "97.32",
    ):
        assert part in out.replace("\n", " ") or part.replace("/", "") in out
