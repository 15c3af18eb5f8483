"""The door of an episode: a local server with its DevTools endpoint and the call that finishes it."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
import socket
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import uvicorn
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from websp_gym.attach.connection import Connection
from websp_gym.attach.described import protocol
from websp_gym.attach.finishing import ending_in, usage_in
from websp_gym.attach.rules import RefusedCommandError
from websp_gym.browser.devtools import CommandError, Commands
from websp_gym.errors import WebspError
from websp_gym.serving import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Receive, Scope, Send

    from websp_gym.attach.attached_episode import AttachedEpisode
    from websp_gym.attach.mcp import ToolServer

_LARGEST = 4 * 1024 * 1024
"""Bytes of a message of the agent: a command, of which the largest are scripts."""
_MOST_UNREAD = 256 * 1024 * 1024
"""Bytes that may wait for an agent that does not read; pictures of a large page are some ten million."""
_LONGEST_ANSWER = 10_000
_LARGEST_ANSWER = 1_000_000
"""Bytes of the body of a POST that finishes the episode."""
_LOCAL = "127.0.0.1"
_LOCAL_NAMES = (_LOCAL, "localhost")
_TO_END = 3.0
_TO_CARRY_OUT = 60.0
"""Seconds that a command may take once it may pass."""
_TOOLS = "websp_gym.attach.mcp"


class Door:
    """The addresses under which an outside agent reaches one episode; each has a secret token in it.

    Args:
        episode: The episode.
        public: Where a server hands the door on, such as ``https://gpu7:8900``; empty where only this machine does.
        token: The secret in each address, of 32 hexadecimal digits; empty draws one.
        tools_alone: Whether it has the tools and the finish alone, and no DevTools endpoint.
        is_own: Tells by its local port whether a connection is one of the agent's own processes, which then need no
            token: for programs that take a host and a port only. ``None`` where they cannot be told from others.

    Attributes:
        port: The local port.
        reached: Whether anybody has connected with the token.
        token: The secret in each address.
        cdp_url: WebSocket address of the DevTools endpoint; this and the next two are empty without one.
        http_url: Its HTTP address, for clients that ask ``/json/version`` first.
        debugger_address: Host and port for a client that takes no path: of a port of its own for the agent's own
            processes, else a name with the token, which Chromium's programs understand; empty where other machines
            reach the door.
        mcp_url: Address of the tools of the Model Context Protocol (streamable HTTP).
        finish_url: Where a POST finishes the episode; its body, or ``answer`` in JSON, is the answer. With
            ``infeasible`` true in JSON the agent gives up instead. ``usage`` may have ``calls``, ``input_tokens``,
            ``output_tokens`` and ``cost`` (US dollars) of the agent's model.
    """

    def __init__(
        self,
        episode: AttachedEpisode,
        public: str = "",
        token: str = "",
        *,
        tools_alone: bool = False,
        is_own: Callable[[int], bool] | None = None,
    ) -> None:
        self._episode = episode
        self._tools_alone = tools_alone
        self.token = token or secrets.token_hex(16)
        self.reached = False
        self._tools: ToolServer | None = None
        self._is_own = is_own
        self._listeners = [socket.create_server((_LOCAL, 0))]
        self.port: int = self._listeners[0].getsockname()[1]
        self._public = public
        base = public or f"http://{_LOCAL}:{self.port}"
        self.cdp_url = self.http_url = self.debugger_address = ""
        if not tools_alone:
            self.cdp_url = f"{_socket_address(base)}/devtools/browser/{self.token}"
            self.http_url = f"{base}/{self.token}"
            place = urlsplit(base)
            if is_own is not None:
                self._listeners.append(socket.create_server((_LOCAL, 0)))
                self.debugger_address = f"{_LOCAL}:{self._listeners[1].getsockname()[1]}"
            elif is_loopback(place.hostname or ""):
                self.debugger_address = f"{self.token}.localhost:{place.port}"
        self.mcp_url = f"{base}/mcp/{self.token}"
        self.finish_url = f"{base}/finish/{self.token}"
        app = Starlette(
            routes=[
                WebSocketRoute("/{path:path}", self._devtools),
                Route("/{path:path}", self._http, methods=["GET", "PUT", "POST", "DELETE"]),
            ]
        )
        config = uvicorn.Config(
            _AnyCase(app),
            http="h11",  # which takes methods in any case, as the browser does
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="off",
            ws="websockets-sansio",
            ws_max_size=_LARGEST,
            ws_per_message_deflate=False,
            ws_ping_interval=None,
            timeout_graceful_shutdown=1,
        )
        self._server = _QuietServer(config)
        loop = episode.pipe.loop
        self._serving = asyncio.run_coroutine_threadsafe(self._server.serve(self._listeners), loop)

    def close(self) -> None:
        """End the server and all connections."""
        self._server.should_exit = True
        with contextlib.suppress(Exception):  # what is over must not cost the episode its score
            if self._tools is not None:
                self._episode.pipe.run(self._tools.close())
            self._serving.result(_TO_END)
        # Not before: the loop goes on, and would never listen to a later socket that has the number of one that was
        # closed behind its back.
        self._serving.add_done_callback(self._close_listeners)

    def _close_listeners(self, _: object) -> None:
        for listener in self._listeners:
            listener.close()

    # ---------------------------------------------------------------- DevTools over a WebSocket
    async def _devtools(self, socket_: WebSocket) -> None:
        words = self._words(socket_)
        if words is None:
            words = await self._page_without_token(socket_)
        if (
            words is None
            or words[:1] != ["devtools"]
            or self._tools_alone
            or not _is_program(socket_.headers)
        ):
            await socket_.close(1008)
            return
        outgoing = _Outgoing()
        try:
            page = await self._page(words)
            connection = Connection(self._episode, outgoing.put, page, outgoing.end)
            await connection.open()
        except (RefusedCommandError, WebspError) as error:
            await socket_.close(1011, str(error)[:100])
            return
        await socket_.accept()
        self._episode.notified.add(connection.is_notified)
        sender = asyncio.create_task(outgoing.send_all(socket_))
        try:
            while not connection.closed:
                message = await socket_.receive()
                if message["type"] == "websocket.disconnect":
                    break
                await connection.take(message.get("text") or message.get("bytes") or "")
        except WebSocketDisconnect:
            pass
        finally:
            outgoing.end()
            connection.close()
            self._episode.notified.discard(connection.is_notified)
            with contextlib.suppress(Exception):
                await asyncio.wait_for(sender, _TO_END)
            if socket_.application_state is WebSocketState.CONNECTED:
                with contextlib.suppress(Exception):
                    await socket_.close()

    async def _page_without_token(self, asked: HTTPConnection) -> list[str] | None:
        """Return the words of an address that a program has made of a tab's id, which only the door tells."""
        words = [word for word in asked.url.path.split("/") if word]
        if words[:2] != ["devtools", "page"] or len(words) != 3 or _host(asked) not in _LOCAL_NAMES:
            return None
        known = [info["targetId"] for info in await self._pages()]
        return words if words[2] in known else None

    async def _page(self, words: list[str]) -> str | None:
        """Return the tab that a path means: by its id, or the first one without; ``None`` for the browser."""
        if words[1:2] != ["page"]:
            return None
        return words[2] if len(words) > 2 else (await self._pages())[0]["targetId"]

    # ---------------------------------------------------------------- HTTP
    async def _http(self, request: Request) -> Response | ToolServer:
        words = self._words(request)
        if words is None or not _is_program(request.headers):
            return Response("not found", 404)
        match words:
            case ["json", *_] if self._tools_alone:
                return Response("not found", 404)
            case ["json", "version"]:
                return JSONResponse(await self._version(request))
            case ["json"] | ["json", "list"]:
                return JSONResponse(await self._list(request))
            case ["json", "protocol"]:
                return JSONResponse(protocol())
            case ["json", "new"] if request.method == "PUT":
                return await self._new(request)
            case ["json", "activate" | "close" as what, target]:
                return await self._operate_tab(what, target)
            case ["finish"] if request.method == "POST":
                return await self._finish(request)
            case ["mcp"]:
                if self._tools is None:  # half a second, for those who use it
                    await asyncio.to_thread(import_module, _TOOLS)
                return self._tool_server()
        return Response("not found", 404)

    async def _version(self, request: Request) -> Mapping[str, Any]:
        found = await self._episode.ask_own("Browser.getVersion")
        return {
            "Browser": found["product"],
            "Protocol-Version": found["protocolVersion"],
            "User-Agent": found["userAgent"],
            "V8-Version": found["jsVersion"],
            # chromedriver refuses a version without the revision.
            "WebKit-Version": f"537.36 ({found['revision']})",
            "webSocketDebuggerUrl": f"{self._at(request)}/devtools/browser/{self.token}",
        }

    async def _list(self, request: Request) -> list[Mapping[str, Any]]:
        return [self._described(info, request) for info in await self._pages()]

    def _described(self, info: Mapping[str, Any], request: Request) -> dict[str, Any]:
        return {
            "description": "",
            "id": info["targetId"],
            "title": info["title"],
            "type": info["type"],
            "url": info["url"],
            "webSocketDebuggerUrl": f"{self._at(request)}/{self.token}/devtools/page/{info['targetId']}",
        }

    async def _new(self, request: Request) -> Response:
        """Open a tab, with the address that the query is; an action like that of ``Target.createTarget``."""
        url = unquote(request.url.query) or "about:blank"
        try:
            target = (await self._carry_out("Target.createTarget", url=url))["targetId"]
        except RefusedCommandError as refusal:
            return Response(str(refusal), 400)
        info = next((each for each in await self._pages() if each["targetId"] == target), None)
        return (
            Response("the tab is closed", 404)
            if info is None
            else JSONResponse(self._described(info, request))
        )

    async def _operate_tab(self, what: str, target: str) -> Response:
        """Activate or close a tab."""
        method, said = {
            "activate": ("Target.activateTarget", "Target activated"),
            "close": ("Target.closeTarget", "Target is closing"),
        }[what]
        try:
            await self._carry_out(method, targetId=target)
        except RefusedCommandError as refusal:
            return Response(str(refusal), 404)
        return Response(said)

    async def _carry_out(self, method: str, **arguments: Any) -> dict[str, Any]:
        """Carry out a command as if a connection had sent it, and return its result.

        Raises:
            RefusedError: It is refused, or the browser did not carry it out.
        """
        commands = Commands()
        connection = Connection(self._episode, commands.receive)
        await connection.open()
        try:
            command = commands.command(method, arguments)
            await connection.take(command.text)
            return await asyncio.wait_for(asyncio.wrap_future(command.result), _TO_CARRY_OUT)
        except CommandError as error:
            raise RefusedCommandError(str(error)) from None
        finally:
            connection.close()

    async def _pages(self) -> list[dict[str, Any]]:
        """Return what the browser tells of the tabs of the episode."""
        targets = (await self._episode.ask_own("Target.getTargets"))["targetInfos"]
        mine = self._episode.context
        return [info for info in targets if info.get("browserContextId") == mine and info["type"] == "page"]

    async def _finish(self, request: Request) -> Response:
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _LARGEST_ANSWER:
                return JSONResponse({"error": f"an answer may have at most {_LARGEST_ANSWER:,} bytes"}, 413)
        try:
            usage = usage_in(body)
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 422)
        if usage is not None:
            self._episode.usage = usage
        answer, infeasible = ending_in(body)
        accepted = self._episode.finish(answer[:_LONGEST_ANSWER], infeasible=infeasible)
        return JSONResponse({"accepted": accepted}, 200 if accepted else 409)

    def _tool_server(self) -> ToolServer:
        if self._tools is None:
            from websp_gym.attach.mcp import ToolServer

            self._tools = ToolServer(self._episode)
        return self._tools

    def _at(self, request: Request) -> str:
        """Return the begin of an address for the one who asks: a host with a token in it is known to few programs."""
        host = request.headers.get("host", "")
        local = f"{_LOCAL}:{self.port}" if ".localhost" in host else host
        return _socket_address(self._public or f"http://{local}")

    def _words(self, asked: HTTPConnection) -> list[str] | None:
        """Return the words of a path without the token; ``None`` if the token is missing or the host is not this one.

        The token may also be the first label of the host, as in ``TOKEN.localhost``, for a client that takes no path.
        The agent's own processes need none at a port of their own.
        """
        words = [word for word in asked.url.path.split("/") if word]
        host = _host(asked)
        label, _, rest = host.partition(".")
        if rest == "localhost" and self._is_token(label):
            return words
        if not self._public and host not in _LOCAL_NAMES:
            return None  # a page whose name was made to lead here
        if self._is_own is not None and asked.scope["server"][1] != self.port:
            if not self._is_own(asked.scope["client"][1]):
                return None
            self.reached = True
            return [word for word in words if not self._is_token(word)]
        found = next((index for index, word in enumerate(words) if self._is_token(word)), None)
        return None if found is None else words[:found] + words[found + 1 :]

    def _is_token(self, word: str) -> bool:
        same = hmac.compare_digest(word.encode(), self.token.encode())
        self.reached = self.reached or same
        return same


