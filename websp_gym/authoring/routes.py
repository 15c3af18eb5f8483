"""Addresses of a site's pages: which page entry an address belongs to, and the links in a page."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser
from typing import TYPE_CHECKING
from urllib.parse import urldefrag, urljoin, urlsplit

from websp_gym.sandbox.schema.module_pages import served

if TYPE_CHECKING:
    from websp_gym.sandbox.schema.site import SiteSchema
    from websp_gym.sandbox.schema.site_schema import SitePage


class _Links(HTMLParser):
    """A parser that collects the addresses of a page's links."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the address of a link."""
        href = dict(attrs).get("href")
        if (
            tag == "a"
            and href
            and not href.startswith("javascript:")
            and (href[0] != "#" or href[:2] == "#/")
        ):
            self.found.append(href)


def links_in(address: str, html: str) -> list[str]:
    """Return the full addresses of the links in a page, without their fragments unless these are routes."""
    parser = _Links()
    parser.feed(html)
    return [without_anchor(urljoin(address, href)) for href in parser.found]


def without_anchor(address: str) -> str:
    """Return an address without its fragment, unless that names a page (``/#/contacts``)."""
    plain, fragment = urldefrag(address)
    return address if fragment.startswith("/") else plain


def served_at(address: str) -> str:
    """Return where the server answers with the page of an address."""
    plain, fragment = urldefrag(address)
    return urljoin(plain, served(f"/#{fragment}")) if fragment.startswith("/") else address


def page_of(site: SiteSchema, path: str) -> SitePage | None:
    """Return the page entry of a path; one without parameters takes precedence."""
    pages = sorted(site.pages, key=lambda each: "{" in each.path)
    return next((page for page in pages if fits(page.path, path)), None)


def route_of(site: SiteSchema, path: str) -> str:
    """Return the path of the page entry, or the first part of a path that has none."""
    page = page_of(site, path)
    if page is not None:
        return page.path
    return path.split("/")[1] if path.count("/") > 1 else path


@cache
def _pattern(route: str) -> re.Pattern[str]:
    parts = re.split(r"({[a-z_]+(?::[a-z]+)?})", route)
    return re.compile(
        "".join(
            (".+" if ":path" in part else "[^/]+") if part[:1] == "{" else re.escape(part) for part in parts
        )
    )


def fits(route: str, path: str) -> bool:
    """Whether a path is one of a route, such as ``/item/{id}``."""
    return _pattern(route).fullmatch(path) is not None


def path_of(address: str) -> str:
    """Return the path of an address, with the route that its fragment may be."""
    parts = urlsplit(address)
    route = parts.fragment.partition("?")[0]
    return f"{parts.path or '/'}#{route}" if route.startswith("/") else parts.path or "/"


def in_words(paths: list[str]) -> str:
    """Return the first path, and how many others there are."""
    more = len(set(paths)) - 1
    return paths[0] + (f" and {more} more" if more else "")


def bare(address: str) -> str:
    """Return an address without query and fragment."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}{parts.path}"


def fixed_addresses(site: SiteSchema) -> list[str]:
    """Return the address of every page whose path has no parameter."""
    return [
        f"https://{(page.hosts or site.hosts)[0]}{page.path}"
        for page in site.pages
        if page.template and "{" not in page.path
    ]


def login_pages(site: SiteSchema) -> list[str]:
    """Return the address of the page to sign in on, if it is one of this site."""
    return [f"https://{site.hosts[0]}{site.login_page}"] if site.login_page.startswith("/") else []
