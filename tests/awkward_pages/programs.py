"""Playwright MCP and browser-use, each as it starts by itself; `make compare-pages` installs them."""

from __future__ import annotations

import json
import os
import re
import socket
import tempfile
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from websockets.sync.client import connect

from tests.awkward_pages.cases import Act
from tests.awkward_pages.system import Answer, System

MODULES = Path(__file__).resolve().parents[2] / "build/attach/node_modules"
"""Where `make test-attach` puts the programs that npm has."""


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _run(address: str, script: str) -> Any:
    """Run a script in a page, by its DevTools address."""
    given = {"expression": script, "awaitPromise": True, "returnByValue": True}
    with connect(address, max_size=None) as tab:
        tab.send(json.dumps({"id": 1, "method": "Runtime.evaluate", "params": given}))
        while (answer := json.loads(tab.recv())).get("id") != 1:
            pass
    return answer["result"]["result"].get("value")


# --- Playwright MCP ---------------------------------------------------------------------------------------


class PlaywrightMcp(System):
    """Playwright MCP: snapshots and their refs."""

    press = r"- (?:button|link|switch|checkbox|radio|option|textbox|combobox)\b.*?\[ref=(\w+)\]"
    field = r"- (?:textbox|searchbox|combobox)\b.*?\[ref=(\w+)\]"
    on = r"\[checked\]"

    def __init__(self, begin: Callable[[], None], call: Callable[..., Any], port: int) -> None:
        self.name = f"Playwright MCP {_of_npm('@playwright/mcp')}"
        self._begin, self._call, self._port = begin, call, port
        self._tab = ""

    def open(self, url: str) -> str:
        self._begin()
        self._tool("browser_navigate", url=url)
        with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/json/list") as listed:
            self._tab = next(
                each["webSocketDebuggerUrl"] for each in json.load(listed) if each["url"].startswith(url)
            )
        return self._look()

    def act(self, act: Act, element: str) -> Answer:
        at = {"element": act.label, "target": element}
        if act.do == "click":
            failed, text = self._tool("browser_click", **at)
        elif act.do == "type":
            failed, text = self._tool("browser_type", **at, text=act.text)
        elif act.do == "choose":
            failed, text = self._tool("browser_select_option", **at, values=[act.text])
        else:
            failed, text = self._tool("browser_tabs", action="select", index=0)
        return Answer(text if failed else "", text, self._look())

    def wait(self) -> str:
        self._tool("browser_wait_for", time=1)
        return self._look()

    def scroll(self) -> str:
        # It has no tool to scroll: its snapshots show the whole page.
        self._tool("browser_press_key", key="PageDown")
        return self._look()

    def run(self, script: str) -> Any:
        return _run(self._tab, script)

    def _look(self) -> str:
        return self._tool("browser_snapshot")[1]

    def _tool(self, name: str, **arguments: Any) -> tuple[bool, str]:
        result = self._call(name, arguments)
        return bool(result.is_error), "\n".join(getattr(part, "text", "") for part in result.content)


def _of_npm(package: str) -> str:
    return str(json.loads((MODULES / package / "package.json").read_text("utf-8"))["version"])


@contextmanager
def playwright_mcp(url: str) -> Iterator[PlaywrightMcp]:
    """Yield Playwright MCP, a server of its own for each page."""
    port = _free_port()
    with start_blocking_portal() as portal, _Renewed(portal, lambda: _mcp_session(port)) as session:

        def call(name: str, arguments: dict[str, Any]) -> Any:
            return portal.call(lambda: session.value.call_tool(name, arguments))

        yield PlaywrightMcp(session.renew, call, port)


@asynccontextmanager
async def _mcp_session(port: int) -> AsyncIterator[Any]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    with tempfile.TemporaryDirectory() as folder:
        # The port is for the judge, who looks at the page past the server.
        launch = {
            "executablePath": os.environ["WEBSP_BENCH_CHROMIUM"],
            "headless": True,
            "chromiumSandbox": False,
            "args": [f"--remote-debugging-port={port}"],
        }
        config = Path(folder) / "config.json"
        config.write_text(json.dumps({"browser": {"isolated": True, "launchOptions": launch}}))
        server = StdioServerParameters(
            command="node",
            args=[str(MODULES / "@playwright/mcp/cli.js"), "--config", str(config)],
            env=dict(os.environ),
            cwd=folder,
        )
        async with stdio_client(server) as streams, ClientSession(*streams[:2]) as session:
            await session.initialize()
            yield session
            # Its browser outlives a server that is only ended.
            await session.call_tool("browser_close", {})


