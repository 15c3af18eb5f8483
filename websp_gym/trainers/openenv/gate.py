"""Access control of the server, and the time limit for idle sessions.

OpenEnv's server asks nobody who they are. Programs on this machine may use one that listens on loopback only;
websites in a browser may not. A server that listens elsewhere needs a token.
"""

from __future__ import annotations

import asyncio
import ipaddress
import os
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

from websp_gym.errors import SetupError

VARIABLE = "WEBSP_OPENENV_TOKEN"
_SHORTEST = 16
_REFUSED, _IDLE = 1008, 1001
"""Codes with which a WebSocket is closed."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


def token_for(host: str) -> str | None:
    """Return the token that clients of a server must present, from ``WEBSP_OPENENV_TOKEN``; None if it is not set.

    Args:
        host: Address to listen on.

    Raises:
        SetupError: The token is too short, or it is not set and the address is not a loopback one.
    """
    token = os.environ.get(VARIABLE)
    if token and len(token) < _SHORTEST:
        raise SetupError(
            f"{VARIABLE} has {len(token)} characters; give at least {_SHORTEST}", variable=VARIABLE
        )
    if not token and not is_loopback(host):
        raise SetupError(
            f"{host} can be reached from other machines, and whoever does uses your environments: set {VARIABLE} "
            f"to a secret that clients present too (such as {secrets.token_urlsafe(24)}), or leave --host out",
            variable=VARIABLE,
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
    """Refuses requests and WebSockets of strangers and websites, and closes WebSockets that are silent.

    Args:
        app: The application behind it.
        token: What clients must present; None for a server on loopback, which then accepts no foreign ``Host``.
        idle: Seconds without a message after which a WebSocket is closed. The time of a step does not count.
    """

    def __init__(self, app: App, *, token: str | None, idle: float) -> None:
        self._app = app
        self._token = token
        self._idle = idle

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Handle a connection, as an ASGI application."""
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
            line = _Line(receive, send, self._idle)
            await self._app(scope, line.receive, line.send)

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
            return 401, f"give the token of this server ({VARIABLE}) as Authorization: Bearer TOKEN"
        return 0, ""


class _Line:
    """The messages of one WebSocket, which ends when the client is silent for too long."""

    def __init__(self, receive: Receive, send: Send, idle: float) -> None:
        self._receive = receive
        self._send = send
        self._idle = idle
        self._closed = False

    async def receive(self) -> Message:
        """Return the next message; a disconnect if there is none in time."""
        try:
            return await asyncio.wait_for(self._receive(), self._idle)
        except TimeoutError:
            await self.send(
                {"type": "websocket.close", "code": _IDLE, "reason": f"no message for {self._idle:g} seconds"}
            )
            self._closed = True
            return {"type": "websocket.disconnect", "code": _IDLE}

    async def send(self, message: Message) -> None:
        """Send a message, unless the WebSocket was closed here."""
        if not self._closed:
            await self._send(message)
