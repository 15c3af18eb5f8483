"""Websites with an account: one keeps its own copy of the settings in the browser, one has a list in a dialog, one
speaks the account's language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

from tests.http_support import Handler, listening

COPYING = """<!doctype html><title>Orchard</title><div id=app></div><script>
const api = (path, body, method) => fetch(path, {method: method || (body ? 'PUT' : 'GET'),
  headers: {'content-type': 'application/json', authorization: 'Bearer ' + localStorage.token}, body: body && JSON.stringify(body)});
function show(s) {
  app.innerHTML = `<h1>Privacy</h1><p>Account of ${s.user}</p>
    <p><label><input type=checkbox role=switch id=priv ${s.private ? 'checked' : ''}> Private profile</label></p>`;
  let timer;
  priv.onchange = () => {
    const body = {private: priv.checked};
    localStorage.settings = JSON.stringify({...s, ...body});
    clearTimeout(timer);
    timer = setTimeout(() => api('/api/settings', body), DELAY);
  };
}
async function start() {
  if (!localStorage.token) {
    app.innerHTML = `<h1>Welcome</h1><p><label>User <input id=u></label></p><p><label>Password <input id=p type=password></label></p>
      <button id=go>Sign in</button>`;
    go.onclick = async () => {
      const answer = await api('/api/login', {u: u.value, p: p.value}, 'POST');
      localStorage.token = (await answer.json()).token;
      start();
    };
    return;
  }
  if (localStorage.settings) return show(JSON.parse(localStorage.settings));
  const s = await (await api('/api/me')).json();
  localStorage.settings = JSON.stringify(s);
  show(s);
}
start();</script>"""
TOKEN = "orchard-7Hq2Zk3Q9xPm2LrT8sVb4N"
SIGN_IN = """<!doctype html><title>Meadow</title><h1>Welcome</h1><form method=post action=/login><label>User <input name=u></label>
<label>Password <input name=p type=password></label><button>Sign in</button></form>"""
SETTINGS = """<!doctype html><title>Meadow</title><p>Signed in as mia.k</p><h1>Settings</h1>
<button id=open onclick="d.showModal()">Preferences</button>
<dialog id=d><h2>Preferences</h2><form method=post action=/who><label>Who can message me <select name=who>{options}</select></label>
<label><input type=checkbox name=mail {mail}> Mail me</label><button>Save</button></form></dialog>
<h2>Blocked words</h2><form method=post action=/add><label>New word <input name=word></label><button>Add word</button></form>
<ul>{words}</ul>"""
# No control has a word that both languages have in common.
SPOKEN = """<!doctype html><html lang={code}><title>Meadow</title><p>mia.k</p>
<button onclick="location.href = '/account'">{settings}</button></html>"""
ACCOUNT = """<!doctype html><html lang={code}><title>Meadow</title><h1>{account}</h1><form method=post action=/language>
<label>{nickname} <input name=nickname value="{own}"></label>
<label>{language} <select name=language>{options}</select></label><button>{save}</button></form></html>"""
WORDS = {
    "en": {
        "settings": "Settings",
        "account": "Account",
        "nickname": "Nickname",
        "language": "Language",
        "save": "Save",
    },
    "de": {
        "settings": "Einstellungen",
        "account": "Konto",
        "nickname": "Spitzname",
        "language": "Sprache",
        "save": "Speichern",
    },
}
SPOKEN_PAGES = {"spoken": SPOKEN, "account": ACCOUNT}


@dataclass
class Place:
    """A website, and what its server knows.

    Args:
        url: Its address.
        delay: Milliseconds after which the copying page sends a change.
        forgets: Whether the server answers well, and keeps nothing.
        private: Whether the profile is private.
        who: Who can write messages.
        mail: Whether mails are sent.
        words: The blocked words.
        language: The language of the account's pages.
        nickname: The nickname of the account.
    """

    url: str = ""
    delay: int = 0
    forgets: bool = False
    private: bool = False
    who: str = "everyone"
    mail: bool = False
    words: list[str] = field(default_factory=list)
    language: str = "en"
    nickname: str = ""


class _Handler(Handler):
    place: Place

    def do_GET(self) -> None:
        here = self.place
        if self.path == "/api/me":
            self._say(json.dumps({"user": "mia.k", "private": here.private}), "application/json")
        elif self.path.startswith("/copying"):
            self._say(COPYING.replace("DELAY", str(here.delay)))
        elif "s=1" not in self.headers.get("cookie", ""):
            self._say(SIGN_IN)
        elif spoken := SPOKEN_PAGES.get(self.path.rsplit("/", 1)[-1]):
            self._say(self._spoken(spoken))
        else:
            self._say(self._settings())

    def _spoken(self, page: str) -> str:
        here = self.place
        options = "".join(
            f"<option value={code} {'selected' if code == here.language else ''}>{name}</option>"
            for code, name in (("en", "English"), ("de", "Deutsch"))
        )
        return page.format(code=here.language, own=here.nickname, options=options, **WORDS[here.language])

    def _settings(self) -> str:
        here = self.place
        options = "".join(
            f"<option value={value} {'selected' if value == here.who else ''}>{value.title()}</option>"
            for value in ("everyone", "friends", "nobody")
        )
        words = "".join(f"<li>{word or '(empty)'}</li>" for word in here.words)
        return SETTINGS.format(options=options, words=words, mail="checked" if here.mail else "")

    def do_PUT(self) -> None:
        given = json.loads(self._body())
        if not self.place.forgets:
            self.place.private = given["private"]
        self._say('{"ok": true}', "application/json")

    def do_POST(self) -> None:
        given = parse_qs(self._body(), keep_blank_values=True)
        if self.path == "/api/login":
            self._say(json.dumps({"token": TOKEN}), "application/json")
            return
        if self.path == "/who":
            self.place.who, self.place.mail = given["who"][0], "mail" in given
        elif self.path == "/add":
            self.place.words.append(given["word"][0])
        elif self.path == "/language":
            self.place.language, self.place.nickname = given["language"][0], given["nickname"][0]
        cookie = {"Set-Cookie": "s=1; Path=/"} if self.path == "/login" else {}
        home = "/spoken" if self.path == "/language" else self.headers["referer"]
        self._say("", status=303, headers={"Location": home, **cookie})

    def _body(self) -> str:
        return self.rfile.read(int(self.headers["content-length"])).decode()

    def _say(
        self, body: str, kind: str = "text/html", *, status: int = 200, headers: dict[str, Any] | None = None
    ) -> None:
        data = body.encode()
        self.send_response(status)
        sent = {"Content-Type": f"{kind}; charset=utf-8", "Content-Length": str(len(data)), **(headers or {})}
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def serve() -> Iterator[Place]:
    """A running website."""
    place = Place()
    with listening(_Handler, place=place) as place.url:
        yield place
