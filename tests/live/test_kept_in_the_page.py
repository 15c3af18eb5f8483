"""A site of one page that keeps its sign-in in the browser's storage, not in cookies."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.command_support import LONGEST
from tests.http_support import Handler, listening
from tests.live_support import home
from websp_gym.browser.owner import call
from websp_gym.live.account_browser import account_browser
from websp_gym.live.sign_ins import keep_sign_in
from websp_gym.recording.try_out import look_for_targets
from websp_gym.replay import load_trace

__all__ = ["home"]

PAGE = """<!doctype html><title>Notes</title><main></main><script>
  const forms = {
    null: '<h1>Sign in</h1><label>Password <input type=password></label><button onclick="enter()">Sign in</button>',
    old: '<h1>Your session has ended</h1>',
    good: '<h1>Welcome</h1><label><input type=checkbox>Remote images</label>',
  };
  const show = () => { document.querySelector('main').innerHTML = forms[localStorage.getItem('token')]; };
  const enter = () => { localStorage.setItem('token', 'good'); show(); };
  show();
</script>"""
RECORDS = """
import os, signal, sys
from pathlib import Path
from websp_gym.recording.by_hand import record_by_hand

def ready(studio):
    assert len(studio.context.pages) == 1
    studio.page.click("text=Remote images", timeout=5_000)
    os.kill(os.getpid(), signal.SIGINT)

record_by_hand(sys.argv[1], Path("mine.json"), name="mine", slug="notes", account="notes-1", headless=True, on_ready=ready)
"""


class _Handler(Handler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode())


@pytest.fixture
def url(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The site, on which the user has an account."""
    monkeypatch.setenv("WEBSP_TRACES", str(home / "traces"))
    monkeypatch.setenv("NOTES_PASSWORD", "correct horse")
    with listening(_Handler) as origin:
        account = {
            "site": "notes",
            "url": f"{origin}/",
            "email": "ada@home.test",
            "password": "env:NOTES_PASSWORD",
        }
        accounts = {"accounts": {"notes-1": {**account, "login_trace": "notes/login.json"}}}
        (home / "accounts.yaml").write_text(json.dumps(accounts))
        trace = home / "traces" / "notes" / "login.json"
        trace.parent.mkdir(parents=True)
        trace.write_text(json.dumps(_login(f"{origin}/")))
        yield f"{origin}/"


def _login(url: str) -> dict[str, Any]:
    field = {
        "tag": "input",
        "role": "textbox",
        "name": "Password",
        "label": "Password",
        "typeAttr": "password",
    }
    events = [
        {"type": "type", "url": url, "target": field, "value": "{{account.password}}"},
        {"type": "click", "url": url, "target": {"tag": "button", "role": "button", "name": "Sign in"}},
    ]
    return {"schema": "websp-trace/2", "name": "login", "site": "notes", "start_url": url, "events": events}


def _keep(url: str, token: str) -> None:
    origin = {"origin": url.rstrip("/"), "localStorage": [{"name": "token", "value": token}]}
    keep_sign_in("notes-1", {"cookies": [], "origins": [origin]})


def test_a_recording_begins_signed_in(url: str, tmp_path: Path) -> None:
    _keep(url, "good")
    command = [sys.executable, "-c", RECORDS, url]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LONGEST)
    assert done.returncode == 0, done.stderr
    trace = load_trace(tmp_path / "mine.json")
    assert (trace.start_url, [event.type for event in trace.events]) == (url, ["change"])
    (seen,) = call(lambda: look_for_targets(trace, "notes-1"))
    assert seen.state == "found"


def test_a_session_that_has_ended_is_forgotten(url: str) -> None:
    _keep(url, "old")

    def sign_in() -> str:
        with account_browser("notes-1", headless=True) as (sign_in, _, tabs):
            sign_in.sign_in(tabs)
            return tabs.current.inner_text("h1")

    assert call(sign_in) == "Welcome"
