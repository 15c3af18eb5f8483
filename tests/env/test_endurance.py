"""The endurance test itself: its kinds end, report the outcome and leave nothing behind."""

from __future__ import annotations

import pytest

from tests.endurance import main, play


@pytest.mark.proof
def test_a_full_disk_is_an_error_that_names_the_folder_and_spoils_no_record() -> None:
    outcome, left, _seconds = play("disk", 0.1)
    assert left == 0
    if outcome.right is None:
        pytest.skip(f"{outcome.expected}: {outcome.happened}")
    assert outcome.right, outcome.happened


@pytest.mark.proof
def test_many_resets_at_once_are_paid(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["crowd", "--scale", "0.08"]) == 0
    assert "crowd: as expected, 0 processes left" in capsys.readouterr().out


def test_a_kind_that_there_is_not_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["fire"])
    assert "no kind fire" in capsys.readouterr().err
