"""What somebody did by mouse and keyboard, told in the actions of the environment and played again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing

import pytest

from tests.attach_support import COOKIES, STEAM, SWITCHES, Client, switch
from websp_gym.attach import attach
from websp_gym.attach.demonstrate import DemonstrationError, demonstrate, script_of
from websp_gym.records.trajectory import Trajectory

SEARCH = "document.querySelector('input[name=term], input[type=search], [role=combobox]')"


def played(program: Callable[[Client], None]) -> Trajectory:
    """Return the record of a program that acts by mouse and keyboard."""
    with attach(STEAM) as door:
        with closing(Client(door.cdp_url)) as client:
            program(client)
        door.finish("done")
        return door.trajectory


def solve(client: Client) -> None:
    client.open(COOKIES)
    for name in SWITCHES:
        client.turn_off(name)


def test_presses_texts_and_addresses_are_told_and_have_the_full_reward_again() -> None:
    def program(client: Client) -> None:
        client.press(SEARCH)
        client.tell("Input.insertText", text="privacy")
        solve(client)

    record = played(program)
    typed = [step for step in script_of(record) if getattr(step, "action", "") == "type"]
    assert [step.value for step in typed] == ["privacy"]  # type: ignore[union-attr]
    rollout = demonstrate(record, 0)
    assert rollout.reward == 1.0
    told = [reply.split()[0].partition("(")[0] for reply in rollout.replies]
    assert told == ["Click", "Type", "goto", "Click", "Click", "ANSWER;"]


def test_what_a_script_did_is_no_demonstration() -> None:
    def program(client: Client) -> None:
        client.open(COOKIES)
        for name in SWITCHES:
            find = switch(name)
            client.until(f"{find} !== null")
            client.evaluate(f"{find}.click()")

    with pytest.raises(DemonstrationError, match="not an action on a named element"):
        demonstrate(played(program), 0)


def test_what_does_not_solve_the_task_is_no_demonstration() -> None:
    with pytest.raises(DemonstrationError, match=r"the reward is 0\.0"):
        demonstrate(played(lambda client: client.open(COOKIES)), 0)
