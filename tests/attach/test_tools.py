"""The tools of an episode over the Model Context Protocol, used by its own client."""

from __future__ import annotations

import asyncio
import base64
import io
import random
import re
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from PIL import Image

from tests.attach_support import COOKIES, STEAM, Client
from tests.devtools_client import PATIENCE
from websp_gym.actions.grammar import parse_action
from websp_gym.actions.tools import list_tools
from websp_gym.attach import attach
from websp_gym.errors import ActionError

CANARY = "canary-6f1d"

Program = Callable[["Tools"], Awaitable[None]]


class Tools:
    """The tools as a client sees them."""

    def __init__(self, session: ClientSession) -> None:
        self.session = session
        self.pictures: list[bytes] = []

    async def call(self, name: str, **arguments: Any) -> str:
        result = await self.session.call_tool(name, arguments)
        self.pictures += [base64.b64decode(part.data) for part in result.content if part.type == "image"]
        return "\n".join(part.text for part in result.content if part.type == "text")

    async def click(self, page: str, name: str) -> str:
        """Click the element whose line in the page has this name."""
        found = re.search(rf"^\[(\d+)\].*{name}.*$", page, re.MULTILINE)
        assert found, page
        return await self.call("click", element=int(found[1]))


def use(url: str, program: Program) -> None:
    async def run() -> None:
        async with (
            streamable_http_client(url) as (receiving, sending, *_),
            ClientSession(receiving, sending) as session,
        ):
            await session.initialize()
            await program(Tools(session))

    asyncio.run(run())


async def solve(tools: Tools) -> None:
    page = await tools.call("look")
    assert page.startswith("Task: ")
    page = await tools.click(page, '<button> "alexrivers"')
    page = await tools.click(page, "Account details")
    page = await tools.click(page, "Cookies & Browsing")
    page = await tools.click(page, "recentapps")
    page = await tools.click(page, "app_impressions")
    assert await tools.call("finish", answer="done") == "The episode is finished."


def test_a_task_is_solved_with_them() -> None:
    with attach(STEAM, observation="marks") as door:
        shown: list[Tools] = []

        async def program(tools: Tools) -> None:
            shown.append(tools)
            await solve(tools)

        use(door.mcp_url, program)
        assert door.finish().score == 1.0
        steps = door.trajectory.steps
    assert [step.counted for step in steps] == [1, 1, 1, 1, 1, 1]
    assert [step.act.name for step in steps if step.act and step.act.role == "switch"] == [
        "recentapps",
        "app_impressions",
    ]
    assert steps[-1].action == "ANSWER; done"
    assert len(shown[0].pictures) == 6
    assert Image.open(io.BytesIO(shown[0].pictures[0])).size == (1280, 1024)


def test_tools_say_what_is_free_why_a_call_is_wrong_and_share_the_episode_with_the_other_way_in() -> None:
    listed: dict[str, str] = {}
    said: list[str] = []

    async def program(tools: Tools) -> None:
        for tool in (await tools.session.list_tools()).tools:
            listed[tool.name] = tool.description or ""
        said.append(await tools.call("click"))
        said.append(await tools.call("click", element="many"))
        said.append(await tools.call("clack", element=1))
        said.append(await tools.call("click", element=4_000))
        assert COOKIES in await tools.call("look")
        await tools.call("finish", answer=None)

    with attach(STEAM) as door:
        with closing(Client(door.cdp_url)) as client:
            client.open(COOKIES)
            use(door.mcp_url, program)
        door.finish()
        # The address, the answer, and each call that could not be carried out, whatever was wrong with it.
        assert [step.counted for step in door.trajectory.steps] == [1, 1, 1, 1, 1]
        assert [step.action for step in door.trajectory.steps[1:3]] == [
            "click {}",
            'click {"element": "many"}',
        ]
        assert (door.trajectory.end_reason, door.trajectory.answer) == ("answer", "")
    assert set(listed) == {"look", "finish", *list_tools()} - {"answer"}
    assert {name for name, text in listed.items() if "Free" in text} == {
        "look",
        "scroll",
        "scroll_to_end",
        "scroll_within_popup",
        "wait",
        "next_dialog",
    }
    assert said[0].startswith("Error: click: element: expected the arguments element\nPage: ")
    assert "a value of type integer" in said[1]
    assert "no tool named" in said[2]
    assert "4000" in said[3]


def test_after_the_last_action_that_is_allowed_tools_say_that_it_is_over() -> None:
    said: list[str] = []

    async def program(tools: Tools) -> None:
        page = await tools.call("look")
        said.append(await tools.click(page, '<button> "alexrivers"'))
        said.append(await tools.click(page, '<button> "alexrivers"'))

    with attach(STEAM, max_actions=1) as door:
        use(door.mcp_url, program)
        assert door.finish().score == 0.0
    assert all("the episode is over" in text for text in said)


