"""The environment of one session."""

from __future__ import annotations

import random
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

from websp_gym.errors import SetupError, WorldError, nearest
from websp_gym.project import VERSION
from websp_gym.rollouts import Pool, RemoteEnv
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.selection import draw_instance
from websp_gym.tasks.splits import SIDES, SplitBy, split_ids
from websp_gym.trainers.openenv.models import WebspAction, WebspObservation, WebspState


@dataclass(frozen=True)
class TaskSpec:
    """An instance in OpenEnv's Task API, without its goal and initial state.

    Args:
        id: Id of the instance.
        split: ``train`` or ``test``.
        index: Its place in the split.
    """

    id: str
    split: str
    index: int


Splits = Mapping[str, Sequence[TaskSpec]]


def make_splits(by: SplitBy = "task") -> Splits:
    """Return the instances of each side of :func:`~websp_gym.tasks.splits.split_ids`."""
    return {
        side: [TaskSpec(name, side, index) for index, name in enumerate(ids)]
        for side, ids in zip(SIDES, split_ids(by), strict=True)
    }


class WebspEnvironment(Environment[WebspAction, WebspObservation, WebspState]):  # type: ignore[misc]
    """One session. It borrows an environment of the pool at the first reset and returns it when it is closed.

    Args:
        pool: The environments.
        splits: The instances of each split.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, pool: Pool, splits: Splits) -> None:
        super().__init__()
        self._pool = pool
        self._splits = splits
        self._state = WebspState()
        self._env: RemoteEnv | None = None
        self._borrowed = ExitStack()

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        *,
        instance: str | None = None,
        split: str | None = None,
        index: int | None = None,
        **unknown: Any,
    ) -> WebspObservation:
        """Start an episode of an instance, of the one at an index of a split, or of one drawn by the seed.

        Args:
            seed: Seed of the episode and of the draw, as for ``websp-v0``; ``None`` draws one.
            episode_id: Id of the episode; ``None`` makes one.
            instance: Id of the instance.
            split: ``train`` or ``test``; without ``index``, the instance is drawn from it.
            index: Place of the instance in the split.
            **unknown: Refused.

        Returns:
            The first page. If the world failed, a page that is ``done``, with reward ``None``.

        Raises:
            SetupError: There is no such instance, split or index, or an argument is wrong.
        """
        if unknown:
            raise _unknown(
                "option", next(iter(unknown)), ("seed", "episode_id", "instance", "split", "index")
            )
        seed = random.randrange(2**32) if seed is None else seed
        if not isinstance(seed, int) or seed < 0:
            raise SetupError(f"seed={seed!r}: give a whole number from 0", option="seed")
        state = WebspState(
            episode_id=uuid.uuid4().hex if episode_id is None else episode_id,
            instance=self._choose(seed, instance, split, index),
            seed=seed,
        )
        if self._env is None:
            self._env = self._borrowed.enter_context(self._pool.env())
        page = self._env.reset(state.instance, seed)
        self._state = state
        return WebspObservation.of(page)

    def step(self, action: WebspAction, timeout_s: float | None = None, **_: Any) -> WebspObservation:
        """Carry out a reply of the policy.

        Args:
            action: The reply.
            timeout_s: Ignored: the environment has limits of its own.

        Raises:
            WorldError: No episode is running, or it is over.
        """
        if self._env is None:
            raise WorldError(
                "no episode is running; call reset() first, over a WebSocket: "
                "each request over HTTP is a session of its own"
            )
        page = self._env.step(action.text)
        self._state = self._state.model_copy(update={"step_count": self._state.step_count + 1})
        return WebspObservation.of(page)

    @property
    def state(self) -> WebspState:
        """The current episode."""
        return self._state

    def close(self) -> None:
        """Give the environment back."""
        self._env = None
        self._borrowed.close()

    def get_metadata(self) -> EnvironmentMetadata:
        """Return the name, version and description of the environment."""
        return EnvironmentMetadata(
            name="websp",
            description="Web agents on website security and privacy tasks, on replica sites",
            version=VERSION,
        )

    def list_splits(self) -> list[str]:
        """Return the names of the splits."""
        return list(self._splits)

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """Return all instances of a split."""
        return [asdict(task) for task in self._tasks(split)]

    def num_tasks(self, split: str) -> int:
        """Return the number of instances of a split."""
        return len(self._tasks(split))

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """Return one instance of a split; raise ``IndexError`` if there is none."""
        tasks = self._tasks(split)
        if not 0 <= index < len(tasks):
            raise IndexError(f"index={index}: the split {split} has {len(tasks)} instances")
        return asdict(tasks[index])

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        """Return the instances of a split from ``start`` to before ``stop``."""
        return self.list_tasks(split)[start:stop]

    def _tasks(self, split: str) -> Sequence[TaskSpec]:
        if split not in self._splits:
            raise _unknown("split", split, tuple(self._splits))
        return self._splits[split]

    def _choose(self, seed: int, instance: str | None, split: str | None, index: int | None) -> str:
        """Return the instance to play. The arguments come from outside and may be of any type."""
        if instance is not None:
            if split is not None or index is not None:
                raise SetupError("give an instance, or a split and an index, but not both", option="instance")
            return load_instance(str(instance)).id
        if split is None:
            if index is not None:
                raise SetupError(f"index={index!r}: give its split too", option="split")
            return draw_instance(instance_ids(), np.random.default_rng(seed))
        ids = [task.id for task in self._tasks(str(split))]
        if index is None:
            return draw_instance(ids, np.random.default_rng(seed))
        if not isinstance(index, int) or not 0 <= index < len(ids):
            raise SetupError(f"index={index!r}: give a whole number from 0 to {len(ids) - 1}", option="index")
        return ids[index]


def _unknown(what: str, name: str, known: tuple[str, ...]) -> SetupError:
    return SetupError(f'no {what} "{name}"{nearest(name, known)} ({what}s: {", ".join(known)})', option=what)
