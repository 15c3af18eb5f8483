"""The local server of a streamed window: its page, what is shown in it, and what the person does there.

It has a thread of its own, listens on this machine only, and its addresses begin with a random word. Pictures and
messages go to the viewer as server-sent events, what the person does comes in requests.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import socket
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from websp_gym.errors import SetupError
from websp_gym.window.messages import FROM_VIEWER, Joined, Message

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_FILES = {"": "text/html", "viewer.js": "text/javascript", "viewer.css": "text/css"}
_OURS = ("127.0.0.1", "localhost")
"""Names of this machine; the port is another one at the far end of a tunnel."""
_LAST = ("taken", "ended", "next")
_END_SECONDS = 3.0


def listening(port: int) -> socket.socket:
    """Return a socket on this machine only; 0 takes a free port. Raise SetupError if the port is taken."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        # From here on, a browser that comes before the server is up waits for it.
        listener.listen()
    except OSError as error:
        listener.close()
        raise SetupError(
            f"port {port} is taken; choose another --port, or leave it out", option="port"
        ) from error
    return listener


@dataclass
class _Viewer:
    """The page that shows the window now, and what it has yet to be sent."""

    loop: asyncio.AbstractEventLoop
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    queue: asyncio.Queue[tuple[str, Mapping[str, Any]]] = field(default_factory=asyncio.Queue)


class ViewerServer:
    """Serves one viewer at a time; a new one takes over from the last.

    Args:
        port: The port; 0 takes a free one.
        greeting: What each viewer is told first.
        on_message: Called in the server's thread with each message.
        seen: Called in the server's thread when the first viewer has come, before it is greeted.
        word: The random word of its addresses; empty draws one.

    Raises:
        SetupError: The port is taken.
    """

    def __init__(
        self,
        port: int,
        greeting: Mapping[str, Any],
        on_message: Callable[[Message], None],
        *,
        seen: Callable[[], None] = lambda: None,
        word: str = "",
    ) -> None:
        self._listener = listening(port)
        self.port: int = self._listener.getsockname()[1]
        self._root = f"/{word or secrets.token_urlsafe(16)}"
        self.url = f"http://127.0.0.1:{self.port}{self._root}/"
        self._greeting = greeting
        self._on_message = on_message
        self._seen = seen
        self._viewer: _Viewer | None = None
        app = Starlette(
            routes=[
                *(Route(f"{self._root}/{name}", self._file, methods=["GET"]) for name in _FILES),
                Route(f"{self._root}/stream", self._stream, methods=["GET"]),
                Route(f"{self._root}/input", self._input, methods=["POST"]),
            ]
        )
        config = uvicorn.Config(
            app, log_config=None, log_level="error", access_log=False, lifespan="off", ws="none",
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._listener]}, name="websp-window", daemon=True
        )
        self._thread.start()

    def send(self, kind: str, data: Mapping[str, Any]) -> None:
        """Send the viewer something, from any thread; without one it is lost."""
        viewer = self._viewer
        if viewer is not None:
            with contextlib.suppress(RuntimeError):  # the server has ended
                viewer.loop.call_soon_threadsafe(viewer.queue.put_nowait, (kind, data))

    def close(self) -> None:
        """End the server. Tell the viewer before, by a message ``ended``."""
        self._server.should_exit = True
        self._thread.join(_END_SECONDS)
        self._listener.close()

    # ---------------------------------------------------------------- requests
    async def _file(self, request: Request) -> Response:
        if not _is_ours(request):
            return _refused()
        name = request.url.path.removeprefix(f"{self._root}/")
        text = files(__package__).joinpath(name or "viewer.html").read_text(encoding="utf-8")
        return Response(text, headers=_HEADERS, media_type=_FILES[name])

    async def _stream(self, request: Request) -> Response:
        if not _is_ours(request) or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return _refused()
        before, viewer = self._viewer, _Viewer(asyncio.get_running_loop())
        self._viewer = viewer
        if before is not None:
            before.queue.put_nowait(("taken", {}))
        else:
            self._seen()
        viewer.queue.put_nowait(("hello", {**self._greeting, "viewer": viewer.id}))
        self._on_message(Joined())
        return StreamingResponse(_events(viewer), headers=_HEADERS, media_type="text/event-stream")

    async def _input(self, request: Request) -> Response:
        # A page of another origin can neither leave out the origin nor add a header without asking first.
        if not _is_ours(request) or "origin" not in request.headers:
            return _refused()
        viewer = self._viewer
        if viewer is None or request.headers.get("x-viewer") != viewer.id:
            return Response("another viewer has taken over", 409, _HEADERS)
        try:
            messages = FROM_VIEWER.validate_json(await request.body())
        except ValidationError:
            return Response("not understood", 400, _HEADERS)
        for message in messages:
            self._on_message(message)
        return Response(status_code=204, headers=_HEADERS)


async def _events(viewer: _Viewer) -> AsyncIterator[str]:
    kind = ""
    while kind not in _LAST:
        kind, data = await viewer.queue.get()
        yield f"event: {kind}\ndata: {json.dumps(data)}\n\n"


def _is_ours(request: Request) -> bool:
    """Whether a request was sent to this machine by its own name, and by no page of another origin."""
    host = request.headers.get("host", "")
    return (
        host.partition(":")[0] in _OURS
        and request.headers.get("origin", f"http://{host}") == f"http://{host}"
    )


def _refused() -> Response:
    return Response("refused: open the address that the program printed", 403, _HEADERS)
