"""Programs of others play through the door of an episode, unchanged: `make test-attach`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attach_programs.programs import PROGRAMS, SWITCHES, play


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_reaches_the_goal_and_each_press_is_a_step(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    played = play(program, tmp_path / "run", probe=True)
    shown = f"{played.output}\n{played.lost}"
    assert played.result["reward"] == 1.0, shown
    assert played.result["strict"] == 1.0
    assert played.pressed == SWITCHES
    presses = [step for step in played.steps if (step["act"] or {}).get("role")]
    assert len(presses) == program.presses
    assert {step["counted"] for step in played.steps} == {1}
    tried, all_of_them = played.refused.split(" of ")
    assert tried == all_of_them, played.output


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_nothing_after_the_last_action_that_is_allowed(name: str, tmp_path: Path) -> None:
    played = play(PROGRAMS[name], tmp_path / "run", "--max-actions", "2")
    assert (played.result["reward"], played.result["actions"]) == (0.0, 2), played.output
    assert played.result["end_reason"] == "action_limit"
