"""A resources server for NeMo Gym over a pool of environments. Needs the extra ``nemo``.

``websp nemo`` writes the folder that starts it (:mod:`~websp_gym.trainers.nemo_folder`). The policy has two tools:
``look`` shows the page, ``act`` carries out one action.

NeMo Gym's ``simple_agent`` posts every tool call to the server, whatever its name, with the cookie of the rollout.
The ``key`` of the row, which the policy never sees, keeps it from calling ``seed_session`` and ``verify``.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import AsyncExitStack, asynccontextmanager
from secrets import compare_digest
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse

from websp_gym.actions import Action, format_action
from websp_gym.errors import SetupError, WebspError, WorldError, missing_extra
from websp_gym.rollouts import Page, Pool, RemoteEnv
from websp_gym.serving import Gate, is_loopback

try:
    from fastapi import FastAPI
    from nemo_gym.base_resources_server import (
        AggregateMetrics,
        AggregateMetricsRequest,
        BaseResourcesServerConfig,
        BaseSeedSessionRequest,
        BaseSeedSessionResponse,
        BaseVerifyRequest,
        BaseVerifyResponse,
        SimpleResourcesServer,
    )
    from nemo_gym.openai_utils import NeMoGymResponse
    from nemo_gym.rollout_collection import NG_FAILURE_CLASS_KEY
    from nemo_gym.server_utils import SESSION_ID_KEY
except ModuleNotFoundError as error:
    raise missing_extra("the resources server needs NeMo Gym on Python 3.12", "nemo") from error

_OVER = "The episode is over."
_LOOKS = 1.0
"""Seconds between two looks for silent rollouts."""


class WebspConfig(BaseResourcesServerConfig):  # type: ignore[misc]
    """The server's part of the YAML file."""

    processes: int = 1
    """Number of environments, and of rollouts that play at once; others wait."""
    idle_seconds: float = 1800.0
    """Seconds without a call after which a rollout is given up and its environment is free."""
    on_unscored: Literal["raise", "record"] = "raise"
    """``raise``: a rollout without a score is an error. ``record``: it is a failure, which rollout collection keeps
    apart from the scored ones; a trainer would take its reward of 0.0 for a score."""
    options: dict[str, Any] = Field(default_factory=dict)
    """Options of ``Pool`` and ``gym.make``, such as ``retries``, ``max_actions`` and ``reward``."""


class EpisodeRequest(BaseSeedSessionRequest):  # type: ignore[misc]
    """What a row says of its episode."""

    instance: str
    seed: int = 0
    key: str


class ActRequest(BaseModel):
    """The arguments of the tool ``act``."""

    action: str


class RolloutRequest(BaseVerifyRequest):  # type: ignore[misc]
    """A rollout that has ended: the row and the response of the agent."""

    model_config = ConfigDict(extra="allow")

    key: str


class RolloutResponse(BaseVerifyResponse):  # type: ignore[misc]
    """The row with the reward, ``reason``, ``turns`` and the costs."""

    model_config = ConfigDict(extra="allow")


class _Rollout:
    """One rollout, with its environment until the episode is over."""

    def __init__(self, key: str) -> None:
        self.key = key
        self.page: Page | None = None
        """The last page; ``None`` until the episode has begun, and after the rollout was given up."""
        self.failure = ""
        """Why it was given up."""
        self._env: RemoteEnv | None = None
        self._lent = AsyncExitStack()
        self._lock = asyncio.Lock()
        self._silent_since = time.monotonic()

    @property
    def silence(self) -> float:
        """Seconds since the end of the last call; 0 during one."""
        return 0.0 if self._lock.locked() else time.monotonic() - self._silent_since

    @asynccontextmanager
    async def call(self) -> AsyncIterator[None]:
        """One call at a time."""
        async with self._lock:
            try:
                yield
            finally:
                self._silent_since = time.monotonic()

    async def begin(self, pool: Pool, instance: str, seed: int) -> None:
        """Wait for an environment and start the episode in it."""
        self._env = await self._lent.enter_async_context(pool.aenv())
        await self._keep(self._env.areset(instance, seed))

    async def step(self, text: str) -> None:
        """Carry out a reply, if the episode goes on."""
        if self._env is None:
            return
        try:
            await self._keep(self._env.astep(text))
        except RuntimeError as error:
            # Of a reward function. The agent would show the policy its traceback.
            await self.give_up(str(error))

    async def give_up(self, why: str) -> None:
        """End the rollout without a score."""
        self.page, self.failure = None, why
        await self.leave()

    async def leave(self) -> None:
        """Give the environment back."""
        self._env = None
        await self._lent.aclose()

    async def _keep(self, asked: Awaitable[Page]) -> None:
        """Keep the page that comes, and the environment only for an episode that goes on."""
        try:
            self.page = await asked
        finally:
            if self.page is None or self.page.done:
                await self.leave()


