"""Google's search, and the pages around Steam that no task of its own proves: quiet, small, and without dead links."""

from __future__ import annotations

import re

import pytest

from tests.sandbox_support import Visitor
from tests.steam_support import STEAM, Steam, steam
from websp_gym.sandbox.client import Sandbox
from websp_gym.sandbox.schema.catalog import BUILTIN
from websp_gym.sandbox.schema.site_files import load_site

__all__ = ["steam"]

# Steam's pages are opened one by one in test_tasks, as those of every site with tasks.
SLUGS = ("google", "google_accounts", "steamcommunity", "privacy_policies")
NODES = 1500


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("steam", f"{STEAM}/"),
        ("steam support", "https://help.steampowered.com/en/"),
        (
            "bbc cookie settings",
            "https://www.bbc.com/usingthebbc/cookies/how-can-i-change-my-bbc-cookie-settings/",
        ),
    ],
)
def test_google_finds_the_pages_of_the_sandbox(steam: Steam, query: str, address: str) -> None:
    page = steam.page
    page.goto("https://www.google.com/")
    page.get_by_role("combobox", name="Search").fill(query)
    page.get_by_role("button", name="Google Search").click()
    page.locator(".hit a").first.click()
    page.wait_for_url(address)


def test_google_reports_an_empty_search(steam: Steam) -> None:
    steam.page.goto("https://google.com/")
    assert steam.page.url == "https://www.google.com/"
    steam.page.get_by_role("combobox", name="Search").fill("zzqx")
    steam.page.get_by_role("button", name="I'm Feeling Lucky").click()
    steam.page.get_by_text("found no page").wait_for()


def addresses(*slugs: str) -> list[str]:
    """Returns every page of the sites that has an address of its own."""
    hand_over = "?client=steam&redir=/"
    found = []
    for slug in slugs:
        site = load_site(BUILTIN / slug)
        for page in site.pages:
            if page.template and "{" not in page.path:
                found.append(f"https://{(page.hosts or site.hosts)[0]}{page.path}")
    return [address + hand_over if "/oauth" in address else address for address in found]


def test_every_page_of_steam_is_small(steam: Steam) -> None:
    visitor = Visitor(Sandbox.shared().address, steam.episode)
    asked = [f"{STEAM}/app/731120/", f"{STEAM}/app/1/", f"{STEAM}/genre/Racing/", f"{STEAM}/genre/None/"]
    asked += [f"{STEAM}/search/?term=", f"{STEAM}/checkout/?funds=10", *addresses("steam")]
    for address in asked:
        reply = visitor.get(address)
        assert reply.status == 200, address
        assert reply.body.count("data-websp-replica") == 1, address
        assert len(re.findall("<[a-z]", reply.body)) <= NODES, address


def test_every_page_is_quiet_and_small_and_no_link_is_dead(steam: Steam) -> None:
    complaints: list[str] = []
    asked: list[str] = []
    page = steam.page.context.new_page()
    page.on("console", lambda message: complaints.append(f"{page.url}: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"{page.url}: {error}"))
    page.on("request", lambda request: asked.append(request.url))
    links: set[str] = set()
    visited = [*addresses(*SLUGS), "https://www.google.com/search?q=steam"]
    for address in visited:
        asked.clear()
        reply = page.goto(address)
        assert reply is not None
        assert reply.status == 200, address
        assert page.locator("[data-websp-replica]").count() == 1, address
        files = [url for url in asked if url.startswith("https:") and url != page.url]
        assert [url.rpartition("/")[2] for url in files] in ([], ["steam.css", "steam.js"]), address
        nodes = page.evaluate("document.querySelectorAll('*').length")
        assert nodes <= NODES, address
        links |= set(page.evaluate("[...document.querySelectorAll('a[href]')].map((link) => link.href)"))
    assert complaints == []

    assert not [link for link in links if link.endswith("#")]
    visitor = Visitor(Sandbox.shared().address, steam.episode)
    unseen = {link for link in links if link.startswith("https:")} - set(visited)
    assert unseen
    dead = [link for link in sorted(unseen) if visitor.get(link).status >= 400]
    assert dead == []
    assert not [event for event in steam.episode.state()["events"] if event["kind"] in ("egress", "error")]
