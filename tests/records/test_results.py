"""Results on disk: what comes back is what was written, also after a crash, and runs are not mixed up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from websp_gym.errors import SetupError
from websp_gym.records.results import Result
from websp_gym.records.runs import (
    RESULTS,
    RUN,
    Run,
    append_result,
    find_results,
    read_result,
    read_results,
    read_run,
    write_run,
)

texts = st.text(max_size=20)
results = st.builds(
    Result,
    id=texts,
    agent=texts,
    trial=st.integers(1, 9),
    reward=st.sampled_from([0.0, 1.0, None]),
    status=st.sampled_from(["pass", "fail", "unscored", "error"]),
    end_reason=st.none() | texts,
    error=st.none() | texts,
    reason=texts,
    failure_kinds=st.lists(texts, max_size=2).map(tuple),
    side_effects=st.lists(texts, max_size=2).map(tuple),
    cost=st.none() | st.floats(0, 9),
)


def result(**facts: Any) -> Result:
    return Result(**{"id": "A-task-1", "agent": "x", "reward": 1.0, "status": "pass", **facts})


@given(results)
def test_a_line_gives_the_same_result_again(given: Result) -> None:
    assert "\n" not in given.line()
    assert read_result(given.line()) == given


def test_the_last_result_of_an_episode_counts(tmp_path: Path) -> None:
    for one in (
        result(status="error", reward=None),
        result(trial=2),
        result(agent="y"),
        result(instruction="with_navigation"),
        result(status="fail", reward=0.0),
    ):
        append_result(tmp_path, one)
    found = {one.key: one.status for one in read_results(tmp_path)}
    assert found == {
        ("x", "without_navigation", "A-task-1", 1): "fail",
        ("x", "without_navigation", "A-task-1", 2): "pass",
        ("y", "without_navigation", "A-task-1", 1): "pass",
        ("x", "with_navigation", "A-task-1", 1): "pass",
    }


def test_a_torn_line_costs_itself_only(tmp_path: Path) -> None:
    append_result(tmp_path, result(id="A-task-1"))
    with (tmp_path / RESULTS).open("ab") as file:
        file.write(result(id="A-task-2").line().encode()[:40] + b"\xff")
    append_result(tmp_path, result(id="A-task-3"))
    assert [one.id for one in read_results(tmp_path)] == ["A-task-1", "A-task-3"]


@pytest.mark.parametrize(
    ("status", "end_reason", "outcome"),
    [
        ("pass", "answer", "success"),
        ("fail", "answer", "failure"),
        ("fail", "infeasible", "failure"),
        ("fail", "action_limit", "time-out"),
        ("fail", "time_limit", "time-out"),
        ("unscored", "answer", "unscored"),
        ("error", None, "error"),
    ],
)
def test_an_outcome_is_a_column_of_the_papers_table(status: Any, end_reason: Any, outcome: str) -> None:
    assert result(status=status, end_reason=end_reason).outcome == outcome


def test_a_run_is_the_same_run_in_whatever_order_its_options_come() -> None:
    one = Run(agent="x", options={"max_actions": 5, "reward": "state"})
    assert one.hash == Run(agent="x", options={"reward": "state", "max_actions": 5}, started="now").hash
    others = [
        Run(agent="y", options=one.options),
        Run(agent="x", options=one.options, seed=1),
        Run(agent="x", options={"max_actions": 6, "reward": "state"}),
    ]
    assert len({run.hash for run in (one, *others)}) == 4
    assert [one.difference(run) for run in others] == [
        "agent 'x', not 'y'",
        "seed 0, not 1",
        "max_actions 5, not 6",
    ]


def test_a_run_comes_back_from_disk(tmp_path: Path) -> None:
    run = Run(agent="x", options={"max_actions": 5}, seed=3, started="now", versions={"python": "3.11"})
    assert read_run(tmp_path) is None
    write_run(tmp_path / "new", run)
    assert read_run(tmp_path / "new") == run


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "websp-run/2", "agent": "x"}', "\udcff"])
def test_a_bad_run_file_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / RUN).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(SetupError, match=r"run\.json: not a websp-run/1 file"):
        read_run(tmp_path)


def test_results_are_found_at_any_depth_and_their_absence_is_reported(tmp_path: Path) -> None:
    append_result(tmp_path, result(id="A-task-1"))
    (tmp_path / "b" / "c").mkdir(parents=True)
    append_result(tmp_path / "b" / "c", result(id="A-task-2"))
    assert [(run.name, one.id) for run, one in find_results([tmp_path]).results] == [
        (tmp_path.name, "A-task-1"),
        ("c", "A-task-2"),
    ]
    with pytest.raises(SetupError, match="no folder"):
        find_results([tmp_path / "nowhere"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(SetupError, match=r"no results in .*empty"):
        find_results([tmp_path / "empty"])


def test_a_folder_that_cannot_be_written_to_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match="cannot write to"):
        append_result(tmp_path / "file", result())
    with pytest.raises(SetupError, match="cannot write to"):
        write_run(tmp_path / "file", Run(agent="x"))
