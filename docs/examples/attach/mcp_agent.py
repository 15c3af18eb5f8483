"""A model with the tools of an MCP server as an agent (pip install mcp openai; OPENAI_API_KEY):

websp run --agent 'mcp:python mcp_agent.py $WEBSP_MCP_URL'
websp run --agent 'cdp:python mcp_agent.py npx @playwright/mcp --cdp-endpoint $WEBSP_CDP_URL'
websp run --agent 'cdp:python mcp_agent.py npx chrome-devtools-mcp --wsEndpoint $WEBSP_CDP_URL'
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import urllib.request
from typing import Any

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from openai import AsyncOpenAI

TURNS = 40


async def main() -> None:
    """Play the episode."""
    command, *arguments = sys.argv[1:]
    if command.startswith("http"):
        server: Any = streamable_http_client(command)
    else:
        server = stdio_client(StdioServerParameters(command=command, args=arguments, env=dict(os.environ)))
    async with server as streams, ClientSession(*streams[:2]) as session:
        await session.initialize()
        answer = await converse(session)
    urllib.request.urlopen(os.environ["WEBSP_FINISH_URL"], data=answer.encode()).close()


async def converse(session: ClientSession) -> str:
    """Let the model call tools until it answers without a call; return the answer."""
    client: Any = AsyncOpenAI()
    tools = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.input_schema},
        }
        for tool in (await session.list_tools()).tools
    ]
    task = f"{os.environ['WEBSP_TASK']} The website is open in the browser; use the tools, then answer."
    messages: list[Any] = [{"role": "user", "content": task}]
    for _ in range(TURNS):
        reply = await client.chat.completions.create(
            model=os.environ.get("MODEL", "gpt-6.2-sol"), messages=messages, tools=tools
        )
        said = reply.choices[0].message
        messages.append(said)
        if not said.tool_calls:
            return said.content or ""
        for call in said.tool_calls:
            result = await session.call_tool(call.function.name, json.loads(call.function.arguments))
            text = "\n".join(getattr(part, "text", "") for part in result.content)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
    return ""


if __name__ == "__main__":
    asyncio.run(main())