class WebspServer(SimpleResourcesServer):  # type: ignore[misc]
    """Plays the rollouts of NeMo Gym's agents in a pool of environments."""

    config: WebspConfig

    _pool: Pool = PrivateAttr()
    _rollouts: dict[str, _Rollout] = PrivateAttr(default_factory=dict)

    def setup_webserver(self) -> FastAPI:
        """Build the application, which starts the environments and ends them.

        Raises:
            SetupError: An option is wrong.
        """
        if (self.config.num_workers or 1) > 1:
            raise SetupError(
                "a rollout stays in one process: leave num_workers out, and set processes",
                option="num_workers",
            )
        if "pictures" in self.config.options:
            raise SetupError("the tools return pages as text and take no pictures", option="pictures")
        app = super().setup_webserver()
        app.post("/look")(self.look)
        app.post("/act")(self.act)
        app.add_exception_handler(WebspError, _say)
        if is_loopback(self.config.host):
            app.add_middleware(Gate, token=None, variable="")
        app.router.lifespan_context = self._serve
        return app

    async def seed_session(self, request: Request, body: EpisodeRequest) -> BaseSeedSessionResponse:
        """Start the episode of a row, once an environment is free.

        Raises:
            SetupError: There is no such instance, or this rollout has begun before.
        """
        name = request.session[SESSION_ID_KEY]
        if name in self._rollouts:
            raise SetupError("this rollout has begun; a tool call cannot begin it again")
        rollout = self._rollouts[name] = _Rollout(body.key)
        async with rollout.call():
            try:
                await rollout.begin(self._pool, body.instance, body.seed)
            except WebspError:
                del self._rollouts[name]
                raise
        return BaseSeedSessionResponse()

    async def look(self, request: Request) -> PlainTextResponse:
        """Return the current page; the first one begins with the task."""
        return await self._call(request)

    async def act(self, request: Request, body: ActRequest) -> PlainTextResponse:
        """Carry out one action, and return the page after it."""
        return await self._call(request, body.action)

    async def verify(self, request: Request, body: RolloutRequest) -> RolloutResponse:
        """Return the reward. A rollout that ended in a plain reply has answered; one that was cut gets 0.0.

        Raises:
            SetupError: There is no such rollout, or the key is not that of its row.
            WorldError: The rollout has no score.
        """
        name = request.session[SESSION_ID_KEY]
        rollout = self._rollouts.get(name)
        if rollout is None or not compare_digest(rollout.key.encode(), body.key.encode()):
            raise SetupError("no rollout with this key is running; a tool call cannot ask for the reward")
        async with rollout.call():
            if (reply := _plain_reply(body.response)) is not None:
                # On one line: a line that begins with "Action:" would be read as an action.
                await rollout.step(format_action(Action("ANSWER", text=" ".join(reply.split()))))
            await rollout.leave()
            del self._rollouts[name]
        return self._scored(rollout, body)

    async def aggregate_metrics(self, body: AggregateMetricsRequest) -> AggregateMetrics:
        """Compute NeMo Gym's metrics of the rollouts that have a score."""
        scored = [one for one in body.verify_responses if NG_FAILURE_CLASS_KEY not in one]
        return await super().aggregate_metrics(AggregateMetricsRequest(verify_responses=scored))

    async def _call(self, request: Request, action: str | None = None) -> PlainTextResponse:
        rollout = self._rollouts.get(request.session[SESSION_ID_KEY])
        if rollout is None:
            return PlainTextResponse(_OVER)
        async with rollout.call():
            if action is not None:
                await rollout.step(action)
            return PlainTextResponse(_shown(rollout.page))

    def _scored(self, rollout: _Rollout, body: RolloutRequest) -> RolloutResponse:
        page = rollout.page
        if page is not None and not page.unscored:
            result = {"reward": page.reward, "reason": page.reason or "cut", "turns": page.turn}
            return RolloutResponse(**body.model_dump(), **result, **(page.costs or {}))
        why = rollout.failure if page is None else page.failure
        if self.config.on_unscored == "raise":
            raise WorldError(f"the rollout ended without a score: {why}")
        return RolloutResponse(
            **body.model_dump(), reward=0.0, failure=why, **{NG_FAILURE_CLASS_KEY: "unscored"}
        )

    @asynccontextmanager
    async def _serve(self, app: FastAPI) -> AsyncIterator[None]:
        with Pool(self.config.processes, **self.config.options) as self._pool:
            looking = asyncio.create_task(self._give_up_silent())
            try:
                yield
            finally:
                looking.cancel()

    async def _give_up_silent(self) -> None:
        """Free the environments of rollouts that nobody plays any more."""
        while True:
            await asyncio.sleep(_LOOKS)
            for rollout in list(self._rollouts.values()):
                if not rollout.failure and rollout.silence > self.config.idle_seconds:
                    # Its name stays taken, so that a late tool call cannot begin it again.
                    await rollout.give_up(f"it was silent for {self.config.idle_seconds:g} seconds")


def _shown(page: Page | None) -> str:
    return _OVER if page is None or page.done else page.text


def _plain_reply(response: NeMoGymResponse) -> str | None:
    """Return the text of a response that ends in a reply without a tool call; ``None`` if it was cut."""
    last = response.output[-1] if response.output else None
    if response.incomplete_details is not None or last is None or last.type != "message":
        return None
    return "".join(part.text for part in last.content if part.type == "output_text")


async def _say(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, 503 if isinstance(error, WorldError) else 422)
