"""The harm guard and agents that act by themselves: it sees presses by the tools, and no scripts."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.shared.exceptions import MCPError
from websockets.exceptions import InvalidHandshake
from websockets.sync.client import connect

from tests.attach.test_tools import Tools, use
from tests.attach_support import STEAM, ThreadAgent
from tests.command_support import websp_here
from tests.conftest import MakeEnv
from websp_gym.attach.agent import OutsideAgent
from websp_gym.attach.door import Door
from websp_gym.env import WebspEnv
from websp_gym.env.rollout import Rollout
from websp_gym.errors import SetupError
from websp_gym.tasks.instances import load_instance


class ToolsAgent(ThreadAgent):
    """Its program plays by the tools alone."""

    has_tools_alone = True


@pytest.mark.parametrize("options", [{"harm_guard": True}, {"world": "live", "reward": lambda end: 0.0}])
def test_an_agent_with_scripts_does_not_play_where_the_guard_is_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: dict[str, Any]
) -> None:
    monkeypatch.setenv("WEBSP_LIVE", "1")
    accounts = tmp_path / "accounts.yaml"
    accounts.write_text("accounts: {steam-1: {site: steam, email: me@example.com, sign_in: by_hand}}")
    monkeypatch.setenv("WEBSP_ACCOUNTS", str(accounts))
    with pytest.raises(SetupError, match=r"mcp:COMMAND.*harm_guard=False"):
        OutsideAgent("any").join(WebspEnv(load_instance(STEAM), **options))
    agent = OutsideAgent("any")
    agent.join(WebspEnv(load_instance(STEAM), **{**options, "harm_guard": False}))
    agent.leave()


def test_with_the_tools_alone_the_guard_holds_back_a_press(make: MakeEnv) -> None:
    env = make("Steam-task-194", harm_guard=True)
    reached: list[object] = []

    async def press(tools: Tools) -> None:
        await tools.call("wait")
        page = await tools.call("look")
        with suppress(MCPError):  # the episode may end, and the door with it, before the answer is out
            await tools.click(page, "delete my account")

    def program(door: Door) -> None:
        reached.extend([door.cdp_url, door.http_url, door.debugger_address])
        place = f"127.0.0.1:{door.port}"
        reached.append(httpx.get(f"http://{place}/{door.token}/json/version").status_code)
        with pytest.raises(InvalidHandshake), connect(f"ws://{place}/devtools/browser/{door.token}"):
            pass
        env.page.goto("https://help.steampowered.com/wizard/HelpDeleteAccount")
        use(door.mcp_url, press)

    agent = ToolsAgent(program)
    rollout = Rollout(env, agent)
    for _ in rollout:
        pass
    if agent.error is not None:
        raise agent.error
    assert reached == ["", "", "", 404]
    assert rollout.task is not None
    assert rollout.task.trajectory.end_reason == "stopped"


def test_a_guarded_run_starts_programs_for_the_tools_only(tmp_path: Path) -> None:
    def run(agent: str) -> Any:
        out = ("--out", str(tmp_path / agent))
        return websp_here("run", "--agent", agent, "--tasks", STEAM, "--harm-guard", *out)

    refused = run("cdp:env")
    assert (refused.returncode, "mcp:COMMAND" in refused.stderr) == (2, True), refused.stderr
    done = run("mcp:sh -c 'env; curl -s -X POST -d done $WEBSP_FINISH_URL'")
    assert done.returncode == 0, done.stderr
    (said,) = tmp_path.rglob("output.txt")
    ours = {line.partition("=")[0] for line in said.read_text().splitlines() if line.startswith("WEBSP_")}
    assert ours == {"WEBSP_FINISH_URL", "WEBSP_MCP_URL", "WEBSP_START_URL", "WEBSP_TASK"}
