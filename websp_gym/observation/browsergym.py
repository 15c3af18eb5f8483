"""BrowserGym's own observation keys, extracted with its own functions.

Its screenshot is not used: on recent Chromium it detaches its CDP session afterwards, which drops the viewport
override and shrinks the page to 780×493.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from browsergym.core import observation as bg
from playwright.sync_api import Error as PlaywrightError

if TYPE_CHECKING:
    from playwright.sync_api import Page

KEYS = ("dom_object", "axtree_object", "extra_element_properties", "focused_element_bid")
_TRIES = 5


def extract(page: Page, tags_to_mark: str = "standard_html") -> dict[str, Any]:
    """Extracts DOM snapshot, accessibility tree, element properties and focus.

    Args:
        page: The active page; its elements get ``bid`` attributes, which BrowserGym's actions address.
        tags_to_mark: BrowserGym's option of the same name.

    Returns:
        The values of :data:`KEYS`.
    """
    for attempt in range(1, _TRIES + 1):
        try:
            return _extract(page, tags_to_mark, lenient=attempt == _TRIES)
        except (PlaywrightError, bg.MarkingError):
            # A frame went away in the middle; what took its place is asked next.
            if attempt == _TRIES:
                raise
            page.wait_for_load_state("domcontentloaded")
    raise AssertionError("unreachable")


def _extract(page: Page, tags_to_mark: str, *, lenient: bool) -> dict[str, Any]:
    bg._pre_extract(page, tags_to_mark=tags_to_mark, lenient=lenient)
    dom = bg.extract_dom_snapshot(page)
    axtree = bg.extract_merged_axtree(page)
    focused = bg.extract_focused_element_bid(page)
    extra = bg.extract_dom_extra_properties(dom, scale_factor=1.0)
    bg._post_extract(page)
    return {
        "dom_object": dom,
        "axtree_object": axtree,
        "extra_element_properties": extra,
        "focused_element_bid": focused,
    }
