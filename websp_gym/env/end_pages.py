"""Reading pages at the end of an episode, for the checks of a published benchmark."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.launch import new_context
from websp_gym.errors import WorldError
from websp_gym.records.trajectory import PageRead
from websp_gym.replay.moved import address_on

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

    from websp_gym.browser.tabs import Tabs
    from websp_gym.tasks.published import Find, PageCheck
    from websp_gym.world import WorldEpisode

_READ = """([css, at, part, beside, labels]) => {
  const names = beside ? [...document.querySelectorAll(labels)].map((each) => each.innerText.trim()) : [];
  const from = beside ? names.indexOf(beside) : 0;
  const element = from < 0 ? null : document.querySelectorAll(css)[from + at];
  if (!element) return null;
  return part === "text" ? element.innerText : part === "value" ? element.value ?? null : element.getAttribute(part);
}"""
_PATIENCE = 15_000
"""Milliseconds that a page may take to load."""


def read_pages(checks: tuple[PageCheck, ...], tabs: Tabs, episode: WorldEpisode) -> list[PageRead]:
    """Return what the pages of some checks say, in the order of the checks.

    Pages other than the last one are opened beside the agent's: in the sandbox in a copy of the episode, since the
    episode itself answers no more.
    """
    pages = _Pages(tabs, episode)
    try:
        return [_read(check, pages) for check in checks]
    finally:
        pages.close()


def _read(check: PageCheck, pages: _Pages) -> PageRead:
    page = pages.open(check.address)
    try:
        return PageRead(url=page.url, text=_source(page) if check.find is None else _part(page, check.find))
    except PlaywrightError:
        return PageRead(url=page.url, text=None)


def _source(page: Page) -> str:
    return html.unescape("\n".join(frame.content() for frame in page.frames))


def _part(page: Page, find: Find) -> str | None:
    found = page.evaluate(_READ, [find.css, find.at, find.part, find.beside, find.labels])
    return None if found is None else html.unescape(str(found))


class _Pages:
    """The agent's page, and others that are opened beside it, each once."""

    def __init__(self, tabs: Tabs, episode: WorldEpisode) -> None:
        self._tabs = tabs
        self._episode = episode
        self._own: BrowserContext | None = None
        self._end: Callable[[], None] | None = None
        self._opened: dict[str, Page] = {}

    def open(self, address: str) -> Page:
        """Return the page of an address; of an empty one, the agent's.

        Raises:
            WorldError: It could not be opened, which is not the agent's doing.
        """
        if not address:
            return self._tabs.current
        base = self._episode.site_url
        url = address if base is None else address_on(address, base)
        try:
            if address not in self._opened:
                page = self._opened[address] = self._context.new_page()
                page.goto(url, wait_until="load" if self._own else "networkidle", timeout=_PATIENCE)
            return self._opened[address]
        except PlaywrightError as error:
            raise WorldError(f"{url} could not be read at the end of the episode: {error}") from error

    @property
    def _context(self) -> BrowserContext:
        """The context of the other pages: one of a copy of the episode, or the agent's where there are no copies."""
        context = self._tabs.context
        if self._own is None and self._end is None and context.browser is not None:
            size = self._tabs.current.viewport_size or {"width": 1280, "height": 800}
            copy = new_context(context.browser, viewport=(size["width"], size["height"]))
            copy.add_cookies(cast("list[Any]", context.cookies()))
            self._end = self._episode.copy_for(copy)
            if self._end is None:
                copy.close()
            else:
                self._own = copy
        return self._own or context

    def close(self) -> None:
        """Close what was opened."""
        for page in self._opened.values():
            page.close()
        if self._own is not None:
            self._own.close()
        if self._end is not None:
            self._end()
