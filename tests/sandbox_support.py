"""Shared parts of the sandbox tests: two small sites on disk, and a visitor without a browser."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from http.client import HTTPSConnection
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from websp_gym.sandbox.client import EPISODE_HEADER, Address, EpisodeHandle, Sandbox

SHOP = """
name: Shop
hosts: [shop.example, help.shop.example]
session_cookie: shopLogin
login_page: /login
login_callback: /login/callback
account: password
search: true
settings:
  cookies.analytics: {type: bool, default: true}
  cookies.ads: {type: bool, default: true, least_private: true}
  chat.filter: {type: choice, choices: [strict, loose], default: loose}
  profile.note: {type: text, default: "", max_length: 20}
  feed.topics: {type: multi, choices: [news, sport], default: [news]}
collections:
  sessions:
    items:
      - {device: Firefox on Windows, place: "Porto, Portugal", created: "2025-11-02"}
  words:
    key: text
    fields: {text: {type: text}, strong: {type: bool, default: false}}
    items: [{text: alpha}, {text: beta}]
panels:
  - path: /panel
    title: Panel
    frame: frame.html
    login: false
    dialect: aria
    sections: [{settings: [{key: cookies.analytics, label: Analytics}]}]
pages:
  - {path: /, template: home.html, title: Shop start page, description: Shoes and socks}
  - {path: /login, template: login.html}
  - {path: /account, template: home.html, login: true}
  - {path: "/app/{appid:int}", template: app.html}
  - {path: /bare, template: bare.html}
  - {path: /part, template: bare.html, fragment: true}
  - {path: /broken, template: broken.html}
  - {path: /old, redirect: /account}
  - {path: /help, template: bare.html, hosts: [help.shop.example]}
actions:
  - {path: /save, set: {cookies.analytics: analytics, chat.filter: filter, profile.note: note, feed.topics: topics}}
  - {path: /save-form, set: {cookies.analytics: analytics, cookies.ads: ads}, checkboxes: true, redirect: back}
  - {path: /reject, values: {cookies.analytics: false, cookies.ads: false}}
  - {path: /flip, toggle: cookies.ads}
  - {path: /words/add, add: {collection: words, fields: {text: word}, split: ","}}
  - {path: "/words/{id}", method: DELETE, remove: {collection: words, where: {id: id}}}
  - {path: /words/edit, update: {collection: words, where: {id: id}, fields: {strong: strong}}}
  - {path: /close-account, login: true, destructive: {deed: close_account, what: account closed}, redirect: "/?closed=1"}
  - {path: /login/do, login: {username: user, password: password}, redirect: /account}
  - {path: /logout, logout: true, redirect: /}
  - {path: /logout-others, logout: others}
  - {path: /sessions/end, remove: {collection: sessions, where: {id: id}}}
  - {path: "/half/{id}", values: {cookies.ads: false}, remove: {collection: words, where: {id: id}}}
"""

ACCOUNTS = """
name: Accounts
hosts: [accounts.example]
session_cookie: SID
login_page: /choose
pages:
  - {path: /choose, template: choose.html}
actions:
  - {path: /choose, login: {}}
  - {path: /approve, login: {client: client}}
"""

BEHAVIOUR = """
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route


async def words(request):
    episode = request.episode
    if request.method == "POST":
        with episode.transaction():
            episode.set("profile.note", "posted")
            episode.add("words", **(await request.json()))
    return JSONResponse({"words": [row["text"] for row in episode.items("words")], "who": episode.account})


async def found(request):
    return request.render("found.html", results=[{"url": f"https://{site.hosts[0]}/", "title": site.name} for site in request.sites])


async def raw(request):
    return HTMLResponse("<html><body>raw</body></html>")


def routes(site):
    return [Route("/api/words", words, methods=["GET", "POST"]), Route("/find", found), Route("/raw", raw)]
