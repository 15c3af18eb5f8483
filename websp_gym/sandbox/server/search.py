"""Search over the pages that sites declare, for the web search and for the search of a site."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_schema import SitePage

MAX_WORDS = 32
"""The maximum number of words of a query; the rest is ignored, as in real search engines."""

# A query that contains the name of a site is about that site.
_WEIGHTS = {"site": 12, "title": 4, "description": 2, "url": 1}
_SHORTEST_STEM = 4


@dataclass(frozen=True)
class Hit:
    """A search result: a page that matches the query."""

    site: str
    title: str
    description: str
    url: str


def find(
    text: str, sites: Iterable[SiteSchema], *, signed_in: bool = False, every: bool = False
) -> list[Hit]:
    """Return the pages that match a query, the best match first.

    Pages without a title and a description are left out: they are steps of a flow, not destinations.

    Args:
        text: The query.
        sites: The sites to search.
        signed_in: Whether to include pages that require a login.
        every: Whether a page must match every word of the query instead of at least one.
    """
    words = _words(text)[:MAX_WORDS]
    hits = [_hit(site, page) for site in sites for page in site.pages if _is_listed(site, page, signed_in)]
    enough = len(words) if every else 1
    scored = [(scores, hit) for hit in hits if (scores := _scores(words, hit)) and len(scores) >= enough]
    # The sort is stable: pages with equal scores stay in the order in which their site lists them.
    return [hit for _, hit in sorted(scored, key=lambda each: -sum(each[0]))]


def _is_listed(site: SiteSchema, page: SitePage, signed_in: bool) -> bool:
    if not (page.title and page.description) or "{" in page.path or page.path == site.login_page:
        return False
    return signed_in or not page.login


def _hit(site: SiteSchema, page: SitePage) -> Hit:
    address = f"https://{(page.hosts or site.hosts)[0]}{page.path}"
    return Hit(site.name, page.title, page.description, address)


def _scores(words: Sequence[str], hit: Hit) -> list[int]:
    """Return a score for each word that a page contains: the sum of the weights of the parts it occurs in."""
    parts = {part: _words(getattr(hit, part)) for part in _WEIGHTS}
    return [score for word in words if (score := _score(word, parts))]


def _score(word: str, parts: dict[str, list[str]]) -> int:
    # A word also matches a longer word that starts with it: "cookie" and "cookies".
    return sum(weight for part, weight in _WEIGHTS.items() if any(map(partial(_same, word), parts[part])))


def _same(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return short == long or (len(short) >= _SHORTEST_STEM and long.startswith(short))


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"[a-z0-9]+", text.lower())))