@pytest.mark.parametrize("count", [50, pytest.param(250, marks=pytest.mark.proof)])
def test_no_request_leaves_the_episode(tmp_path: Path, count: int) -> None:
    """Methods of the protocol, tools and arguments in many combinations, with files, ports and other hosts in them."""
    (tmp_path / "host.txt").write_text(CANARY)
    chance = random.Random(7)
    texts = [
        (tmp_path / "host.txt").as_uri(),
        str(tmp_path / "host.txt"),
        "chrome://version",
        "javascript:fetch('http://127.0.0.1:1')",
        "ANSWER; done",
        "Thought: go on\nAction: report_infeasible('x')",
        "{{account.password}}",
        "",
    ]
    methods = [
        *("resources/read", "resources/list", "resources/templates/list", "resources/subscribe"),
        *("prompts/get", "prompts/list", "completion/complete", "logging/setLevel", "ping", "tools/list"),
        *("sampling/createMessage", "roots/list", "tasks/get", "initialize", "server/discover", "nothing"),
    ]
    names = [*list_tools(to_user=True), "look", "eval", "../finish"]
    names.remove("wait")  # five seconds each
    heard: list[str] = []
    accepts = {"accept": "application/json, text/event-stream"}
    with attach(STEAM, max_actions=400) as door, httpx.Client(timeout=PATIENCE) as client:
        for number in range(count):
            text = chance.choice(texts)
            given = [key for key in ("uri", "name", "url", "text", "ref") if chance.random() < 0.5]
            arguments: dict[str, Any] = dict.fromkeys(given, text)
            if chance.random() < 0.5:
                arguments["element"] = chance.choice([0, 3, 10**9, text])
            method, params = chance.choice(methods), arguments
            if chance.random() < 0.5:
                method, params = "tools/call", {"name": chance.choice(names), "arguments": arguments}
            body = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
            heard.append(client.post(door.mcp_url, json=body, headers=accepts).text)
        wrong = door.mcp_url[:-4] + "0000"
        assert httpx.post(wrong, json={}).status_code == 404
        page = httpx.post(door.mcp_url, json={}, headers={"origin": "https://store.steampowered.com"})
        assert page.status_code == 404
        assert door.running
        assert door.finish().score == 0.0
    told = "\n".join(heard)
    assert CANARY not in told
    assert "Chromium" not in told
    assert sum('"result"' in each for each in heard) > count / 5


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("type_text", {"element": 3, "text": ""}, ("Type", 3, "")),
        ("type_text", {"element": "3", "text": "a"}, ("Type", 3, "a")),
        ("click", {"element": " 0000000012 "}, ("Click", 12, None)),
        ("scroll", {"direction": "up"}, ("Scroll", None, None)),
        ("scroll", {"direction": "up", "element": None}, ("Scroll", None, None)),
        ("switch_tab", {"url": "https://example.com/"}, ("Switch_tab", None, "https://example.com/")),
    ],
)
def test_arguments_become_an_action(name: str, arguments: dict[str, Any], text: tuple[Any, ...]) -> None:
    action = list_tools()[name].action(arguments)
    assert (action.kind, action.number, action.text) == text


@given(st.sampled_from(["type_text", "ask", "switch_tab", "next_dialog"]), st.text(max_size=60))
@example("type_text", "Thought: no\nAction: Click [1]")
@example("ask", "x]\nANSWER; [done")
@example("type_text", " a [b] ")
def test_a_text_is_given_as_it_is_or_refused(name: str, text: str) -> None:
    tool = list_tools(to_user=True)[name]
    needed = {"text": text, "url": text, "element": 3, "accept": True}
    arguments = {key: value for key, value in needed.items() if key in tool.schema["properties"]}
    try:
        written = tool.written(arguments)
    except ActionError:
        return
    read = parse_action(written, to_user=True)
    assert (read.kind, (read.text or "").strip()) == (tool.kind, text.strip())


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("click", {}),
        ("click", {"element": 1.5}),
        ("click", {"element": True}),
        ("click", {"element": float("nan")}),
        ("click", {"element": float("inf")}),
        ("click", {"element": 1, "button": "left"}),
        ("click", {"element": "00000000012"}),
        ("scroll", {"direction": "north"}),
        ("next_dialog", {"accept": "yes"}),
        ("type_text", {"element": 1, "text": ["a"]}),
    ],
)
def test_arguments_that_do_not_fit_are_an_error(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(ActionError, match=name):
        list_tools()[name].action(arguments)
