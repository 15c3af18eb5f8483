"""Servers that programs use: where they listen, and who may use them.

A server that listens on loopback only is open to programs on this machine, but not to websites in a browser. A server
that listens elsewhere needs a token.
"""

from __future__ import annotations

import ipaddress
import os
import secrets
import signal
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from websp_gym.errors import SetupError

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.datastructures import Headers

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_GRACE = 10
"""Seconds that open connections have to end after Ctrl-C."""
_SHORTEST = 16
_REFUSED = 1008
"""Code with which a WebSocket is closed."""


def listen(host: str, port: int, option: str = "port") -> socket.socket:
    """Return a socket that listens.

    Args:
        host: Address to listen on.
        port: Port; 0 for a free one.
        option: The option that chooses the port.

    Raises:
        SetupError: The address is not available.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = str(error.strerror).partition(" (while")[0]
        raise SetupError(
            f"cannot listen on {host}:{port}: {reason}; choose another --{option}", option=option
        ) from error


def place_of(listener: socket.socket) -> str:
    """Return host and port of a listening socket, as in an address."""
    host, port = listener.getsockname()[:2]
    return f"{f'[{host}]' if ':' in host else host}:{port}"


def run_server(app: Starlette, listener: socket.socket, **options: Any) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Args:
        app: The application.
        listener: The socket to serve on.
        **options: Further options of ``uvicorn.Config``.
    """
    import uvicorn

    # Compressing a PNG once more takes 12 ms of the one event loop per step and saves a quarter of its base64.
    chosen = {"log_level": "warning", "ws_per_message_deflate": False, **options}
    config = uvicorn.Config(app, timeout_graceful_shutdown=_GRACE, **chosen)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # After a shutdown, Uvicorn raises the signal that asked for it again.
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listener])


def token_for(host: str, variable: str) -> str | None:
    """Return the token that clients of a server must present; None if it is not set.

    Args:
        host: Address to listen on.
        variable: The environment variable that holds the token.

    Raises:
        SetupError: The token is too short, or it is not set and the address is not a loopback one.
    """
    token = os.environ.get(variable)
    if token and len(token) < _SHORTEST:
        raise SetupError(
            f"{variable} has {len(token)} characters; give at least {_SHORTEST}", variable=variable
        )
    if not token and not is_loopback(host):
        raise SetupError(
            f"{host} can be reached from other machines, which could then use your environments: set {variable} "
            f"to a secret that clients present too (such as {secrets.token_urlsafe(24)}), or leave --host out",
            variable=variable,
        )
    return token or None


def bearer(token: str | None) -> dict[str, str]:
    """Return the header in which a client presents a token."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def is_loopback(host: str) -> bool:
    """Whether an address or name without a port leads to this machine only."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class Gate:
    """Refuses requests and WebSockets from strangers and websites.

    Args:
        app: The application behind it.
        token: What clients must present; None for a server on loopback, which then accepts no foreign ``Host``.
        variable: The environment variable that holds the token.
    """

    def __init__(self, app: App, *, token: str | None, variable: str) -> None:
        self._app = app
        self._token = token
        self._variable = variable

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle a connection, as an ASGI application."""
        from starlette.datastructures import Headers
        from starlette.responses import PlainTextResponse

        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        status, problem = self._refusal(Headers(scope=scope))
        if scope["type"] == "http" and problem:
            await PlainTextResponse(problem, status)(scope, receive, send)
        elif problem:
            # Closed before it is accepted, so that the client gets 403.
            await send({"type": "websocket.close", "code": _REFUSED, "reason": problem})
        elif scope["type"] == "http":
            await self._app(scope, receive, send)
        else:
            await self._accept(scope, receive, send)

    async def _accept(self, scope: Message, receive: Receive, send: Send) -> None:
        """Hand on a WebSocket."""
        await self._app(scope, receive, send)

    def _refusal(self, headers: Headers) -> tuple[int, str]:
        """Return status and reason of a refusal; an empty reason if the request is accepted."""
        if "origin" in headers:
            return 403, "websites may not use this server"
        if self._token is None:
            host = headers.get("host", "").rpartition(":")
            named = host[0] if host[1] and host[2].isdigit() else headers.get("host", "")
            return (0, "") if is_loopback(named) else (403, "this server is for programs on its own machine")
        presented = headers.get("authorization", "").encode()
        expected = bearer(self._token)["Authorization"].encode()
        if not secrets.compare_digest(presented, expected):
            return 401, f"send this server's token ({self._variable}) as Authorization: Bearer TOKEN"
        return 0, ""
