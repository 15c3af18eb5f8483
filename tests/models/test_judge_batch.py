"""Judging recorded runs: parallel, within a budget, going on where it stopped; and the command for it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.command_support import websp_here
from tests.judge_support import NAMES, FunctionModel, put, recorded, reply, says
from websp_gym.errors import SetupError
from websp_gym.models import Reply
from websp_gym.scoring.judge import Judge
from websp_gym.scoring.judge.batch import Spending, find_runs, judge_runs
from websp_gym.scoring.judge.judgements import (
    JUDGEMENTS,
    Judgement,
    already_judged,
    keep_judgement,
    read_judgements,
)

YES = says("CORRECT", "It is so.")


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with all the recorded runs."""
    for name in NAMES:
        put(tmp_path / "runs" / "trajectories" / name / "001", recorded(name))
    return tmp_path / "runs"


class Dear:
    """A model whose every answer costs so much."""

    def __init__(self, cost: float | None, spec: str = "test:dear") -> None:
        self.spec, self.cost, self.asked = spec, cost, 0

    def ask(self, messages: Any, *, schema: Any = None) -> Reply:
        self.asked += 1
        return reply(YES, cost=self.cost)


def test_runs_are_found_at_any_depth_and_none_is_an_error(runs: Path, tmp_path: Path) -> None:
    assert [run.parent.name for run in find_runs(runs)] == NAMES
    (only,) = find_runs(runs / "trajectories" / NAMES[0] / "001")
    assert only.parent.name == NAMES[0]
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "nowhere"):
        with pytest.raises(SetupError, match=r"no trajectory\.json in"):
            find_runs(folder)


def test_each_run_is_judged_once_and_reported_as_it_finishes(runs: Path) -> None:
    told: list[Judgement] = []
    model = FunctionModel(lambda messages: YES)
    done = judge_runs(Judge([model]), find_runs(runs), parent=runs, on_result=told.append)
    assert done == told
    assert sorted(judgement.run for judgement in done) == [f"trajectories/{name}/001" for name in NAMES]
    assert {(judgement.status, judgement.state) for judgement in done} == {("pass", "pass")}
    assert len(model.asked) == len(NAMES)


@pytest.mark.parametrize(
    ("limit", "expected"), [(0.0, 1), (0.5, 1), (1.0, 1), (2.9, 2), (3.0, 3), (100.0, 6)]
)
def test_no_run_is_begun_that_could_go_beyond_the_budget(runs: Path, limit: float, expected: int) -> None:
    model = Dear(1.0)
    spending = Spending(limit)
    done = judge_runs(Judge([model]), find_runs(runs), parent=runs, spending=spending)
    assert (len(done), model.asked) == (expected, expected)
    assert spending.spent == expected


def test_an_unknown_price_cannot_be_kept_within_a_budget(runs: Path) -> None:
    with pytest.raises(SetupError, match="no price is known for test:dear"):
        judge_runs(Judge([Dear(None)]), find_runs(runs), parent=runs, spending=Spending(5.0))
    spending = Spending()
    judge_runs(Judge([Dear(None)]), find_runs(runs), parent=runs, spending=spending)
    assert (spending.spent, spending.unknown) == (0.0, True)


def test_only_decided_judgements_are_known(runs: Path) -> None:
    folders = find_runs(runs)
    judge = Judge([FunctionModel(lambda messages: YES)])
    mute = Judge([FunctionModel(lambda messages: "")])
    for each in (*judge_runs(judge, folders[:2], parent=runs), *judge_runs(mute, folders[2:3], parent=runs)):
        keep_judgement(runs / each.run, each)
    assert already_judged(judge, folders) == set(folders[:2])
    other = Judge([FunctionModel(lambda messages: YES)], rules="Be kind. {word}")
    assert already_judged(other, folders) == set()
    changed = recorded(NAMES[0])
    changed.answer = "something else"
    put(folders[0], changed)
    assert already_judged(judge, folders) == {folders[1]}


def test_judgements_are_stored_with_the_record_and_move_with_it(runs: Path, tmp_path: Path) -> None:
    (folder,) = find_runs(runs)[:1]
    judge = Judge([FunctionModel(lambda messages: says("CORRECT", "One.\u2028Two.\x85Three."))])
    (given,) = judge_runs(judge, [folder], parent=runs)
    (folder / JUDGEMENTS).write_text('{"half": ')
    keep_judgement(folder, given)
    moved = folder.rename(tmp_path / "elsewhere")
    assert read_judgements(moved) == [given]
    assert already_judged(judge, [moved]) == {moved}


# --- the command ------------------------------------------------------------------------------------

Websp = Callable[..., tuple[int, str, str]]


@pytest.fixture
def websp() -> Websp:
    """Runs the command in this process: exit code, output, complaint."""

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        done = websp_here(*arguments)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def model(tmp_path: Path) -> str:
    script = tmp_path / "model.yaml"
    script.write_text(
        f"rules: [{{when: 'app_impressions', say: '{says('INCORRECT')}'}}, {{when: '', say: '{YES}'}}]"
    )
    return f"scripted:{script}"


