"""Environments that wait for rollouts (``Pool``)."""

from __future__ import annotations

import asyncio
import queue
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from types import TracebackType
from typing import Any, Self
from weakref import WeakKeyDictionary

from websp_gym.errors import SetupError
from websp_gym.rollouts.remote import RemoteEnv
from websp_gym.rollouts.transcript import Transcript

Policy = Callable[[Transcript], str]
"""Chooses the reply to the last page of a rollout. Several threads call it at once."""
_POLL = 0.005
"""Seconds after which the first waiting coroutine looks for a free environment again."""


class Pool:
    """Environments in processes of their own, started in advance, for any number of rollouts.

    Use it as a context manager, or close it. Its methods may be called from any thread.

    Args:
        size: Number of environments.
        per_process: How many of them share a process and its browser. That saves memory (half of it, at
            four), but one of them acts at a time, and a process that dies ends the rollouts of all of them.
        **options: ``pictures``, ``timeout``, ``retries`` and options of ``gym.make``, as for
            :class:`~websp_gym.rollouts.remote.RemoteEnv`.

    Raises:
        SetupError: The size or an option is wrong.
    """

    def __init__(self, size: int = 1, *, per_process: int = 1, **options: Any) -> None:
        for name, number in (("size", size), ("per_process", per_process)):
            if number < 1:
                raise SetupError(f"{name}={number!r}: give a whole number from 1", option=name)
        self._options = options
        self._envs: list[RemoteEnv] = []
        self._free: queue.SimpleQueue[RemoteEnv] = queue.SimpleQueue()
        self._turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
        self._open(size, per_process)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def size(self) -> int:
        """Number of environments."""
        return len(self._envs)

    @property
    def restarts(self) -> int:
        """How often a process that died or hung was replaced."""
        return sum(process.restarts for process in {env.process for env in self._envs})

    @property
    def dropped(self) -> int:
        """How many rollouts ended without a score, because something failed that was not the policy."""
        return sum(env.dropped for env in self._envs)

    @contextmanager
    def env(self, timeout: float | None = None) -> Iterator[RemoteEnv]:
        """Wait for a free environment and lend it; it is free again at the end of the ``with`` block.

        Args:
            timeout: Seconds to wait; ``None`` waits for ever.

        Raises:
            SetupError: No environment became free in time.
        """
        try:
            env = self._take(timeout)
        except queue.Empty:
            raise SetupError(
                f"none of the {self.size} environments became free within {timeout:g} seconds: "
                "play fewer rollouts at once, or give the pool more processes",
                option="size",
            ) from None
        try:
            yield env
        finally:
            self._free.put(env)

    @asynccontextmanager
    async def aenv(self) -> AsyncIterator[RemoteEnv]:
        """Lend an environment, like :meth:`env`, without blocking the event loop."""
        # Only the first of the waiting coroutines looks for one, however many there are.
        async with self._turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
            while True:
                try:
                    env = self._take(timeout=0)
                    break
                except queue.Empty:
                    # A thread that waited for a cancelled coroutine would keep the environment.
                    await asyncio.sleep(_POLL)
        try:
            yield env
        finally:
            self._free.put(env)

    def rollout(self, instance: str, policy: Policy, *, seed: int = 0) -> Transcript:
        """Play one episode.

        Args:
            instance: Id of the instance.
            policy: The policy. An error that it raises ends the rollout and is raised here.
            seed: Seed of the episode.

        Raises:
            SetupError: There is no such instance, the seed is wrong, or there is no browser.
        """
        with self.env() as env:
            played = Transcript((env.reset(instance, seed),))
            while not played.page.done:
                reply = policy(played)
                played = played.after(reply, env.step(reply))
        return played

    def rollouts(self, episodes: Iterable[tuple[str, int]], policy: Policy) -> list[Transcript]:
        """Play several episodes, as many at once as there are environments.

        Args:
            episodes: Instance and seed of each.
            policy: The policy; several threads call it at once.

        Returns:
            The rollouts, in the order of ``episodes``.
        """
        with ThreadPoolExecutor(self.size) as threads:
            return list(threads.map(lambda one: self.rollout(one[0], policy, seed=one[1]), episodes))

    def group(self, instance: str, policy: Policy, size: int, *, seed: int = 0) -> list[Transcript]:
        """Play a group of rollouts from the same S0.

        Args:
            instance: Id of the instance.
            policy: The policy; several threads call it at once.
            size: Number of rollouts.
            seed: Seed of all of them.
        """
        return self.rollouts([(instance, seed)] * size, policy)

    def close(self) -> None:
        """End all processes, each after the call that it is answering."""
        with ThreadPoolExecutor(self.size) as threads:
            list(threads.map(RemoteEnv.close, self._envs))

    def _open(self, size: int, per_process: int) -> None:
        while size > 0:
            envs = RemoteEnv.share(min(size, per_process), **self._options)
            self._add(envs)
            size -= len(envs)

    def _add(self, envs: Iterable[RemoteEnv]) -> None:
        for env in envs:
            env.start()
            self._envs.append(env)
            self._free.put(env)

    def _take(self, timeout: float | None = None) -> RemoteEnv:
        """Return a free environment. Raise ``queue.Empty`` if there is none within ``timeout`` seconds."""
        return self._free.get(timeout=timeout)
