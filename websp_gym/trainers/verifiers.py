"""A taskset, environment and harness for ``verifiers``. Needs the extra ``verifiers``.

Its loader imports ids as top-level modules, so the id is ``websp-verifiers`` and the module :mod:`websp_verifiers`::

    vf-eval websp-verifiers -m MODEL --env.taskset.split test --no-push
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Literal

from pydantic import Field

from websp_gym.errors import WorldError, missing_extra
from websp_gym.rollouts import Page, Pool, choose_episodes, system_prompt, user_message
from websp_gym.rollouts.episodes import Solved
from websp_gym.tasks.splits import SplitBy

try:
    import verifiers.v1 as vf
    from openai import APIStatusError, AsyncOpenAI
    from verifiers.v1.dialects.chat import message_to_wire
    from verifiers.v1.harnesses.utils.compaction import is_context_overflow
except ImportError as error:
    raise missing_extra("the environment for verifiers needs verifiers 0.4 or newer", "verifiers") from error


class EpisodeData(vf.TaskData):  # type: ignore[misc]
    """One episode: an instance and a seed. ``name`` is the instance, ``id`` is ``INSTANCE:SEED``."""

    instance: str
    seed: int


class EpisodeTask(vf.Task[EpisodeData, vf.State, vf.TaskConfig]):  # type: ignore[misc]
    """A task without a prompt: the first page opens the conversation."""

    @property
    def key(self) -> str:
        """The same in every run, whatever else is selected."""
        return str(self.data.id)


class WebspConfig(vf.TasksetConfig):  # type: ignore[misc]
    """Which episodes to play; see :func:`~websp_gym.rollouts.episodes.choose_episodes`."""

    ids: list[str] = Field(default_factory=lambda: ["*"])
    split: Literal["train", "test"] | None = None
    split_by: SplitBy = "task"
    solved: Solved = "keep"
    trials: int = 1


class WebspTaskset(vf.Taskset[EpisodeTask, WebspConfig]):  # type: ignore[misc]
    """The chosen instances, each with ``trials`` seeds."""

    def load(self) -> Iterator[EpisodeTask]:
        """Yield a task for each instance and seed.

        Raises:
            SetupError: No instance is left, or an option is wrong.
        """
        chosen = self.config
        episodes = choose_episodes(
            chosen.ids,
            split=chosen.split,
            split_by=chosen.split_by,
            solved=chosen.solved,
            trials=chosen.trials,
        )
        for name, seed in episodes:
            data = EpisodeData(
                id=f"{name}:{seed}", name=name, instance=name, seed=seed, system_prompt=system_prompt()
            )
            yield EpisodeTask(data, chosen.task)


class PoolEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """Options of the environment."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The model under evaluation or training. It runs no code, so it needs no container."""
    processes: int = 1
    """Number of environments, and of rollouts that play at once."""
    pictures: bool = False
    """Whether pages have a screenshot with marks."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of ``Pool`` and ``gym.make``, such as ``retries``, ``max_actions`` and ``reward``."""
    retries: vf.RetryConfig = vf.RetryConfig(rules=[vf.RetryRule(type="EnvError", max_retries=2)])
    """An episode that ended without a score is played again."""


class PoolEnv(vf.Env[PoolEnvConfig]):  # type: ignore[misc]
    """Plays the tasks in a pool of environments. The trace's reward is the episode's, its metrics are the costs."""

    _pool: Pool | None = None

    async def start(self) -> None:
        """Start the processes.

        Raises:
            SetupError: An option is wrong.
        """
        chosen = self.config
        self._pool = await asyncio.to_thread(
            Pool, chosen.processes, pictures=chosen.pictures, **chosen.options
        )

    async def stop(self) -> None:
        """End the processes."""
        if self._pool is not None:
            await asyncio.to_thread(self._pool.close)

    async def run(self, task: EpisodeTask, agents: Any) -> None:
        """Play one episode. A limit of the agent (``max_turns`` and the like) ends it with a reward of 0.

        Raises:
            WorldError: It ended without a score. The framework marks the episode as failed.
        """
        assert self._pool is not None
        async with self._pool.aenv() as env:
            page = _scored(await env.areset(task.data.instance, task.data.seed))
            async with agents.player.interaction(task) as talk:
                while not page.done:
                    said = await talk.turn([user_message(page)])
                    if said.terminated:
                        break
                    page = _scored(await env.astep(said.last_reply))
                trace = talk.trace
                if not trace.errors:
                    trace.record_reward("websp", page.reward if page.done else 0.0)
                    trace.record_metrics(page.costs or {})
                    trace.info["reason"] = page.reason or trace.stop_condition


def _scored(page: Page) -> Page:
    if page.unscored:
        raise WorldError(f"{page.instance} with seed {page.seed} ended without a score: {page.failure}")
    return page


class WebspHarness(vf.Harness[vf.HarnessConfig]):  # type: ignore[misc]
    """Asks the model in this process.

    The framework's ``null`` harness does the same in a program that it installs with ``uv`` and starts for each turn.
    """

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Send the conversation so far to the framework's endpoint, which records the reply."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}, *map(message_to_wire, prompt)]
        async with AsyncOpenAI(base_url=endpoint, api_key=secret, timeout=None) as client:
            try:
                await client.chat.completions.create(model=ctx.model, messages=messages)
            except APIStatusError as error:
                # A full context is a limit of the model and ends the episode.
                if not is_context_overflow(error):
                    raise
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")
