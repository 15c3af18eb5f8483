"""The server: as many sessions at once as the pool has environments."""

from __future__ import annotations

import signal
import socket
from contextlib import suppress
from functools import partial

import uvicorn
from openenv.core.env_server import create_app
from openenv.core.env_server.types import ConcurrencyConfig
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse

from websp_gym.errors import SetupError, WebspError
from websp_gym.rollouts import Pool
from websp_gym.tasks.splits import SplitBy
from websp_gym.trainers.openenv.environment import WebspEnvironment, make_splits
from websp_gym.trainers.openenv.gate import Gate
from websp_gym.trainers.openenv.models import WebspAction, WebspObservation, WebspState

IDLE = 1800.0
"""Seconds without a message after which a session ends: an update of a policy may take some minutes."""
_LONGEST_CALL = 900.0
_GRACE = 10
"""Seconds that open sessions have to end after Ctrl-C."""


def make_app(
    pool: Pool, *, split_by: SplitBy = "task", token: str | None = None, idle: float = IDLE
) -> Starlette:
    """Build the application.

    Args:
        pool: The environments, one for each session. The caller closes it.
        split_by: What the split ``test`` holds out: ``task``, ``site`` or ``state``.
        token: What clients must present (:func:`~websp_gym.trainers.openenv.gate.token_for`).
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
    app.add_middleware(Gate, token=token, idle=idle)
    # Over the WebSocket, OpenEnv sends the message of an error itself; over HTTP it would be a bare 500.
    app.add_exception_handler(WebspError, _say)
    return app


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Args:
        host: Address to listen on.
        port: Port; 0 for a free one.

    Raises:
        SetupError: The address is not available.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = str(error.strerror).partition(" (while")[0]
        raise SetupError(
            f"cannot listen on {host}:{port}: {reason}; choose another --port", option="port"
        ) from error


def run_server(app: Starlette, listener: socket.socket) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Args:
        app: The application.
        listener: The socket to serve on.
    """
    # Compressing a PNG once more takes 12 ms of the one event loop per step and saves a quarter of its base64.
    config = uvicorn.Config(
        app, log_level="warning", timeout_graceful_shutdown=_GRACE, ws_per_message_deflate=False
    )
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # After a shutdown, Uvicorn raises the signal that asked for it again.
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


async def _say(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": str(error)}, status_code=422)
