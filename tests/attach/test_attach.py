"""``with attach(ID) as door``: an episode for a program of one's own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from playwright.async_api import async_playwright

from tests.attach_support import COOKIES, STEAM, SWITCHES, Client
from websp_gym.attach import attach
from websp_gym.browser.owner import shut_down
from websp_gym.errors import SetupError


def solve(url: str) -> None:
    with closing(Client(url)) as client:
        client.open(COOKIES)
        for name in SWITCHES:
            client.turn_off(name)


def test_a_program_attaches_and_gets_the_verdict(tmp_path: Path) -> None:
    with attach(STEAM, record_to=tmp_path) as door:
        assert (door.id, door.start_url, door.running) == (STEAM, "https://store.steampowered.com/", True)
        assert "Cookies" in door.instruction
        solve(door.cdp_url)
        verdict = door.finish("done")
        assert verdict.score == 1.0
        assert door.finish() == verdict
        assert not door.running
        assert [step.counted for step in door.trajectory.steps] == [1, 1, 1, 1]
        assert door.folder is not None
        assert len(list(door.folder.glob("*.png"))) == 5


def test_two_episodes_at_once_do_not_mix() -> None:
    with ExitStack() as stack:
        first, second = (stack.enter_context(attach(STEAM, seed=seed)) for seed in range(2))
        solve(second.cdp_url)
        assert first.finish().score == 0.0
        assert second.finish().score == 1.0


@pytest.mark.proof
def test_four_episodes_at_once_do_not_mix() -> None:
    with ExitStack() as stack:
        doors = [stack.enter_context(attach(STEAM, seed=seed)) for seed in range(4)]
        with ThreadPoolExecutor(4) as threads:
            for _ in threads.map(solve, [door.cdp_url for door in doors[1:]]):
                pass
        assert [door.finish().score for door in doors] == [0.0, 1.0, 1.0, 1.0]


def test_leaving_without_finishing_ends_the_episode() -> None:
    with attach(STEAM) as door:
        pass
    assert not door.running
    assert door.finish().score == 0.0


@pytest.mark.parametrize(("instance", "options"), [("Steam-task-1919", {}), (STEAM, {"max_action": 3})])
def test_what_cannot_begin_says_so(instance: str, options: dict[str, int]) -> None:
    with pytest.raises(SetupError), attach(instance, **options):
        pass


def test_an_episode_whose_browser_does_not_start_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    shut_down()  # one that was kept need not start
    monkeypatch.setenv("WEBSP_BROWSER", "/nowhere/chromium")
    with pytest.raises(SetupError, match="/nowhere/chromium"), attach(STEAM):
        pass


def test_playwright_plays_over_it_unchanged() -> None:
    import asyncio

    async def program(url: str) -> int:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.connect_over_cdp(url)
            (context,) = browser.contexts
            page = await context.new_page()
            await page.goto(COOKIES)
            for name in ("recentapps", "app_impressions"):
                await page.get_by_role("switch", name=name).click()
            await page.screenshot()
            tabs = len(context.pages)
            await browser.close()
            return tabs

    with attach(STEAM) as door:
        assert asyncio.run(program(door.cdp_url)) == 2
        assert door.finish().score == 1.0
        names = [step.act.name for step in door.trajectory.steps if step.act and step.act.role == "switch"]
    assert names == ["recentapps", "app_impressions"]
