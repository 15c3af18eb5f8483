"""An outside agent for tests: a program of a few lines that speaks the DevTools protocol, in a thread of the test."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field

from tests.devtools_client import COOKIES, PATIENCE, SWITCHES, Client, CommandError, switch
from websp_gym.attach.agent import OutsideAgent
from websp_gym.attach.door import Door
from websp_gym.env import WebspEnv
from websp_gym.env.rollout import Briefing, Rollout
from websp_gym.env.task import WebspTask

__all__ = ["COOKIES", "STEAM", "SWITCHES", "Client", "CommandError", "Played", "ThreadAgent", "finish", "play", "play_door",
           "switch", "until", "wait_for_change", "wait_for_steps"]  # fmt: skip
STEAM = "Steam-task-191-ON"


class ThreadAgent(OutsideAgent):
    """An outside agent whose program is a function that runs in a thread; its return value is the answer.

    Args:
        program: Gets the door.
    """

    def __init__(self, program: Callable[[Door], str | None]) -> None:
        super().__init__("test")
        self.program = program
        self.error: BaseException | None = None
        self.thread: threading.Thread | None = None

    def begin(self, briefing: Briefing) -> None:
        super().begin(briefing)
        assert self.door is not None
        self.thread = threading.Thread(target=self.play, args=(self.door,), daemon=True)
        self.thread.start()

    def play(self, door: Door) -> None:
        answer = ""
        try:
            answer = self.program(door) or ""
        except BaseException as error:
            self.error = error
        try:
            finish(door, answer)
        except OSError as error:  # otherwise the episode would go on to its time limit
            if self.finish(answer):
                self.error = self.error or error

    def leave(self) -> None:
        super().leave()
        if self.thread is not None:
            self.thread.join(PATIENCE)


def until(holds: Callable[[], object], what: str = "") -> None:
    """Wait in the thread of a program until something holds."""
    end = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < end, what or "it did not come to hold"
        time.sleep(0.01)


def wait_for_steps(env: WebspEnv, number: int) -> None:
    """Wait until the record of the running episode has as many steps."""
    assert env.task is not None
    steps = env.task.trajectory.steps
    until(lambda: len(steps) >= number, f"{number} steps")


def wait_for_change(env: WebspEnv, *keys: str) -> None:
    """Wait until the settings of these keys were changed in the running episode."""
    assert env.task is not None
    episode = env.task.world_episode
    until(
        lambda: (
            set(keys) <= {event.data.get("key") for event in episode.state().since(0) if event.kind == "set"}
        )
    )


def finish(door: Door, answer: str) -> int:
    """Say that the agent has finished, and return the status of the response.

    Raises:
        OSError: There was none.
    """
    request = urllib.request.Request(door.finish_url, data=json.dumps({"answer": answer}).encode())
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code


@dataclass
class Played:
    """What came of an episode."""

    task: WebspTask
    steps: list[str] = field(default_factory=list)
    """The actions of the record, without the answer."""
    told: list[str] = field(default_factory=list)
    """What the observations say of the actions."""

    @property
    def reward(self) -> float | None:
        return self.task.verdict.score if self.task.verdict else None


def play(env: WebspEnv, program: Callable[[Client, Door], str | None]) -> Played:
    """Play an episode with a program that gets a connection; its error is the test's, unless the episode was over."""

    def connected(door: Door) -> str | None:
        with closing(Client(door.cdp_url)) as client:
            return program(client, door)

    return play_door(env, connected)


def play_door(env: WebspEnv, program: Callable[[Door], str | None]) -> Played:
    """Play an episode with a program that gets the door."""
    agent = ThreadAgent(program)
    rollout = Rollout(env, agent)
    told = [step.observation["last_action_error"] for step in rollout]
    if agent.error is not None:
        raise agent.error
    assert rollout.task is not None
    steps = [step.action for step in rollout.task.trajectory.steps]
    return Played(rollout.task, [step for step in steps if not step.startswith("ANSWER")], told)
