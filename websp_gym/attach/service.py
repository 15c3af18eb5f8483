"""The control plane of hosted episodes: begin, list, finish and results, for the holder of its token only."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.routing import Route

from websp_gym.attach.hosting import BusyError
from websp_gym.errors import SetupError, WebspError
from websp_gym.serving import Gate

if TYPE_CHECKING:
    from starlette.requests import Request

    from websp_gym.attach.front import Front
    from websp_gym.attach.hosting import EpisodeHost, HostedEpisode

VARIABLE = "WEBSP_EPISODES_TOKEN"
"""Environment variable with the token."""
_LARGEST = 10_000
"""Bytes of a request."""


class EpisodeService:
    """The control plane.

    Args:
        host: Plays the episodes.
        front: The port of their doors.
        token: What the holder must present as ``Authorization: Bearer``.
    """

    def __init__(self, host: EpisodeHost, front: Front, token: str) -> None:
        self._host, self._front = host, front
        self.app = Starlette(
            routes=[
                Route("/episodes", self._begin, methods=["POST"]),
                Route("/episodes", self._list),
                Route("/episodes/{id}", self._show),
                Route("/episodes/{id}", self._finish, methods=["DELETE"]),
            ],
            exception_handlers={
                SetupError: _refuse(422),
                BusyError: _refuse(503),
                WebspError: _refuse(500),
                HTTPException: lambda request, error: JSONResponse(
                    {"error": error.detail}, error.status_code
                ),
            },
            lifespan=self._lifespan,
        )
        self.app.add_middleware(Gate, token=token, variable=VARIABLE)

    @contextlib.asynccontextmanager
    async def _lifespan(self, app: Starlette) -> AsyncIterator[None]:
        await self._front.start()
        try:
            yield
        finally:
            self._front.close()
            await run_in_threadpool(self._host.close)

    async def _begin(self, request: Request) -> JSONResponse:
        asked = await _body(request)
        instance, seed, token = asked["instance"], asked.get("seed"), asked.get("token", "")
        episode = await run_in_threadpool(self._host.begin, instance, seed, token=token)
        return JSONResponse(_described(episode), 201)

    async def _list(self, request: Request) -> JSONResponse:
        return JSONResponse([_described(each) for each in self._host.episodes])

    async def _show(self, request: Request) -> JSONResponse:
        episode = self._found(request)
        return JSONResponse(_described(episode))

    async def _finish(self, request: Request) -> JSONResponse:
        episode = self._found(request)
        await run_in_threadpool(episode.finish)
        return JSONResponse(_described(episode))

    def _found(self, request: Request) -> HostedEpisode:
        episode = self._host.find(request.path_params["id"])
        if episode is None:
            raise HTTPException(404, f"no episode {request.path_params['id']!r}; GET /episodes lists them")
        return episode


def _described(episode: HostedEpisode) -> Mapping[str, Any]:
    """Return an episode for the holder of the token: its addresses while it runs, then its result."""
    known = {"id": episode.id, "instance": episode.job.instance_id, "seed": episode.job.seed}
    if episode.result is not None:
        return {**known, "state": "over", "result": asdict(episode.result)}
    addresses = asdict(episode.opened) if episode.opened is not None else {}
    shown = {name: value for name, value in addresses.items() if name not in ("token", "port")}
    return {**known, "state": "running" if addresses else "beginning", **shown}


async def _body(request: Request) -> Mapping[str, Any]:
    """Return what a request to begin asks for."""
    text = b""
    async for piece in request.stream():
        text += piece
        if len(text) > _LARGEST:
            raise SetupError(f"a request may have at most {_LARGEST:,} bytes")
    try:
        asked = json.loads(text)
    except ValueError as error:
        raise SetupError(f"the request is not JSON: {error}") from error
    if not isinstance(asked, dict) or not isinstance(asked.get("instance"), str):
        raise SetupError('name the instance, such as {"instance": "Steam-task-191-ON"}')
    unknown = [name for name in asked if name not in ("instance", "seed", "token")]
    if unknown:
        raise SetupError(f"a request has no {unknown[0]!r} (it has: instance, seed, token)")
    seed = asked.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int)):
        raise SetupError(f"seed {seed!r}: give a whole number")
    if not isinstance(asked.get("token", ""), str):
        raise SetupError("token: give a text of 32 hexadecimal digits")
    return asked


def _refuse(status: int) -> Callable[[Request, Exception], JSONResponse]:
    return lambda request, error: JSONResponse({"error": str(error)}, status)
