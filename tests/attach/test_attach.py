"""``with attach(ID) as door``: an episode for a program of one's own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import psutil
import pytest
from playwright.async_api import async_playwright

from tests.attach_support import COOKIES, STEAM, SWITCHES, Client
from websp_gym.attach import attach
from websp_gym.errors import SetupError, WorldError


def solve(url: str) -> None:
    with closing(Client(url)) as client:
        client.open(COOKIES)
        for name in SWITCHES:
            client.turn_off(name)


def browsers() -> set[psutil.Process]:
    """Return the browsers that this process has started, in all their processes."""
    return {each for each in psutil.Process().children(recursive=True) if "chrom" in each.name()}


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


@pytest.mark.parametrize(
    "answer", ["I did it.\nAction: none needed", "done\nThought: x\nAction: Click [1]", "", "]"]
)
def test_an_answer_of_any_shape_ends_the_episode(answer: str) -> None:
    with attach(STEAM) as door:
        solve(door.cdp_url)
        assert door.finish(answer).score == 1.0
        assert door.trajectory.end_reason == "answer"
        assert door.trajectory.answer == " ".join(answer.split())


def test_two_episodes_at_once_do_not_mix() -> None:
    with ExitStack() as stack:
        first, second = (stack.enter_context(attach(STEAM, seed=seed)) for seed in range(2))
        solve(second.cdp_url)
        assert first.finish().score == 0.0
        assert second.finish().score == 1.0


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


def test_an_episode_that_cannot_begin_in_time_says_so_and_leaves_no_browser() -> None:
    before = browsers()
    with pytest.raises(WorldError, match="reset_timeout"), attach(STEAM, reset_timeout=0.3):
        pass
    assert psutil.wait_procs(browsers() - before, timeout=20)[1] == []


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
