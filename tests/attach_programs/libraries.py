"""Libraries that drive a browser, each in the words of its own manual: `python libraries.py LIBRARY`.

Each attaches to the browser of the episode, opens Steam's cookie page and presses two switches.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

PAGE = "https://store.steampowered.com/account/cookiepreferences"
XPATHS = [
    f'//*[text()="{name}"]/following::*[@role="switch"][1]' for name in ("recentapps", "app_impressions")
]
FIND = "document.evaluate({!r}, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE, null).singleNodeValue"
"""The expression that finds an element, for libraries that bring no more than the protocol."""
ADDRESS = os.environ.get("WEBSP_DEBUGGER_ADDRESS", "")
HOST, _, PORT = ADDRESS.partition(":")


def _chrome() -> Any:
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.debugger_address = ADDRESS
    return webdriver.Chrome(options=options)


def helium() -> None:
    """Selenium in short words."""
    import helium as h

    h.set_driver(_chrome())
    h.go_to(PAGE)
    for xpath in XPATHS:
        switch = h.S(f"//{xpath.lstrip('/')}")
        h.wait_until(switch.exists)
        h.click(switch)
    h.kill_browser()


def splinter() -> None:
    """Selenium's driver behind an interface for tests."""
    from selenium import webdriver
    from splinter import Browser

    options = webdriver.ChromeOptions()
    options.debugger_address = ADDRESS
    browser = Browser("chrome", options=options)
    browser.visit(PAGE)
    for xpath in XPATHS:
        browser.find_by_xpath(xpath, wait_time=20).first.click()
    browser.quit()


async def nodriver() -> None:
    """Asynchronous, on the protocol itself."""
    import nodriver as library

    await _press_both(library, await library.start(host=HOST, port=int(PORT)))


async def zendriver() -> None:
    """A fork of nodriver."""
    import zendriver as library

    await _press_both(library, await library.start(host=HOST, port=int(PORT)))


async def _press_both(library: Any, browser: Any) -> None:
    tab = await browser.get(PAGE)
    while True:
        # It looks in a document that it got before, and the page may have come in between.
        with suppress(library.core.connection.ProtocolException):
            await tab.select("[role=switch]", timeout=60)
            break
    for xpath in XPATHS:
        (switch, *_) = await tab.xpath(xpath)
        await switch.mouse_click()


async def pydoll() -> None:
    """It makes the addresses of tabs from that of the browser."""
    from pydoll.browser.chromium import Chrome
    from pydoll.exceptions import ElementNotVisible

    tab = await Chrome().connect(os.environ["WEBSP_CDP_URL"])
    await tab.go_to(PAGE)
    for xpath in XPATHS:
        # The page draws its switches anew when one is saved, and what was found before is not visible then.
        while True:
            switch = await tab.query(xpath, timeout=20)
            with suppress(ElementNotVisible):
                await switch.click()
                break


def drissionpage() -> None:
    """Host and port; it ends a browser that has a window where its options say otherwise."""
    from DrissionPage import Chromium, ChromiumOptions
    from DrissionPage.errors import NoRectError

    options = ChromiumOptions().set_address(ADDRESS).headless()
    tab = Chromium(options).latest_tab
    tab.get(PAGE)
    for xpath in XPATHS:
        # The page draws its switches anew when one is saved, and what was found before has no place then.
        while True:
            with suppress(NoRectError):
                tab.ele(f"xpath:{xpath}", timeout=20).click(by_js=False)
                break


def pychrome() -> None:
    """The protocol in Python, with a tab of its own."""
    import pychrome as library

    tab = library.Browser(url=os.environ["WEBSP_HTTP_URL"]).new_tab(PAGE)
    tab.start()
    for xpath in XPATHS:
        find = FIND.format(xpath)
        while not tab.Runtime.evaluate(expression=f"Boolean({find})", returnByValue=True)["result"]["value"]:
            tab.wait(0.05)
        node = tab.Runtime.evaluate(expression=find)["result"]["objectId"]
        tab.DOM.scrollIntoViewIfNeeded(objectId=node)
        left, top, right, _, _, bottom = tab.DOM.getContentQuads(objectId=node)["quads"][0][:6]
        point = {"x": (left + right) / 2, "y": (top + bottom) / 2, "button": "left", "clickCount": 1}
        for kind in ("mousePressed", "mouseReleased"):
            tab.Input.dispatchMouseEvent(type=kind, **point)
    tab.stop()


LIBRARIES: dict[str, Callable[[], Any]] = {
    each.__name__: each for each in (helium, splinter, nodriver, zendriver, pydoll, drissionpage, pychrome)
}


def main() -> None:
    """Play the episode."""
    done = LIBRARIES[sys.argv[1]]()
    if done is not None:
        asyncio.run(done)


if __name__ == "__main__":
    main()
