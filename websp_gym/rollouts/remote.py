"""An environment in a process of its own, used from any thread or coroutine (``RemoteEnv``)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any

from websp_gym.env.registration import make_sampled_env
from websp_gym.errors import SetupError, WebspError, WorldError
from websp_gym.processes import Answer, EpisodeProcess, Notify, ProcessError
from websp_gym.records.results import Try
from websp_gym.rollouts.page import Page, split_picture
from websp_gym.scoring.blame import is_own_failure, own_failure
from websp_gym.scoring.outcome import default_reward
from websp_gym.world import make_world

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

    from websp_gym.env.sampled import SampledEnv

Request = tuple[str, int] | str
"""An instance and a seed to reset to, or a reply to carry out."""
_OWN = {"observation": "give pictures=True for screenshots", "on_error": "a failure is an unscored page"}
"""Options that a ``RemoteEnv`` sets itself, and what to do instead of giving them."""
_SELECTING = {"ids", "site", "category", "split"}
_ANY: dict[str, Any] = {"ids": ("*", "*-flow-*", "*-stwab-*")}
"""Unless the options select some, any instance can be played."""


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
        self._options = {
            "initial_state": "snapshot",
            "reward": reward,
            **options,
            "observation": kind,
            "on_error": "truncate",
        }
        # Building an environment checks all options; in the process it would be too late to say what is wrong.
        world = make_world(make_sampled_env(**self._options).options.world)
        # All processes share one server of the sandbox, so the parent starts it.
        self.process = EpisodeProcess(partial(_playing, self._options), before=world.browser_args)
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
        shared = envs[0].process
        shared.size = size
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
        self.process.start()

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

    def _reset(self, instance: str, seed: int, *, last: bool = False) -> Page | None:
        """Return the first page; ``None`` after a failure, or, if this is the last try, an unscored page."""
        try:
            return self._call((instance, seed))
        except SetupError:
            raise
        except WebspError as error:
            if not isinstance(error, ProcessError):
                self.process.kill(self._begun_in)
            return _broken(Page(instance, seed), error) if last else None

    def _step(self, text: str, before: Page) -> Page:
        try:
            return self._call(text)
        except ProcessError as error:
            return _broken(replace(before, turn=before.turn + 1), error)

    def _repeat(self, lost: Page) -> Page:
        """Repeat the episode's replies from a fresh S0, and return the page after the last one."""
        page = self._reset(lost.instance, lost.seed)
        if page is None:
            return lost
        for text in self._given:
            page = self._step(text, page)
            if page.done:
                break
        again = _try_of(page)
        if page.lost and is_own_failure([_try_of(lost), again]):
            return replace(page, reward=0.0, failure=own_failure(again), lost="")
        return page

    def _keep(self, page: Page) -> Page:
        self._page = None if page.done else page
        self.dropped += page.unscored
        return page

    def _call(self, request: Request) -> Page:
        if isinstance(request, tuple):
            self._begun_in = self.process.start()
        elif self.process.running is not self._begun_in:
            raise ProcessError("the process of the environment died meanwhile; call reset()")
        self.process.send(request, self._number)
        page: Page = self.process.receive(self._number, timeout=self._timeout)
        return page


@contextmanager
def _playing(options: Mapping[str, Any], notify: Notify) -> Iterator[Answer]:
    """Answer requests with pages, in the process of the environment."""
    env = make_sampled_env(**({} if _SELECTING & options.keys() else _ANY), **options)
    with suppress(WebspError):  # the first reset raises it again, and that is answered
        env.start_browser()
    page = Page("", 0)

    def answer(request: Request) -> Page:
        nonlocal page
        page = _first(env, *request) if isinstance(request, tuple) else _next(env, request, page)
        return page

    try:
        yield answer
    finally:
        env.close()


def _first(env: SampledEnv, instance: str, seed: int) -> Page:
    seen, _info = env.reset(seed=seed, options={"instance": instance})
    assert env.task is not None
    return Page(env.instance.id, seed, 0, dict(env.task.world_episode.account), *split_picture(seen))


def _next(env: SampledEnv, text: str, before: Page) -> Page:
    seen, reward, terminated, truncated, info = env.step(text)
    observation, picture = split_picture(seen)
    unscored = info.get("unscored", False)
    return replace(
        before,
        turn=before.turn + 1,
        observation=observation,
        picture=picture,
        reward=None if unscored else reward,
        done=terminated or truncated,
        truncated=truncated,
        reason=info.get("reason", ""),
        failure=info["verdict"]["reason"] if unscored else "",
        lost="world" if unscored and info["verdict"]["source"] == "world" else "",
        costs=info.get("costs"),
    )


def _broken(page: Page, error: WebspError) -> Page:
    """Return a page as the last one of an episode that ended without a score."""
    ended = replace(page, reward=None, done=True, truncated=True, reason="error", failure=str(error))
    return replace(ended, lost="process" if isinstance(error, ProcessError) else "world")


def _try_of(page: Page) -> Try:
    """Return the attempt that ended with a lost page."""
    return Try(error=page.failure, stage="action" if page.lost == "world" else "process", step=page.turn)
