"""The Gymnasium environment of one instance (``WebspEnv``)."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, NoReturn

import gymnasium as gym
from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.launch import BrowserOptions, shared_browser
from websp_gym.browser.launch_errors import LaunchError
from websp_gym.browser.owner import call
from websp_gym.browser.remote import shown
from websp_gym.env.heap import trim_heap
from websp_gym.env.options import RENDER_MODES, check_readable, for_episode, read_options
from websp_gym.env.play import StepResult
from websp_gym.env.spaces import ActionText
from websp_gym.env.world_errors import as_world_error, info_after
from websp_gym.errors import SetupError, WebspError, WorldError
from websp_gym.observation import WITHOUT_PICTURE
from websp_gym.observation.observe import observation_space
from websp_gym.records.ending import Ending
from websp_gym.scoring.rewards import make_reward
from websp_gym.tasks.datasets import in_dataset
from websp_gym.tasks.instances import Instance
from websp_gym.world import make_world

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from playwright.sync_api import BrowserContext, Page

    from websp_gym.browser.shared_pipe import SharedPipe
    from websp_gym.browser.tabs import Tabs
    from websp_gym.env.chat import MemoryChat
    from websp_gym.env.episode import Episode
    from websp_gym.env.options import Options
    from websp_gym.env.outside import Turn
    from websp_gym.env.task import WebspTask
    from websp_gym.policies.applied import AppliedPolicies
    from websp_gym.policies.sets import Policies

    Returned = TypeVar("Returned")

_SEEDS = 2**32
_TO_END = 15.0
"""Seconds allowed for ending an episode. Closing its browser context takes at most five of them."""


class WebspEnv(gym.Env[dict[str, Any], str]):
    """One instance as a Gymnasium environment; ``gym.make("websp/…")`` returns it.

    An action is a text: one of :data:`websp_gym.actions.ACTIONS`, BrowserGym calls, or a computer-use action as JSON,
    which may also be a dictionary. An observation is a dictionary; its keys depend on the option ``observation``, and
    ``observation_space`` lists them. The reward is a Python ``float``: 0.0 on every step except the terminating one.

    Args:
        instance: The instance.
        **options: Fields of :class:`websp_gym.env.options.Options`.

    Raises:
        SetupError: An option is wrong, or something that an option needs is missing.
    """

    _own_options: tuple[str, ...] = ()
    """Reset options that a subclass accepts."""
    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 (as Gymnasium declares it)

    def __init__(self, instance: Instance, **options: Any) -> None:
        self.options = read_options(options)
        self.instance = instance = in_dataset(instance, self.options.dataset)
        check_readable(self.options, instance)
        self.render_mode = self.options.render_mode
        if self.options.observation in WITHOUT_PICTURE:
            if self.render_mode == "rgb_array":
                raise SetupError(
                    f'render_mode="{self.render_mode}" needs pictures, and '
                    f'observation="{self.options.observation}" has none; use observation="marks"',
                    option="render_mode",
                )
            self.metadata = {**self.metadata, "render_modes": ["human"]}
        policies = self._policies()
        self.observation_space = observation_space(
            self.options.observation,
            self.options.viewport,
            self.options.picture_scale,
            policies=policies is not None,
        )
        self.action_space = ActionText()
        of_world = {name: getattr(self.options, name) for name in self.options.kind.options}
        self._world = make_world(self.options.world, instance.site, **of_world)
        if policies is not None:
            self._check_policies(policies.declared)
        # Build the reward now: one that is unavailable must fail here, not at the end of an episode.
        self._reward = make_reward(self.options.reward, judge=self.options.judge, quorum=self.options.quorum)
        if self.options.observation == "text" and getattr(self._reward, "reads_the_record", False):
            raise SetupError(
                'reward="judge" needs pictures, and observation="text" takes none; use observation="marks"',
                option="observation",
            )
        self._episode: Episode | None = None
        self._pipe: SharedPipe | None = None

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "an environment has a browser and cannot be copied or pickled; make another one: gym.make(env.spec)"
        )

    @property
    def page(self) -> Page:
        """The tab the agent sees. Raises ``WorldError`` when no episode is running."""
        tabs = self._running().tabs
        return shown(call(lambda: tabs.current))

    @property
    def tabs(self) -> Tabs:
        """The open tabs. Raises ``WorldError`` when no episode is running."""
        return shown(self._running().tabs)

    @property
    def context(self) -> BrowserContext | None:
        """The browser context of the episode; ``None`` when no episode is running."""
        context = self._episode.context if self._episode else None
        return None if context is None else shown(context)

    @property
    def observation(self) -> dict[str, Any]:
        """The last observation of the running episode; empty before it begins."""
        return self._episode.observation if self._episode is not None else {}

    @property
    def task(self) -> WebspTask | None:
        """The episode as a BrowserGym task; ``None`` when no episode is running."""
        return self._episode.task if self._episode else None

    @property
    def ending(self) -> Ending | None:
        """How the episode ended; ``None`` while it runs, or if there is none."""
        return self._episode.ending if self._episode else None

    @property
    def chat(self) -> MemoryChat | None:
        """The chat of the episode; ``None`` when no episode is running."""
        return self._episode.chat if self._episode else None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start a new episode: a fresh account and browser context, brought to a verified initial state S0.

        If the browser dies as it starts or later, for example from what a page of an earlier episode did to it, the
        episode is started once more in a new browser. With ``on_error="truncate"`` it is started once more
        after any failure.

        Args:
            seed: Seed of the episode (colours of the marks), from 0 to 2**32 - 1; ``None`` draws one.
            options: Options that replace those of ``gym.make`` for this episode only
                (:data:`websp_gym.env.options.EPISODE_OPTIONS`).

        Returns:
            The first observation, and ``info`` with ``initial_state`` (how S0 was reached) and ``task_info``.

        Raises:
            SetupError: The seed, an option, the browser, a trace or the record folder is missing or unusable.
            InitialStateError: S0 was not reached.
            ReplayError: A trace could not be replayed.
            WorldError: The world or its browser does not respond.
        """
        if seed is not None and not (isinstance(seed, int) and 0 <= seed < _SEEDS):
            raise SetupError(
                f"seed={seed!r}: give a whole number from 0 to {_SEEDS - 1}, as a Python int", option="seed"
            )
        of_episode = for_episode(self.options, options, *self._own_options)
        super().reset(seed=seed)
        called = time.monotonic()
        self._end(Ending("abandoned"))
        trim_heap()
        number = seed if seed is not None else int(self.np_random.integers(2**31))
        episode = self._new_episode(of_episode, number)
        try:
            return self._begin(episode, called)
        except WebspError as error:
            died = episode.lost_browser or isinstance(error, LaunchError)
            if not (died or _is_forgiven(error, of_episode)):
                raise
        return self._begin(self._new_episode(of_episode, number), called)

    def step(self, action: Turn | Mapping[str, Any]) -> StepResult:
        """Carry out one action.

        Args:
            action: A single action such as ``Click [7]``, a whole reply such as ``Thought: … Action: …``, or
                BrowserGym calls such as ``click('a12')``; a computer-use action as a dictionary or as JSON text, such
                as ``{"type": "click", "x": 100, "y": 200}``; or what an outside agent does by itself.

        Returns:
            Observation, reward, terminated, truncated and info. The reward is 0.0 until the terminating step.
            On the last step ``info`` also has ``reason``, ``caused_by``, ``verdict``, ``side_effects`` and
            ``unscored``, and ``costs`` where the end state is known: the numbers of ``side_effects``,
            ``destructive`` events, counted ``actions`` and ``seconds``. An invalid action changes nothing; the
            observation explains it in ``last_action_error``. With ``on_error="truncate"``, a failure of the
            world ends the episode: the observation is the last one, and ``info`` has ``error``.

        Raises:
            WorldError: No episode is running, the episode is over, the world or its browser failed (unless
                ``on_error="truncate"``), or the end state gives no verdict (unless ``on_unscored="zero"``).
            JudgeError: The judge gave no usable verdict (unless one of these options is set).
            SetupError: The record folder can no longer be written to.
        """
        episode = self._running()
        if episode.ending is not None:
            raise WorldError("the episode is over; call reset() to start a new one")
        try:
            return self._step(episode, action)
        except WebspError as error:
            if not _is_forgiven(error, episode.options):
                raise
            return episode.observation, 0.0, False, True, info_after(error, self.instance.id)

    def render(self) -> Any:
        """Return the last screenshot.

        Returns:
            A uint8 array of shape (height, width, 3); ``None`` when no episode is running, with
            ``render_mode="human"``, or with ``observation="text"`` or ``"axtree"``.
        """
        is_shown = self.render_mode == "human"
        return self._episode.observer.picture if self._episode and not is_shown else None

    def start_browser(self) -> None:
        """Start the browser now; otherwise the first reset does.

        Raises:
            BrowserNotFoundError: No browser was found, or it cannot be executed.
            WorldError: The world does not respond, or the browser ended while it started.
        """
        flags = self.browser_options
        call(lambda: shared_browser(flags), seconds=self.options.reset_timeout)

    @property
    def browser_options(self) -> BrowserOptions:
        """Launch options of the next episode's browser; environments with equal options share one."""
        return BrowserOptions(self.options.headless, self._world.browser_args(), self._pipe)

    def start_clock(self) -> float:
        """Restart the episode's clock, before its first action: a person sees the page only now.

        Returns:
            The moment, on the monotonic clock.
        """
        assert self._episode is not None, "call reset() first"
        return self._episode.start_clock()

    def share_browser(self, pipe: SharedPipe | None) -> None:
        """Let an outside agent use the browser of later episodes, which is then a separate one.

        Args:
            pipe: Shares its DevTools connection; ``None`` ends this. The caller closes that browser.
        """
        self._end(Ending("abandoned"))
        self._pipe = pipe

    def close(self) -> None:
        """End the episode. The browser stays open for other environments of the same process."""
        self._end(Ending("abandoned"))

    def _new_episode(self, options: Options, seed: int) -> Episode:
        # Half of our modules, which a process that only checks options does not need, such as the parent of a pool.
        from websp_gym.env.episode import Episode

        return Episode(self.instance, options, self._world, self._reward, seed, self._policies(), self._pipe)

    def _check_policies(self, policies: Policies) -> None:
        """Raise ``SetupError`` for policies that need a server of ours in a world that has none."""
        if not self.options.kind.is_ours and (policies.texts or any(policies.faults)):
            raise SetupError(
                f"the policies {', '.join(policies.spec)} plant texts or faults, which is impossible on a "
                "live website; use a set without them",
                option="policies",
            )
        if policies.right_end is not None and (
            not self.options.kind.is_ours or self.options.reward == "judge"
        ):
            raise SetupError(
                f"the policies {', '.join(policies.spec)} have a right_end, which needs the state of the "
                'sandbox; use world="sandbox" and a reward other than "judge", or a set without it',
                option="policies",
            )

    def _policies(self) -> AppliedPolicies | None:
        """Return the policies of the current instance; a subclass plays others in later episodes."""
        if not self.options.policies:
            return None
        # Fifty modules, which most episodes do not need.
        from websp_gym.policies.applied import AppliedPolicies

        return AppliedPolicies(self.instance, self.options.policies, self.options.user)

    def _begin(self, episode: Episode, called: float) -> tuple[dict[str, Any], dict[str, Any]]:
        self._episode = episode
        return self._guarded(lambda: episode.begin(called), "during reset", episode.options.reset_timeout)

    def _step(self, episode: Episode, action: Turn | Mapping[str, Any]) -> StepResult:
        called, timeout = time.monotonic(), episode.options.step_timeout
        self._unless_it_fails(episode.wait)
        observation, info = self._guarded(lambda: episode.step(action, called), "during the episode", timeout)
        ending = episode.ending
        if ending is None:
            return observation, 0.0, False, False, info
        # Score on the caller's thread: a judge is slow and does not use the browser.
        reward = self._unless_it_fails(lambda: episode.score(info))
        return observation, reward, not ending.is_limit, ending.is_limit, info

    def _guarded(self, function: Callable[[], Returned], when: str, seconds: float) -> Returned:
        """Run ``function`` on the thread that drives the browser; end the episode if it raises."""
        try:
            return self._unless_it_fails(lambda: call(function, seconds=seconds))
        except PlaywrightError as error:
            raise as_world_error(error, when) from error

    def _unless_it_fails(self, function: Callable[[], Returned]) -> Returned:
        """Run ``function``; if it raises, end the episode without a score and re-raise."""
        try:
            return function()
        except BaseException as error:
            # Ctrl-C comes from the caller; it is not an error of the world.
            self._end(Ending("error" if isinstance(error, Exception) else "abandoned", detail=str(error)))
            raise

    def _end(self, ending: Ending) -> None:
        episode, self._episode = self._episode, None
        # After a fork, the episode still belongs to the parent process.
        if episode is not None and episode.pid == os.getpid():
            to_restore = episode.options.reset_timeout if episode.options.restore else 0.0
            call(lambda: episode.end(ending), seconds=_TO_END + to_restore)

    def _running(self) -> Episode:
        if self._episode is None:
            raise WorldError("no episode is running; call reset() first")
        if self._episode.pid != os.getpid():
            raise WorldError(
                "this episode runs in the parent process; call reset() to start one in this process"
            )
        return self._episode


def _is_forgiven(error: WebspError, options: Options) -> bool:
    """Whether an error ends only the episode. What the user can fix, such as a full disk, is always raised."""
    return options.on_error == "truncate" and not isinstance(error, SetupError)