"""

HOME = """{% extends "kit/base.html" %}{% from "kit/controls.html" import checkbox %}
{% block content %}
<h1>{{ account.name if account else "signed out" }}</h1>
<p id="state">{{ settings["cookies.analytics"] }} {{ settings["chat.filter"] }} {{ query.get("closed", "") }}</p>
{{ checkbox("ads", "Ads", settings["cookies.ads"]) }}
{% for word in items.words %}<li>{{ word.text }}</li>{% endfor %}
{% for each in sessions %}<p>{{ each.device }}{{ " (this one)" if each.current }}</p>{% endfor %}
<nav><a href="/">Start</a></nav>
{% endblock %}
"""

TEMPLATES = {
    "home.html": HOME,
    "login.html": "<html><body>{{ saved_login.username }} {{ saved_login.password }} {{ session_ended }}</body></html>",
    "app.html": "<html><body>app {{ params.appid + 1 }}</body></html>",
    "frame.html": "<html><body>{% block panel %}{% endblock %}</body></html>",
    "bare.html": "<html><body>bare {{ settings['profile.note'] }}</body></html>",
    "broken.html": "<html><body>{{ settigns }}</body></html>",
    "found.html": "{% for each in results %}<a href='{{ each.url }}'>{{ each.title }}</a>{% endfor %}",
}


def write_site(folder: Path, yaml: str, templates: dict[str, str], behaviour: str = "") -> Path:
    """Writes a site into ``folder`` and returns the folder."""
    (folder / "templates").mkdir(parents=True)
    (folder / "site.yaml").write_text(yaml)
    for name, text in templates.items():
        (folder / "templates" / name).write_text(text)
    if behaviour:
        (folder / "behaviour.py").write_text(behaviour)
    return folder


def write_sites(root: Path) -> Path:
    """Writes the two test sites into ``root`` and returns it."""
    shop = write_site(root / "shop", SHOP, TEMPLATES, BEHAVIOUR)
    (shop / "static").mkdir()
    (shop / "static" / "shop.css").write_text("h1 { color: teal }")
    write_site(root / "accounts", ACCOUNTS, {"choose.html": "<html><body>choose</body></html>"})
    return root


class Reply:
    """An answer: status, headers (lower case) and body."""

    def __init__(self, status: int, headers: dict[str, str], body: str) -> None:
        self.status = status
        self.headers = headers
        self.body = body


class Visitor:
    """Talks to the sites as a browser context would: episode header, cookies, real host names over TLS."""

    def __init__(self, address: Address, episode: EpisodeHandle | None = None) -> None:
        self._address = address
        self.episode = episode
        self.cookies = {each["name"]: each["value"] for each in episode.cookies} if episode else {}

    def get(self, url: str, **headers: str) -> Reply:
        """GET an https:// address."""
        return self.send("GET", url, None, headers)

    def post(
        self, url: str, form: dict[str, Any] | None = None, *, timeout: float = 150, **headers: str
    ) -> Reply:
        """POST a form."""
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return self.send("POST", url, urlencode(form or {}, doseq=True), kind | headers, timeout=timeout)

    def json(self, url: str, body: str) -> Reply:
        """POST a JSON text."""
        return self.send("POST", url, body, {"content-type": "application/json"})

    def send(
        self, method: str, url: str, body: str | None, headers: dict[str, str], *, timeout: float = 150
    ) -> Reply:
        """Sends any request and keeps the cookies of the answer."""
        parts = urlsplit(url)
        own = {"host": parts.netloc}
        if self.episode is not None:
            own[EPISODE_HEADER] = self.episode.id
        if self.cookies:
            own["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = HTTPSConnection("127.0.0.1", self._address.https_port, context=context, timeout=timeout)
        try:
            path = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
            connection.request(method, path, body, own | headers)
            response = connection.getresponse()
            for line in response.headers.get_all("set-cookie") or []:
                for name, morsel in SimpleCookie(line).items():
                    self.cookies[name] = morsel.value
            names = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, names, response.read().decode())
        finally:
            connection.close()


@pytest.fixture
def account() -> Iterator[Callable[[str], Visitor]]:
    """A factory of visitors that are signed in to a built-in site, by its slug."""
    sandbox = Sandbox.shared()
    opened: list[EpisodeHandle] = []

    def begin(slug: str) -> Visitor:
        opened.append(sandbox.open_episode(slug, signed_in=[slug]))
        return Visitor(sandbox.address, opened[-1])

    yield begin
    for episode in opened:
        episode.close()


def items_of(visitor: Visitor, slug: str, collection: str) -> list[dict[str, Any]]:
    """A collection of a site as the server has it."""
    assert visitor.episode is not None
    items: list[dict[str, Any]] = visitor.episode.state()["sites"][slug]["collections"][collection]
    return items


def kinds(episode: EpisodeHandle) -> list[str]:
    """Returns the kinds of an episode's events without visits and submits."""
    return [event["kind"] for event in episode.state()["events"] if event["kind"] not in ("visit", "submit")]
