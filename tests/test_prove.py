"""``make prove`` on small sites: a table of what was proved, and an exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check_support import ADS, MAIL, SAVE, task, write_checked
from websp_gym.authoring import SearchPaths
from websp_gym.authoring.prove import main


@pytest.mark.timeout(600)
def test_the_table_names_what_was_proved_and_what_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_checked(tmp_path, "Right")
    write_checked(tmp_path, "Wrong", task("Wrong-task-1", ADS, MAIL, SAVE))
    places = SearchPaths.below(tmp_path)
    with places.known(), places.served():
        assert main(["right", "wrong", "--jobs", "1"]) == 1
        said = capsys.readouterr().out
        assert main(["rigth"]) == 2
    (row,) = [line for line in said.splitlines() if "Right-task-1" in line]
    cells = [cell.strip() for cell in row.strip("│").split("│")]
    assert cells[:-1] == ["Right-task-1", "ok", "ok", "ok", "ok ×2", "ok ×2", "ok", "ok", "ok ×2", "ok", "ok"]
    assert float(cells[-1]) > 0
    assert "right: ok" in said
    assert "failed omission: Wrong-task-1 without step 2: passes without TURN OFF 'Mail' checkbox" in said
