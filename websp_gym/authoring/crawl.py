"""Crawl every page of a site and check for console errors, unnamed controls and dead links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from playwright.sync_api import Error as PlaywrightError

from websp_gym.authoring.findings import Finding, judged
from websp_gym.authoring.page_log import PageLog
from websp_gym.authoring.proofs import left_the_sandbox
from websp_gym.authoring.routes import (
    bare,
    fits,
    fixed_addresses,
    in_words,
    links_in,
    login_pages,
    page_of,
    path_of,
    route_of,
    served_at,
    without_anchor,
)
from websp_gym.browser import VIEWPORT
from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.scripts import page_scripts
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import WorldError, nearest
from websp_gym.sandbox.client import EPISODE_HEADER, EpisodeHandle, Sandbox, SandboxError
from websp_gym.world.http_probe import HttpProbe
from websp_gym.world.sandbox import SandboxWorld
from websp_gym.world.state import WorldState, world_state

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from websp_gym.sandbox.schema.catalog import Catalog
    from websp_gym.sandbox.schema.site import SiteSchema

_PER_ROUTE = 3
"""Maximum number of pages visited per route (``/item/{id}``); of the others only the status is requested."""
_MOST = 80
"""Maximum number of pages opened in the browser, unless the site declares more."""


def crawl(
    catalog: Catalog,
    slug: str,
    *,
    start_url: str,
    signed_in: tuple[str, ...],
    every: bool = True,
    folder: Path | None = None,
) -> Iterator[Finding]:
    """Visit every page of a site and follow every link.

    Args:
        catalog: All sites.
        slug: The site.
        start_url: Where an episode starts.
        signed_in: Sites that the account is signed in to.
        every: Whether to open every page in the browser. Otherwise one page of each template is opened, and
            the others are requested over HTTP to follow their links.
        folder: Folder for pictures of the pages; None takes none.

    Yields:
        Findings.

    Raises:
        WorldError: The sandbox failed.
    """
    try:
        sandbox = Sandbox.shared()
        episode = sandbox.open_episode(slug, signed_in=signed_in)
    except SandboxError as error:
        raise WorldError(f"the sandbox failed: {error}") from error
    context = open_context(BrowserOptions(args=tuple(sandbox.browser_args())), viewport=VIEWPORT)
    try:
        context.set_extra_http_headers({EPISODE_HEADER: episode.id})
        context.add_cookies(episode.cookies)  # type: ignore[arg-type]
        heard = PageLog(context)
        tour = _Tour(
            catalog,
            catalog[slug],
            context.new_page(),
            Tabs(context, reacts_at_once=SandboxWorld.reacts_at_once),
            folder,
        )
        tour.every = every
        before = world_state(episode.state())
        tour.go([start_url, *fixed_addresses(catalog[slug])])
        probe = HttpProbe(sandbox, episode.id, context.cookies())
        try:
            tour.read(probe)
            dead = [*tour.nowhere(), *tour.dead(probe)]
        finally:
            probe.close()
        context.clear_cookies()
        tour.measure([start_url, *login_pages(catalog[slug])])
        after = world_state(episode.state())
        looked_at = f"{len(tour.visited)} looked at, {len(tour.visited) - tour.read_only} in the browser"
        yield judged("pages", slug, tour.refused, looked_at)
        yield judged("console", f"{slug}'s pages", heard.console, "no errors")
        if heard.warnings:
            yield Finding("console", f"{slug}'s pages", "warning", "; ".join(dict.fromkeys(heard.warnings)))
        away = left_the_sandbox(after)
        yield judged("requests", f"{slug}'s pages", [*away, *heard.unreachable], "none left the sandbox")
        yield judged("answers", f"{slug}'s pages", tour.broken(heard, away), "every file was found")
        named = "every control has one"
        yield judged("names", f"{slug}'s pages", tour.nameless(), named)
        yield judged(
            "width", f"{slug}'s pages", tour.sideways(), f"none scrolls sideways at {VIEWPORT[0]} pixels"
        )
        yield judged("links", slug, dead, f"{len(tour.links)} lead to pages of the sandbox")
        yield judged(
            "side effects", f"{slug}'s pages", _moved(catalog, before, after), "looking changes nothing"
        )
    finally:
        context.close()
        _close(episode)


class _Tour:
    """A crawl of a site and what it found."""

    def __init__(
        self, catalog: Catalog, site: SiteSchema, page: Page, tabs: Tabs, folder: Path | None
    ) -> None:
        self.visited: set[str] = set()
        self.links: dict[str, tuple[str, str]] = {}
        """Maps an address to the page with the link and the name of the link."""
        self.refused: list[str] = []
        self.every = True
        self.read_only = 0
        """Number of pages requested without the browser."""
        self._unopened: list[str] = []
        self._templates: set[str] = set()
        self._catalog = catalog
        self._site = site
        self._page = page
        self._tabs = tabs
        self._folder = folder
        self._routes: Counter[str] = Counter()
        self._nameless: dict[str, list[str]] = {}
        self._nowhere: dict[str, list[str]] = {}
        self._sideways: dict[int, list[str]] = {}
        self._dead: list[str] = []

    def nameless(self) -> list[str]:
        """Return a message per control without an accessible name, with the pages it is on."""
        return [
            f"{each} on {in_words(found)} has no accessible name" for each, found in self._nameless.items()
        ]

    def nowhere(self) -> list[str]:
        """Return a message per link without a target, with the pages it is on."""
        return [f"{each} on {in_words(found)} leads nowhere" for each, found in self._nowhere.items()]

    def sideways(self) -> list[str]:
        """Return a message per width by which pages are wider than their window, with those pages."""
        return [
            f"{in_words(found)} is {each} pixels wider than its window"
            for each, found in self._sideways.items()
        ]

    def measure(self, addresses: list[str]) -> None:
        """Open pages only for their width."""
        for address in addresses:
            self._page.goto(address, wait_until="commit")
            settle(self._tabs)
            self._measure(address, _survey(self._page.main_frame))

    def go(self, addresses: list[str]) -> None:
        """Open these pages and the pages of the same site that they link to."""
        queue = list(dict.fromkeys(addresses))
        fixed = len(queue)
        while queue and len(self.visited) < max(_MOST, fixed):
            address = queue.pop(0)
            if address in self.visited:
                continue
            if not self.every and self._is_like_another(address):
                self._unopened.append(address)
                continue
            self.visited.add(address)
            for link in self._look(address):
                if link not in self.visited and self._opens(link):
                    queue.append(link)

    def read(self, probe: HttpProbe) -> None:
        """Request the pages not opened in the browser, and the pages of the same site that they link to."""
        queue = self._unopened
        while queue:
            address = queue.pop(0)
            if address in self.visited:
                continue
            self.visited.add(address)
            self.read_only += 1
            status, html = probe.page(served_at(address))
            if not 200 <= status < 400:
                self._refuse(address, status)
                continue
            for url in links_in(address, html):
                self.links.setdefault(url, (address, "a link"))
                if url not in self.visited and self._opens(url):
                    queue.append(url)

    def _is_like_another(self, address: str) -> bool:
        """Whether a page of the same template was seen before; note its template."""
        path = path_of(address)
        page = page_of(self._site, path)
        template = page.template if page is not None and page.template else route_of(self._site, path)
        seen = template in self._templates
        self._templates.add(template)
        return seen

    def dead(self, probe: HttpProbe) -> Iterator[str]:
        """Yield a message per link that leads to no page; request the pages that were not visited."""
        hosts = [host for site in self._catalog for host in site.hosts]
        yield from self._dead
        for address in self.links:
            parts = urlsplit(address)
            where = self._where(address)
            if parts.scheme in ("mailto", "tel"):
                continue
            if parts.hostname not in hosts:
                yield f"{where}, and no site has that host{nearest(parts.hostname or '', hosts)}"
            elif address not in self.visited and not self._acts(address):
                status = probe.status(served_at(address))
                if not 200 <= status < 400:
                    yield f"{where}, which answers {status or 'nothing'}"

    def broken(self, heard: PageLog, away: list[str]) -> list[str]:
        """Return error responses to requests of the pages themselves, except by hosts outside the sandbox."""
        pages = {bare(address) for address in self.visited}
        hosts = [each.split(" ", 1)[0] for each in away]
        return [
            each
            for each in heard.answers
            if each.rpartition(" ")[2] not in pages and not any(host in each for host in hosts)
        ]

    def _look(self, address: str) -> list[str]:
        try:
            reply = self._page.goto(address, wait_until="commit")
            settle(self._tabs)
        except PlaywrightError as error:
            self.refused.append(f"{address}: {str(error).splitlines()[0]}")
            return []
        if reply is not None and reply.status >= 400:
            self._refuse(address, reply.status)
            return []
        if self._folder is not None:
            self._photograph(address)
        found: list[str] = []
        for frame in self._page.frames:
            try:
                seen = _survey(frame)
            except PlaywrightError:
                continue  # an iframe that is being replaced
            if frame == self._page.main_frame:
                self._measure(address, seen)
            for kept, told in ((self._nameless, seen["nameless"]), (self._nowhere, seen["nowhere"])):
                for each in told:
                    kept.setdefault(each, []).append(path_of(address))
            for link in [*seen["links"], *seen["forms"]]:
                url = without_anchor(link["url"])
                self.links.setdefault(url, (address, link["name"]))
                found.append(url)
        return found

    def _measure(self, address: str, seen: dict[str, Any]) -> None:
        if seen["hidden"] > 0:
            self._sideways.setdefault(seen["hidden"], []).append(path_of(address))

    def _refuse(self, address: str, status: int) -> None:
        """Record a page that answers with an error: as a dead link if a link led here, else as refused."""
        if address in self.links:
            self._dead.append(f"{self._where(address)}, which answers {status}")
        else:
            self.refused.append(f"{address} answers {status}")

    def _where(self, address: str) -> str:
        page, name = self.links[address]
        return f'"{name}" on {path_of(page)} leads to {address}'

    def _opens(self, address: str) -> bool:
        """Whether to visit a link: a page of this site on a route not visited too often. Counts the visit."""
        parts = urlsplit(address)
        if parts.hostname not in self._site.hosts or self._acts(address):
            return False
        route = f"{parts.hostname}{route_of(self._site, path_of(address))}{'?' if parts.query else ''}"
        self._routes[route] += 1
        return self._routes[route] <= _PER_ROUTE

    def _acts(self, address: str) -> bool:
        """Whether a GET request for this address has an effect, such as signing out."""
        parts = urlsplit(address)
        site = self._catalog.by_host(parts.hostname or "")
        if site is None:
            return False
        return any(each.method == "GET" and fits(each.path, parts.path) for each in site.actions)

    def _photograph(self, address: str) -> None:
        assert self._folder is not None
        first = len(self.visited) == 1
        name = "start" if first else "page_" + re.sub(r"[^\w]+", "_", path_of(address)).strip("_")[:60]
        name = "page_home" if name == "page_" else name
        self._page.screenshot(path=self._folder / f"{name}.png")
        if first:
            self._page.screenshot(path=self._folder / "start_full.png", full_page=True)


@cache
def _script() -> str:
    return files("websp_gym.authoring").joinpath("page.js").read_text("utf-8")


def _survey(frame: Any) -> dict[str, Any]:
    if not frame.evaluate("() => Boolean(globalThis.__websp?.isControl)"):
        frame.evaluate(page_scripts())
    seen: dict[str, Any] = frame.evaluate(_script())
    return seen


def _moved(catalog: Catalog, before: WorldState, after: WorldState) -> Iterator[str]:
    for slug, site in after.sites.items():
        for kind in ("settings", "collections"):
            old, new = getattr(before.sites[slug], kind), getattr(site, kind)
            for key in new:
                if new[key] != old[key] and key not in catalog[slug].bookkeeping:
                    yield f"{slug}: {key} changed from {old[key]!r} to {new[key]!r} while pages were only looked at"


def _close(episode: EpisodeHandle) -> None:
    try:
        episode.close()
    except SandboxError:
        return  # gone with its server
