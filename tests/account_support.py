"""A small application with accounts and a database, which can refuse what it is sent in the ways that servers do."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.kept_tab import borrowed_tab
from websp_gym.browser.tabs import Tabs
from websp_gym.recording import RecorderBrowser

EMAIL, USERNAME, PASSWORD = "ada.love@example.org", "adalove", "Tr0ub4dor&3-horse"
ACCOUNT = {"email": EMAIL, "username": USERNAME, "name": "Ada Love", "password": PASSWORD}
TAKEN = "taken@example.org"
"""An address that another account has."""
NOTE = "That is not possible."


@dataclass
class Application:
    """The application: what is stored, and how it takes and refuses changes."""

    base: str = ""
    takes: str = "redirect"
    """How a change is taken: ``redirect``, ``page`` (shown again at once), ``script`` (fetch and JSON), ``sign-in script`` (the
    same at a path to sign in, answered with a part of a page), or ``odd`` (a redirect to a page that says so in the style of an error)."""
    refuses: str | None = None
    """How a change is refused; None for changes that are taken."""
    stored: dict[str, Any] = field(default_factory=dict)
    sessions: set[str] = field(default_factory=set)
    flash: str = ""
    heard: list[str] = field(default_factory=list)
    """The requests since the last reset, for messages."""

    def reset(self) -> None:
        """Forget everything."""
        self.takes, self.refuses, self.flash = "redirect", None, ""
        self.heard = []
        self.sessions = {"s1"}
        self.stored = {
            "email": EMAIL, "city": "", "bio": "Hello", "born": "1990-01-01", "age": "30", "news": "", "who": "all",
            "theme": "light", "password": PASSWORD, "words": [], "roles": {"3": "reader", "4": "reader"}, "code": "",
        }  # fmt: skip


def flag(on: bool, word: str) -> str:
    return word if on else ""


class Handler(BaseHTTPRequestHandler):
    def __init__(self, *args: Any, application: Application) -> None:
        self.app = application
        super().__init__(*args)

    # ---------------------------------------------------------------- plumbing
    @property
    def signed_in(self) -> bool:
        return "session=s1" in (self.headers["cookie"] or "") and "s1" in self.app.sessions

    def show(self, body: str, status: int = 200, **headers: str) -> None:
        note = flag(bool(self.app.flash), f"<div class='notice-error'>{self.app.flash}</div>")
        text = f"<!doctype html><meta charset=utf-8><title>Account</title><h1>Account</h1>{note}{body}"
        self.app.flash = ""
        self.send_response(status)
        self.send_header("content-type", "text/html")
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(text.encode())

    def lead(self, path: str, **headers: str) -> None:
        self.send_response(303)
        self.send_header("location", path)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.send_header("content-length", "0")
        self.end_headers()

    def say(self, status: int, data: Any, kind: str = "application/json") -> None:
        body = (data if kind == "text/html" else json.dumps(data)).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        self.app.heard.append(format % args)

    # ---------------------------------------------------------------- pages
    def do_GET(self) -> None:
        url = urlsplit(self.path)
        page = getattr(self, f"page_{url.path.strip('/')}", None)
        if url.path == "/favicon.ico":
            self.say(204, None)
        elif url.path == "/open":
            self.lead("/profile", set_cookie="session=s1; Path=/")
        elif page is None:
            self.show("<p>Nothing here", 404)
        elif url.path != "/login" and not self.signed_in:
            self.lead("/login")
        else:
            query = {key: values[0] for key, values in parse_qs(url.query).items()}
            self.show(page(query))

    def page_login(self, query: dict[str, str]) -> str:
        if query.get("by") == "mail":
            return "<form method=post action=/login><label>E-mail <input name=email type=email></label><button>Next</button></form>"
        return (
            "<form method=post action=/login><label>E-mail <input name=email type=email></label>"
            "<label>Password <input name=password type=password></label>"
            "<label><input type=checkbox name=remember> Remember me</label><button>Sign in</button></form>"
        )

    def page_home(self, query: dict[str, str]) -> str:
        return "<p>Welcome</p><a href=/profile>Profile</a>"

    def page_profile(self, query: dict[str, str]) -> str:
        return self.profile(self.app.stored)

    def profile(self, s: dict[str, Any], error: str = "") -> str:
        themes = "".join(
            f"<option {flag(s['theme'] == t, 'selected')}>{t}</option>" for t in ("light", "dark")
        )
        radios = "".join(
            f"<label><input type=radio name=who value={w} {flag(s['who'] == w, 'checked')}> {w}</label>"
            for w in ("all", "none")
        )
        send = """event.preventDefault(); const f = event.target;
            fetch(f.dataset.to, {method: 'POST', headers: {accept: 'application/json'}, body: new URLSearchParams(new FormData(f))})
            .then(r => r.json()).then(a => { document.getElementById('said').textContent = a.ok ? 'Saved' : ''; })"""
        to = {"script": "/profile", "sign-in script": "/login/again"}.get(self.app.takes)
        script = f'data-to={to} onsubmit="{escape(send)}"' if to else ""
        return (
            f"{flag(bool(error), f'<p class=error>{error}</p>')}<p id=said></p><form method=post action=/profile {script}>"
            f"<label>E-mail <input name=email type=email value='{escape(s['email'])}'></label>"
            f"<label>City <input name=city value='{escape(s['city'])}'></label>"
            f"<label>Born <input name=born type=date value='{s['born']}'></label>"
            f"<label>Age <input name=age type=number value='{s['age']}'></label>"
            f"<label>Bio <textarea name=bio>{escape(s['bio'])}</textarea></label>"
            f"<label><input type=checkbox name=news {flag(bool(s['news']), 'checked')}> Newsletter</label>"
            f"{radios}<label>Theme <select name=theme>{themes}</select></label><button>Save</button></form>"
        )

    def page_users(self, query: dict[str, str]) -> str:
        rows = "".join(
            f"<tr><td><input type=checkbox name='users[]' value={n} aria-label='Select {w}'><td>{w}<td>{self.app.stored['roles'][n]}"
            for n, w in (("3", "Carol"), ("4", "Dan"))
        )
        return (
            "<form action=/users><label>Find <input name=q type=search></label><button>Search</button></form>"
            f"<form method=post action=/users><table>{rows}</table><label>Role <select name=role>"
            "<option value=''>Change role to…<option value=editor>Editor</select></label><button>Change</button></form>"
            "<form method=post action=/words><label>Word <input name=word></label><button>Add</button></form>"
            f"<ul>{''.join(f'<li>{escape(w)}' for w in self.app.stored['words'])}</ul>"
        )

    def page_contact(self, query: dict[str, str]) -> str:
        return (
            f"<form method=post action=/contact><label>E-mail <input name=email type=email value='{escape(self.app.stored['email'])}'>"
            "</label><label>Password <input name=password type=password></label><button>Save</button></form>"
        )

    def page_welcome(self, query: dict[str, str]) -> str:
        return self.page_login({})

    def page_password(self, query: dict[str, str]) -> str:
        return (
            "<form method=post action=/password><label>Current password <input name=old type=password></label>"
            "<button type=button onclick=\"document.getElementById('n').hidden = false\">Set new password</button>"
            "<div id=n hidden><label>New password <input name=new type=text autocomplete=new-password></label></div>"
            "<label>Code from your app <input name=code></label><button>Update</button></form>"
        )

    # ---------------------------------------------------------------- changes
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
        sent = parse_qs(body, keep_blank_values=True)
        one = {key: values[0] for key, values in sent.items()}
        match self.path:
            case "/login":
                self.sign_in(one)
            case "/profile" | "/login/again":
                self.change_profile(one)
            case "/users":
                for number in sent.get("users[]", []):
                    self.app.stored["roles"][number] = one["role"]
                self.lead("/users")
            case "/contact" if self.app.refuses:
                self.lead(self.app.refuses)
            case "/contact":
                self.app.stored["email"] = one["email"]
                self.lead("/contact")
            case "/words":
                self.app.stored["words"].append(one["word"])
                self.lead("/users")
            case "/password":
                self.app.stored |= {"password": one["new"], "code": one["code"]}
                self.lead("/profile")
            case _:
                self.say(204, None)

    def sign_in(self, one: dict[str, str]) -> None:
        if one["password"] == self.app.stored["password"] and self.app.refuses is None:
            self.lead("/home", set_cookie="session=s1; Path=/")
        elif self.app.refuses == "401":
            self.show(self.page_login({}), 401)
        elif self.app.refuses == "page":
            self.show(self.page_login({}))
        else:
            self.lead("/login")

    def change_profile(self, one: dict[str, str]) -> None:
        wanted = {"news": "", **one}
        refuses = self.app.refuses
        if not self.signed_in or refuses == "expired":
            self.app.sessions.clear()
            self.lead("/login")
        elif refuses == "sign-in page":
            self.show(self.page_login({}))
        elif refuses == "sign-in by mail":
            self.lead("/login?by=mail")
        elif refuses == "redirect":
            self.app.flash = NOTE
            self.lead("/profile")
        elif refuses == "silent redirect":
            self.lead("/profile")
        elif refuses == "page":
            self.show(self.profile({**self.app.stored, **wanted}, NOTE))
        elif refuses == "no answer":
            self.connection.shutdown(SHUT_RDWR)
        elif refuses == "500":
            self.show("<p>Sorry", 500)
        elif refuses == "401 once":
            self.app.refuses = None
            self.say(401, {"error": NOTE})
        elif refuses == "422":
            self.say(422, {"error": NOTE})
        elif refuses == "json":
            self.say(200, {"ok": False, "error": NOTE})
        elif refuses == "silent json":
            self.say(200, {"ok": True})
        else:
            self.app.stored |= wanted
            if self.app.takes == "script":
                self.say(200, {"ok": True})
            elif self.app.takes == "sign-in script":
                self.say(200, "<p>Saved<label>Once more, please <input type=password></label>", "text/html")
            elif self.app.takes == "odd":
                self.app.flash = "Your settings were saved."
                self.lead("/profile")
            elif self.app.takes == "page":
                self.show("<p class=notice-success role=alert>Saved</p>" + self.profile(self.app.stored))
            else:
                self.lead("/profile")


@pytest.fixture(scope="module")
def running() -> Iterator[Application]:
    """The application, for a whole module."""
    app = Application()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, application=app)) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        app.base = f"http://127.0.0.1:{server.server_address[1]}"
        yield app
        server.shutdown()


@pytest.fixture
def application(running: Application) -> Application:
    """The application with its first state."""
    running.reset()
    return running


@pytest.fixture
def tabs(browser_thread: None, application: Application) -> Iterator[Tabs]:
    """A browser that is signed in to the application."""
    with borrowed_tab(viewport=(1280, 800), with_tabs=True) as tab:
        tab.page.goto(f"{application.base}/open")
        yield tab.tabs


@pytest.fixture(scope="module")
def studio(browser_thread: None) -> Iterator[RecorderBrowser]:
    """One studio for a whole module: starting a browser takes a second."""
    with RecorderBrowser() as studio:
        yield studio
