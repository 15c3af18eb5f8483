"""``websp replay``, ``websp trace`` and ``websp record`` as a user runs them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.command_support import websp_here
from tests.pages_support import origins
from websp_gym.cli.recording import remarks
from websp_gym.errors import SetupError
from websp_gym.recording import RecorderBrowser, Status
from websp_gym.recording.watch import watch
from websp_gym.replay import Trace, TraceEvent, load_trace
from websp_gym.replay.library import find_trace

pytestmark = pytest.mark.usefixtures("browser_thread")

__all__ = ["origins"]
CONSENT = "steam/accept_all_cookies"


def broken_trace(folder: Path, **changes: Any) -> Path:
    """A copy of a trace with other keys."""
    data = json.loads(find_trace(CONSENT).read_text("utf-8"))
    path = folder / "broken.json"
    path.write_text(json.dumps({**data, **changes}), "utf-8")
    return path


def test_replay_reports_how_each_element_was_found_and_what_changed(tmp_path: Path) -> None:
    picture = tmp_path / "last.png"
    result = websp_here("replay", "steam/mature_content", "--set", "on", "--json", "--picture", str(picture))
    told = json.loads(result.stdout)
    assert result.returncode == 0
    assert told["ok"] is True
    assert [event["after"] for event in told["events"]] == [True] * 10
    assert {event["rung"] for event in told["events"]} == {"attributes"}
    assert all(change["after"] is True for change in told["changes"])
    assert "mature.store.adult_only" in {change["key"] for change in told["changes"]}
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.proof
def test_a_replay_that_fails_shows_what_it_did_before(tmp_path: Path) -> None:
    data = json.loads(find_trace("steam/filtered_words").read_text("utf-8"))
    data["events"][1]["target"] = {"tag": "button", "role": "button", "name": "Frobnicate", "css": "#none"}
    path = tmp_path / "gone.json"
    path.write_text(json.dumps(data), "utf-8")
    result = websp_here("replay", str(path), "--json")
    told = json.loads(result.stdout)
    assert result.returncode == 1
    assert told["ok"] is False
    assert [event["action"] for event in told["events"]] == ["typed"]
    assert 'event 2 (click <button> "Frobnicate") failed' in told["error"]


def test_the_table_of_a_replay_that_fails_has_the_event_that_failed(tmp_path: Path) -> None:
    left_out = {"type": "omitted", "what": "step"}
    result = websp_here("replay", str(broken_trace(tmp_path, events=[left_out])))
    assert result.returncode == 1
    assert re.search("^1 +omitted step +failed", result.stdout, re.MULTILINE)
    assert "a trace cannot express it" in result.stdout


@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ({"schema": "websp-trace/9"}, "reads"),
        ({"site": "steem"}, 'did you mean "steam"?'),
        ({"events": []}, None),
        ({"events": [{"type": "click"}] * 100_000}, "at most"),
        ({"start_url": "javascript:alert(1)"}, "not an http or https URL"),
        ({"name": '"</script>\u2028', "evnets": []}, 'did you mean "events"?'),
    ],
)
def test_bad_traces_are_refused_with_a_reason(tmp_path: Path, changes: Any, hint: str | None) -> None:
    result = websp_here("replay", str(broken_trace(tmp_path, **changes)))
    assert result.returncode == (2 if hint else 0)
    assert (hint or "nothing changed") in " ".join((result.stdout + result.stderr).split())
    assert "Traceback" not in result.stderr


def test_a_trace_cut_off_in_the_middle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_bytes(find_trace(CONSENT).read_bytes()[:400])
    result = websp_here("trace", "validate", str(path), find_trace(CONSENT).as_posix(), "--json")
    rows = json.loads(result.stdout)
    assert result.returncode == 1
    assert [row["ok"] for row in rows] == [False, True]
    assert "cut off" in rows[0]["detail"]


def test_all_traces_that_come_along_are_valid() -> None:
    result = websp_here("trace", "validate", "--json")
    assert result.returncode == 0
    assert len(json.loads(result.stdout)) >= 8


def test_show_lists_the_events() -> None:
    result = websp_here("trace", "show", "steam/chat_filtering")
    assert result.returncode == 0
    for part in ("chat filtering", "radio", "2 events", "websp-recorder"):
        assert part in result.stdout


def test_an_imported_trace_is_not_overwritten(tmp_path: Path) -> None:
    source, folder = find_trace("steam/login"), tmp_path / "traces"
    assert websp_here("trace", "import", str(source), "--out", str(folder)).returncode == 0
    (imported,) = folder.glob("*.json")
    assert load_trace(imported) == load_trace(source)
    again = websp_here("trace", "import", str(source), "--out", str(folder))
    assert again.returncode == 2
    assert "--overwrite" in again.stderr


def test_a_file_that_is_not_a_recording_is_not_imported(tmp_path: Path) -> None:
    source, folder = tmp_path / "x.json", tmp_path / "traces"
    source.write_text('{"pages": []}')
    result = websp_here("trace", "import", str(source), "--out", str(folder))
    assert result.returncode == 2
    assert not folder.exists()


FLOW: dict[str, Any] = {
    "title": "mixed",
    "steps": [
        {"type": "navigate", "url": "https://www.example.com/settings"},
        {"type": "scroll", "x": 0, "y": 500},
        {"type": "click", "button": "secondary", "selectors": [["#menu"]]},
        {"type": "click", "duration": 800, "selectors": [["#press"]]},
        {"type": "customStep", "name": "x", "parameters": {}},
        {"type": "click", "selectors": [["#save"]]},
    ],
}


def test_an_import_lists_what_it_left_out_and_does_not_end_as_if_it_were_whole(tmp_path: Path) -> None:
    source, folder = tmp_path / "flow.json", tmp_path / "traces"
    source.write_text(json.dumps(FLOW), "utf-8")
    strict = websp_here("trace", "import", str(source), "--out", str(folder), "--strict")
    assert strict.returncode == 2
    assert "steps[2]: click with another mouse button" in strict.stderr
    assert not folder.exists()
    result = websp_here("trace", "import", str(source), "--out", str(folder))
    assert result.returncode == 1
    for line in (
        "- left out: steps[1]: scroll",
        "! left out: steps[2]: click with another mouse button",
        "! left out: steps[3]: press of 800 ms",
        "! left out: steps[4]: customStep",
        "incomplete: 3 step(s)",
    ):
        assert line in result.stdout
    events = load_trace(folder / "mixed.json").events
    assert [(event.type, event.what) for event in events] == [("omitted", "step")] * 3 + [("click", None)]
    source.write_text(json.dumps(FLOW | {"steps": [*FLOW["steps"][:2], FLOW["steps"][-1]]}), "utf-8")
    whole = websp_here("trace", "import", str(source), "--out", str(folder), "--overwrite")
    assert (whole.returncode, "scroll" in whole.stdout, "incomplete" in whole.stdout) == (0, True, False)


def test_remarks_name_the_typed_values_and_pictures_to_look_at(tmp_path: Path) -> None:
    typed = {"type": "type", "target": {"tag": "input", "id": "to"}, "screenshot": "a.png"}
    trace = Trace.model_validate(
        {
            "schema": "websp-trace/2",
            "name": "it",
            "site": "x",
            "start_url": "https://x.example/",
            "events": [{**typed, "value": "countess.ada@newmail.test"}, {**typed, "value": "adamant"}],
        }
    )
    account = {"username": "ada", "name": "Ada Byron"}
    partly, pictures = remarks(trace, tmp_path / "it.json", account)
    assert partly.startswith("event 1: the account's username is part of 'countess.ada@newmail.test'")
    assert "2 screenshot(s)" in pictures
    assert "--no-screenshots" in pictures
    bare = trace.model_copy(
        update={"events": tuple(event.model_copy(update={"screenshot": None}) for event in trace.events)}
    )
    assert remarks(bare, tmp_path / "it.json", {}) == []


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["record", "steem"], 'did you mean "steam"?'),
        (["record", "https://"], "is not an http or https URL"),
        (["record", "steam", "--name", "login"], "--overwrite"),
        (["replay", "steam/nothing"], "no trace steam/nothing"),
    ],
)
def test_a_recording_that_cannot_begin_reports_the_reason(arguments: list[str], hint: str) -> None:
    result = websp_here(*arguments)
    assert result.returncode == 2
    assert hint in " ".join(result.stderr.split())


def studio_page(studio: RecorderBrowser, origins: tuple[str, str]) -> None:
    """Shows two controls on a page that has an address."""
    studio.page.goto(f"{origins[0]}/", wait_until="domcontentloaded")
    html = "<button>Go</button><label><input type=checkbox> Mail me</label>"
    studio.page.evaluate("html => { document.body.innerHTML = html }", html)


def test_a_recording_is_followed_until_it_is_stopped(origins: tuple[str, str]) -> None:
    told: list[tuple[int, str]] = []
    with RecorderBrowser() as studio:
        studio_page(studio, origins)
        studio.start("follow", "steam")
        clicks = iter(["button", "label"])

        def on_look(status: Status) -> None:
            if status.events == 2:
                studio.stop()
            elif selector := next(clicks, None):
                studio.page.click(selector)

        def on_event(number: int, event: TraceEvent) -> None:
            told.append((number, event.describe()))

        trace = watch(studio, on_event=on_event, on_look=on_look)
    assert told == [(1, 'click <button> "Go"'), (2, 'change <checkbox> "Mail me"')]
    assert [event.type for event in trace.events] == ["click", "change"]


@pytest.mark.proof
def test_closing_the_browser_keeps_what_was_recorded(origins: tuple[str, str]) -> None:
    with RecorderBrowser() as studio:
        studio_page(studio, origins)
        studio.start("closed", "steam")

        def on_look(status: Status) -> None:
            if status.events:
                studio.context.close()
            else:
                studio.page.click("button")

        trace = watch(studio, on_look=on_look)
        assert not studio.open
    assert [event.type for event in trace.events] == ["click"]


def test_a_discarded_recording_is_reported_as_an_error(origins: tuple[str, str]) -> None:
    with RecorderBrowser() as studio:
        studio_page(studio, origins)
        studio.start("discarded", "steam")

        def on_look(_status: Status) -> None:
            studio.discard()

        with pytest.raises(SetupError, match="discarded"):
            watch(studio, on_look=on_look)
