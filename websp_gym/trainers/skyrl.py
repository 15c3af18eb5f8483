"""Environments for SkyRL over a shared pool. Needs the extra ``skyrl``.

A SkyRL reward is a number, and the generator cannot express a rollout without one. So :class:`WebspTextEnv` raises
:class:`~websp_gym.errors.WorldError` instead of paying 0 for an episode that ended without a score. SkyRL's own
generator passes it on, which ends the training; the one of :func:`pool_generator` plays the rollout again.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from websp_gym.errors import SetupError, WorldError, missing_extra
from websp_gym.rollouts import Page, Pool, system_prompt, user_message
from websp_gym.tasks.instances import load_instance

try:
    import skyrl_gym
    from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput
    from skyrl_gym.envs.registration import deregister, registry
except ModuleNotFoundError as error:
    raise missing_extra("SkyRL's environments need skyrl-gym", "skyrl") from error

ENV_CLASS = "websp"
_TO_WAIT = 600.0
"""Seconds to wait for a free environment: a plain generator that starts too many rollouts would wait for ever."""

Message = dict[str, Any]


class WebspTextEnv(BaseTextEnv):  # type: ignore[misc]
    """One rollout. ``skyrl_gym.make`` builds it after :func:`register`.

    Args:
        extras: Columns of the row: ``instance`` and ``seed``; ``env`` is the environment to play in, by default a
            free one of the pool. SkyRL's ``max_turns`` is ignored: the environment has its own ``max_actions``.
        env_config: Ignored; the pool has the options.

    Raises:
        SetupError: The row has no instance, or there is no such instance.
    """

    pool: Pool
    """The environments, set by :func:`register`."""

    def __init__(self, *, extras: dict[str, Any], env_config: object = None) -> None:
        super().__init__()
        self._extras, self._lent = extras, ExitStack()
        if "instance" not in extras:
            raise SetupError('the row has no column "instance"; make_rows() writes it', option="instance")
        self._instance = load_instance(extras["instance"]).id
        self._page = Page(self._instance, extras.get("seed", 0))

    def init(self, prompt: list[Message]) -> tuple[list[Message], dict[str, Any]]:
        """Start the episode.

        Args:
            prompt: The prompt of the row; its system messages are kept.

        Returns:
            The system messages with the first page, and no metadata.

        Raises:
            WorldError: The episode could not be started.
            SetupError: There is no browser, or no environment became free.
        """
        self.close()
        self._env = self._extras.get("env") or self._lent.enter_context(self.pool.env(_TO_WAIT))
        self._look(self._env.reset(self._instance, self._page.seed))
        return [*(each for each in prompt if each["role"] == "system"), user_message(self._page)], {}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Carry out a reply.

        Args:
            action: An action, or a reply ``Thought: … Action: …``.

        Returns:
            The next page, or no message at the end; ``metadata["reason"]`` says how the episode ended.

        Raises:
            WorldError: The episode ended without a score.
        """
        self._look(self._env.step(action))
        page = self._page
        seen = [] if page.done else [user_message(page)]
        return BaseTextEnvStepOutput(
            observations=seen, reward=page.reward, done=page.done, metadata={"reason": page.reason}
        )

    def close(self) -> None:
        """Give the environment back to the pool."""
        self._lent.close()

    def get_metrics(self) -> dict[str, float]:
        """Return the number of turns and what the episode cost beside its goal."""
        return {"turns": float(self._page.turn), **(self._page.costs or {})}

    def _look(self, page: Page) -> None:
        self._page = page
        if page.unscored:
            self.close()
            raise WorldError(f"{page.instance} with seed {page.seed} ended without a score: {page.failure}")


def register(pool: Pool) -> None:
    """Register the environments of a pool with SkyRL as ``websp``, in place of those registered before.

    Call it in the process that generates, as SkyRL does with its own: inside the entry point's Ray task.
    """
    if ENV_CLASS in registry:
        deregister(ENV_CLASS)
    # A class, because SkyRL asks the entry point how to aggregate metrics.
    skyrl_gym.register(ENV_CLASS, type("WebspTextEnv", (WebspTextEnv,), {"pool": pool}))


def make_rows(episodes: Iterable[tuple[str, int]]) -> list[dict[str, Any]]:
    """Return the rows of a data set for SkyRL, to be written as Parquet or JSON lines.

    Args:
        episodes: Instance and seed of each row, for example of :func:`~websp_gym.rollouts.episodes.choose_episodes`.

    Returns:
        Rows with ``prompt`` (a system message and the instruction), ``env_class``, ``data_source``, ``instance`` and
        ``seed``.

    Raises:
        SetupError: There is no such instance.
    """
    return [
        {
            "prompt": [
                {"role": "system", "content": system_prompt()},
                {"role": "user", "content": load_instance(name).task.instruction},
            ],
            "env_class": ENV_CLASS,
            "data_source": "websp",
            "instance": name,
            "seed": seed,
        }
        for name, seed in episodes
    ]


def pool_generator(generator: type[Any], pool: Pool, *, tries: int = 3) -> type[Any]:
    """Return a subclass of a SkyRL generator that fits a pool.

    It plays as many rollouts at once as the pool has processes; SkyRL's own starts all rollouts of a batch, and those
    that wait for an environment would block the threads that the others need. A rollout that ends without a score
    is played again.

    Args:
        generator: ``SkyRLGymGenerator`` or a subclass.
        pool: The environments, registered with :func:`register`.
        tries: How often a rollout is played before its ``WorldError`` ends the training.

    Raises:
        SetupError: ``tries`` is wrong.
    """
    if tries < 1:
        raise SetupError(f"tries={tries!r}: give a whole number from 1", option="tries")

    class PoolGenerator(generator):  # type: ignore[misc]
        async def agent_loop(
            self, prompt: list[Message], env_class: str, env_extras: dict[str, Any], *args: Any, **kwargs: Any
        ) -> Any:
            if env_class != ENV_CLASS:
                return await super().agent_loop(prompt, env_class, env_extras, *args, **kwargs)
            played = 0
            while True:
                played += 1
                try:
                    async with pool.aenv() as env:
                        extras = {**env_extras, "env": env}
                        return await super().agent_loop(prompt, env_class, extras, *args, **kwargs)
                except WorldError:
                    if played == tries:
                        raise

    return PoolGenerator