def test_the_command_judges_a_folder_and_keeps_what_came(runs: Path, websp: Websp, model: str) -> None:
    code, out, _err = websp("judge", runs, "--models", model)
    assert code == 0
    assert "$0.0000" in out
    assert "agrees with the state reward on 3 of 6 runs" in out
    kept = [each for run in find_runs(runs) for each in read_judgements(run)]
    assert sorted(judgement.instance for judgement in kept) == NAMES
    code, out, _err = websp("judge", runs, "--models", model, "--resume")
    assert (code, "already there" in out) == (0, True)
    assert [len(read_judgements(run)) for run in find_runs(runs)] == [1] * 6
    code, out, _err = websp(
        "judge", runs, "--models", f"{model},{model}", "--models", model, "--resume", "--json"
    )
    assert [len(json.loads(line)["votes"]) for line in out.splitlines()] == [3] * 6


def test_a_second_time_costs_nothing_and_other_rules_do(
    runs: Path, websp: Websp, model: str, tmp_path: Path
) -> None:
    websp("judge", runs, "--models", model)
    _code, out, _err = websp("judge", runs, "--models", model, "--json")
    assert all(json.loads(line)["votes"][0]["cached"] for line in out.splitlines())
    _code, out, _err = websp("judge", runs, "--models", model, "--json", "--no-cache")
    assert not any(json.loads(line)["votes"][0]["cached"] for line in out.splitlines())
    (tmp_path / "rules.txt").write_text("Always be kind. Evidence is inside {word}.")
    _code, out, _err = websp("judge", runs, "--models", model, "--json", "--rules", tmp_path / "rules.txt")
    assert not any(json.loads(line)["votes"][0]["cached"] for line in out.splitlines())


def test_the_first_model_is_asked_why_where_that_is_wanted(runs: Path, websp: Websp, tmp_path: Path) -> None:
    why = '{"elements": ["Toggle"], "kinds": ["partial completion"]}'
    script = tmp_path / "why.yaml"
    script.write_text(
        f"rules: [{{when: 'element types', say: '{why}'}}, {{when: 'app_impressions', say: '{says('INCORRECT')}'}}, "
        f"{{when: '', say: '{YES}'}}]"
    )
    _code, out, _err = websp("judge", runs, "--models", f"scripted:{script}", "--json", "--why")
    found = {(line["status"], json.dumps(line["why"])) for line in map(json.loads, out.splitlines())}
    told = {
        "kinds": ["partial completion"],
        "elements": ["Toggle"],
        "model": f"scripted:{script}",
        "cost": 0.0,
    }
    assert found == {("pass", "null"), ("fail", json.dumps(told))}
    _code, out, _err = websp("judge", runs, "--models", f"scripted:{script}", "--why")
    assert "--why, for 3 failures" in out, "what it cost has a line of its own beside the models"


def test_an_unscored_run_makes_the_command_fail(runs: Path, websp: Websp, tmp_path: Path) -> None:
    (tmp_path / "mute.yaml").write_text("rules: [{when: '', say: 'Hm.'}]")
    code, out, _err = websp("judge", runs, "--models", f"scripted:{tmp_path / 'mute.yaml'}")
    assert (code, "unscored" in out) == (1, True)


def test_a_record_that_cannot_be_read_is_named_and_the_others_are_judged(
    runs: Path, websp: Websp, model: str
) -> None:
    whole = len(find_runs(runs))
    (runs / "torn" / "001").mkdir(parents=True)
    (runs / "torn" / "001" / "trajectory.json").write_text('{"schema": "websp-traj')
    code, out, _err = websp("judge", runs, "--models", model, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert (code, len(lines)) == (1, whole + 1)
    (torn,) = [line for line in lines if line["run"] == "torn/001"]
    assert torn["status"] == "unscored"
    assert "torn/001/trajectory.json: not a websp-trajectory/2 file" in torn["reason"]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["nowhere"], "no trajectory.json"),
        (["{runs}", "--models", "opnai:x"], 'did you mean "openai"'),
        (["{runs}", "--models", "scripted:none.yaml"], "none.yaml"),
        (["{runs}", "--models", "{model}", "--rules", "none.txt"], "cannot read the rules"),
        (["{runs}", "--models", "{model}", "--rules", "{bare}"], "{word}"),
    ],
)
def test_errors_are_reported_in_one_line(
    runs: Path, websp: Websp, model: str, tmp_path: Path, arguments: list[str], hint: str
) -> None:
    (tmp_path / "bare.txt").write_text("Be kind.")
    places = {"runs": runs, "model": model, "bare": tmp_path / "bare.txt"}
    code, _out, err = websp("judge", *[str(places.get(part.strip("{}"), part)) for part in arguments])
    assert code == 2
    assert hint in err.replace("\n", "")


def test_the_command_has_help_with_an_example(websp: Websp) -> None:
    code, out, _err = websp("judge", "--help")
    assert code == 0
    assert "websp judge" in out.split("Example")[1]


def test_a_broken_record_is_named_and_the_others_are_judged(runs: Path, websp: Websp, model: str) -> None:
    broken = sorted(runs.rglob("trajectory.json"))[0]
    broken.write_bytes(b"\xff not JSON")
    code, out, _err = websp("judge", runs, "--models", model, "--json")
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert len(lines) == len(NAMES)
    assert [line["run"] for line in lines if line["status"] == "unscored"] == [
        broken.parent.relative_to(runs).as_posix()
    ]
    assert all("trajectory.json" in line["reason"] for line in lines if line["status"] == "unscored")