class _AnyCase:
    """An application whose requests may have their method in small letters."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if "method" in scope:
            scope["method"] = scope["method"].upper()
        await self._app(scope, receive, send)


def _host(asked: HTTPConnection) -> str:
    """Return the host that was asked for, without the port."""
    given = asked.headers.get("host", "")
    return given.rpartition(":")[0] or given


def _socket_address(base: str) -> str:
    """Return an address with the scheme of WebSockets, which is that of HTTP with other letters."""
    return "ws" + base.removeprefix("http")


def _is_program(headers: Headers) -> bool:
    """Whether a request comes from a program: a page of a browser has another origin."""
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2] == headers.get("host")


class _Outgoing:
    """The messages that wait to be sent to an agent."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._size = 0
        self._ended = False

    def put(self, message: bytes) -> None:
        """Add a message; for an agent that does not read, no more is kept, and its connection ends."""
        if self._size > _MOST_UNREAD:
            self.end()
        if not self._ended:
            self._size += len(message)
            self._waiting.put_nowait(message)

    def end(self) -> None:
        """Send what waits, and no more."""
        self._ended = True
        self._waiting.put_nowait(None)

    async def send_all(self, socket_: WebSocket) -> None:
        """Send messages until the end, and close the connection then."""
        while (message := await self._waiting.get()) is not None:
            self._size -= len(message)
            await socket_.send({"type": "websocket.send", "text": message.decode("utf-8", "replace")})
        await socket_.close()


class _QuietServer(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        """Leave the signals to the program."""
        yield
