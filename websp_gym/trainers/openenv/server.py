"""The server: as many sessions at once as the pool has environments."""

from __future__ import annotations

from functools import partial

from openenv.core.env_server import create_app
from openenv.core.env_server.types import ConcurrencyConfig
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse

from websp_gym.errors import WebspError
from websp_gym.rollouts import Pool
from websp_gym.tasks.splits import SplitBy
from websp_gym.trainers.openenv.environment import WebspEnvironment, make_splits
from websp_gym.trainers.openenv.gate import OpenEnvGate
from websp_gym.trainers.openenv.models import WebspAction, WebspObservation, WebspState

IDLE = 1800.0
"""Seconds without a message after which a session ends: an update of a policy may take some minutes."""
_LONGEST_CALL = 900.0


def make_app(
    pool: Pool, *, split_by: SplitBy = "task", token: str | None = None, idle: float = IDLE
) -> Starlette:
    """Build the application.

    Args:
        pool: The environments, one for each session. The caller closes it.
        split_by: What the split ``test`` holds out: ``task``, ``site`` or ``state``.
        token: What clients must present (:func:`~websp_gym.serving.token_for`).
        idle: Seconds without a message after which a session ends.

    Raises:
        SetupError: ``split_by`` is not valid.
    """
    app: Starlette = create_app(
        partial(WebspEnvironment, pool, make_splits(split_by)),
        WebspAction,
        WebspObservation,
        env_name="websp",
        # OpenEnv itself ends silent sessions too, in the middle of a call and without closing the WebSocket: for
        # those that have none.
        concurrency_config=ConcurrencyConfig(
            max_concurrent_envs=pool.size, session_timeout=idle + _LONGEST_CALL
        ),
        state_cls=WebspState,
    )
    app.add_middleware(OpenEnvGate, token=token, idle=idle)
    # Over the WebSocket, OpenEnv sends the message of an error itself; over HTTP it would be a bare 500.
    app.add_exception_handler(WebspError, _say)
    return app


async def _say(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=422)
