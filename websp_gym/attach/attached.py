"""An episode for a program of your own: ``with attach(ID) as door: …``."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from websp_gym.attach.agent import OutsideAgent
from websp_gym.env.options import kind_for
from websp_gym.env.registration import make_env
from websp_gym.env.rollout import Rollout

if TYPE_CHECKING:
    from pathlib import Path

    from websp_gym.env.environment import WebspEnv
    from websp_gym.env.rollout import Briefing
    from websp_gym.env.task import WebspTask
    from websp_gym.records.trajectory import Trajectory
    from websp_gym.records.verdict import Verdict


class AttachedDoor:
    """The door of a running episode, for the program that attaches to it.

    Attributes:
        id: Id of the instance.
        instruction: What the agent is to do.
        start_url: Address of the page that the first tab shows.
        cdp_url: WebSocket address of the DevTools endpoint, for Playwright's ``connect_over_cdp``, Puppeteer's
            ``connect`` and most agents.
        http_url: Its HTTP address, for clients that ask ``/json/version`` first.
        debugger_address: Host and port for Selenium's ``debugger_address``.
        mcp_url: Address of the tools of the Model Context Protocol; give ``observation="marks"`` for pictures.
        finish_url: Where a POST finishes the episode; its body is the answer.
    """

    def __init__(self, env: WebspEnv, agent: _Waiting, seed: int) -> None:
        self._agent = agent
        self._rollout = Rollout(env, agent, seed=seed)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._play, name="websp-attached", daemon=True)
        self._thread.start()
        agent.opened.wait()
        if self._error is not None:
            raise self._error
        door, task = agent.door, self._rollout.task
        assert door is not None
        assert task is not None
        self.id: str = task.instance.id
        self.instruction: str = task.trajectory.instruction
        self.start_url: str = agent.start_url
        self.cdp_url, self.http_url = door.cdp_url, door.http_url
        self.debugger_address, self.mcp_url = door.debugger_address, door.mcp_url
        self.finish_url = door.finish_url

    def finish(self, answer: str = "") -> Verdict:
        """End the episode and return its verdict; further calls return the same one.

        Args:
            answer: The agent's answer to the user.

        Raises:
            WebspError: The episode could not be played to its end, or not scored.
        """
        self._agent.finish(answer)
        self._agent.left.set()
        self._thread.join()  # the last step and the verdict have limits of their own
        if self._error is not None:
            raise self._error
        verdict = self._task.verdict
        assert verdict is not None
        return verdict

    @property
    def running(self) -> bool:
        """Whether the episode still goes on: no answer was given, and no limit reached."""
        return not self._agent.ended.is_set()

    @property
    def trajectory(self) -> Trajectory:
        """The record of the episode so far."""
        return self._task.trajectory

    @property
    def folder(self) -> Path | None:
        """The folder of the record; ``None`` without the option ``record_to``."""
        return self._task.folder

    @property
    def _task(self) -> WebspTask:
        task = self._rollout.task
        assert task is not None
        return task

    def _play(self) -> None:
        try:
            for _ in self._rollout:
                pass
        except BaseException as error:
            self._error = error
        finally:
            self._agent.opened.set()
            self._agent.ended.set()


class _Waiting(OutsideAgent):
    """An outside agent that says when its door is open, and keeps it open until the program has left."""

    def __init__(self) -> None:
        super().__init__("attached")
        self.opened, self.ended, self.left = threading.Event(), threading.Event(), threading.Event()
        self.start_url = ""

    def begin(self, briefing: Briefing) -> None:
        super().begin(briefing)
        assert self._env is not None
        self.start_url = self._env.page.url
        self.opened.set()

    def leave(self) -> None:
        self.end()
        self.ended.set()
        if self.opened.is_set():
            self.left.wait()  # until then it says that the episode is over
        super().leave()


@contextlib.contextmanager
def attach(instance_id: str, *, seed: int = 0, **options: Any) -> Iterator[AttachedDoor]:
    """Begin an episode for a program that drives the browser itself; leaving ends it.

    Args:
        instance_id: The id of the instance, such as ``Steam-task-191-ON``.
        seed: Seed of the episode.
        **options: Fields of :class:`websp_gym.env.options.Options`, as for ``gym.make``.

    Yields:
        The door of the episode.

    Raises:
        SetupError: There is no such instance, an option is wrong, or something is missing.
        WebspError: The episode cannot begin.

    Example:
        >>> with attach("Steam-task-191-ON") as door:  # doctest: +SKIP
        ...     browser = playwright.chromium.connect_over_cdp(door.cdp_url)
        ...     ...
        ...     print(door.finish("done").score)
    """
    agent = _Waiting()
    env = make_env(instance_id, **{"observation": kind_for(agent.observation, options), **options})
    try:
        door = AttachedDoor(env, agent, seed)
        try:
            yield door
        finally:
            with contextlib.suppress(Exception):
                door.finish()
    finally:
        env.close()
