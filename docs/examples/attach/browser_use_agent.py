"""browser-use as an agent: websp run --agent 'cdp:python browser_use_agent.py' (pip install browser-use)."""

from __future__ import annotations

import asyncio
import os
import urllib.request

from browser_use import Agent, Browser, ChatOpenAI


async def main() -> None:
    """Play the episode."""
    agent = Agent(
        task=f"{os.environ['WEBSP_TASK']} The website is open in the current tab.",
        llm=ChatOpenAI(model=os.environ.get("MODEL", "gpt-6.2-sol")),
        browser=Browser(cdp_url=os.environ["WEBSP_CDP_URL"]),
        use_judge=False,
    )
    history = await agent.run(max_steps=30)
    answer = (history.final_result() or "").encode()
    urllib.request.urlopen(os.environ["WEBSP_FINISH_URL"], data=answer).close()


if __name__ == "__main__":
    asyncio.run(main())
