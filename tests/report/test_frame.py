"""The table of episodes: CSV and Parquet from the command, and a data frame."""

from __future__ import annotations

import csv
import io
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.test_cli import websp_here
from tests.report.test_report_tables import played
from websp_gym.errors import MissingExtraError, SetupError
from websp_gym.records.policy_verdict import PolicyVerdict
from websp_gym.records.runs import RESULTS, Run, append_result, find_results, write_run
from websp_gym.report.frame import COLUMNS, read_episodes, runs_frame

MODEL = "text:openai:gpt-6.2-sol?thinking=high"
KEPT = PolicyVerdict(id="a", level="user", dimension="consent", sentence="Ask.", status="dormant")
BROKEN = PolicyVerdict(id="b", level="user", dimension="consent", sentence="Ask.", status="error")
with_pandas = pytest.mark.skipif(find_spec("pandas") is None, reason="needs the extra export")
with_pyarrow = pytest.mark.skipif(find_spec("pyarrow") is None, reason="needs the extra export")


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs: one with an episode of each status, one with policies."""
    first, second = tmp_path / "first", tmp_path / "second"
    write_run(first, Run(agent=MODEL, versions={"dataset": "2.0.0", "chromium": "156.0"}))
    write_run(second, Run(agent="oracle", options={"max_actions": 5}))
    kinds = ("partial completion", "repeated actions")
    for result in (
        played(MODEL, "Steam-task-191-ON", cost=0.25, calls=3, input_tokens=100),
        played(MODEL, "Steam-task-191-OFF", "time-out", failure_kinds=kinds, reason='said "no",\nand left'),
        played(MODEL, "Steam-task-194", "unscored"),
        played(MODEL, "Gone-task-1", "error", error="WorldError: away"),
    ):
        append_result(first, result)
    append_result(second, played("oracle", "Steam-task-194", policies=(KEPT, BROKEN)))
    return first, second


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_a_row_has_the_facts_of_result_instance_and_run(runs: tuple[Path, Path]) -> None:
    found = rows(read_episodes(runs).csv())
    assert [row["instance"] for row in found] == [
        "Steam-task-191-ON", "Steam-task-191-OFF", "Steam-task-194", "Gone-task-1", "Steam-task-194"
    ]  # fmt: skip
    first, limited, *_, other = found
    assert list(first) == [column.name for column in COLUMNS]
    assert (first["agent"], first["model"], first["run"]) == (MODEL, "openai:gpt-6.2-sol", str(runs[0]))
    assert (first["site"], first["state"], first["task"]) == ("Steam", "ON", "Steam-task-191")
    assert (first["cost"], first["calls"], first["input_tokens"]) == ("0.25", "3", "100")
    assert (first["dataset_version"], first["chromium"], first["world"]) == ("2.0.0", "156.0", "sandbox")
    assert (limited["status"], limited["outcome"], limited["end_reason"]) == (
        "fail",
        "time-out",
        "action_limit",
    )
    assert limited["failure_kinds"] == "partial completion; repeated actions"
    assert limited["reason"] == 'said "no",\nand left'
    assert (limited["split_state"], first["split_state"]) == ("test", "train")
    assert (other["model"], other["options"]) == ("", '{"max_actions": 5}')
    assert (other["policies_kept"], other["policies_broken"]) == ("1", "1")
    assert (first["policies_kept"], first["policies_broken"]) == ("", "")


def test_an_episode_that_was_not_scored_has_no_reward(runs: tuple[Path, Path]) -> None:
    found = rows(read_episodes(runs[:1]).csv())
    assert [(row["status"], row["reward"]) for row in found] == [
        ("pass", "1.0"), ("fail", "0.0"), ("unscored", ""), ("error", "")
    ]  # fmt: skip


def test_the_command_writes_csv_to_a_file_or_prints_it(runs: tuple[Path, Path], tmp_path: Path) -> None:
    target = tmp_path / "new/episodes.CSV"
    done = websp_here("export", *map(str, runs), "--to", str(target))
    assert (done.returncode, done.stdout) == (0, "")
    assert "5 episodes" in done.stderr
    printed = websp_here("export", *map(str, runs))
    assert printed.stdout == target.read_text("utf-8")
    assert len(rows(printed.stdout)) == 5


@pytest.mark.parametrize(
    "text", ['=HYPERLINK("http://a.test")', "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "plain\rand\r\nmore"]
)
def test_a_text_of_a_csv_file_is_neither_a_formula_nor_the_end_of_a_row(
    text: str, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    append_result(runs[1], played("oracle", "Steam-task-191-ON", reason=text, cost=-0.5))
    table = read_episodes(runs[1:])
    table.write(tmp_path / "episodes.csv")
    lines = (tmp_path / "episodes.csv").read_bytes().decode()
    assert "\r" not in lines
    (_, row) = rows(lines)
    stored = text.replace("\r\n", "\n").replace("\r", "\n")
    assert row["reason"] == (stored if text.startswith("plain") else f"'{stored}")
    assert row["cost"] == "-0.5"
    assert table.columns["reason"][1] == text


def test_a_run_in_two_of_the_folders_is_there_once(runs: tuple[Path, Path]) -> None:
    parent = runs[0].parent
    (parent / "link").symlink_to(runs[0])
    found = find_results([parent, *runs, parent / "link"])
    assert (len(found.results), found.empty) == (5, [])
    assert len(read_episodes([runs[1], parent])) == 5


def test_a_broken_line_is_named_and_left_out(runs: tuple[Path, Path]) -> None:
    with (runs[0] / RESULTS).open("a") as file:
        file.write("{}\n")
    done = websp_here("export", str(runs[0]))
    assert len(rows(done.stdout)) == 4
    assert f"left out: {runs[0] / RESULTS}:5: not a result" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--to", "episodes.xlsx"), "the name must end in one of csv, parquet; or use --format"),
        (("--format", "parquet"), "--format parquet needs --to FILE"),
        (("--to", "/proc/episodes.csv"), "cannot write /proc/episodes.csv"),
    ],
)
def test_bad_targets_are_errors_and_write_nothing(
    arguments: tuple[str, ...], hint: str, runs: tuple[Path, Path]
) -> None:
    done = websp_here("export", str(runs[0]), *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert hint in done.stderr


def test_folders_without_results_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="no results in"):
        read_episodes([tmp_path])


@pytest.mark.skipif(find_spec("pandas") is not None, reason="pandas is installed")
def test_a_frame_without_pandas_names_the_extra(runs: tuple[Path, Path]) -> None:
    with pytest.raises(MissingExtraError, match=r"a data frame needs pandas: pip install .*\[export\]"):
        runs_frame(*runs)


@pytest.mark.skipif(find_spec("pyarrow") is not None, reason="pyarrow is installed")
def test_parquet_without_pyarrow_names_the_extra_and_writes_nothing(
    runs: tuple[Path, Path], tmp_path: Path
) -> None:
    target = tmp_path / "episodes.parquet"
    with pytest.raises(MissingExtraError, match=r"writing Parquet needs pyarrow: .*, or write CSV"):
        read_episodes(runs).write(target)
    assert not target.exists()


@with_pandas
def test_a_frame_has_typed_columns_and_no_zero_for_a_missing_reward(runs: tuple[Path, Path]) -> None:
    frame = runs_frame(*map(str, runs))
    assert list(frame.columns) == [column.name for column in COLUMNS]
    assert frame["reward"].mean() == pytest.approx(2 / 3)
    assert frame["reward"].isna().tolist() == [False, False, True, True, False]
    assert (str(frame["trial"].dtype), str(frame["completed"].dtype)) == ("Int64", "boolean")


@with_pandas
@with_pyarrow
def test_parquet_holds_what_the_frame_holds(runs: tuple[Path, Path], tmp_path: Path) -> None:
    import pandas as pd

    target = tmp_path / "episodes.parquet"
    read_episodes(runs).write(target)
    stored = pd.read_parquet(target, dtype_backend="numpy_nullable")
    pd.testing.assert_frame_equal(stored, runs_frame(*runs), check_dtype=False)
