"""The trace format: what is read, what is written, and what each kind of bad file is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.paths import DOCS
from websp_gym.errors import SetupError
from websp_gym.replay import Trace, fill, json_schema, load_trace, save_trace
from websp_gym.replay.trace import MAX_BYTES, MAX_EVENTS

ACCOUNT = {"email": "ada@example.com", "username": "ada", "name": "Ada L."}
CLICK = {
    "type": "click",
    "url": "https://x.test/a",
    "target": {"tag": "button", "name": "Save", "testId": "save"},
}


def a_trace(**changes: Any) -> dict[str, Any]:
    plain = {
        "schema": "websp-trace/2",
        "name": "n",
        "site": "x",
        "start_url": "https://x.test/",
        "events": [CLICK],
    }
    return plain | changes


def write(folder: Path, data: Any) -> Path:
    path = folder / "trace.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return path


def complaint(path: Path) -> str:
    with pytest.raises(SetupError) as caught:
        load_trace(path)
    assert str(path) in caught.value.message
    return caught.value.message


def test_a_trace_survives_being_saved_and_loaded(tmp_path: Path) -> None:
    states = {"before": {"checked": False}, "after": {"checked": True}, "stateful": True}
    target = {"tag": "input", "framePath": ["#consent"], "webspIndex": 3, "classes": ["a", "b"]}
    trace = Trace.model_validate(a_trace(events=[CLICK, {"type": "change", "target": target} | states]))
    save_trace(trace, tmp_path / "out.json")
    again = load_trace(tmp_path / "out.json")
    assert again == trace
    assert again.events[1].target is not None
    assert again.events[1].target.frame_path == ("#consent",)
    jsonschema.validate(json.loads((tmp_path / "out.json").read_text()), json_schema())


def test_the_published_schema_is_the_models_schema() -> None:
    path = DOCS / "trace.schema.json"
    wanted = json.dumps(json_schema(), indent=2) + "\n"
    assert path.read_text("utf-8") == wanted, f"write json.dumps(json_schema(), indent=2) to {path.name}"


def test_the_published_schema_refuses_what_the_models_refuse() -> None:
    jsonschema.validate(a_trace(), json_schema())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(a_trace(events=[CLICK | {"kind": "x"}]), json_schema())


@pytest.mark.parametrize(
    ("changes", "place", "hint"),
    [
        (
            {"events": [CLICK, CLICK | {"target": {"tag": "a", "rol": "link"}}]},
            "events[1].target.rol",
            '"role"',
        ),
        ({"events": [CLICK | {"statefull": True}]}, "events[0].statefull", '"stateful"'),
        ({"viewport": {"width": 1280, "hight": 1}}, "viewport.hight", '"height"'),
        ({"start_ulr": "https://x.test/"}, "start_ulr", '"start_url"'),
        ({"events": [CLICK | {"before": {"chekced": True}}]}, "events[0].before.chekced", '"checked"'),
        ({"events": [{"type": "klick"}]}, "events[0].type", "'click'"),
        ({"events": [{"type": "click"}]}, "events[0]", "needs a target"),
        ({"events": [{"type": "navigate"}]}, "events[0]", "needs a url"),
        ({"events": [CLICK | {"type": "type"}]}, "events[0]", "needs a value"),
        ({"events": [{"type": "key"}]}, "events[0]", "needs a key"),
        ({"events": [{"type": "navigate", "url": "javascript:alert(1)"}]}, "events[0]", "http"),
        ({"start_url": "file:///etc/passwd"}, "the trace", "http"),
        ({"events": [CLICK | {"value": "{{acount.email}}"}]}, "events[0]", '"account.email"'),
        ({"start_url": "https://x.test/{{account.password}}"}, "the trace", "password"),
        ({"events": [CLICK | {"url": "https://x.test/?{{account.password}}"}]}, "events[0]", "password"),
        (
            {"events": [CLICK | {"target": {"tag": "a", "name": "{{account.password}}"}}]},
            "events[0]",
            "password",
        ),
        ({"events": {}}, "events", "tuple"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_its_place_and_the_right_one(
    tmp_path: Path, changes: dict[str, Any], place: str, hint: str
) -> None:
    message = complaint(write(tmp_path, a_trace(**changes)))
    assert f": {place}: " in message
    assert hint in message


def test_another_schema_version_is_told_which_one_is_understood(tmp_path: Path) -> None:
    message = complaint(write(tmp_path, a_trace(schema="websp-trace/3")))
    assert all(f"websp-trace/{version}" in message for version in (1, 2, 3))
    assert 'no "schema" key' in complaint(write(tmp_path, {"events": []}))


def test_a_trace_of_the_first_version_is_read_and_saved_as_the_second(tmp_path: Path) -> None:
    trace = load_trace(write(tmp_path, a_trace(schema="websp-trace/1")))
    assert trace == load_trace(write(tmp_path, a_trace()))
    save_trace(trace, tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["schema"] == "websp-trace/2"


def test_a_file_that_was_cut_off_says_so_and_where(tmp_path: Path) -> None:
    text = json.dumps(a_trace(), indent=1)
    for length in (1, 40, len(text) // 2, len(text) - 1):
        message = complaint(write(tmp_path, text[:length]))
        assert "cut off" in message or "not valid JSON" in message
    assert "cut off" in complaint(write(tmp_path, text[:-1]))


@pytest.mark.parametrize("text", ["", "[]", "null", "17", '{"schema": }', "[" * 100_000])
def test_what_is_no_trace_at_all_is_refused_in_words(tmp_path: Path, text: str) -> None:
    assert len(complaint(write(tmp_path, text))) < 400


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    assert "No such file" in complaint(tmp_path / "absent.json")
    assert "cannot be read" in complaint(tmp_path)
    binary = tmp_path / "trace.json"
    binary.write_bytes(b"\x89PNG\xff")
    assert "UTF-8" in complaint(binary)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_file_is_read_as_editors_of_all_systems_write_it(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "trace.json"
    text = json.dumps(a_trace(name="Grüße 👍"), ensure_ascii=False, indent=1)
    path.write_bytes(text.replace("\n", "\r\n").encode(encoding))
    assert load_trace(path).name == "Grüße 👍"


def test_a_binary_file_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    path.write_bytes(b"PK\x03\x04\x00\x00\x08\x00")
    assert "a binary file, not text" in complaint(path)
    path.write_bytes("Grüße".encode("latin-1"))
    assert "not UTF-8 text at byte 2; save it as UTF-8" in complaint(path)


def test_more_events_or_bytes_than_any_recording_has_are_refused(tmp_path: Path) -> None:
    many = write(tmp_path, a_trace(events=[{"type": "key", "key": "a"}] * (MAX_EVENTS + 1)))
    assert "5001 events" in complaint(many)
    with many.open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert "20,000,001 bytes" in complaint(many)


def test_placeholders_become_the_accounts_values() -> None:
    assert (
        fill("{{account.email}} / {{ account.username }} ({{account.name}})", ACCOUNT)
        == "ada@example.com / ada (Ada L.)"
    )
    assert fill("no { placeholder }", ACCOUNT) == "no { placeholder }"


@pytest.mark.parametrize(
    ("text", "says"),
    [("{{account.mail}}", "account.email"), ("{{x}}", "unknown"), ("{{account.password}}", "no password")],
)
def test_a_placeholder_without_a_value_is_an_error(text: str, says: str) -> None:
    with pytest.raises(SetupError, match=says):
        fill(text, ACCOUNT)
