"""The Gymnasium environment."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import gymnasium as gym
from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.owner import call
from websp_gym.browser.remote import shown
from websp_gym.env.episode import Episode, as_world_error
from websp_gym.env.heap import trim_heap
from websp_gym.env.options import for_episode, read_options
from websp_gym.env.play import StepResult
from websp_gym.env.spaces import ActionText
from websp_gym.errors import SetupError, WorldError
from websp_gym.observation.observe import observation_space
from websp_gym.records.trajectory import Ending
from websp_gym.scoring.rewards import make_reward
from websp_gym.tasks.instances import Instance
from websp_gym.world import make_world

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    from playwright.sync_api import BrowserContext, Page

    from websp_gym.browser.tabs import Tabs
    from websp_gym.env.chat import MemoryChat
    from websp_gym.env.task import WebspTask

    Result = TypeVar("Result")

_SEEDS = 2**32
_TO_END = 15.0
"""Seconds the end of an episode may take; its browser context is given five of them."""


class WebspEnv(gym.Env[dict[str, Any], str]):
    """One instance as a Gymnasium environment; what ``gym.make("websp/…")`` returns.

    Actions are texts (:data:`websp_gym.actions.ACTIONS`, or BrowserGym calls). The reward is paid on the
    terminating step only and is a Python ``float``.

    Args:
        instance: The instance.
        **options: Those of :class:`websp_gym.env.options.Options`.

    Raises:
        SetupError: An option is wrong, or something it needs is missing.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(self, instance: Instance, **options: Any) -> None:
        self.instance = instance
        self.options = read_options(options)
        self.render_mode = self.options.render_mode
        self.observation_space = observation_space(self.options.observation, self.options.viewport)
        self.action_space = ActionText()
        self._world = make_world(self.options.world)
        # A reward that cannot be had fails here, not at the end of an episode.
        self._reward = make_reward(self.options.reward, judge=self.options.judge)
        if self.options.observation == "text" and getattr(self._reward, "reads_the_record", False):
            raise SetupError(
                'reward="judge" needs pictures, and observation="text" takes none; use observation="marks"',
                option="observation",
            )
        self._session: Episode | None = None

    @property
    def page(self) -> Page:
        """The tab the agent looks at."""
        tabs = self._running().tabs
        return shown(call(lambda: tabs.current))

    @property
    def tabs(self) -> Tabs:
        """The open tabs."""
        return shown(self._running().tabs)

    @property
    def context(self) -> BrowserContext | None:
        """The episode's browser context; ``None`` when no episode runs."""
        context = self._session.context if self._session else None
        return None if context is None else shown(context)

    @property
    def task(self) -> WebspTask | None:
        """The episode as a BrowserGym task; ``None`` when no episode runs."""
        return self._session.task if self._session else None

    @property
    def chat(self) -> MemoryChat | None:
        """The episode's chat; ``None`` when no episode runs."""
        return self._session.chat if self._session else None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begins a new episode: a fresh account and browser context, brought to a verified S0.

        Args:
            seed: Seed of the episode (colours of the marks), from 0 to 2**32 - 1.
            options: Options of ``gym.make`` that are otherwise in this episode
                (:data:`websp_gym.env.options.OF_AN_EPISODE`).

        Returns:
            The first observation, and ``info`` with how S0 was reached.

        Raises:
            SetupError: Browser, trace or record folder is missing or not usable.
            InitialStateError: S0 was not reached.
            ReplayError: A trace could not be replayed.
            WorldError: The world or its browser does not answer.
        """
        if seed is not None and not (isinstance(seed, int) and 0 <= seed < _SEEDS):
            raise SetupError(f"seed={seed!r}: give a whole number from 0 to {_SEEDS - 1}", option="seed")
        of_episode = for_episode(self.options, options)
        super().reset(seed=seed)
        called = time.monotonic()
        self._end(Ending("abandoned"))
        trim_heap()
        number = seed if seed is not None else int(self.np_random.integers(2**31))
        session = self._session = Episode(self.instance, of_episode, self._world, self._reward, number)
        return self._guarded(lambda: session.begin(called), "during reset", of_episode.reset_timeout)

    def step(self, action: str) -> StepResult:
        """Carries out one action.

        Args:
            action: A line of text such as ``Click [7]``; a whole ``Thought: … Action: …`` reply; or BrowserGym
                calls such as ``click('a12')``.

        Returns:
            Observation, reward (0.0 until the terminating step), terminated, truncated, info. A bad action
            changes nothing and is explained in ``last_action_error``.

        Raises:
            WorldError: The world or its browser failed; the episode is over without a score.
            SetupError: The record folder cannot be written any more.
        """
        session = self._running()
        if session.ending is not None:
            raise WorldError("the episode is over; call reset() to start a new one")
        called, timeout = time.monotonic(), session.options.step_timeout
        observation, info = self._guarded(lambda: session.step(action, called), "during the episode", timeout)
        ending = session.ending
        if ending is None:
            return observation, 0.0, False, False, info
        # In the caller's own thread: a judge takes its time, and no browser.
        reward = self._unless_it_fails(lambda: session.score(info))
        return observation, reward, not ending.is_limit, ending.is_limit, info

    def render(self) -> Any:
        """The last screenshot.

        Returns:
            uint8 array, height × width × 3; ``None`` when no episode runs, or under ``observation="text"``.
        """
        return self._session.observer.picture if self._session else None

    def close(self) -> None:
        """Ends the episode; the browser stays for the process's other environments."""
        self._end(Ending("abandoned"))

    def _guarded(self, function: Callable[[], Result], when: str, seconds: float) -> Result:
        """Runs a part of an episode on the thread that drives the browser."""
        try:
            return self._unless_it_fails(lambda: call(function, seconds=seconds))
        except PlaywrightError as error:
            raise as_world_error(error, when) from error

    def _unless_it_fails(self, function: Callable[[], Result]) -> Result:
        """Runs a part of an episode; whatever it raises ends the episode, without a score."""
        try:
            return function()
        except BaseException as error:
            # Ctrl-C is the caller's doing.
            self._end(Ending("error" if isinstance(error, Exception) else "abandoned", detail=str(error)))
            raise

    def _end(self, ending: Ending) -> None:
        session, self._session = self._session, None
        # After a fork the parent's episode is the parent's.
        if session is not None and session.pid == os.getpid():
            call(lambda: session.end(ending), seconds=_TO_END)

    def _running(self) -> Episode:
        if self._session is None:
            raise WorldError("no episode is running; call reset() first")
        if self._session.pid != os.getpid():
            raise WorldError(
                "this episode runs in the parent process; call reset() to start one in this process"
            )
        return self._session
