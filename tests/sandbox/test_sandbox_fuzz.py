"""No request of a page or an agent gets a 500 or spoils an episode. ``WEBSP_FUZZ=200`` with ``-m proof`` sends more."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
from itertools import islice
from urllib.parse import quote

import pytest

from tests.fuzz_support import (
    CATALOG,
    KEYS,
    body_of,
    headers_of,
    odd_headers_of,
    path_of,
    query_of,
    searches,
    send,
    signed_in,
    targets,
    thorough,
    tokens_of,
)
from tests.sample import long_table
from websp_gym.authoring.forms import words_of
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.app import SiteApp
from websp_gym.sandbox.server.store import Store

SLUGS = long_table(
    CATALOG.slugs, "websp_gym/sandbox/", "tests/sandbox/test_sandbox_fuzz", "tests/fuzz_support"
)
PER_ROUTE = int(os.environ.get("WEBSP_FUZZ", "6"))


async def fuzz(site: SiteSchema, store: Store, seed: int, per_route: int) -> list[str]:
    """Sends some requests to every route of a site; returns those that were answered with a 5xx or spoilt it."""
    chance, app, wrong, words = random.Random(seed), SiteApp(store, KEYS), [], words_of(site)
    known = list(targets(site))
    pages = [target for target in known if target.method == "GET" and "{" not in target.path]
    # Routes that only show something share an account. One that was signed out or deleted answers everything with a
    # redirect, so each of the others gets a new one.
    acting = {action.path for action in site.actions}
    showing = [target for target in known if target.method == "GET" and target.path not in acting]
    for group in (showing, *([target] for target in known if target not in showing)):
        episode = signed_in(store)
        for target in group:
            times = per_route * (5 if target.texts and target.method != "GET" else 1)
            for number in range(times + (2 if target.method != "GET" else 0)):
                # What was stored, however odd, is shown.
                each = target if number < times else chance.choice(pages)
                path, query = path_of(each, chance), query_of(each, chance, words) if number < times else ""
                headers = odd_headers_of(site, each, episode, chance)
                kind, body = body_of(each, chance, words) if each.method != "GET" else ("", b"")
                if kind:
                    headers["content-type"] = kind
                status, _ = await send(app, each.method, path, query, headers, body)
                if status >= 500:
                    sent = f"{status} {each.method} {each.host}{path}?{query} {headers} {kind} {body[:200]!r}"
                    wrong.append(sent)
        wrong += [f"event {event}" for event in episode.events() if event["kind"] == "error"]
        json.loads(episode.state_json())
        await store.close(episode)
    return wrong


@pytest.mark.parametrize("slug", SLUGS)
def test_no_request_is_answered_with_a_server_error_or_spoils_its_episode(slug: str) -> None:
    assert asyncio.run(fuzz(CATALOG[slug], Store(CATALOG), seed=10, per_route=1)) == []


@pytest.mark.proof
@pytest.mark.parametrize("slug", CATALOG.slugs)
def test_no_request_of_many_is_answered_with_a_server_error_or_spoils_its_episode(slug: str) -> None:
    assert asyncio.run(fuzz(CATALOG[slug], Store(CATALOG), seed=11, per_route=PER_ROUTE)) == []


async def parse(site: SiteSchema, store: Store, every: int) -> list[str]:
    """Sends texts in the grammar of what a site's behaviour parses; returns what was answered with a 5xx.

    Args:
        site: The site.
        store: The accounts.
        every: Which share of the texts is sent to each route; the next route gets the next share.
    """
    app, wrong = SiteApp(store, KEYS), []
    for place, target in enumerate(targets(site)):
        if not target.items or target.method == "GET":
            continue
        episode = signed_in(store)
        # As the browser that is signed in, and as a program with each token, as long as these are let in.
        ways = ["", *tokens_of(site, episode)]
        for path, kind, body in islice(thorough(target), place % every, None, every):
            for way in list(ways):
                headers = headers_of(target.host, episode) | {"content-type": kind, "authorization": way}
                status, _ = await send(app, target.method, path, "", headers, body)
                if status in (401, 403) and len(ways) > 1:
                    ways.remove(way)
                if status >= 500:
                    wrong.append(f"{status} {target.method} {target.host}{path} {kind} {body[:200]!r}")
            del ways[1:-1]
        wrong += [f"event {event}" for event in episode.events() if event["kind"] == "error"]
        await store.close(episode)
    return wrong


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.proof)])
@pytest.mark.parametrize("slug", [site.slug for site in CATALOG if (site.folder / "behaviour.py").is_file()])
def test_no_malformed_input_breaks_a_site(slug: str, every: int) -> None:
    assert asyncio.run(parse(CATALOG[slug], Store(CATALOG), every)) == []


async def search(site: SiteSchema, store: Store) -> list[str]:
    """Asks every page that reads a query for each word of the site's own texts; returns the answers that are a 5xx."""
    app, episode, wrong = SiteApp(store, KEYS), signed_in(store), []
    for host, path, name in searches(site):
        for word in words_of(site):
            query = f"{name}={quote(word)}"
            status, _ = await send(app, "GET", path, query, headers_of(host, episode))
            if status >= 500:
                wrong.append(f"{status} {host}{path}?{query}")
    return wrong + [f"event {event}" for event in episode.events() if event["kind"] == "error"]


@pytest.mark.parametrize("slug", SLUGS)
def test_searching_a_site_for_any_of_its_own_words_works(slug: str) -> None:
    assert asyncio.run(search(CATALOG[slug], Store(CATALOG))) == []


def test_no_query_string_makes_a_page_claim_a_save() -> None:
    templates = [file for site in CATALOG for file in (site.folder / "templates").rglob("*.html")]
    names = r"(saved|ordered|done|success|updated|ok|l)\b"
    told = rf"query(\.get\([\"']|\.|\[[\"']){names}"
    assert [file.name for file in templates if re.search(told, file.read_text("utf-8"))] == []
    redirects = [action.redirect for site in CATALOG for action in site.actions]
    assert [redirect for redirect in redirects if re.search(rf"[?&]{names}", redirect)] == []
