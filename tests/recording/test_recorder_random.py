"""The round trip as a property: whatever a person does on a page that keeps changing, replay does again."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from tests.recorder_support import Record, Server, facts, opened_studio, record, replayed, server, studio
from tests.window_support import until

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs
    from websp_gym.recording import RecorderBrowser
    from websp_gym.replay import Trace

__all__ = ["opened_studio", "record", "replayed", "server", "studio"]

Act = Callable[["Page", random.Random], None]


def _press(selector: str) -> Act:
    def act(page: Page, chance: random.Random) -> None:
        if chance.random() < 0.5:
            page.click(selector)
        else:
            page.focus(selector)
            page.keyboard.press("Space")

    return act


def _choose(selector: str, starts: str) -> Act:
    def act(page: Page, chance: random.Random) -> None:
        page.focus(selector)
        page.keyboard.type(chance.choice(starts))

    return act


def _write(selector: str) -> Act:
    def act(page: Page, chance: random.Random) -> None:
        page.click(selector)
        page.keyboard.press("End")
        page.keyboard.type("".join(chance.choices("abcäöü 123'\"<>{}", k=chance.randint(1, 8))))
        if chance.random() < 0.3:
            page.keyboard.press("Backspace")
        if chance.random() < 0.3:
            page.keyboard.press("Tab")

    return act


PAGES: dict[str, tuple[str, list[Act], str]] = {
    "form": (
        "form.html",
        [
            _press("[name=news]"),
            _press("[value=friends]"),
            _press("[value=none]"),
            _choose("[name=language]", "EGF"),
            _write("[name=nick]"),
            _write("[name=about]"),
        ],
        "text=Save",
    ),
    "react": (
        "react.html",
        [
            _press("[aria-label=Ads]"),
            _press("[aria-label=Location]"),
            _press("[aria-label=History]"),
            _choose("select", "LD"),
            _write("input"),
        ],
        "text=Save changes",
    ),
    "shadow": (
        "shadow.html",
        [
            _press("x-panel >> nth=0 >> x-toggle >> nth=0 >> input"),
            _press("x-panel >> nth=1 >> x-toggle >> nth=0 >> input"),
            _press("x-panel >> nth=1 >> x-toggle >> nth=1 >> input"),
            _choose("x-panel >> nth=0 >> select", "ae"),
            _write("x-panel >> nth=1 >> input:not([type])"),
        ],
        "text=Save Tracking",
    ),
}


@pytest.mark.parametrize(
    "name", [*(pytest.param(name, marks=pytest.mark.proof) for name in ("form", "react")), "shadow"]
)
def test_random_use_of_a_page_is_replayed_to_the_same_state(
    name: str, studio: RecorderBrowser, server: Server, record: Record, replayed: Callable[[Trace], Tabs]
) -> None:
    file, acts, save = PAGES[name]
    chance = random.Random(f"{name}0")
    page = record(file)
    for _ in range(chance.randint(3, 8)):
        chance.choice(acts)(page, chance)
    acts[0](page, chance)  # so that there is something to save
    page.click(save)
    until(page, lambda: server.state)
    expected = server.state
    trace = studio.stop()
    tabs = replayed(trace)
    try:
        server.wait_for(tabs.current, expected)
    except AssertionError as error:
        raise AssertionError(f"{error}\nrecorded: {facts(trace)}") from None
