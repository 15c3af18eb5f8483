"""``websp prove`` on small sites: a table of what was proved, and an exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check_support import ADS, MAIL, SAVE, task, write_checked
from websp_gym.authoring import SearchPaths
from websp_gym.cli.checking import prove
from websp_gym.errors import SetupError


@pytest.mark.timeout(600)
def test_the_table_names_what_was_proved_and_what_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_checked(tmp_path, "Right")
    write_checked(tmp_path, "Wrong", task("Wrong-task-1", ADS, MAIL, SAVE))
    places = SearchPaths.below(tmp_path)
    with places.known(), places.served():
        assert prove(["right", "wrong"]) == 1
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
    assert "right: ok" in said
    assert "failed omission: Wrong-task-1 without step 2: passes without TURN OFF 'Mail' checkbox" in said


@pytest.mark.timeout(600)
def test_effects_are_listed_for_each_instance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_checked(tmp_path, "Right")
    places = SearchPaths.below(tmp_path)
    with places.known(), places.served():
        assert prove(["right", "bbc"], effects=True) == 0
    said = capsys.readouterr().out
    assert "Right-task-1 nothing outside of the account to try" in said
    (line,) = [line for line in said.splitlines() if "BBC-task-167" in line]
    assert line.startswith("✓ BBC-task-167 rejected trackers hear nothing  reports from 3 pages since: ")
    assert said.endswith("3 of 3 effects hold; 3 of 4 instances have one\n")


def test_effects_of_an_unknown_site_are_an_error() -> None:
    with pytest.raises(SetupError, match="no instances of nowhere"):
        prove(["nowhere"], effects=True)
