"""One instance as a task of CUBE, and the actions as its tool."""

from __future__ import annotations

import asyncio
import io
import threading
from typing import Any

from PIL import Image
from pydantic import Field

from websp_gym.actions import Action as Said
from websp_gym.actions import format_action
from websp_gym.actions.tools import call_text, list_tools
from websp_gym.errors import WorldError, missing_extra
from websp_gym.policies.briefing import policy_block
from websp_gym.rollouts.page import SITUATION, Page, page_text
from websp_gym.rollouts.remote import RemoteEnv
from websp_gym.scoring.outcome import default_reward

try:
    from cube.container import Container
    from cube.core import STOP_ACTION, Action, ActionSchema, AgentStop, ImageContent, Observation, TextContent
    from cube.task import RuntimeContext, Task, TaskConfig, TaskMetadata
    from cube.tool import AbstractTool, ToolConfig
except ImportError as error:
    raise missing_extra("the benchmark for CUBE needs cube-standard, and Python 3.12", "cube") from error

_HOW = """\
Act with the tools, one call in each reply. Scrolling and waiting do not count against the actions you have left. \
Call answer when all parts of the task are done.\
"""
_OVER = "The episode is over."


class InstanceMetadata(TaskMetadata):  # type: ignore[misc]
    """An instance, for choosing: not for the agent, as the id gives away the initial state.

    ``split`` is the side of :func:`~websp_gym.tasks.splits.split_ids` by task, ``abstract_description`` the category.
    """

    site: str


class WebspToolConfig(ToolConfig):  # type: ignore[misc]
    """How episodes are played."""

    pictures: bool = True
    """Whether observations have a screenshot with marks beside the elements as text."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of ``gym.make``, such as ``instruction``, ``policies``, ``reward``, ``max_actions`` and ``record_to``,
    and ``timeout`` and ``retries`` of :class:`~websp_gym.rollouts.remote.RemoteEnv`."""

    def make(self, container: Container | None = None) -> WebspTool:
        """Return the tool. Its process and browser start with the first episode.

        Raises:
            SetupError: An option is wrong.
        """
        # What is measured is paid as by gym.make, and not as in training.
        reward = default_reward(str(self.options.get("world", "sandbox")))
        env = RemoteEnv(pictures=self.pictures, **{"reward": reward, **self.options})
        return WebspTool(env, to_user=bool(self.options.get("policies")))


class WebspTool(AbstractTool):  # type: ignore[misc]
    """The actions of an episode, from any thread. Each returns the page after it.

    CUBE's ``Tool`` would tell the agent of an exception and go on. Here what the agent did wrong is said on the page,
    and a failure of the world ends the episode.

    Args:
        env: Where the episodes are played.
        to_user: Whether there is a user to speak to, as in an episode with policies.
    """

    def __init__(self, env: RemoteEnv, *, to_user: bool) -> None:
        self._env = env
        self._tools = list_tools(to_user=to_user)
        self._lock = threading.Lock()
        self.page: Page | None = None
        """The current page; ``None`` before the first episode."""

    @property
    def action_set(self) -> list[ActionSchema]:
        """A tool for each action, and CUBE's own to stop without an answer."""
        schemas = [
            ActionSchema(name=tool.name, description=tool.description, parameters=dict(tool.schema))
            for tool in self._tools.values()
        ]
        return [*schemas, STOP_ACTION]

    def begin(self, instance: str, seed: int) -> Observation:
        """Start an episode.

        Returns:
            The task, the first page and, with pictures, its screenshot, in this order: agents of CUBE take the first
            content for the goal and keep it.

        Raises:
            SetupError: There is no such instance, the seed is wrong, or there is no browser.
            WorldError: The episode could not be started.
        """
        with self._lock:
            self.page = _scored(self._env.reset(instance, seed))
            task = [f"{SITUATION}\n\n{_HOW}", f"Task: {self.page.goal}"]
            if policies := self.page.observation.get("policies"):
                task.append(policy_block(policies))
            return Observation.from_text("\n\n".join(task)) + _observation(self.page)

    def execute_action(self, action: Action) -> Observation:
        """Carry out an action and return the page after it. One that cannot be carried out counts.

        Raises:
            AgentStop: The agent stops, or the episode is over.
        """
        with self._lock:
            if action.name == STOP_ACTION.name or (self.page is not None and self.page.done):
                raise AgentStop
            text, wrong = call_text(self._tools, action.name, action.arguments)
            self.page = self._env.step(text)
            return _observation(self.page, wrong, action.id)

    async def async_execute_action(self, action: Action) -> Observation:
        """Carry out an action, like :meth:`execute_action`, without blocking the event loop."""
        return await asyncio.to_thread(self.execute_action, action)

    def finish(self) -> Page:
        """End the episode, without an answer if the agent gave none, and return the last page.

        Raises:
            WorldError: It ended without a score, or there was none.
        """
        with self._lock:
            if self.page is None or not self.page.done:
                self.page = self._env.step(format_action(Said("ANSWER", text="")))
            return _scored(self.page)

    def close(self) -> None:
        """End the process and its browser."""
        self._env.close()


