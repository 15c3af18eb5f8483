"""The instances as an environment of HUD, over `websp serve-episodes`. Needs `hud`, in an environment of its own.

    websp serve-episodes            # in the environment of websp-gym; it says the token for WEBSP_EPISODES_TOKEN

Then, in a program::

    job = await hud_env.play(instance="Steam-task-191-ON").run(agent, runtime=LocalRuntime("hud_env.py"))

The agent gets two capabilities: the tools of the episode (MCP), and its browser (CDP).
"""

import os
import secrets
from collections.abc import AsyncGenerator
from urllib.parse import urlsplit

import httpx
from hud import Environment
from hud.capabilities import Capability

AGENTS = os.environ.get("WEBSP_AGENTS", "http://127.0.0.1:8900")
CONTROL = os.environ.get("WEBSP_CONTROL", "http://127.0.0.1:8901")
DOOR = secrets.token_hex(16)

env = Environment(
    "websp",
    capabilities=[
        Capability.mcp(name="tools", url=f"{AGENTS}/mcp/{DOOR}"),
        # HUD's client speaks to one tab: this is the first one.
        Capability.cdp(name="browser", url=f"ws://{urlsplit(AGENTS).netloc}/devtools/page/{DOOR}"),
    ],
)


@env.template(id="websp", description="A web security or privacy task on a replica site.")  # type: ignore[untyped-decorator]
async def play(instance: str, seed: int | None = None) -> AsyncGenerator[str | float, str]:
    """Begin an episode, let the agent act, and return the reward of the state that it leaves."""
    headers = {"Authorization": f"Bearer {os.environ['WEBSP_EPISODES_TOKEN']}"}
    async with httpx.AsyncClient(base_url=CONTROL, headers=headers, timeout=180) as control:
        asked = {"instance": instance, "token": DOOR, **({} if seed is None else {"seed": seed})}
        begun = (await control.post("/episodes", json=asked)).raise_for_status().json()
        try:
            answer = yield begun["instruction"]
            await control.post(begun["finish_url"], json={"answer": str(answer or "")})
        finally:
            ended = (await control.delete(f"/episodes/{begun['id']}")).raise_for_status().json()
        result = ended["result"]
        if result["status"] not in ("pass", "fail"):
            raise RuntimeError(f"{instance}: no score: {result['error'] or result['reason']}")
        yield result["reward"]
