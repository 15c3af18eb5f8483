"""A recording by hand is saved, or the reason said, however it ends; no browser or profile is left behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.command_support import LONGEST
from tests.recorder_support import Server, server
from websp_gym.errors import SetupError
from websp_gym.replay import load_trace
from websp_gym.replay.library import site_slug

__all__ = ["server"]

_SCRIPT = """
import os, signal, sys
from pathlib import Path
from websp_gym.errors import SetupError
from websp_gym.recording.by_hand import record_by_hand
from websp_gym.replay import load_trace

url, act, ending, *again = sys.argv[1:]

def end(studio):
    if ending == "window":
        studio.context.close()
    else:
        for name in ending.split():
            os.kill(os.getpid(), getattr(signal, name))

def ready(studio):
    opened.append(studio)
    if act == "act":
        studio.page.click("text=" + (again[0] if again else "Send me news"))
    else:
        end(studio)

opened = []
try:
    record_by_hand(url, Path("traces/mine.json"), name="mine", slug="local", account={}, headless=True,
                   again=(load_trace("traces/mine.json"), 2) if again else None,
                   on_ready=ready, on_event=lambda number, event: end(opened[0]))
except SetupError as error:
    sys.exit(error.message)
"""


def _record(
    server: Server, folder: Path, act: str, ending: str, *again: str, page: str = "form.html"
) -> subprocess.CompletedProcess[str]:
    # The sockets that Chromium makes in it need a short path.
    with tempfile.TemporaryDirectory(prefix="w") as temporary:
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT, server.url(page), act, ending, *again],
            cwd=folder,
            env={**os.environ, "TMPDIR": temporary},
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
        assert not list(Path(temporary).glob("websp-*"))
    return done


def _proof(ending: str) -> Any:
    """An ending that `make prove` tries; one of its kind is tried by `make test`."""
    return pytest.param(ending, marks=pytest.mark.proof)


@pytest.mark.parametrize("ending", ["SIGINT SIGINT", *map(_proof, ("SIGTERM", "window", "SIGINT", "SIGHUP"))])
def test_what_was_recorded_is_saved_however_it_ends(server: Server, tmp_path: Path, ending: str) -> None:
    done = _record(server, tmp_path, "act", ending)
    assert done.returncode == 0, done.stderr
    (event,) = load_trace(tmp_path / "traces" / "mine.json").events
    assert event.target is not None
    assert event.target.name == "Send me news"
    pictures = tmp_path / "traces" / "mine"
    assert (event.screenshot is not None) == (ending not in ("window", "SIGINT SIGINT")) == pictures.is_dir()


def test_a_recording_starts_at_the_address_that_was_opened_and_not_where_it_led(
    server: Server, tmp_path: Path
) -> None:
    done = _record(server, tmp_path, "act", "SIGINT", page="account")
    assert done.returncode == 0, done.stderr
    trace = load_trace(tmp_path / "traces" / "mine.json")
    assert trace.start_url == server.url("account")
    assert trace.events[0].url == f"{server.base}/form.html?client=1"


@pytest.mark.proof
@pytest.mark.parametrize("ending", ["window", "SIGINT"])
def test_a_recording_goes_on_from_an_event_of_an_earlier_one(
    server: Server, tmp_path: Path, ending: str
) -> None:
    path = tmp_path / "traces" / "mine.json"
    path.parent.mkdir()
    path.write_text(json.dumps(_earlier(server.url("form.html"))))
    before = load_trace(path)
    done = _record(server, tmp_path, "act", ending, "Nobody")
    assert done.returncode == 0, done.stderr
    trace = load_trace(path)
    assert [event.target and event.target.name for event in trace.events] == ["Send me news", "Nobody"]
    assert trace.start_url == before.start_url
    assert trace.events[0].screenshot is None


def _earlier(url: str) -> dict[str, Any]:
    """A recording with an event, and a second one that the site has not any more."""
    target = {"tag": "input", "role": "checkbox", "name": "Send me news", "id": "news"}
    event = {
        "type": "change",
        "url": url,
        "target": target,
        "after": {"checked": True},
        "screenshot": "001.png",
    }
    head = {"schema": "websp-trace/2", "name": "mine", "site": "local", "start_url": url}
    return {**head, "events": [event, {**event, "screenshot": None}]}


@pytest.mark.parametrize("ending", ["SIGINT", _proof("SIGINT SIGINT"), _proof("window")])
def test_a_recording_of_nothing_says_so_and_writes_nothing(
    server: Server, tmp_path: Path, ending: str
) -> None:
    done = _record(server, tmp_path, "nothing", ending)
    assert done.returncode == 1
    assert "nothing was recorded, and nothing was written" in done.stderr.splitlines()
    assert not (tmp_path / "traces").exists()


@pytest.mark.parametrize(
    ("url", "slug"),
    [
        ("https://store.steampowered.com/account", "steam"),
        ("https://help.steampowered.com/", "steam"),
        ("https://www.bbc.co.uk/news", "bbc"),
        ("https://settings.example.com/", "example"),
        ("http://127.0.0.1:8080/", "127_0_0_1"),
        ("http://[::1]:8080/", "1"),
        ("http://localhost/", "localhost"),
        ("https://my-site.io", "my_site"),
    ],
)
def test_the_slug_of_a_site_is_the_configured_one_or_made_of_its_domain(url: str, slug: str) -> None:
    known = {"steam": "https://store.steampowered.com/"}
    assert site_slug(url, known) == slug


@pytest.mark.parametrize("url", ["https://", "http://["])
def test_an_address_without_a_host_has_no_slug(url: str) -> None:
    with pytest.raises(SetupError, match="not an http or https URL"):
        site_slug(url, {})
