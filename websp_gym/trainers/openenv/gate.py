"""Access control of the server, and the time limit for idle sessions. OpenEnv's server authenticates nobody."""

from __future__ import annotations

import asyncio

from websp_gym import serving
from websp_gym.serving import App, Message, Receive, Send

VARIABLE = "WEBSP_OPENENV_TOKEN"
_IDLE = 1001
"""Code with which a silent WebSocket is closed."""


class OpenEnvGate(serving.Gate):
    """Refuses strangers and websites, and closes WebSockets that are silent.

    Args:
        app: The application behind it.
        token: What clients must present; None for a server on loopback, which then accepts no foreign ``Host``.
        idle: Seconds without a message after which a WebSocket is closed. The time of a step does not count.
    """

    def __init__(self, app: App, *, token: str | None, idle: float) -> None:
        super().__init__(app, token=token, variable=VARIABLE)
        self._idle = idle

    async def _accept(self, scope: Message, receive: Receive, send: Send) -> None:
        line = _Line(receive, send, self._idle)
        await self._app(scope, line.receive, line.send)


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