class _Renewed:
    """An async context that a synchronous program enters anew for each page."""

    def __init__(self, portal: BlockingPortal, make: Callable[[], Any]) -> None:
        self._portal, self._make = portal, make
        self._open: Any = None
        self.value: Any = None

    def renew(self) -> None:
        """Leave the last one and enter another."""
        self.__exit__()
        self._open = self._portal.wrap_async_context_manager(self._make())
        self.value = self._open.__enter__()

    def __enter__(self) -> _Renewed:
        return self

    def __exit__(self, *error: object) -> None:
        if self._open is not None:
            self._open.__exit__(None, None, None)
            self._open = None


# --- browser-use ------------------------------------------------------------------------------------------


class BrowserUse(System):
    """browser-use without a model: its list of elements, and the actions of its controller."""

    press = r"\[(\d+)\]<(?:button|a|input|select|textarea)\b"
    field = r"\[(\d+)\]<(?:input|select|textarea|div role=textbox)\b"
    on = r"checked=true"

    def __init__(self, browser: _Renewed, wait_for: Callable[[Callable[[], Awaitable[Any]]], Any]) -> None:
        from browser_use import Tools

        self.name = f"browser-use {version('browser-use')}"
        self._browser, self._wait_for = browser, wait_for
        self._tools = Tools()
        self._action = self._tools.registry.create_action_model()
        self._tab = ""

    def open(self, url: str) -> str:
        self._browser.renew()
        self._act("navigate", url=url)
        seen = self._look()
        self._tab = self._browser.value.agent_focus_target_id
        return seen

    def act(self, act: Act, element: str) -> Answer:
        if act.do == "click":
            return self._act("click", index=int(element))
        if act.do == "type":
            return self._act("input", index=int(element), text=act.text)
        if act.do == "choose":
            return self._act("select_dropdown", index=int(element), text=act.text)
        return self._act("switch", tab_id=self._tab[-4:])

    def wait(self) -> str:
        return self._act("wait", seconds=1).observation

    def scroll(self) -> str:
        return self._act("scroll", down=True, pages=1.0).observation

    def run(self, script: str) -> Any:
        browser = self._browser.value
        return _run(f"{browser.cdp_url.partition('/devtools/')[0]}/devtools/page/{self._tab}", script)

    def _look(self) -> str:
        seen = self._wait_for(lambda: self._browser.value.get_browser_state_summary())
        tabs = "\n".join(f"Tab {tab.target_id[-4:]}: {tab.url} {tab.title}" for tab in seen.tabs)
        popups = "\n".join(seen.closed_popup_messages)
        return f"{seen.dom_state.llm_representation()}\n{tabs}\n{popups}"

    def _act(self, name: str, **given: Any) -> Answer:
        action = self._action(**{name: given})
        result = self._wait_for(lambda: self._tools.act(action, self._browser.value))
        said = result.long_term_memory or result.extracted_content or ""
        # Some of its errors and all of its warnings are sentences of the result.
        trouble = re.search(r"Couldn't .*|\N{WARNING SIGN}.*", said, re.DOTALL)
        return Answer(result.error or (trouble[0] if trouble else ""), said, self._look())


@contextmanager
def browser_use(url: str) -> Iterator[BrowserUse]:
    """Yield browser-use, a browser of its own for each page."""
    os.environ.update(ANONYMIZED_TELEMETRY="false", BROWSER_USE_LOGGING_LEVEL="result")
    with start_blocking_portal() as portal, _Renewed(portal, _browser) as browser:
        yield BrowserUse(browser, lambda coroutine: portal.call(coroutine))


@asynccontextmanager
async def _browser() -> AsyncIterator[Any]:
    from browser_use import Browser

    # Its extensions would be fetched from the internet.
    browser = Browser(
        executable_path=os.environ["WEBSP_BENCH_CHROMIUM"],
        headless=True,
        chromium_sandbox=False,
        enable_default_extensions=False,
    )
    await browser.start()
    try:
        yield browser
    finally:
        await browser.kill()
