"""Programs of others that play through the door of an episode, each unchanged, and what a run of one shows."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.attach_programs.model import Presser
from tests.endpoint_support import KEY, serve

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
RECIPES = ROOT / "docs" / "examples" / "attach"
BUILD = ROOT / "build" / "attach"
MODULES = BUILD / "node_modules"
TASK = "Steam-task-191-ON"
SWITCHES = ["recentapps", "app_impressions"]


@dataclass(frozen=True)
class Program:
    """A program.

    Args:
        name: As its makers write it.
        command: Its command; of its words ``{python}``, ``{node}``, ``{recipes}``, ``{here}`` and ``{modules}`` are
            places here.
        kind: ``cdp`` or ``mcp``.
        presses: Number of its presses on the way through the pages.
    """

    name: str
    command: str
    kind: str = "cdp"
    presses: int = 5


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
        Program("tools of websp-gym", _MCP + " $WEBSP_MCP_URL", kind="mcp"),
    )
}


@dataclass(frozen=True)
class Played:
    """One episode of a program.

    Args:
        result: The line of the results.
        steps: The recorded steps.
        output: What the program wrote.
        lost: The last page on which the scripted model did not find what to press.
    """

    result: dict[str, Any]
    steps: list[dict[str, Any]]
    output: str
    lost: str

    @property
    def pressed(self) -> list[str]:
        """Names of the switches that were pressed, as recorded."""
        acts = [step["act"] or {} for step in self.steps]
        return [act["name"] for act in acts if act.get("role") == "switch"]

    @property
    def refused(self) -> str:
        """How many of the probe's attacks were refused, such as ``20 of 20``; empty without a probe."""
        found = re.search(r"probe: (\d+ of \d+)", self.output)
        return found[1] if found else ""


def play(program: Program, folder: Path, *more: str, probe: bool = False) -> Played:
    """Play one episode of a program with `websp run`.

    Args:
        program: The program.
        folder: Folder of the run.
        *more: Further options.
        probe: Whether the program is preceded by one that tries what it must not reach.
    """
    for recipe in (*RECIPES.glob("*.mjs"), HERE / "playwright.mjs"):
        (BUILD / recipe.name).write_bytes(recipe.read_bytes())  # where Node finds the packages
    places = {
        "python": sys.executable,
        "node": "node",
        "recipes": RECIPES,
        "build": BUILD,
        "modules": MODULES,
    }
    command = program.command.format(**places)
    if probe:
        command = f"{sys.executable} -m tests.attach_programs.probe; {command}"
    with serve() as endpoint:
        model = Presser()
        endpoint.always(model)
        variables = {
            "PATH": f"{BUILD}:{MODULES / '.bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": f"{endpoint.url}/v1",
            "ANONYMIZED_TELEMETRY": "false",
            "SE_AVOID_STATS": "true",
        }
        words = ["run", "--agent", f"{program.kind}:{command}", "--tasks", TASK, "--out", str(folder), *more]
        done = subprocess.run(
            [sys.executable, "-m", "websp_gym", *words],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            timeout=170,
            check=False,
            cwd=folder.parent,
        )
    assert done.returncode == 0, done.stderr
    (result,) = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]
    record = folder / result["trajectory"]
    steps = [json.loads(line) for line in (record / "steps.jsonl").read_text().splitlines()]
    return Played(result, steps, (record / "output.txt").read_text("utf-8", "replace"), model.lost)
