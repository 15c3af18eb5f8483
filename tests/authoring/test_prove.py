"""``websp prove`` on small sites: a table of what was proved, and an exit code."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from tests.check_support import ADS, MAIL, SAVE, task, write_checked
from websp_gym.authoring import SearchPaths, SiteReport
from websp_gym.authoring.findings import Finding
from websp_gym.authoring.prove import _print_report, _table
from websp_gym.cli.checking import prove
from websp_gym.errors import SetupError


def test_the_table_has_a_row_for_each_instance_and_the_worst_outcome_of_each_check() -> None:
    found = [
        Finding("omission", "Toy-task-1 without step 1"),
        Finding("omission", "Toy-task-1 without step 2", "failed", "passes [sic] without it"),
        Finding("opposite", "Toy-task-1", "warning"),
        Finding("mistake", "Toy-task-1"),
        Finding("oracle", "Toy-task-10"),
        Finding("side effects", "Toy-task-10's pages"),
    ]
    report = SiteReport("toy", tuple(found), 61.6, {"toy": 1.0, "Toy-task-1": 2.25, "Toy-task-10": 3.0})
    console = Console(file=io.StringIO(), width=160)
    _print_report(console, report)
    console.print(_table([report], ["oracle", "omission", "opposite", "mistake", "side effects"]))
    assert isinstance(console.file, io.StringIO)
    said = console.file.getvalue()
    assert "toy: 1 failed, 6 findings, 62 s\n" in said
    assert "failed omission: Toy-task-1 without step 2: passes [sic] without it\n" in said
    assert [
        [cell.strip() for cell in line.split("│")[1:-1]] for line in said.splitlines() if "│" in line
    ] == [
        ["toy", "–", "–", "–", "–", "–", "1.0"],
        ["Toy-task-1", "–", "failed ×2", "!", "ok", "–", "2.2"],
        ["Toy-task-10", "ok", "–", "–", "–", "ok", "3.0"],
    ]


@pytest.mark.proof
@pytest.mark.timeout(600)
def test_the_table_names_what_was_proved_and_what_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_checked(tmp_path, "Right", task("Right-task-1"), task("Right-task-2", ADS, MAIL, SAVE))
    places = SearchPaths.below(tmp_path)
    with places.known(), places.served():
        assert prove(["right"]) == 1
        said = capsys.readouterr().out
        with pytest.raises(SetupError, match='did you mean "right"'):
            prove(["rigth"])
    (row,) = [line for line in said.splitlines() if "Right-task-1" in line]
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells[:-1] == [
        "Right-task-1",
        "ok",
        "ok",
        "ok",
        "ok",
        "ok ×2",
        "ok ×2",
        "ok",
        "ok",
        "ok",
        "ok ×2",
        "–",
        "ok",
        "ok",
    ]
    assert float(cells[-1]) > 0
    assert "right: 2 failed" in said
    assert "failed omission: Right-task-2 without step 2: passes without TURN OFF 'Mail' checkbox" in said


def test_effects_are_listed_for_each_instance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_checked(tmp_path, "Right")
    places = SearchPaths.below(tmp_path)
    with places.known(), places.served():
        assert prove(["right", "aljazeera"], effects=True) == 0
    said = capsys.readouterr().out
    assert "Right-task-1 no effects outside the account" in said
    (line,) = [line for line in said.splitlines() if "AlJazeera-task-179" in line]
    assert line.startswith("✓ AlJazeera-task-179 rejected trackers hear nothing  reports from ")
    assert said.endswith("1 of 1 effects hold; 1 of 2 instances have one\n")


def test_effects_of_an_unknown_site_are_an_error() -> None:
    with pytest.raises(SetupError, match="no instances of nowhere"):
        prove(["nowhere"], effects=True)
