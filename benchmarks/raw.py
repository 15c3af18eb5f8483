"""The fastest a page can be played with Playwright alone: click, wait until it is saved, read the elements."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, cast

from benchmarks.pages import BOX, PAGE
from benchmarks.stepping import count
from websp_gym.browser.find import find_browser
from websp_gym.sandbox.client import EPISODE_HEADER, Sandbox

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam

READ = """
() => new Promise(done => requestAnimationFrame(() => {
  const all = [...document.querySelectorAll('a, button, input, select, textarea')];
  done(JSON.stringify(all.map(el => {
    const box = el.getBoundingClientRect();
    return [el.tagName, el.innerText || el.name || '', el.checked, box.x, box.y, box.width, box.height];
  })));
}))
"""
PICTURE = {"format": "png", "optimizeForSpeed": True}


def raw_stepper(results: Any, barrier: Any, pictures: bool) -> None:
    """Count the steps that a Chromium of its own makes in some seconds, on the page of the other steppers.

    Each click saves a setting, as each step of ours does: the page takes no other one before that. Nothing is marked,
    named or decoded, and the picture stays a PNG.
    """
    from playwright.sync_api import sync_playwright

    sandbox = Sandbox.shared()
    episode = sandbox.open_episode("steam", signed_in=["steam"])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(playwright, headless=True), args=list(sandbox.browser_args())
        )
        context = browser.new_context(viewport={"width": 1280, "height": 1024})
        context.set_extra_http_headers({EPISODE_HEADER: episode.id})
        context.add_cookies(cast("list[SetCookieParam]", episode.cookies))
        page = context.new_page()
        page.goto(PAGE)
        session = context.new_cdp_session(page)
        box = page.get_by_role("checkbox", name=BOX).bounding_box()
        assert box is not None
        at = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

        def step() -> None:
            with page.expect_response(lambda answer: answer.request.method == "POST"):
                page.mouse.click(*at)
            page.evaluate(READ)
            if pictures:
                base64.b64decode(session.send("Page.captureScreenshot", PICTURE)["data"])

        results.put(count(step, barrier))
        browser.close()
    episode.close()