class InstanceTask(Task[InstanceMetadata, WebspTool]):  # type: ignore[misc]
    """One episode. It is scored when it is over, by the state of the server."""

    seed: int

    def reset(self) -> tuple[Observation, dict[str, Any]]:
        """Start the episode.

        Raises:
            SetupError: As for :meth:`WebspTool.begin`.
            WorldError: It could not be started.
        """
        return self.tool.begin(self.id, self.seed), {}

    def finished(self, obs: Observation | None = None) -> bool:
        """Whether the agent has answered, or a limit or a failure has ended the episode."""
        return self.tool.page is not None and self.tool.page.done

    def evaluate(self, obs: Observation | None = None) -> tuple[float, dict[str, Any]]:
        """End the episode and score it. If the agent has not answered, what was done is scored.

        Returns:
            The reward, and ``reason`` (how it ended), ``truncated`` (by a limit), ``failure`` (what an action that
            failed the episode did) and ``costs`` (what was done beside the goal).

        Raises:
            WorldError: It ended without a score. A reward of CUBE is a number, and a 0 would be the agent's.
        """
        page = self.tool.finish()
        assert page.reward is not None
        return float(page.reward), {
            "reason": page.reason,
            "truncated": page.truncated,
            "failure": page.failure,
            "costs": page.costs,
        }


class InstanceTaskConfig(TaskConfig[InstanceMetadata]):  # type: ignore[misc]
    """What a worker needs to play an instance. Without a seed it is 0."""

    def make(self, runtime_context: RuntimeContext | None = None) -> InstanceTask:
        """Return the task.

        Raises:
            SetupError: An option is wrong.
        """
        return InstanceTask(
            metadata=self.metadata,
            seed=self.seed or 0,
            tool_config=self.tool_config or WebspToolConfig(),
            runtime_context=runtime_context,
        )


def _scored(page: Page) -> Page:
    if page.unscored:
        raise WorldError(f"{page.instance} with seed {page.seed} ended without a score: {page.failure}")
    return page


def _observation(page: Page, wrong: str = "", call: str | None = None) -> Observation:
    """Return a page as the result of a call. The last one says nothing of the outcome, which names the goal.

    ``Observation.error`` stays empty: cube-harness counts an episode with one action that failed as an error.
    """
    if page.done:
        return Observation(contents=[TextContent(data=_OVER, tool_call_id=call)])
    seen = {**page.observation, "last_action_error": wrong} if wrong else page.observation
    contents = [TextContent(data=page_text(seen), tool_call_id=call)]
    if page.picture is not None:
        # Providers take no picture as the result of a tool, so it is a message of its own.
        contents.append(ImageContent(data=Image.open(io.BytesIO(page.picture))))
    return Observation(contents=contents)
