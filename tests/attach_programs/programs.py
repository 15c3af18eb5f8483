"""Programs of others that play through the door of an episode, each unchanged, and what a run of one shows."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.attach_programs.model import Presser
from tests.attach_programs.pointer import Pointer
from tests.computer_use_support import ANTHROPIC, GEMINI, OPENAI, TASK, Words
from tests.endpoint_support import KEY, serve
from websp_gym.records.load import load_trajectory
from websp_gym.records.trajectory import FILE, Step, Trajectory

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
RECIPES = ROOT / "docs" / "examples" / "attach"
BUILD = ROOT / "build" / "attach"
MODULES = BUILD / "node_modules"
INSPECT = ROOT / ".venv-inspect" / "bin"
"""The other environment, with Inspect AI and the SDKs of today."""
SWITCHES = ["recentapps", "app_impressions"]


@dataclass(frozen=True)
class Program:
    """A program.

    Args:
        name: As its makers write it.
        command: Its command; of its words ``{python}``, ``{node}``, ``{recipes}``, ``{here}``, ``{build}`` and ``{modules}`` are
            places here. The model of Inspect AI and of computer use.
        kind: ``cdp``, ``mcp``, ``inspect`` or ``computer``.
        presses: Number of its presses on the way through the pages.
        words: How a model of computer use says what it does.
    """

    name: str
    command: str
    kind: str = "cdp"
    presses: int = 5
    words: Words | None = None


IN_PYTHON = ("Helium", "Splinter", "nodriver", "zendriver", "pydoll", "DrissionPage", "pychrome")
IN_NODE = ("chrome-remote-interface", "Taiko", "WebdriverIO")
_MCP = "{python} {recipes}/mcp_agent.py"
PROGRAMS = {
    each.name: each
    for each in (
        Program(
            "Playwright, Python",
            "{python} {recipes}/playwright_agent.py button:alexrivers 'link:Account details' "
            "'link:Cookies & Browsing' switch:recentapps switch:app_impressions",
        ),
        Program("Playwright, Node", "{node} {build}/playwright.mjs"),
        Program(
            "Puppeteer",
            "{node} {build}/puppeteer_agent.mjs alexrivers 'Account details: alexrivers' "
            "'Cookies & Browsing' recentapps app_impressions",
        ),
        Program("Selenium", "{python} {recipes}/selenium_agent.py recentapps app_impressions", presses=2),
        Program("browser-use", "{python} {recipes}/browser_use_agent.py"),
        Program("Stagehand", "{node} {build}/stagehand_agent.mjs"),
        Program("agent-browser", "sh {recipes}/agent_browser.sh"),
        Program(
            "Playwright MCP", _MCP + " {node} {modules}/@playwright/mcp/cli.js --cdp-endpoint $WEBSP_CDP_URL"
        ),
        Program(
            "chrome-devtools-mcp", _MCP + " {modules}/.bin/chrome-devtools-mcp --wsEndpoint $WEBSP_CDP_URL"
        ),
        *(Program(name, f"{{python}} {{here}}/libraries.py {name.lower()}", presses=2) for name in IN_PYTHON),
        *(Program(name, f"{{node}} {{build}}/libraries.mjs {name.lower()}", presses=2) for name in IN_NODE),
        Program("tools of websp-gym", _MCP + " $WEBSP_MCP_URL", kind="mcp"),
        Program("Claude Code", "sh {recipes}/claude_code.sh", kind="mcp"),
        Program("Inspect AI, react", "openai/gpt-4.1", kind="inspect"),
        Program("computer use, OpenAI", OPENAI.spec, kind="computer", words=OPENAI),
        Program("computer use, Anthropic", ANTHROPIC.spec, kind="computer", words=ANTHROPIC),
        Program("computer use, Gemini", GEMINI.spec, kind="computer", words=GEMINI),
    )
}
ADDRESSES = (
    "file:///etc/hostname",
    "chrome://version",
    "view-source:file:///etc/hostname",
    "devtools://devtools/bundled/inspector.html",
    "javascript:document.body.remove()",
)
"""What a model of computer use must not open."""


@dataclass(frozen=True)
class Played:
    """One episode of a program.

    Args:
        record: The record.
        output: What the program wrote.
        lost: The last page on which the scripted model did not find what to press.
        offered: Names of the tools that the program offered to it.
    """

    record: Trajectory
    output: str
    lost: str
    offered: frozenset[str] = frozenset()

    @property
    def verdict(self) -> dict[str, Any]:
        """The verdict, as JSON data."""
        assert self.record.verdict is not None, self.output
        return self.record.verdict

    @property
    def actions(self) -> int:
        """Number of actions that count."""
        return sum(step.counted for step in self.record.steps)

    @property
    def presses(self) -> list[Step]:
        """The steps of which the record says what element they met."""
        return [step for step in self.record.steps if step.act is not None and step.act.role]

    @property
    def pressed(self) -> list[str | None]:
        """Names of the switches that were pressed, as recorded."""
        return [step.act.name for step in self.presses if step.act and step.act.role == "switch"]

    @property
    def refused(self) -> str:
        """How many attacks were refused, such as ``20 of 20``; empty if none were tried."""
        if found := re.search(r"probe: (\d+ of \d+)", self.output):
            return found[1]
        tried = [step for step in self.record.steps if any(address in step.action for address in ADDRESSES)]
        return f"{sum(bool(step.error) for step in tried)} of {len(tried)}" if tried else ""


def play(program: Program, folder: Path, *, probe: bool = False, max_actions: int = 50) -> Played:
    """Play one episode of a program.

    Args:
        program: The program.
        folder: Folder of the run.
        probe: Whether it first tries what it must not reach; Inspect AI's agent has no tool to try it with.
        max_actions: Limit of actions.
    """
    folder.mkdir()
    with serve() as endpoint:
        model = _model(program, folder, probe=probe)
        endpoint.always(model)
        done = subprocess.run(
            _command(program, folder, probe=probe, max_actions=max_actions),
            env={**os.environ, **_variables(program, endpoint.url)},
            capture_output=True,
            text=True,
            timeout=170,
            check=False,
            cwd=folder,
        )
    assert done.returncode == 0, done.stdout + done.stderr
    (record,) = folder.rglob(FILE)
    output = record.with_name("output.txt")
    said = output.read_text("utf-8", "replace") if output.exists() else done.stdout
    offered = frozenset(model.offered) if isinstance(model, Presser) else frozenset[str]()
    return Played(load_trajectory(record), said, model.lost, offered)


def _model(program: Program, folder: Path, *, probe: bool) -> Presser | Pointer:
    if program.words is None:
        return Presser()
    return Pointer(program.words, folder, ADDRESSES if probe else ())


def _command(program: Program, folder: Path, *, probe: bool, max_actions: int) -> list[str]:
    """Return the command that plays it: of `websp run`, or of Inspect AI."""
    if program.kind == "inspect":
        task = [
            "websp_gym/websp",
            *("-T", f"ids={TASK}"),
            *("-T", f"record_to={folder}"),
            *("-T", f"max_actions={max_actions}"),
        ]
        return [
            str(INSPECT / "inspect"),
            "eval",
            *task,
            "--model",
            program.command,
            "-M",
            "responses_api=false",
        ]
    for recipe in (*RECIPES.glob("*.mjs"), *HERE.glob("*.mjs")):
        (BUILD / recipe.name).write_bytes(recipe.read_bytes())  # where Node finds the packages
    places = {
        "python": sys.executable,
        "node": "node",
        "recipes": RECIPES,
        "here": HERE,
        "build": BUILD,
        "modules": MODULES,
    }
    command = program.command.format(**places)
    if probe and program.words is None:
        command = f"{sys.executable} -m tests.attach_programs.probe; {command}"
    agent = ["--agent", f"{program.kind}:{command}", "--max-actions", str(max_actions)]
    python = sys.executable if program.words is None else str(INSPECT / "python")
    return [python, "-m", "websp_gym", "run", *agent, "--tasks", TASK, "--out", str(folder / "run")]


def _variables(program: Program, url: str) -> dict[str, str]:
    if program.words is not None:
        return program.words.env(url)
    model = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{url}/v1"}
    if program.kind == "inspect":
        return model
    return {
        **model,
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": url,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CONFIG_DIR": str(BUILD / "claude"),
        "PATH": f"{BUILD}:{MODULES / '.bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "ANONYMIZED_TELEMETRY": "false",
        "SE_AVOID_STATS": "true",
    }
