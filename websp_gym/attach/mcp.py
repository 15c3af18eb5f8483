"""The actions of the environment as tools of the Model Context Protocol, for agents that bring no browser control."""

from __future__ import annotations

import asyncio
import base64
import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from websp_gym.actions.tools import TOOL_NAMES, Tool, call_text, list_tools
from websp_gym.attach.finishing import answer_in
from websp_gym.errors import ActionError
from websp_gym.project import VERSION
from websp_gym.rollouts.page import page_text, split_picture

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

    from websp_gym.attach.attached_episode import AttachedEpisode

_LOOK = types.Tool(
    name="look",
    description="Return the task and the current page. Free: it does not count as an action.",
    input_schema={"type": "object", "properties": {}},
)
_FINISH = types.Tool(
    name="finish",
    description="End the task. Call it once, when everything is done.",
    input_schema={
        "type": "object",
        "properties": {"answer": {"type": "string", "description": "What to tell the user."}},
    },
)


class ToolServer:
    """An ASGI application with the tools of one episode.

    Each tool but ``finish`` returns the page after its action: its elements with their numbers as text, and the
    screenshot with the numbers drawn in, if observations have one.

    Args:
        episode: The episode.
    """

    def __init__(self, episode: AttachedEpisode) -> None:
        self._episode = episode
        tools = list_tools(to_user="policies" in episode.observation)
        del tools[TOOL_NAMES["ANSWER"]]
        self._tools = tools
        server: Server[Any] = Server(
            "websp-gym", version=VERSION, on_list_tools=self._list, on_call_tool=self._call
        )
        self._manager = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
        self._ready, self._closing = asyncio.Event(), asyncio.Event()
        self._running = asyncio.create_task(self._run())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        await self._ready.wait()
        await self._manager.handle_request(scope, receive, send)

    async def close(self) -> None:
        """End all requests."""
        self._closing.set()
        with contextlib.suppress(Exception):
            await self._running

    async def _run(self) -> None:
        async with self._manager.run():
            self._ready.set()
            await self._closing.wait()

    async def _list(self, context: object, asked: object) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_LOOK, *map(_described, self._tools.values()), _FINISH])

    async def _call(self, context: object, asked: types.CallToolRequestParams) -> types.CallToolResult:
        arguments, episode = asked.arguments or {}, self._episode
        try:
            match asked.name:
                case _LOOK.name:
                    return self._shown(await episode.reply(""), first=True)
                case _FINISH.name:
                    episode.finish(answer_in(arguments))
                    return _said("The episode is finished.")
                case name if name in self._tools:
                    return await self._act(self._tools[name], arguments)
        except ActionError as error:
            return _said(f"Error: {error}", wrong=True)
        return _said(f"Error: there is no tool named {asked.name!r}", wrong=True)

    async def _act(self, tool: Tool, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """Carry out an action. One that cannot be carried out counts, by its arguments or by the page."""
        text, wrong = call_text(self._tools, tool.name, arguments)
        seen = await self._episode.reply(text)
        return self._shown(seen and {**seen, "last_action_error": wrong} if wrong else seen)

    def _shown(self, observation: Mapping[str, Any] | None, *, first: bool = False) -> types.CallToolResult:
        if observation is None or self._episode.over_because:
            return _said(f"The episode is over: {self._episode.over_because}", wrong=True)
        rest, picture = split_picture(observation)
        text = types.TextContent(text=page_text(rest, first=first))
        shown: list[types.ContentBlock] = [text]
        if picture is not None:
            shown.append(types.ImageContent(data=base64.b64encode(picture).decode(), mime_type="image/png"))
        return types.CallToolResult(
            content=shown, is_error=bool(observation["last_action_error"] and not first)
        )


def _described(tool: Tool) -> types.Tool:
    return types.Tool(name=tool.name, description=tool.description, input_schema=dict(tool.schema))


def _said(text: str, *, wrong: bool = False) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=wrong)
