"""Results of searches: Google lists public pages only, and a site's search finds the site's own pages on privacy."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import quote, urlsplit

import pytest

from tests.fuzz_support import CATALOG
from tests.sandbox_support import Visitor
from websp_gym.sandbox.client import Sandbox
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.search import find

SEARCHED = [site for site in CATALOG if site.search]


@pytest.fixture(scope="module")
def visitor() -> Iterator[Visitor]:
    """Somebody who is signed in nowhere."""
    sandbox = Sandbox.shared()
    episode = sandbox.open_episode("steam", signed_in=[])
    yield Visitor(sandbox.address, episode)
    episode.close()


def links(html: str) -> list[str]:
    return [unescape(link) for link in re.findall(r'<a[^>]* href="([^"]+)"', html)]


def results(visitor: Visitor, query: str) -> list[str]:
    """The addresses that Google lists, on all its pages of results."""
    found: list[str] = []
    while True:
        html = visitor.get(f"https://www.google.com/search?q={quote(query)}&start={len(found)}").body
        page = re.findall(r'<h3><a href="([^"]+)"', html)
        found += map(unescape, page)
        if len(page) < 10:
            return found


@pytest.mark.parametrize("site", SEARCHED, ids=lambda site: site.slug)
def test_google_lists_no_page_that_needs_a_login(visitor: Visitor, site: SiteSchema) -> None:
    listed = [url for url in results(visitor, site.name) if url.split("/")[2] in site.hosts]
    assert listed, "a site is found by its name"
    private = {
        (host, page.path)
        for page in site.pages
        if page.login or page.path == site.login_page
        for host in page.hosts or site.hosts
    }
    for url in listed:
        assert urlsplit(url)[1:3] not in private
        assert (url, visitor.get(url).status) == (url, 200)


@pytest.mark.parametrize(
    ("search", "page"),
    [
        ("https://www.allrecipes.com/search?q=privacy", "/about/privacy-policy/"),
        ("https://www.allrecipes.com/search?q=cookies", "/about/privacy-policy/"),
        ("https://www.aljazeera.com/search?q=privacy", "/about/privacy-policy"),
        ("https://www.aljazeera.com/search?q=cookies", "/about/cookie-policy"),
        ("https://www.bbc.com/search?q=privacy", "/usingthebbc/privacy/"),
        ("https://www.bbc.com/search?q=cookie+settings", "/how-can-i-change-my-bbc-cookie-settings/"),
        ("https://www.docker.com/search/?q=privacy", "/legal/privacy/"),
        ("https://www.docker.com/search/?q=cookies", "/legal/"),
        ("https://www.ikea.com/us/en/search/?q=privacy", "/customer-service/privacy-policy/"),
        ("https://www.ikea.com/us/en/search/?q=cookies", "/customer-service/cookie-policy/"),
        ("https://www.nvidia.com/en-us/search/?q=privacy", "/about-nvidia/privacy-center/"),
        ("https://www.nvidia.com/en-us/search/?q=cookie+settings", "/about-nvidia/privacy-center/cookies/"),
        ("https://www.nvidia.com/en-us/search/?q=email+preferences", "/preferences/email-preferences/"),
        ("https://www.airbnb.com/help?q=privacy", "/help/sale-share-opt-out"),
        ("https://www.airbnb.com/help?q=cookies", "/help/article/cookies"),
    ],
)
def test_the_search_of_a_site_finds_its_pages_on_privacy(visitor: Visitor, search: str, page: str) -> None:
    found, nothing = (
        set(links(visitor.get(url).body)) for url in (search, search.partition("=")[0] + "=zzqx")
    )
    (hit,) = (link for link in found - nothing if link.endswith(page))
    assert (
        visitor.get(hit if hit.startswith("https:") else f"https://{search.split('/')[2]}{hit}").status == 200
    )


def test_search_includes_account_pages_only_for_signed_in_visitors() -> None:
    steam = next(site for site in SEARCHED if site.slug == "steam")
    mail = "https://store.steampowered.com/account/emailoptout"
    assert mail not in [hit.url for hit in find("email preferences", [steam], every=True)]
    assert mail in [hit.url for hit in find("email preferences", [steam], every=True, signed_in=True)]


def test_every_word_must_be_on_the_page_where_that_is_asked_for() -> None:
    assert find("cookie zzqx", SEARCHED)
    assert not find("cookie zzqx", SEARCHED, every=True)
    assert not find("", SEARCHED, every=True)
