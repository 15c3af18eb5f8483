"""The random agent: no two instances are played alike, and it does not give up at once."""

from __future__ import annotations

from itertools import count
from typing import Any

from websp_gym.agents import Briefing
from websp_gym.agents.simple import RandomAgent
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.instances import load_instance

ELEMENTS: list[dict[str, Any]] = [{"number": n, "role": "button", "tag": "button"} for n in range(9)]


def actions(instance: str, seed: int = 0) -> list[str]:
    """Its actions on a page that never changes, up to its answer."""
    agent = RandomAgent()
    agent.begin(Briefing(load_instance(instance), {}, seed))
    done = []
    for _ in count():
        done.append(agent.act({"elements": ELEMENTS}))
        if done[-1].startswith("ANSWER"):
            return done
    raise AssertionError("unreachable")


def test_instances_are_played_differently_and_repeatably() -> None:
    played = {name: actions(name) for name in instance_ids()}
    # Some answer soon, which may look the same.
    longer = {name: found for name, found in played.items() if len(found) > 5}
    assert len(longer) > len(played) / 2
    assert len({tuple(found) for found in longer.values()}) == len(longer)
    assert {name: actions(name) for name in played} == played
    assert all(actions(name, seed=1) != found for name, found in longer.items())


def test_it_answers_once_in_twenty_decisions() -> None:
    lengths = [len(actions(name, seed)) for name in instance_ids() for seed in range(8)]
    assert 18 <= sum(lengths) / len(lengths) <= 22
    assert 0.03 <= sum(length == 1 for length in lengths) / len(lengths) <= 0.07
