"""Requests for fuzzing the sites, impossible and possible ones: texts, bodies and routes for the fuzz of the sites."""

from __future__ import annotations

import base64
import json
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote, unquote, urlencode

from starlette.routing import Route

from websp_gym.sandbox.schema.catalog import BUILTIN, Catalog
from websp_gym.sandbox.schema.settings import ChoiceSetting, MultiSetting
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.schema.site_schema import TOKENS, Tokens
from websp_gym.sandbox.server.app import EPISODE_HEADER, SiteApp
from websp_gym.sandbox.server.episode import EpisodeState
from websp_gym.sandbox.server.host_route import HostRoute
from websp_gym.sandbox.server.pages import KIT
from websp_gym.sandbox.server.sessions import Keyring, browser_cookies, open_session
from websp_gym.sandbox.server.store import Store
from websp_gym.sandbox.server.tokens import today

KEYS = Keyring(b"fuzz")
CATALOG = Catalog([BUILTIN])
SLOWEST = 3.0
"""CPU seconds that an answer may take. The longest takes a fifth of a second."""

VALUES = (
    "", "zzz", "1", "-1", "on", "9" * 5000, "1e999", "é\u202e🤖", "{{ 7 * 7 }}", "{x}", "%", "x" * 9000,
    "\x00", "\r\nset-cookie: a=b", "http://[", "//evil.example", "https://store.steampowered.com:[/", "../../x", "a,b,,a",
    "<script>", "' OR 1=1 --", "\\", "a" * 40 + "!", "٣", "²", "\u2028", "🏳️‍🌈" * 300, "(" * 400, "/\\evil.example/x/settings",
    "2025-13-99", "a " * 4000, "&amp;&#0;", "[" * 3000, "{" * 3000, "*a", "- " * 2000, "%s%n{0}{a.b}", "None", "null",
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


def _aliases(levels: int) -> str:
    lists = [f"- &{chr(98 + n)} [{','.join([f'*{chr(97 + n)}'] * 10)}]\n" for n in range(levels)]
    return "- &a [x,x,x,x,x,x,x,x,x,x]\n" + "".join(lists)


YAML = (
    "[" * 2000, "[" * 450 + "]" * 450, "x " * 450 + "[]" * 450, "{a: " * 900, f"\n{_aliases(8)}", "&a [*a]", "!!python/name:os.system",
    '"\\ud800"', "? [a]\n: b", "- - - -\n" * 500, "|\n  text", ">-\n" * 400, "{", "\t", "a: b: c", "'", "%YAML 9", "--- ---", "en",
    "[en, de]", "!!binary x", "<<: {a: b}", "2025-01-01", "~",
)  # fmt: skip
_KEYS = ("tags", "language", "license", "pretty_name", "more")
CARDS = tuple(f"---\n{_KEYS[n % len(_KEYS)]}: {value}\n---\nx" for n, value in enumerate((*YAML, *YAML[:12])))
"""Cards of repositories, whose head is YAML."""


def _commit(*lines: Any) -> bytes:
    return b"\n".join(json.dumps(line).encode() for line in lines)


def commits() -> Iterator[bytes]:
    """Yield bodies of commits to a repository: a line of JSON for the header and for each file."""
    header = {"key": "header", "value": {"summary": "x"}}
    for card in CARDS:
        content = base64.b64encode(card.encode("utf-8", "replace")).decode()
        file = {"key": "file", "value": {"path": "README.md", "content": content, "encoding": "base64"}}
        yield _commit(header, file)
    for path in ("README.md", *VALUES[:12], "../README.md", "README.md/", None, {"a": 1}):
        yield _commit(
            header, {"key": "file", "value": {"path": path, "content": "%%%", "encoding": "base64"}}
        )
    yield _commit(header, {"key": "deletedFile", "value": {"path": "README.md"}})
    yield _commit({"key": "header", "value": []})
    yield b"\n".join([b'{"key":' * 3000] * 3)


COMMITS = tuple(commits())


_USUAL: dict[str, Any] = {"revision": "main", "path": "README.md", "repo": ""}
"""Parameters of paths that no entry has."""


@dataclass(frozen=True)
class Target:
    """A route of a site and the names it may read; ``texts`` are in the grammar of what it parses."""

    method: str
    host: str
    path: str
    names: tuple[str, ...]
    texts: tuple[str, ...] = ()
    lines: tuple[bytes, ...] = ()
    rows: tuple[dict[str, Any], ...] = field(default=(), compare=False)
    """The site's data and items: what parameters of the path may stand for."""
    items: tuple[dict[str, Any], ...] = field(default=(), compare=False)
    """The account's items, for a route of ``behaviour.py``."""


def _asked(source: str) -> set[str]:
    """Return the names of query parameters that a template reads."""
    found = re.findall(r"query(?:\.get\([\"'](\w+)|\.(\w+))", source)
    return {name for pair in found for name in pair if name not in ("", "get")}


def targets(site: SiteSchema) -> Iterator[Target]:
    """Every page, action and route of ``behaviour.py`` of a site, with the names that each may read."""
    templates = "".join(file.read_text("utf-8") for file in (site.folder / "templates").rglob("*.html"))
    asked = _asked(templates)
    asked |= {"redir", "code", "saved", "q", "start", "btnI", "site", "group", "page"}
    rows = rows_of(site)
    for page in site.pages:
        yield Target("GET", (page.hosts or site.hosts)[0], page.path, tuple(sorted(asked)), rows=rows)
    for action in site.actions:
        fields = [*action.set.values(), *re.findall(r"{(\w+)}", action.redirect)]
        for change in (*action.adds, *action.removes, *action.updates):
            fields += [*getattr(change, "fields", {}).values(), *getattr(change, "where", {}).values()]
        if action.login and not isinstance(action.login, bool):
            fields += filter(
                None, [action.login.username, action.login.password, action.login.client, "redir"]
            )
        host = (action.hosts or site.hosts)[0]
        yield Target(action.method, host, action.path, tuple(sorted(set(fields))), rows=rows)
    for path in ("/search", "/c.gif", "/", "/_site/x", "/_kit/kit.js", site.login_callback or "/nothing"):
        yield Target("GET", site.hosts[0], path, tuple(sorted(asked)))
    yield Target("POST", site.hosts[0], "/_consent", ("choice", "groups"))
    yield from _of_behaviour(site, rows)


def _of_behaviour(site: SiteSchema, rows: tuple[dict[str, Any], ...]) -> Iterator[Target]:
    file = site.folder / "behaviour.py"
    if not file.is_file():
        return
    source = file.read_text("utf-8")
    names = set(re.findall(r"(?:\.text\(|\.get\(|\[)[\"'](\w+)[\"']", source))
    reads_cards = "yaml" in source
    items = tuple({"kind": name, **row} for name, spec in site.collections.items() for row in spec.rows())
    for route in _app()._behaviours[site.slug]:
        assert isinstance(route, Route)
        host = route.host if isinstance(route, HostRoute) else site.hosts[0]
        for method in sorted((route.methods or {"GET"}) - {"HEAD"}):
            lines = COMMITS if reads_cards and "commit" in route.path else ()
            texts = CARDS if reads_cards else ()
            known = tuple(sorted(names))
            yield Target(method, host, route.path, known, texts, lines, rows=rows, items=items)


@cache
def _app() -> SiteApp:
    return SiteApp(Store(CATALOG), KEYS)


def rows_of(site: SiteSchema) -> tuple[dict[str, Any], ...]:
    """Return the entries of the site's data and its items, each with its ``kind``: what parameters of paths stand for."""
    rows = [{"kind": name, **row} for name, each in site.data.items() for row in each]
    rows += [{"kind": name, **row} for name, spec in site.collections.items() for row in spec.rows()]
    return tuple(rows)


def searches(site: SiteSchema) -> Iterator[tuple[str, str, str]]:
    """Yield host, path and name of each query parameter that a page of the site reads."""
    for page in site.pages:
        own, kit = site.folder / "templates" / page.template, KIT / "templates"
        file = own if own.is_file() else kit / page.template.removeprefix("kit/")
        if not page.template or not file.is_file() or "{" in page.path:
            continue
        names = _asked(file.read_text("utf-8"))
        if page.template == "kit/scenery/search.html":
            names.add(str(page.context.get("parameter", "q")))
        for name in sorted(names):
            yield (page.hosts or site.hosts)[0], page.path, name


def path_of(target: Target, chance: random.Random) -> str:
    """The path with its parameters filled in, mostly of something there is; now and then something hangs on to it."""
    names = re.findall(r"{(\w+)", target.path)
    row: dict[str, Any] = {}
    if chance.random() < 0.6:
        whole = [each for each in target.rows if set(names) <= {*each, *_USUAL}]
        row = _USUAL | chance.choice(whole or target.rows or ({},))
        row |= {"repo": row.get("name", "x")}
    values = {name: str(row[name]) if name in row else chance.choice((*VALUES, "1")) for name in names}
    good = re.sub(r"{(\w+)[^}]*}", lambda name: quote(values[name[1]], safe=""), target.path)
    return good + (
        chance.choice(("", "/", "%00", "/..", "/%2e%2e/x", "x" * 300, "%3Fa"))
        if chance.random() < 0.2
        else ""
    )


def thorough(target: Target) -> Iterator[tuple[str, str, bytes]]:
    """Yield path, content type and body of requests to a route of ``behaviour.py`` that get as far as what it parses.

    Each names something of the account, and has each of the texts in the grammar of what the site parses.
    """
    names = set(re.findall(r"{(\w+)", target.path))
    mine = [_USUAL | row | {"repo": row.get("name", "x")} for row in target.items]
    row = next((each for each in mine if names <= set(each)), _USUAL | dict.fromkeys(names, "x"))
    path = re.sub(r"{(\w+)[^}]*}", lambda name: quote(str(row[name[1]]), safe=""), target.path)
    for kind, body in BODIES:
        yield path, kind, body
    for text in target.texts:
        fields = [(name, text) for name in target.names if name not in ("target", "title")]
        yield path, "application/x-www-form-urlencoded", urlencode(fields, errors="replace").encode()
    for line in target.lines:
        yield path, "application/x-ndjson", line


def query_of(target: Target, chance: random.Random, words: Sequence[str] = ()) -> str:
    """A query of the names the site reads, some of them twice, or something that is none."""
    if chance.random() < 0.2:
        return chance.choice(RAW)
    names = chance.choices([*target.names, "zzz"], k=chance.randint(0, 4))
    values = (*VALUES, *words)
    return "&".join(f"{name}={quote(chance.choice(values)) or chance.choice(RAW)}" for name in names)


def body_of(target: Target, chance: random.Random, words: Sequence[str] = ()) -> tuple[str, bytes]:
    """A content type and a body: a form or JSON of the names the action reads, or something broken."""
    kind = chance.random()
    names = [name for name in target.names if chance.random() < 0.8]
    values = (*VALUES, *words)
    if target.lines and kind < 0.7:
        return "application/x-ndjson", chance.choice(target.lines)
    if kind < 0.3:
        return chance.choice(BODIES)
    if kind < 0.65:
        pairs = [
            f"{quote(name)}={quote(_value(target, chance, values))}"
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
            place[last] = chance.choice((*SPANS, *values, *target.texts[:5]))
    return "application/json", json.dumps(fields).encode()


def _value(target: Target, chance: random.Random, values: Sequence[str]) -> str:
    return chance.choice(target.texts if target.texts and chance.random() < 0.5 else values)


def signed_in(store: Store) -> EpisodeState:
    """Open an episode that is signed in everywhere."""
    episode = store.open()
    for owner in {owner.slug: owner for owner in map(store.catalog.session_owner, store.catalog)}.values():
        if owner.has_sign_in:
            open_session(episode, owner, by="setup")
    for site in store.catalog:
        if site.tokens:
            _add_tokens(episode, site, site.tokens)
    return episode


def _add_tokens(episode: EpisodeState, site: SiteSchema, spec: Tokens) -> None:
    """Add an access token for each kind of thing that one may be for; those with boxes have them all ticked."""
    fields = site.collections[TOKENS].fields or {}
    row = {
        name: list(each.choices) if isinstance(each, MultiSetting) else each.default
        for name, each in fields.items()
    }
    scopes = fields[spec.scopes]
    for scope in scopes.choices if isinstance(scopes, ChoiceSetting) else [row[spec.scopes]]:
        episode.add(site, TOKENS, {**row, spec.scopes: scope, "created": today()})


def headers_of(host: str, episode: EpisodeState) -> dict[str, str]:
    """The headers of a browser that is signed in."""
    own = [
        each
        for each in browser_cookies(episode, KEYS)
        if f".{host}".endswith(f".{each['domain'].lstrip('.')}")
    ]
    cookies = "; ".join(f"{each['name']}={each['value']}" for each in own)
    return {"host": host, EPISODE_HEADER: episode.id, "cookie": cookies}


def tokens_of(site: SiteSchema, episode: EpisodeState) -> list[str]:
    """Return the headers with which each of the account's access tokens authorises a request."""
    rows = episode.rows(site, TOKENS) if site.tokens else []
    return [f"Bearer {KEYS.access_token(site, row['id'])}" for row in rows]


def odd_headers_of(
    site: SiteSchema, target: Target, episode: EpisodeState, chance: random.Random
) -> dict[str, str]:
    """The headers of a browser that is signed in, some of them broken; half of them with an access token."""
    odd = chance.random()
    headers = headers_of(target.host, episode)
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
    if site.tokens and chance.random() < 0.5:
        rows = episode.rows(site, TOKENS)
        texts = [KEYS.access_token(site, row["id"]) for row in rows]
        headers["authorization"] = chance.choice(
            (
                *(f"Bearer {text}" for text in texts),
                "Bearer",
                "Basic %%%",
                "token \xff",
                "Basic " + "YTo=" * 50,
            )
        )
    return headers


async def send(
    app: SiteApp, method: str, path: str, query: str, headers: dict[str, str], body: bytes = b""
) -> tuple[int, bytes]:
    """Sends a request the way uvicorn hands it over, and returns status and body of the answer.

    An answer that took too long has the status 599.
    """
    scope = {
        "type": "http", "http_version": "1.1", "method": method, "scheme": "https", "root_path": "",
        "path": unquote(path), "raw_path": path.encode("latin-1"), "query_string": query.encode("latin-1"),
        "headers": [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()],
        "server": ("127.0.0.1", 443), "client": ("127.0.0.1", 1),
    }  # fmt: skip
    statuses: list[int] = []
    answer = bytearray()

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def take(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])
        answer.extend(message.get("body", b""))

    began = time.process_time()
    await app(scope, receive, take)
    return (statuses[0] if time.process_time() - began < SLOWEST else 599), bytes(answer)
