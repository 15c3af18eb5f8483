"""A Playwright program as an agent (pip install playwright):

    websp run --agent 'cdp:python playwright_agent.py "link:Cookies & Browsing" switch:recentapps' --tasks 'Steam-*'

It presses what has these roles and accessible names, one after another.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from playwright.sync_api import sync_playwright


def main() -> None:
    """Play the episode."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.connect_over_cdp(os.environ["WEBSP_CDP_URL"])
        page = browser.contexts[0].pages[0]
        for word in sys.argv[1:]:
            role: Any
            role, _, name = word.partition(":")
            page.get_by_role(role, name=name).click()
        page.wait_for_load_state("networkidle")
        browser.close()


if __name__ == "__main__":
    main()
