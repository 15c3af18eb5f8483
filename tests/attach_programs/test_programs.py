"""Programs of others play through the door of an episode, unchanged: `make test-attach`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attach_programs.programs import PROGRAMS, SWITCHES, play


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_reaches_the_goal_and_each_press_is_a_step(name: str, tmp_path: Path) -> None:
    program = PROGRAMS[name]
    played = play(program, tmp_path / "run", probe=True)
    assert played.verdict["score"] == 1.0, f"{played.output}\n{played.lost}"
    assert played.verdict["strict"] == 1.0
    assert played.pressed == SWITCHES
    assert len(played.presses) == program.presses
    assert {step.counted for step in played.record.steps} == {1}
    if program.kind != "inspect":
        tried, all_of_them = played.refused.split(" of ")
        assert tried == all_of_them, played.output
    if name == "Claude Code":
        others = {tool for tool in played.offered if not tool.startswith("mcp__websp__")}
        assert (bool(played.offered), others) == (True, set()), "with a shell it could read the solution"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_nothing_after_the_last_action_that_is_allowed(name: str, tmp_path: Path) -> None:
    played = play(PROGRAMS[name], tmp_path / "run", max_actions=2)
    assert (played.verdict["score"], played.actions) == (0.0, 2), played.output
    assert played.record.end_reason == "action_limit"
