"""``websp demo --agents``: flaws show, the page compares them, and what was played is not played again."""

from __future__ import annotations

from pathlib import Path

import pytest

from websp_gym.agents.flawed import FLAWS
from websp_gym.cli.leaderboard import AGENTS, INSTANCES, PAGE, run_leaderboard
from websp_gym.records.runs import find_results
from websp_gym.tasks.selection import select_instances

SOME = ("oracle", "flawed:deactivates")


def test_the_demo_has_every_flaw_and_instances_that_exist() -> None:
    assert {f"flawed:{kind}" for kind in FLAWS} | {"oracle", "noop"} == set(AGENTS)
    assert set(select_instances(INSTANCES)) == set(INSTANCES)


@pytest.mark.proof
def test_flaws_are_played_compared_and_not_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_leaderboard("Steam-task-200-ON", tmp_path, agents=SOME) == 0
    found = {result.agent: result for _, result in find_results([tmp_path]).results}
    outcomes = {agent: result.outcome for agent, result in found.items()}
    assert outcomes == {"oracle": "success", "flawed:deactivates": "failure"}
    page = (tmp_path / PAGE).read_text("utf-8")
    assert all(agent in page for agent in SOME)
    assert page.count('type="application/gzip"') == len(SOME)
    shown = capsys.readouterr().out
    assert "Overall performance" in shown
    assert PAGE in shown

    assert run_leaderboard("Steam-task-200-ON", tmp_path, agents=SOME) == 0
    again = capsys.readouterr().out
    assert "Overall performance" in again
    assert "Steam-task-200-ON" not in again.partition("Overall performance")[0]
    assert [result for _, result in find_results([tmp_path]).results] == [
        found[name] for name in sorted(found)
    ]
