"""Recordings as data: they come out as the traces that are kept, and what is wrong in one is named with its line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from websp_gym.browser.launch import prepare_context
from websp_gym.errors import SetupError
from websp_gym.paths import data_dir
from websp_gym.recording import RecorderBrowser
from websp_gym.recording.dry_run import dry_run
from websp_gym.recording.recordings import FILE, Recording, load_recordings, record
from websp_gym.replay import save_trace
from websp_gym.replay.library import trace_path
from websp_gym.world import make_world

STEAM = data_dir("traces") / "steam"
PREFERENCES = "https://store.steampowered.com/account/preferences/"


@pytest.fixture(scope="module")
def studio(browser_thread: None) -> Iterator[RecorderBrowser]:
    with RecorderBrowser(args=make_world("sandbox").browser_args()) as opened:
        prepare_context(opened.context)
        yield opened


@pytest.mark.parametrize("name", ["filtered_words", "login"])
def test_a_recording_comes_out_as_the_trace_that_is_kept(
    studio: RecorderBrowser, name: str, tmp_path: Path
) -> None:
    trace = record(studio, "steam", name, load_recordings(STEAM / FILE)[name])
    save_trace(trace, tmp_path / "trace.json")
    assert (tmp_path / "trace.json").read_text() == trace_path(f"steam/{name}.json").read_text()
    changes = dry_run(trace, set="recorded", signed_in=name != "login").changes
    assert [change.key for change in changes] == {
        "filtered_words": ["always_filter"],
        "login": ["signed in"],
    }[name]


@pytest.mark.parametrize(
    ("gesture", "says"),
    [
        ({"click": {"role": "button", "name": "Sell my data"}}, 'button "Sell my data": there is none'),
        ({"click": {"role": "button", "name": "Sell / lend"}}, 'button "Sell / lend": there is none'),
        ({"click": {"role": "button", "name": "Add"}}, r"there are \d+; add within"),
    ],
)
def test_a_gesture_must_mean_one_element(
    studio: RecorderBrowser, gesture: dict[str, object], says: str
) -> None:
    recording = Recording.model_validate({"start": PREFERENCES, "gestures": [gesture]})
    with pytest.raises(SetupError, match=says):
        record(studio, "steam", "wrong", recording)
    studio.discard()


def test_every_trace_of_this_repository_is_recorded_from_data() -> None:
    for file in data_dir("traces").glob(f"*/{FILE}"):
        assert set(load_recordings(file)) == {path.stem for path in file.parent.glob("*.json")}
    assert (STEAM / FILE).is_file()


@pytest.mark.parametrize(
    ("yaml", "says"),
    [
        ("a:\n  start: x\n  gesturs: []", r':3: a\.gesturs: there is no such key; did you mean "gestures"'),
        ("a:\n  start: x\n  gestures: []", r":3: a\.gestures: needs at least 1"),
        ("a:\n  gestures: [{click: {role: button, name: b}}]", r":1: a\.start: this key is missing"),
        ("a: {start: x, gestures: [{}]}", r"a\.gestures\.0: a gesture is either a click or a type"),
        (
            "a: {start: x, gestures: [{type: {role: textbox, name: b}}]}",
            "a type needs a value, and a click must not have one",
        ),
        ("../a: {start: x, gestures: [{click: {role: button, name: b}}]}", "becomes the name of a file"),
        ("- a", "recordings.yaml:1: must have keys and values"),
    ],
)
def test_a_mistake_is_named_with_file_line_and_key(tmp_path: Path, yaml: str, says: str) -> None:
    (tmp_path / FILE).write_text(yaml)
    with pytest.raises(SetupError, match=says):
        load_recordings(tmp_path / FILE)
