"""A recording is tried at once, and nothing of the person's is set by that."""

from __future__ import annotations

from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.command_support import websp_here
from tests.recorder_support import Record, Server, facts, opened_studio, record, recorded, server, studio
from websp_gym.browser.owner import call
from websp_gym.recording import RecorderBrowser
from websp_gym.recording.try_out import look_for_targets
from websp_gym.replay import Trace, load_trace
from websp_gym.replay.library import trace_path

__all__ = ["opened_studio", "record", "server", "studio"]


def test_elements_are_looked_for_without_a_press(
    studio: RecorderBrowser, record: Record, server: Server
) -> None:
    page = record("drawn_list.html")
    page.click("#photos")
    page.click("a >> text=always")
    page.click("text=Save")
    server.wait_for(page, {"photos": "always", "language": "en", "color": "#000000"})
    page.goto(server.url("form.html"))
    page.click("text=Send me news")
    trace = recorded(studio)
    server.state = {}
    seen = look_for_targets(trace, {})
    assert [(one.number, one.state) for one in seen] == [
        (1, "found"),
        (2, "unreached"),
        (3, "found"),
        (5, "found"),
    ], facts(trace)
    # Without the press that opens the list.
    lost = trace.model_copy(update={"events": trace.events[1:]})
    assert [one.state for one in look_for_targets(lost, {})] == ["missing", "found", "found"]
    assert server.state == {}


def _tried(
    trace: Trace, folder: Path, monkeypatch: pytest.MonkeyPatch, *options: str
) -> CompletedProcess[str]:
    """What `websp record` says when this was recorded."""
    monkeypatch.setattr("websp_gym.cli.recording.record_by_hand", lambda *given, **named: trace)
    return call(lambda: websp_here("record", *options, "--name", "x", cwd=folder))


def _aimed(trace: Trace, name: str, url: str) -> Trace:
    """The trace with its last event alone, on a button of another name on this page."""
    (*_, event) = trace.events
    assert event.target is not None
    target = event.target.model_copy(update={"name": name, "text": name})
    return trace.model_copy(update={"events": (event.model_copy(update={"target": target, "url": url}),)})


def test_the_command_says_whether_the_trace_replays(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = load_trace(trace_path("steam/filtered_words.json"))
    said = _tried(trace, tmp_path, monkeypatch, "steam")
    assert "tried 2 event(s) on another fresh account" in said.stdout, said.stderr
    assert "tried" not in _tried(trace, tmp_path, monkeypatch, "steam", "--no-try").stdout
    said = _tried(_aimed(trace, "Sell", trace.start_url), tmp_path, monkeypatch, "steam")
    assert (
        'does not replay event 1 (click <button> "Sell") failed on https://store.steampowered' in said.stdout
    )
    page = server.url("form.html")
    said = _tried(_aimed(trace, "Sell", page), tmp_path, monkeypatch, page)
    assert 'not found event 1, click <button> "Sell": it is not on' in said.stdout, said.stderr
    assert "found the elements of 0 of 1 event(s)" in said.stdout
