"""reward="judge" from gym.make to the verdict, beside what the server's state says of the same episodes.

Needs no key and no network: the three judges are scripts.

    python docs/examples/judge_reward.py [JUDGE ...]

JUDGE is any model string (docs/models.md), such as openai:gpt-5.2; give one or more to have real models vote.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import gymnasium as gym

import websp_gym  # noqa: F401 (registers the ids)
from websp_gym.agents import Briefing, make_agent
from websp_gym.env import WebspEnv
from websp_gym.records.trajectory import load_trajectory
from websp_gym.scoring.truth import truth_of

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


def play(env: gym.Env[Any, Any], agent: str) -> tuple[float, dict[str, Any]]:
    """One episode: its reward and the last ``info``."""
    observation, info = env.reset(seed=0)
    player = make_agent(agent)
    inside = cast("WebspEnv", env.unwrapped)
    assert inside.task is not None
    player.begin(Briefing(inside.loaded, inside.task.episode.account, 0))
    reward, over = 0.0, False
    while not over:
        observation, paid, terminated, truncated, info = env.step(player.act(observation))
        reward, over = float(paid), terminated or truncated
    return reward, info


def main(models: Sequence[str]) -> None:
    """Plays a right and a wrong episode, and shows what judges and state make of them."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        judge = list(models) or scripts(folder)
        env = gym.make(
            INSTANCE, reward="judge", judge=judge, record_to=folder / "runs", initial_state="snapshot"
        )
        for number, agent in enumerate(("oracle", "noop"), 1):
            reward, info = play(env, agent)
            verdict = info["verdict"]
            print(f"{agent}: reward {reward}, {verdict['status']} by the {verdict['source']}")
            for vote in verdict["details"]["votes"]:
                print(f"    {Path(vote['model']).name}: {vote['result']} ({vote['reason'] or vote['error']})")
            loaded = cast("WebspEnv", env.unwrapped).loaded
            record = load_trajectory(folder / "runs" / loaded.id / f"{number:03d}")
            print(f"    the server's state: {truth_of(record, loaded).status}")
        env.close()


if __name__ == "__main__":
    main(sys.argv[1:])
