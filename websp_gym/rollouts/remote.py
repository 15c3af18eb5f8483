"""An environment in a process of its own, used from any thread or coroutine (``RemoteEnv``)."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING, Any

from websp_gym.env.registration import make_sampled_env
from websp_gym.errors import SetupError, WebspError, WorldError
from websp_gym.rollouts.page import Page
from websp_gym.rollouts.process import EnvProcess, ProcessError
from websp_gym.rollouts.worker import Reply, Request, Reset, Step
from websp_gym.scoring.outcome import default_reward
from websp_gym.world import make_world

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

_OWN = {"observation": "give pictures=True for screenshots", "on_error": "a failure is an unscored page"}
"""Options that a ``RemoteEnv`` sets itself, and what to do instead of giving them."""


class RemoteEnv:
    """An environment in a process of its own. It plays any instance, one episode at a time.

    A failure of the world, the browser or the process raises no error. The same actions are repeated from a fresh S0,
    and the episode goes on. If they fail again, it ends with a page whose ``reward`` is ``None``; but an action that
    brings down the world or the browser both times is the policy's own failure, with the reward 0.0.

    Args:
        pictures: Whether pages have a screenshot, with marks.
        timeout: Seconds after which a process that does not answer is killed.
        retries: How often an episode is repeated after a failure: 0 or 1.
        **options: Options of ``gym.make``, such as ``reward``, ``max_actions`` and ``viewport``. By default S0 is
            restored from a snapshot, and the reward is ``strict``, which pays nothing after a side effect.

    Raises:
        SetupError: An option is wrong.
    """

    def __init__(
        self, *, pictures: bool = False, timeout: float = 300.0, retries: int = 1, **options: Any
    ) -> None:
        for name in _OWN.keys() & options.keys():
            raise SetupError(f"a RemoteEnv takes no {name}: {_OWN[name]}", option=name)
        if retries not in (0, 1):
            raise SetupError(f"retries={retries!r}: give 0 or 1", option="retries")
        self.dropped = 0
        """How many episodes ended without a score."""
        kind = "marks" if pictures else "text"
        reward = default_reward(str(options.get("world", "sandbox")), training=True)
        of_env = {
            "initial_state": "snapshot",
            "reward": reward,
            **options,
            "observation": kind,
            "on_error": "truncate",
        }
        # Building an environment checks all options; in the process it would be too late to say what is wrong.
        world = make_world(make_sampled_env(**of_env).options.world)
        self.process = EnvProcess(of_env, world)
        """Its process, which it may share with others (:meth:`share`)."""
        self._number = 0
        self._timeout = timeout
        self._retries = retries
        self._page: Page | None = None
        self._given: list[str] = []
        """The replies of the episode, to repeat them after a failure."""
        self._begun_in: SpawnProcess | None = None
        # One call at a time. Coroutines wait in a thread of this environment and not in the few of the event loop.
        self._lock = threading.Lock()
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="websp-rollout")

    @classmethod
    def share(cls, size: int, **options: Any) -> list[RemoteEnv]:
        """Return environments that share one process and one browser: less memory, and one acts at a time.

        If the process dies, the episodes of all of them end without a score.

        Args:
            size: Number of environments.
            **options: As for one environment.
        """
        envs = [cls(**options) for _ in range(size)]
        shared = envs[0].process.of_size(size)
        for number, env in enumerate(envs):
            env.process, env._number = shared, number
        return envs

    @property
    def restarts(self) -> int:
        """How often a process that died or hung was ended, to be replaced."""
        return self.process.restarts

    def __enter__(self) -> RemoteEnv:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the process and its browser in the background; otherwise the first reset does."""
        self._start()

    def reset(self, instance: str, seed: int = 0) -> Page:
        """Start an episode. A reset that fails is tried once more in a new process.

        Args:
            instance: Id of the instance.
            seed: Seed of the episode. Rollouts with the same instance and seed start from the same S0.

        Returns:
            The first page; if the reset failed twice, an unscored page that is ``done``.

        Raises:
            SetupError: There is no such instance, the seed is wrong, or there is no browser.
        """
        with self._lock:
            self._page, self._given = None, []
            page = self._reset(instance, seed) or self._reset(instance, seed, last=True)
            assert page is not None
            return self._keep(page)

    def step(self, text: str) -> Page:
        """Carry out a reply of the policy.

        Args:
            text: An action, or a reply ``Thought: … Action: …``.

        Returns:
            The next page; ``done`` says whether it is the last one.

        Raises:
            WorldError: No episode is running, or it is over.
            RuntimeError: A reward function failed; the message has its traceback.
        """
        with self._lock:
            if self._page is None:
                raise WorldError("no episode is running, or it is over; call reset() first")
            self._given.append(text)
            page = self._step(text, self._page)
            if page.lost and self._retries:
                page = self._repeat(page)
            return self._keep(page)

    async def areset(self, instance: str, seed: int = 0) -> Page:
        """Start an episode, like :meth:`reset`, without blocking the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self.reset, instance, seed)

    async def astep(self, text: str) -> Page:
        """Carry out a reply, like :meth:`step`, without blocking the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._executor, self.step, text)

    def close(self) -> None:
        """End the episode, and the browser and the process, also of others that share them. A reset starts them."""
        with self._lock:
            self._page = None
            self.process.close()

    def _start(self) -> None:
        self.process.start()

    def _reset(self, instance: str, seed: int, *, last: bool = False) -> Page | None:
        """Return the first page; ``None`` after a failure, or, if this is the last try, an unscored page."""
        try:
            return self._call(Reset(instance, seed))
        except SetupError:
            raise
        except WebspError as error:
            if not isinstance(error, ProcessError):
                self.process.replace(self._begun_in)
            return _broken(Page(instance, seed), error) if last else None

    def _step(self, text: str, before: Page) -> Page:
        try:
            return self._call(Step(text))
        except ProcessError as error:
            return _broken(replace(before, turn=before.turn + 1), error)

    def _repeat(self, lost: Page) -> Page:
        """Repeat the episode's replies from a fresh S0, and return the page after the last one."""
        page = self._reset(lost.instance, lost.seed)
        if page is None:
            return lost
        for number, text in enumerate(self._given, 1):
            page = self._step(text, page)
            if number == len(self._given) and lost.lost == page.lost == "world":
                said = f"action {number} ended the episode with an error, and did so again: {page.failure}"
                return replace(page, reward=0.0, failure=said, lost="")
            if page.done:
                return page
        return page

    def _keep(self, page: Page) -> Page:
        self._page = None if page.done else page
        self.dropped += page.unscored
        return page

    def _call(self, request: Request) -> Page:
        reply = self._answer(request)
        if isinstance(reply, Exception):
            raise reply
        return reply

    def _answer(self, request: Request) -> Reply:
        if isinstance(request, Reset):
            self._start()
            self._begun_in = self.process.running
        elif self.process.running is not self._begun_in:
            raise ProcessError("the process of the environment died meanwhile; call reset()")
        return self.process.ask(self._number, request, self._timeout)


def _broken(page: Page, error: WebspError) -> Page:
    """Return a page as the last one of an episode that ended without a score."""
    ended = replace(page, reward=None, done=True, truncated=True, reason="error", failure=str(error))
    return replace(ended, lost="process" if isinstance(error, ProcessError) else "world")
