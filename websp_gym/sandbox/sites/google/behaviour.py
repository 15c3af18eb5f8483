"""The search of www.google.com: it finds the pages of the other sandbox sites."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

RESULTS_PER_PAGE = 10
MAX_WORDS = 32
"""Of a query; the rest is ignored, as the real search does."""

# Whoever names a site means that site.
_WEIGHTS = {"site": 12, "title": 4, "description": 2, "url": 1}
_SHORTEST_STEM = 4


def routes(site: Any) -> list[Route]:
    """Returns the routes of the search.

    Args:
        site: The site as ``site.yaml`` describes it.
    """
    return [Route("/search", search, methods=["GET"])]


async def search(request: Request) -> Response:
    """Shows what ``?q=`` finds, ten at a time; ``btnI`` (I'm Feeling Lucky) goes to the best hit instead."""
    text = request.query_params.get("q", "").strip()
    if not text:
        return RedirectResponse("https://www.google.com/", 302)
    hits = find(text, request.state.sites)
    if "btnI" in request.query_params and hits:
        return RedirectResponse(hits[0]["url"], 302)
    start = _start(request.query_params.get("start", ""))
    response: Response = request.state.render(
        "results.html",
        title=f"{text} - Google Search",
        text=text,
        hits=hits[start : start + RESULTS_PER_PAGE],
        count=len(hits),
        start=start,
        step=RESULTS_PER_PAGE,
    )
    return response


def find(text: str, sites: Iterable[Any]) -> list[dict[str, str]]:
    """Returns the pages that share words with a query, those that share most first.

    Only pages that declare a title and a description are found: the others are steps of a way, not destinations.

    Args:
        text: What was typed.
        sites: The sites of the sandbox.
    """
    words = _words(text)[:MAX_WORDS]
    entries = [
        {"title": page.title, "description": page.description, "site": site.name, "url": _address(site, page)}
        for site in sites
        if site.search
        for page in site.pages
        if page.title and page.description and "{" not in page.path
    ]
    scored = [(sum(_score(word, entry) for word in words), entry) for entry in entries]
    # Python's sort is stable: equal pages stay in the order their site lists them.
    return [entry for score, entry in sorted(scored, key=lambda each: -each[0]) if score]


def _score(word: str, entry: dict[str, str]) -> int:
    """Returns the weight of every part of a page in which a word occurs ("cookie" occurs in "cookies")."""
    return sum(
        weight
        for part, weight in _WEIGHTS.items()
        if any(_same(word, other) for other in _words(entry[part]))
    )


def _same(word: str, other: str) -> bool:
    short, long = sorted((word, other), key=len)
    return short == long or (len(short) >= _SHORTEST_STEM and long.startswith(short))


def _words(text: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r"[a-z0-9]+", text.lower())))


def _address(site: Any, page: Any) -> str:
    return f"https://{(page.hosts or site.hosts)[0]}{page.path}"


def _start(text: str) -> int:
    return int(text) // RESULTS_PER_PAGE * RESULTS_PER_PAGE if text.isascii() and text.isdigit() else 0
