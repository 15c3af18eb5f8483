"""Agents as policies: one agent for each rollout, whatever the order of the calls."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Mapping
from typing import Any

import pytest

from websp_gym.agents.simple import RandomAgent
from websp_gym.rollouts import Page, Transcript, agent_policy

TURNS = 12
Calls = list[weakref.ref[RandomAgent]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    """The agent of each call of ``act``."""
    made: Calls = []
    act = RandomAgent.act

    def counted(self: RandomAgent, observation: Mapping[str, Any]) -> str:
        made.append(weakref.ref(self))
        return act(self, observation)

    monkeypatch.setattr(RandomAgent, "act", counted)
    return made


def start(seed: int = 3) -> Transcript:
    return Transcript((page(0, seed),))


def page(turn: int, seed: int = 3) -> Page:
    elements = [{"number": number, "role": "button", "tag": "button"} for number in range(50)]
    return Page("Steam-task-191-ON", seed, turn, observation={"elements": elements})


def replies(*, by: Any = None) -> list[str]:
    """The policy's replies to a rollout; by a new policy at each turn if none is given."""
    played = start()
    for turn in range(1, TURNS + 1):
        reply = (by or agent_policy("random"))(played)
        played = played.after(reply, page(turn))
    return list(played.replies)


def test_an_agent_acts_once_on_each_page(calls: Calls) -> None:
    kept = replies(by=agent_policy("random"))
    assert len(calls) == TURNS
    calls.clear()
    assert replies() == kept
    assert len(calls) == sum(range(TURNS + 1))


def test_rollouts_that_take_turns_have_agents_of_their_own(calls: Calls) -> None:
    policy = agent_policy("random")
    alone = replies()
    calls.clear()
    one, other = start(), start(seed=4)
    for turn in range(1, TURNS + 1):
        one = one.after(policy(one), page(turn))
        other = other.after(policy(other), page(turn, 4))
    assert list(one.replies) == alone != list(other.replies)
    assert len(calls) == 2 * TURNS


def test_a_page_seen_again_and_a_branch_have_the_reply_of_a_new_agent() -> None:
    policy = agent_policy("random")
    first = start()
    reply = policy(first)
    assert policy(first) == reply
    trunk, branch = first.after(reply, page(1)), first.after(reply, page(1))
    second = policy(trunk)
    assert policy(branch) == second == agent_policy("random")(branch)
    assert policy(trunk.after(second, page(2))) == policy(branch.after(second, page(2)))


def test_an_agent_goes_with_its_rollout(calls: Calls) -> None:
    policy = agent_policy("random")
    played = start()
    policy(played.after(policy(played), page(1)))
    agent = calls[-1]
    del played
    gc.collect()
    assert agent() is None
    assert policy(start())
