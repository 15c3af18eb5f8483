"""reward="judge" from gym.make to the verdict, beside the verdict of the server's state on the same episodes.

Needs no key and no network: the three judges are scripts.

    python docs/examples/judge_reward.py [JUDGE ...]

JUDGE is any model string (docs/models.md), such as openai:gpt-6.2-sol; give one or more to have real models vote.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import gymnasium as gym

from websp_gym import WebspEnv, load_trajectory, make_agent, run_episode, state_verdict_of_record

INSTANCE = "websp/Steam-task-191-ON"
"""Two switches have to be turned off."""
ATTENTIVE = """
rules:
  - {when: 'switch "app_impressions', say: '{"result": "CORRECT", "reason": "Both switches were operated."}'}
  - {when: '', say: '{"result": "INCORRECT", "reason": "Nobody operated the second switch."}'}
"""
"""Right on the episodes below: it looks for the second switch among the actions."""
STRICT = """rules: [{when: '', say: '{"result": "INCORRECT", "reason": "I accept nothing."}'}]"""


def scripts(folder: Path) -> list[str]:
    """Three scripted judges, one of which is always against."""
    found = []
    for name, text in (("one", ATTENTIVE), ("two", STRICT), ("three", ATTENTIVE)):
        (folder / f"{name}.yaml").write_text(text, "utf-8")
        found.append(f"scripted:{folder / name}.yaml")
    return found


def main(models: Sequence[str]) -> None:
    """Plays a right and a wrong episode, and shows what judges and state make of them."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        judge = list(models) or scripts(folder)
        env = gym.make(
            INSTANCE, reward="judge", judge=judge, record_to=folder / "runs", initial_state="snapshot"
        )
        for number, agent in enumerate(("oracle", "noop"), 1):
            inside = cast("WebspEnv", env.unwrapped)
            result = run_episode(inside, make_agent(agent))
            print(f"{agent}: reward {result.reward}, {result.status} by the {result.source}")
            record = load_trajectory(folder / "runs" / result.id / f"{number:03d}")
            assert record.verdict is not None
            for vote in record.verdict["details"]["votes"]:
                print(f"    {Path(vote['model']).name}: {vote['result']} ({vote['reason'] or vote['error']})")
            print(f"    the server's state: {state_verdict_of_record(record, inside.instance).status}")
        env.close()


if __name__ == "__main__":
    main(sys.argv[1:])
