"""Whatever a page or an agent sends: no answer is a 500, no episode is spoilt. ``WEBSP_FUZZ=200`` sends more."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import pytest

from tests.sandbox_support import run_async
from websp_gym.sandbox.app import EPISODE_HEADER, SiteApp
from websp_gym.sandbox.catalog import BUILTIN, Catalog
from websp_gym.sandbox.episode import EpisodeState
from websp_gym.sandbox.sessions import Keyring, browser_cookies, open_session
from websp_gym.sandbox.site import SiteSchema
from websp_gym.sandbox.store import Store

PER_ROUTE = int(os.environ.get("WEBSP_FUZZ", "6"))
KEYS = Keyring(b"fuzz")
VALUES = (
    "", "zzz", "1", "-1", "on", "9" * 5000, "1e999", "é\u202e🤖", "{{ 7 * 7 }}", "{x}", "%", "x" * 9000,
    "\x00", "\r\nset-cookie: a=b", "http://[", "//evil.example", "https://store.steampowered.com:[/", "../../x", "a,b,,a",
    "<script>", "' OR 1=1 --",
)  # fmt: skip
RAW = ("%", "%ff%fe", "%ed%a0%80", "%00", "%0a", "=&=&;;&", "[]=[", "\xff")
"""Texts no browser would send, as they stand on the wire: half a surrogate pair, broken UTF-8, NUL."""
SPANS: tuple[Any, ...] = (
    None, True, 0, -1, 10**30, 1.5, [], [[]], ["a", "b"], {}, {"a": {"b": "c"}}, "\ud800", "", "x" * 20_000, [None], [{}],
)  # fmt: skip
BODIES = (
    ("", b""), ("application/json", b""), ("application/json", b"{"), ("application/json", b"[1]"),
    ("application/json", b"\xff"), ("application/json", b'{"a": NaN, "b": 1e999}'), ("text/plain", b"{"),
    ("application/json", b'{"a":' * 400 + b"1" + b"}" * 400), ("application/json", b"[" * 200_000),
    ("application/json", b'{"a":' * 100_000), ("application/json", b'{"choice": "custom", "groups": {"\\ud800": 1}}'),
    ("multipart/form-data", b"x"), ("multipart/form-data; boundary=", b"x"), ("multipart/form-data; boundary=b", b"x"),
    ("multipart/form-data; boundary=b", b"--b\r\n\r\nx\r\n--b--"), ("multipart/form-data; boundary=b; charset=zz", b"--b"),
    ("multipart/form-data; boundary=b", b'--b\r\ncontent-disposition: form-data; name="word"; filename="f"\r\n\r\nx\r\n--b--'),
    ("application/x-www-form-urlencoded", b"a=1&" * 5000), ("application/x-www-form-urlencoded", b"\xff=\x00&%=%zz"),
    ("application/x-www-form-urlencoded", b"x" * 1_100_000), ("image/png", b"\x89PNG"),
)  # fmt: skip


@dataclass(frozen=True)
class Target:
    """A route of a site and the names it may read."""

    method: str
    host: str
    path: str
    names: tuple[str, ...]


def targets(site: SiteSchema) -> Iterator[Target]:
    """Every page and action of a site, with the query names of its templates and the fields of its actions."""
    templates = "".join(file.read_text("utf-8") for file in (site.folder / "templates").rglob("*.html"))
    found = re.findall(r"query(?:\.get\([\"'](\w+)|\.(\w+))", templates)
    asked = {name for pair in found for name in pair if name not in ("", "get")}
    asked |= {"redir", "code", "saved", "q", "start", "btnI", "site", "group", "page"}
    for page in site.pages:
        yield Target("GET", (page.hosts or site.hosts)[0], page.path, tuple(sorted(asked)))
    for action in site.actions:
        fields = [*action.set.values(), *re.findall(r"{(\w+)}", action.redirect)]
        for change in (*action.adds, *action.removes, *action.updates):
            fields += [*getattr(change, "fields", {}).values(), *getattr(change, "where", {}).values()]
        if action.login and not isinstance(action.login, bool):
            fields += filter(
                None, [action.login.username, action.login.password, action.login.client, "redir"]
            )
        yield Target(action.method, (action.hosts or site.hosts)[0], action.path, tuple(sorted(set(fields))))
    for path in ("/search", "/c.gif", "/", "/_site/x", "/_kit/kit.js", site.login_callback or "/nothing"):
        yield Target("GET", site.hosts[0], path, tuple(sorted(asked)))
    yield Target("POST", site.hosts[0], "/_consent", ("choice", "groups"))


def path_of(target: Target, chance: random.Random) -> str:
    """The path with its parameters filled in; now and then something hangs on to it."""
    good = re.sub(r"{[^}]*}", lambda _: quote(chance.choice((*VALUES, "1")), safe=""), target.path)
    return good + (
        chance.choice(("", "/", "%00", "/..", "/%2e%2e/x", "x" * 300, "%3Fa"))
        if chance.random() < 0.2
        else ""
    )


def query_of(target: Target, chance: random.Random) -> str:
    """A query of the names the site reads, some of them twice, or something that is none."""
    if chance.random() < 0.2:
        return chance.choice(RAW)
    names = chance.choices([*target.names, "zzz"], k=chance.randint(0, 4))
    return "&".join(f"{name}={quote(chance.choice(VALUES)) or chance.choice(RAW)}" for name in names)


def body_of(target: Target, chance: random.Random) -> tuple[str, bytes]:
    """A content type and a body: a form or JSON of the names the action reads, or something broken."""
    kind = chance.random()
    names = [name for name in target.names if chance.random() < 0.8]
    if kind < 0.35:
        return chance.choice(BODIES)
    if kind < 0.65:
        pairs = [
            f"{quote(name)}={quote(chance.choice(VALUES))}"
            for name in names
            for _ in range(chance.randint(1, 2))
        ]
        return "application/x-www-form-urlencoded", "&".join(pairs).encode()
    fields: dict[str, Any] = {}
    for name in names:
        place = fields
        *outer, last = name.split(".") if chance.random() < 0.5 else [name]
        for part in outer:
            place = place.setdefault(part, {}) if isinstance(place, dict) else {}
        if isinstance(place, dict):
            place[last] = chance.choice((*SPANS, *VALUES))
    return "application/json", json.dumps(fields).encode()


async def send(
    app: SiteApp, target: Target, path: str, query: str, headers: dict[str, str], body: bytes
) -> int:
    """Sends a request the way uvicorn hands it over and returns the status of the answer."""
    from urllib.parse import unquote

    scope = {
        "type": "http", "http_version": "1.1", "method": target.method, "scheme": "https", "root_path": "",
        "path": unquote(path), "raw_path": path.encode("latin-1"), "query_string": query.encode("latin-1"),
        "headers": [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()],
        "server": ("127.0.0.1", 443), "client": ("127.0.0.1", 1),
    }  # fmt: skip
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def take(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await app(scope, receive, take)
    return statuses[0]


def headers_of(target: Target, episode: EpisodeState, chance: random.Random) -> dict[str, str]:
    """The headers of a browser that is signed in, some of them broken."""
    cookies = "; ".join(f"{each['name']}={each['value']}" for each in browser_cookies(episode, KEYS))
    odd = chance.random()
    headers = {"host": target.host, EPISODE_HEADER: episode.id, "cookie": cookies}
    if odd < 0.1:
        headers["cookie"] = chance.choice(("=;;=\x00", "SID=\xff.\xfe; a", "SID=1.", "x=" + "y" * 4000, '"'))
    if odd > 0.9:
        headers |= {
            "referer": chance.choice(("http://[", "\xff", "https://x:99999/")),
            "origin": f"https://{target.host}",
        }
    if 0.8 < odd < 0.85:
        headers["origin"] = chance.choice(("null", "http://[", "https://evil.example"))
    if 0.85 < odd < 0.87:
        headers["host"] = chance.choice((f"{target.host}:[", f"{target.host}.", f"{target.host}:x"))
    return headers


async def fuzz(site: SiteSchema, store: Store, seed: int) -> list[str]:
    """Sends ``PER_ROUTE`` requests to every route of a site; returns those that were answered with a 5xx or spoilt it."""
    chance, app, wrong = random.Random(seed), SiteApp(store, KEYS), []
    for target in targets(site):
        # A new episode for each route: an account that was signed out or deleted answers everything with a redirect.
        episode = store.open()
        for owner in {
            owner.slug: owner for owner in map(store.catalog.session_owner, store.catalog)
        }.values():
            if owner.has_sign_in:
                open_session(episode, owner, by="setup")
        for _ in range(PER_ROUTE):
            path, query = path_of(target, chance), query_of(target, chance)
            headers = headers_of(target, episode, chance)
            kind, body = body_of(target, chance) if target.method != "GET" else ("", b"")
            status = await send(
                app, target, path, query, headers | ({"content-type": kind} if kind else {}), body
            )
            if status >= 500:
                wrong.append(
                    f"{status} {target.method} {target.host}{path}?{query} {headers} {kind} {body[:200]!r}"
                )
        wrong += [f"event {event}" for event in episode.events() if event["kind"] == "error"]
        json.loads(episode.state_json())
        await store.close(episode)
    return wrong


CATALOG = Catalog([BUILTIN])


@pytest.mark.parametrize("slug", CATALOG.slugs)
def test_no_request_is_answered_with_a_server_error_or_spoils_its_episode(slug: str) -> None:
    assert run_async(fuzz(CATALOG[slug], Store(CATALOG), seed=10)) == []


def test_no_page_is_told_by_its_address_that_something_was_saved() -> None:
    templates = [file for site in CATALOG for file in (site.folder / "templates").rglob("*.html")]
    names = r"(saved|ordered|done|success|updated|ok|l)\b"
    told = rf"query(\.get\([\"']|\.|\[[\"']){names}"
    assert [file.name for file in templates if re.search(told, file.read_text("utf-8"))] == []
    redirects = [action.redirect for site in CATALOG for action in site.actions]
    assert [redirect for redirect in redirects if re.search(rf"[?&]{names}", redirect)] == []
