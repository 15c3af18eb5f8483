"""Traces from elsewhere: what is taken over, what is left behind, and what a bad file is told."""

from __future__ import annotations

import json
import random
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from tests.pages_support import ShowHtml, blank_page, in_our_world, show  # noqa: F401
from tests.paths import DATA
from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import SetupError
from websp_gym.replay import Trace, load_trace, replay, save_trace
from websp_gym.replay.importers import Imported, import_trace
from websp_gym.replay.importers.redact import PASSWORD, clean_url
from websp_gym.replay.importers.roles import ROLES, TEST_ATTRIBUTES, implicit_role, opening_tag
from websp_gym.replay.library import trace_path
from websp_gym.tasks.instances import load_instance
from websp_gym.world import make_world

SAMPLES = DATA / "traces"
START = "https://x.example/settings"


def read(name: str) -> Imported:
    (imported,) = import_trace(SAMPLES / name)
    return imported


class Write:
    """Writes files into a folder and imports them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def file(self, data: Any, name: str = "file.json") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
        return path

    def published(self, *events: dict[str, Any], **top: Any) -> Imported:
        """A published trace with these events."""
        path = self.file(
            {"startUrl": START, "viewportWidth": 1280, "viewportHeight": 720, "events": events} | top
        )
        return import_trace(path)[0]

    def flow(self, *steps: dict[str, Any], **top: Any) -> Imported:
        """A user flow with these steps behind the one that opens the page."""
        first = {"type": "navigate", "url": START}
        return import_trace(self.file({"title": "t", "steps": [first, *steps]} | top))[0]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    return Write(tmp_path)


def complaint(path: Path, **options: Any) -> str:
    with pytest.raises(SetupError) as caught:
        import_trace(path, **options)
    assert str(path) in caught.value.message
    assert len(caught.value.message) < 1_500
    return caught.value.message


def events(imported: Imported) -> list[dict[str, Any]]:
    return [event.model_dump(exclude_defaults=True) for event in imported.trace.events]


def box(path: str = "input#a", **keys: Any) -> dict[str, Any]:
    """An event on a check box."""
    return {
        "type": "change",
        "selectorPath": path,
        "elementType": "input",
        "inputType": "checkbox",
        "checked": True,
    } | keys


def field(**keys: Any) -> dict[str, Any]:
    """An event on a text field."""
    return {
        "type": "change",
        "selectorPath": "input#f",
        "elementType": "input",
        "inputType": "text",
        "value": "hello",
    } | keys


def at(seconds: float) -> str:
    return f"2025-11-20T10:00:{seconds:06.3f}Z"


# -------------------------------------------------------------------- which file it is
def test_our_own_traces_pass_through_as_they_are() -> None:
    path = trace_path("steam/chat_filtering.json")
    (imported,) = import_trace(path)
    assert imported.trace == load_trace(path)
    assert (imported.format, imported.dropped, imported.notes) == ("websp-trace", {}, ())


def test_every_sample_becomes_a_trace_that_can_be_saved_and_loaded(tmp_path: Path) -> None:
    for path in sorted(SAMPLES.glob("*.json")):
        trace = import_trace(path)[0].trace
        save_trace(trace, tmp_path / "out.json")
        assert load_trace(tmp_path / "out.json") == trace


def test_the_site_is_a_known_one_by_its_address_or_the_one_given(write: Write) -> None:
    sites = {"docker": "https://www.docker.com/", "steam": "https://store.steampowered.com/"}
    path = SAMPLES / "published_accept_all.json"
    assert import_trace(path, sites=sites)[0].trace.site == "steam"
    assert import_trace(path)[0].trace.site == "steampowered"
    assert read("recorder_shop.json").trace.site == "shop"
    assert import_trace(SAMPLES / "recorder_shop.json", site="amazon")[0].trace.site == "amazon"
    assert write.published(box(), startUrl="https://www.shop.co.uk/a").trace.site == "shop"


def test_a_trace_of_another_site_than_asked_for_is_refused() -> None:
    message = complaint(trace_path("steam/login.json"), site="github")
    assert '"steam"' in message
    assert '"github"' in message


def test_a_folder_is_several_traces_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    sample = SAMPLES / "published_older.json"
    for name in ("reset_step10/t.json", "reset_step2/t.json", "reset_step-1/t.json"):
        (tmp_path / "a" / name).parent.mkdir(parents=True)
        shutil.copy(sample, tmp_path / "a" / name)
    assert [imported.step for imported in import_trace(tmp_path / "a")] == [1, 2, 10]
    for name in ("task-5-on.json", "task-5-off.json"):
        (tmp_path / "b").mkdir(exist_ok=True)
        shutil.copy(sample, tmp_path / "b" / name)
    assert [imported.state for imported in import_trace(tmp_path / "b")] == ["off", "on"]
    (tmp_path / "c").mkdir()
    assert "no recordings in" in complaint(tmp_path / "c")


BAD: list[tuple[Any, str]] = [
    ("", "cut off"),
    ('{"startUrl": "https://x.example/", "events": [{"ty', "cut off"),
    ("[]", "a list"),
    ("17", "a number"),
    ("[" * 100_000, "nested too deeply"),
    ('{"x": ' + "9" * 5_000 + "}", "not valid JSON"),
    ('{"evnets": [], "startUrl": 1}', '"events"'),
    ("{}", "it has nothing"),
    ('{"schema": "websp-trace/9"}', "websp-trace/2"),
    ({"startUrl": START, "events": {}}, "events: expected a list of events, but this is an object"),
    ({"startUrl": START, "events": [box(), None]}, "events[1]: an event is an object, but this is nothing"),
    ({"startUrl": START, "events": [{"type": 5}]}, "events[0].type: expected a text"),
    ({"startUrl": START, "events": [{"type": "click"}]}, "events[0]: nothing in it says which element"),
    ({"startUrl": START, "events": [{"type": "scroll"}, {"type": "hum"}]}, "nothing that could be replayed (1 scroll"),
    ({"startUrl": "file:///etc/passwd", "events": [box()]}, "startUrl: no http or https URL"),
    ({"startUrl": "http://[", "events": []}, "startUrl: no http or https URL"),
    ({"startUrl": None, "events": []}, "it is nothing"),
    ({"startUrl": START, "events": [field(value="{{other.thing}}")]}, "events[0].value: unknown placeholder {{other.thing}}"),
    ({"startUrl": START, "events": [field(value="x" * 500_000)]}, "500,000 characters"),
    ({"startUrl": START, "events": [field(value=[1])]}, "events[0].value: expected a text, but this is a list"),
    ({"title": "t", "steps": "x"}, "steps: expected a list of steps, but this is a text"),
    ({"title": "t", "steps": [7]}, "steps[0]: a step is an object, but this is a number"),
    ({"title": "t", "steps": [{"type": None}]}, "steps[0].type"),
    ({"title": "t", "steps": []}, "nothing that could be replayed"),
    ({"title": "t", "steps": [{"type": "navigate", "url": "javascript:alert(1)"}]}, "steps[0].url: no http"),
    ({"title": "t", "steps": [{"type": "click", "selectors": ["#a"]}]}, "no step before it opens"),
    ({"title": "t", "steps": [{"type": "navigate", "url": START}, {"type": "click"}]}, "steps[1].selectors: expected a list of selectors"),
    ({"title": "t", "steps": [{"type": "navigate", "url": START}, {"type": "click", "selectors": [[1]]}]}, "steps[1].selectors[0]"),
    ({"title": "t", "steps": [{"type": "navigate", "url": START}, {"type": "click", "selectors": ["aria/"]}]}, "say nothing"),
    ({"title": "t", "steps": [{"type": "navigate", "url": START}, {"type": "change", "selectors": ["#a"]}]}, "steps[1].value"),
]  # fmt: skip


def test_a_bad_file_is_told_where_it_is_bad_and_what_was_found(write: Write) -> None:
    for data, says in BAD:
        assert says in complaint(write.file(data))


def test_many_events_and_large_snapshots_are_refused_or_read_in_no_time(write: Write) -> None:
    began = time.process_time()
    assert "100,000 events" in complaint(
        write.file({"startUrl": START, "events": [{"type": "click"}] * 100_000})
    )
    many = [box(f"input:nth-of-type({number})") for number in range(6_000)]
    assert "6,000 to replay" in complaint(write.file({"startUrl": START, "events": many}))
    snapshots = [{"type": "dom-snapshot", "html": "<p secret>" * 50_000}] * 20
    assert write.published(box(), *snapshots).dropped == {"dom-snapshot": 20}
    assert time.process_time() - began < 15


# -------------------------------------------------------------------- the published format
def test_a_published_click_has_every_mark_of_its_element() -> None:
    (event,) = events(read("published_accept_all.json"))
    assert event == {
        "type": "click",
        "url": "https://store.steampowered.com/account/cookiepreferences",
        "target": {
            "tag": "div",
            "role": "button",
            "name": "Accept All",
            "text": "Accept All",
            "nearby": "Reject All",
            "parent": "Reject All Accept All",
            "css": "div#responsive_page_template_content > div:nth-of-type(2) > div:nth-of-type(1) > div:nth-of-type(3)"
            " > div:nth-of-type(2)",
            "xpath": '//*[@id="responsive_page_template_content"]/div[2]/div[1]/div[3]/div[2]',
            "classes": ("Focusable",),
        },
    }


def test_one_thing_the_person_did_is_one_event() -> None:
    imported = read("published_settings.json")
    found = [(event["type"], event.get("target", {}).get("css")) for event in events(imported)]
    assert found == [
        ("change", "form#privacy > label:nth-of-type(1) > input#discoverable"),
        (
            "change",
            "settings-panel:nth-of-type(1) ::shadow :host > div:nth-of-type(1) > button:nth-of-type(1)",
        ),
        ("change", "select#who"),
        ("type", "input#mail"),
        ("key", "input#mail"),  # the browser recorded Enter before the change it brought about
        ("type", "input#pw"),
        ("omitted", "input#otp"),
        ("omitted", None),  # a captcha
        ("click", "a:nth-of-type(3)"),
    ]
    assert imported.trace.name == "example_settings"
    assert imported.dropped["click that led to a change"] == 3
    assert imported.dropped["click by Enter"] == 1
    assert imported.trace.viewport.width == 1440


def test_states_come_from_the_event_and_from_the_states_at_the_beginning() -> None:
    native, aria = events(read("published_settings.json"))[:2]
    assert (native["stateful"], native["before"], native["after"]) == (
        True,
        {"checked": True},
        {"checked": False},
    )
    assert (aria["stateful"], aria["before"], aria["after"]) == (True, {"checked": False}, {"checked": True})
    assert aria["target"]["frame_path"] == ("iframe#panel",)
    assert "xpath" not in aria["target"], "a path that begins at a shadow root leads nowhere"


def test_an_aria_switch_of_unknown_state_is_clicked_as_it_was(write: Write) -> None:
    switch = {
        "type": "click",
        "selectorPath": "b",
        "elementType": "button",
        "role": "switch",
        "innerText": "On",
    }
    (event,) = events(write.published(switch))
    assert (event["type"], event["stateful"]) == ("change", True)
    assert "after" not in event


def test_a_radio_button_is_chosen_and_never_turned_off(write: Write) -> None:
    (event,) = events(write.published(box(inputType="radio", labelText="Weekly"), set_checked_state=False))
    assert "stateful" not in event
    assert "set" not in event
    assert event["after"] == {"checked": True}


FORCED: list[tuple[Any, str | None]] = [(True, "on"), (False, "off"), (None, None), ("yes", None)]


def test_a_forced_state_in_the_file_is_kept_with_its_event(write: Write) -> None:
    for forced, wanted in FORCED:
        assert write.published(box(), set_checked_state=forced).trace.events[0].set == wanted
        assert write.published(box(setCheckedState=forced)).trace.events[0].set == wanted


def test_a_state_that_contradicts_the_beginning_is_reported(write: Write) -> None:
    imported = write.published(box(), initialFormStates={"input#a": {"checked": True}})
    assert any("initialFormStates" in note for note in imported.notes)
    assert events(imported)[0]["before"] == {"checked": False}


ECHOES: list[tuple[list[dict[str, Any]], list[str]]] = [
    ([box(timestamp=at(1)), box(timestamp=at(1.2))], ["change"]),
    ([box(timestamp=at(1)), box(timestamp=at(1.2), checked=False)], ["change", "change"]),
    ([box(timestamp=at(1)), box(timestamp=at(2))], ["change", "change"]),
    ([box(type="click", timestamp=at(1)), box(timestamp=at(1.01))], ["change"]),
    # a button that sets boxes by script is not their label
    ([{"type": "click", "selectorPath": "b", "elementType": "button", "timestamp": at(1)}, box(timestamp=at(1.01))],
     ["click", "change"]),
    ([{"type": "click", "selectorPath": "s", "elementType": "span", "timestamp": at(1)}, box(timestamp=at(1.01))],
     ["change"]),
    ([{"type": "click", "selectorPath": "s", "elementType": "span", "timestamp": at(1)}, box(timestamp=at(3))],
     ["click", "change"]),
    ([box(type="keydown", key=" ", timestamp=at(1)), box(type="click", timestamp=at(1.1)), box(timestamp=at(1.1))],
     ["change"]),
    ([field(type="input", value="h"), field(type="input", value="he"), field(value="hey")], ["type"]),
    ([field(type="keydown", key="h"), field(type="keydown", key="Shift"), field(value="h")], ["type"]),
    ([field(timestamp=at(1)), field(type="keydown", key="Enter", timestamp=at(2)),
      {"type": "click", "selectorPath": "b", "elementType": "button", "inputType": "submit", "timestamp": at(2.01)}],
     ["type", "key"]),
    ([field(type="keydown", key="a", ctrlKey=True)], ["key"]),
    ([{"type": "click", "selectorPath": "a", "elementType": "a", "timestamp": at(1)},
      {"type": "navigation", "url": "https://x.example/next", "timestamp": at(2)}], ["click"]),
    ([{"type": "navigation", "url": "https://x.example/typed", "timestamp": at(2)}, box()], ["navigate", "change"]),
    # what the recorder says of a field after a pause, when its word has been added already
    ([field(timestamp=at(1)), {"type": "click", "selectorPath": "b", "elementType": "button", "timestamp": at(1.5)},
      field(timestamp=at(2))], ["type", "click"]),
    ([field(timestamp=at(1)), {"type": "click", "selectorPath": "b", "elementType": "button", "timestamp": at(2)},
      field(timestamp=at(5))], ["type", "click", "type"]),
    ([field(timestamp=at(1)), {"type": "click", "selectorPath": "b", "elementType": "button", "timestamp": at(1.5)},
      field(timestamp=at(2), value="other")], ["type", "click", "type"]),
    ([field(inputType="file", value="C:\\fakepath\\me.png"), box()], ["omitted", "change"]),
]  # fmt: skip


def test_echoes_of_one_action_are_left_out(write: Write) -> None:
    for found, wanted in ECHOES:
        assert [event["type"] for event in events(write.published(*found))] == wanted


def test_a_field_without_a_value_was_cleared(write: Write) -> None:
    (event,) = events(write.published(field(value=None)))
    assert (event["type"], event["value"]) == ("type", "")
    unknown = field()
    del unknown["value"]
    found = events(write.published(unknown, field(value=None, inputType="password"), box()))
    assert [event["type"] for event in found] == ["omitted", "change"]


def test_keys_keep_their_modifiers(write: Write) -> None:
    imported = write.published(
        field(type="keydown", key="a", ctrlKey=True, shiftKey=True), box(type="keydown", key=" ")
    )
    assert [event["key"] for event in events(imported)] == ["Control+Shift+a", "Space"]


def test_older_files_know_their_page_until_something_may_have_led_elsewhere() -> None:
    found = [(event["type"], event.get("url")) for event in events(read("published_older.json"))]
    assert found == [
        ("change", "https://forum.example/welcome"),
        ("click", "https://forum.example/welcome"),
        ("click", None),
        ("key", "https://id.example/details"),
    ]
    assert read("published_older.json").dropped["dom-snapshot"] == 2


NAMED: list[tuple[dict[str, Any], str | None, str | None]] = [
    ({"elementType": "a", "href": "/x", "innerText": "More"}, "link", "More"),
    ({"elementType": "a", "innerText": "More"}, None, None),
    ({"elementType": "button", "ariaLabel": "Close", "innerText": "×"}, "button", "Close"),
    ({"elementType": "input", "inputType": "submit", "value": "Save"}, "button", "Save"),
    ({"elementType": "input", "inputType": "checkbox", "labelText": "News"}, "checkbox", "News"),
    (
        {"elementType": "input", "inputType": "switch", "typeAttr": "radio", "labelText": "No one"},
        "radio",
        "No one",
    ),
    ({"elementType": "div", "role": "tab  extra", "textContent": "Privacy"}, "tab", "Privacy"),
    ({"elementType": "div", "role": "bogus", "innerText": "x"}, "generic", None),
    ({"elementType": "button", "role": "presentation", "title": "Menu"}, "button", "Menu"),
    ({"elementType": "div", "outerHTML": '<div role="button" aria-label="Go">'}, "button", "Go"),
    ({"outerHTML": "<BUTTON data-cy=go type=submit"}, "button", None),
    ({"elementType": "div", "outerHTML": '<div contenteditable="true">'}, "textbox", None),
]


def test_role_and_name_are_worked_out_from_what_the_file_has(write: Write) -> None:
    for keys, role, name in NAMED:
        target = write.published({"type": "click", "selectorPath": "#e", **keys}).trace.events[0].target
        assert target is not None
        assert (target.role, target.name) == (role, name)


def test_placeholders_of_the_published_traces_become_ours(write: Write) -> None:
    trace = read("published_settings.json").trace
    assert trace.start_url == "https://social.example/{{account.username}}/settings?tab=privacy"
    assert trace.events[3].value == "{{account.email}}"
    assert trace.events[-1].target is not None
    assert trace.events[-1].target.name == "Done, {{account.name}}"
    escaped = "https://x.example/%7B%7BWEBSP_ACCOUNT_USERNAME%7D%7D/a%20b"
    assert (
        events(write.published(box(site=escaped)))[0]["url"] == "https://x.example/{{account.username}}/a%20b"
    )


def test_a_text_cut_in_the_middle_of_an_emoji_can_be_saved(tmp_path: Path, write: Write) -> None:
    trace = write.published(box(labelText="Party \ud83d", value=None)).trace
    ours = write.file(
        {"schema": "websp-trace/2", "name": "\ud83d", "site": "x", "start_url": START, "events": []}
    )
    for found in (trace, import_trace(ours)[0].trace):
        save_trace(found, tmp_path / "out.json")
        assert load_trace(tmp_path / "out.json") == found


# -------------------------------------------------------------------- secrets
SECRETS = [
    "tk_live", "correct horse", "493027", "03AGdBq27", "hidden-value", "zzTOPsecret", "9f8e7d6c5b4a", "csrf-0f9e",
    "snapshot-", "shot_", "<p>", "s3cret", "ada@mail", "77aa88bb", "evil.example", "document.cookie",
]  # fmt: skip


def test_no_secret_of_a_file_comes_along(tmp_path: Path) -> None:
    for path in sorted(SAMPLES.glob("*.json")):
        imported = import_trace(path)[0]
        save_trace(imported.trace, tmp_path / path.name)
        everything = (tmp_path / path.name).read_text("utf-8") + repr(imported)
        assert [secret for secret in SECRETS if secret in everything] == []
    assert any(secret in (SAMPLES / "recorder_shop.json").read_text() for secret in SECRETS)


def test_a_password_becomes_its_placeholder_also_where_the_page_repeats_it(write: Write) -> None:
    password = field(inputType="password", value="hunter2-hunter2")
    imported = write.published(
        password,
        {
            "type": "click",
            "selectorPath": "b",
            "innerText": "You typed hunter2-hunter2",
            "site": START + "/hunter2-hunter2",
        },
    )
    assert imported.trace.events[0].value == PASSWORD
    assert "hunter2" not in repr(imported)


SECRET_FIELDS: list[dict[str, Any]] = [
    {"id": "otp"},
    {"outerHTML": '<input autocomplete="one-time-code">'},
    {"labelText": "Verification code"},
    {"name": "cardNumber"},
    {"name": "g-recaptcha-response"},
    {"labelText": "Password"},  # not in a password field: it could not be filled in again
    {"value": "4111 1111 1111 1111"},
    {"value": "the [redacted] one"},
]


def test_what_is_typed_into_secret_fields_is_left_out_and_counted(write: Write) -> None:
    for keys in SECRET_FIELDS:
        imported = write.published(field(value="secret-81") | keys, box())
        left_out, other = events(imported)
        assert (left_out["type"], other["type"], imported.trace.omitted) == ("omitted", "change", 1)
        assert left_out["what"] in ("password", "secret", "captcha")
        assert "secret-81" not in repr(imported)


def test_what_a_page_puts_into_a_hidden_field_is_no_input(write: Write) -> None:
    imported = write.published(field(value="secret-81", inputType="hidden"), box())
    assert [event["type"] for event in events(imported)] == ["change"]
    assert (imported.trace.omitted, imported.dropped) == (0, {"change of a hidden field": 1})
    assert "secret-81" not in repr(imported)


def test_a_password_that_is_not_the_accounts_is_left_out(write: Write) -> None:
    def typed(text: str, selector: str) -> dict[str, Any]:
        return {"type": "change", "value": text, "selectors": [selector]}

    def told(*steps: dict[str, Any]) -> list[tuple[str, str | None]]:
        imported = write.flow(*steps)
        assert not any(word in repr(imported) for word in ("old-one-1", "new-one-2"))
        return [(event.type, event.value) for event in imported.trace.events]

    own, new = ("type", PASSWORD), ("omitted", "{{account.new_password}}")
    old, fresh, again = "aria/Current password", "aria/New password", "aria/Repeat password"
    assert told(typed("old-one-1", old), typed("new-one-2", fresh), typed("new-one-2", again)) == [
        own,
        new,
        new,
    ]
    assert told(typed("new-one-2", "aria/Password"), typed("new-one-2", fresh)) == [new, new]
    assert told(typed("old-one-1", "#login_password"), typed("new-one-2", "#password2")) == [own, new]
    assert told(typed("old-one-1", "#password"), typed("new-one-2", "#password")) == [own, own]  # mistyped


def test_who_signs_in_becomes_a_placeholder_everywhere(write: Write) -> None:
    imported = write.flow(
        {"type": "change", "value": "Ada@Mail.example", "selectors": ["input.who"]},
        {"type": "change", "value": "pw", "selectors": [["aria/Password"], ["input.pw"]]},
        {"type": "click", "selectors": ["aria/Signed in as ada@mail.EXAMPLE"]},
    )
    assert "mail" not in repr(imported.trace).lower().replace("{{account.email}}", "")
    named = write.flow(
        {"type": "change", "value": "ada", "selectors": ["input.who"]},
        {"type": "change", "value": "pw", "selectors": [["aria/Password"], ["input.pw"]]},
    )
    assert [event.value for event in named.trace.events] == ["{{account.username}}", PASSWORD]


def test_letters_that_could_spell_a_password_are_left_out(write: Write) -> None:
    letters = [{"type": kind, "key": letter} for letter in "pass" for kind in ("keyDown", "keyUp")]
    enter = {"type": "keyDown", "key": "Enter"}
    imported = write.flow(*letters, enter)
    assert [(event.type, event.what, event.key) for event in imported.trace.events] == [
        ("omitted", "secret", None),
        ("key", None, "Enter"),
    ]
    assert imported.trace.omitted == 1


def test_a_url_that_is_very_long_is_cleaned_all_the_same() -> None:
    assert clean_url("/?a=" * 900)


# -------------------------------------------------------------------- Chrome's Recorder
def test_a_flow_of_chrome_becomes_events_with_pages_and_targets() -> None:
    imported = read("recorder_shop.json")
    found = [
        (event["type"], event.get("url", "").removeprefix("https://shop.example"))
        for event in events(imported)
    ]
    assert found == [
        ("click", "/"),
        ("change", "/preferences"),
        ("click", "/preferences"),
        ("click", "/preferences"),
        ("change", "/preferences"),
        ("key", "/preferences"),
        ("type", "/preferences"),
        ("key", "/preferences"),
        ("omitted", ""),
        ("change", "/home"),
        ("key", "/home"),
        ("click", "https://id.example/authorize?client=shop"),
        ("click", "/home"),
        ("omitted", ""),
        ("navigate", "/bye"),
    ]
    assert imported.trace.start_url == "https://shop.example/"
    assert imported.trace.viewport.width == 1365
    assert imported.trace.name == "Shop: newsletter and delivery"
    assert imported.dropped == {
        "navigate to an internal page of the browser": 1,
        **dict.fromkeys(("scroll", "waitForElement", "waitForExpression", "customStep"), 1),
        **dict.fromkeys(("emulateNetworkConditions", "close", "click with another mouse button"), 1),
    }


def test_the_parts_of_a_flow_land_where_replay_looks_for_them() -> None:
    trace = read("recorder_shop.json").trace
    menu, switch, shadow, close, *_ = trace.events
    assert [ancestor.name for ancestor in menu.hover] == ["Account"]
    assert menu.target is not None
    assert (menu.target.tag, menu.target.role, menu.target.text) == ("span", "generic", "Preferences")
    assert (switch.stateful, switch.target and switch.target.id) == (True, "news")
    assert shadow.target is not None
    assert shadow.target.css == "consent-bar ::shadow #bar > button.primary"
    assert close.target is not None
    assert (close.target.test_id, close.target.role, close.target.frame_path) == ("close", "button", ())
    assert [event.key for event in trace.events if event.key] == ["Tab", "Enter", "Control+Shift+K"]
    assert [event.popup for event in trace.events].index(True) == 11


SELECTORS: list[tuple[list[Any], dict[str, Any]]] = [
    (['aria/Say "[hi]"[role="button"]'], {"name": 'Say "[hi]"', "role": "button"}),
    (['aria/[name="A\\"b"][role="link"]'], {"name": 'A"b', "role": "link"}),
    (["#\\31 st\\:x"], {"id": "1st:x", "css": "#\\31 st\\:x"}),
    (["form[name='f'] > input.a.b[name=\"mail\"][type='email']:not([x='])'])"],
     {"tag": "input", "name_attr": "mail", "type_attr": "email", "classes": ("a", "b"),
      "css": "form[name='f'] > input.a.b[name=\"mail\"][type='email']:not([x='])'])"}),
    (["[data-testid=go]"], {"test_id": "go", "css": "[data-testid=go]"}),
    (['xpath//html/body/div/button[2]'], {"tag": "button", "xpath": "/html/body/div/button[2]"}),
    (['xpath///*[@id="q"]'], {"id": "q", "xpath": '//*[@id="q"]'}),
    (["pierce/ul > li"], {"tag": "li", "css": "ul > li"}),
    ([["a-b", "c-d", "#in"]], {"id": "in", "css": "a-b ::shadow c-d ::shadow #in"}),
    ([["pierce/a-b", "pierce/i#k"]], {"tag": "i", "id": "k"}),
    (["aria/Accept", "text/Accept all of it"], {"name": "Accept"}),
    (["text/Accept all of it"], {"text": "Accept all of it"}),
    (["a, b", "aria/X"], {"name": "X", "css": "a, b"}),
    (["a[href='/x?token=1']", "aria/X"], {"tag": "a", "href": "/x", "name": "X"}),
    ([["aria/Group", "aria/Item"]], {"name": "Item"}),
]  # fmt: skip


def test_selectors_are_read_for_what_they_say(write: Write) -> None:
    for selectors, wanted in SELECTORS:
        target = write.flow({"type": "click", "selectors": selectors}).trace.events[0].target
        assert target is not None
        found = target.model_dump(exclude_defaults=True, exclude_none=True)
        if found["tag"] == "*":
            del found["tag"]
        assert found == wanted


def test_nothing_in_a_flow_is_carried_out_or_written(write: Write) -> None:
    wait = {"type": "waitForExpression", "expression": "require('fs').writeFileSync('x', '')"}
    steps: list[dict[str, Any]] = [
        wait,
        {"type": "customStep", "name": "x", "parameters": {}},
        {"type": "close"},
    ]
    imported = write.flow(*steps, {"type": "click", "selectors": ["#a"]})
    assert [(event.type, event.what) for event in imported.trace.events] == [
        ("omitted", "step"),
        ("click", None),
    ]
    assert [path.name for path in write.folder.iterdir()] == ["file.json"]


# -------------------------------------------------------------------- hostile files
HOSTILE: list[Any] = [
    None, True, False, 0, -1, 1.5, float("nan"), float("inf"), 10**4000, "", " ", "\x00", "\ud800", "</script>",
    "'\"`<img src=x onerror=alert(1)>", "{{", "{{account.password}}", "{{account.other}}", "{{WEBSP_ACCOUNT_PASSWORD}}",
    "{{" + " " * 5_000, "{" * 5_000, "é" * 3_000, "[" * 5_000, "(" * 3_000, "\\" * 3_001, "\\a" * 1_500, "div > " * 5_000, "a" * 500_000,
    "[é='" + "\\'" * 1_500, "=\"" * 3_000, "javascript:alert(1)", "http://[::1", "https://", "data:text/html," + "x" * 9_000,
    [], {}, [[]], [None], ["a", 5], {"a": {"b": []}}, ["x"] * 1_000, "2025-99-99T00:00:00Z", "0001-01-01T00:00:00",
    ["::shadow"] * 60, "a ::shadow ::shadow > ::shadow", "input", "Shift+", "Control+Control+a", "on", "account.password",
]  # fmt: skip


def mutated(data: Any, dice: random.Random, rate: float) -> Any:
    """The same data with hostile values in some places."""
    if dice.random() < rate:
        return dice.choice(HOSTILE)
    if isinstance(data, dict):
        out = {key: mutated(value, dice, rate) for key, value in data.items()}
        if dice.random() < rate:
            out[str(dice.choice(HOSTILE))[:50]] = dice.choice(HOSTILE)
        return out
    return [mutated(value, dice, rate) for value in data] if isinstance(data, list) else data


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.proof) for seed in range(2, 6))]
)
def test_a_hostile_file_is_a_trace_or_a_clear_error(tmp_path: Path, seed: int) -> None:
    samples = [json.loads(path.read_text("utf-8")) for path in sorted(SAMPLES.glob("*.json"))]
    for sample in samples:
        for event in sample.get("events", []):
            event.pop("html", None)
    dice = random.Random(seed)
    path = tmp_path / "file.json"
    good = 0
    for _ in range(60):
        path.write_text(
            json.dumps(mutated(dice.choice(samples), dice, dice.choice((0.005, 0.03, 0.1)))), "utf-8"
        )
        began = time.process_time()
        try:
            (imported,) = import_trace(path)
        except SetupError as error:
            assert str(path) in error.message
            assert len(error.message) < 3_000
        else:
            good += 1
            save_trace(imported.trace, tmp_path / "out.json")
            assert load_trace(tmp_path / "out.json") == imported.trace
        assert time.process_time() - began < 2
    assert good >= 3, "the samples are not so broken that nothing was tried"


FIELDS = ("selectorPath", "xpath", "outerHTML", "innerText", "site", "href", "key", "value", "id", "classList", "framePath",
          "role", "timestamp", "checked", "formContext")  # fmt: skip


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.proof)])
def test_every_field_takes_every_hostile_value(write: Write, every: int) -> None:
    for number, key in enumerate(FIELDS):
        for value in HOSTILE[number % every :: every]:
            try:
                write.published(
                    box() | {key: value},
                    field(type="keydown", key="Enter") | {key: value},
                    field() | {key: value},
                )
            except SetupError as error:
                assert "events[" in error.message


# -------------------------------------------------------------------- the tables, against the JavaScript ones
ASK = """([tags, roles]) => ({
  tests: [...__websp.testAttributes],
  implied: tags.map(html => { const box = document.createElement('div'); box.innerHTML = html;
    document.body.append(box); const role = __websp.roleOf(box.querySelector('.e')); box.remove(); return role; }),
  given: roles.filter(role => { const el = document.createElement('div'); el.setAttribute('role', role);
    document.body.append(el); const same = __websp.roleOf(el) === role; el.remove(); return !same; }),
})"""
TAGS = [
    *(f'<{tag} class="e"></{tag}>' for tag in ("button", "textarea", "select", "div", "span", "h2", "p", "li", "ul", "nav",
      "main", "article", "fieldset", "form", "dialog", "details", "label", "b")),
    *(f'<input class="e" type="{kind}">' for kind in ("text", "checkbox", "radio", "range", "number", "search", "email", "url",
      "submit", "reset", "button", "image", "file", "color", "password", "date", "tel")),
    '<a class="e" href="/x"></a>', '<select class="e" multiple></select>', '<select class="e" size="4"></select>',
    '<input class="e" type="checkbox" switch>', '<input class="e" type="text" list="l">',
    '<div class="e" contenteditable="true"></div>', '<table><tr><td class="e"></td></tr></table>',
]  # fmt: skip


def test_tags_imply_the_same_roles_here_as_in_the_page(show: ShowHtml) -> None:  # noqa: F811
    page = show("")
    answer = in_our_world(page, ASK, [TAGS, sorted(ROLES)])
    assert tuple(answer["tests"]) == TEST_ATTRIBUTES
    assert answer["given"] == []
    for html, wanted in zip(TAGS, answer["implied"], strict=True):
        tag, attributes = opening_tag(html[html.index("<td") :] if "<td" in html else html)
        assert implicit_role(tag, attributes.get("type"), attributes) == wanted, html


# -------------------------------------------------------------------- replayed
def settings_after(trace: Trace, instance: str = "Steam-task-194", set_: Any = "recorded") -> dict[str, Any]:
    """The site's settings on the server after a replay in a fresh episode."""
    world = make_world("sandbox")
    context = open_context(BrowserOptions(args=world.browser_args()), viewport=(1280, 1024))
    site = load_instance(instance).site
    episode = world.open_episode(site, signed_in=True)
    try:
        episode.attach(context)
        context.new_page()
        report = replay(trace, Tabs(context), set=set_, account=episode.account, timeout=30)
        assert {event.action for event in report.events} == {"clicked"}
        return episode.state().sites[site.slug].settings
    finally:
        context.close()
        episode.close()


@pytest.mark.usefixtures("browser_thread")
@pytest.mark.parametrize(
    "name", ["published_accept_all.json", pytest.param("recorder_steam.json", marks=pytest.mark.proof)]
)
def test_an_imported_trace_replays_to_the_state_our_own_recording_reaches(name: str) -> None:
    ours = settings_after(load_trace(trace_path("steam/accept_all_cookies.json")))
    assert ours["cookies.state"] == "accept_all"
    assert settings_after(read(name).trace) == ours


@pytest.mark.usefixtures("browser_thread")
def test_a_published_switch_without_a_name_is_found_on_the_replica(write: Write) -> None:
    """The facts of Grammarly-17: a generated id, and a section of which only the first words are on the replica."""
    page = "https://account.grammarly.com/customize/features"
    section = "Personalized insights\n\nIt infers where you work and what you do, and gives you insights that fit.\n\nWhat is kept"
    html = '<input id="react-aria61-91" tabindex="0" role="switch" class="gds-switch-input" type="checkbox" value="on">'
    switch = {
        "type": "change", "site": page, "selectorPath": "input#react-aria61-91", "xpath": '//*[@id="react-aria61-91"]',
        "framePath": [], "elementType": "input", "inputType": "switch", "checked": True, "value": None, "tagName": "input",
        "role": "switch", "typeAttr": "checkbox", "id": "react-aria61-91", "classList": ["gds-switch-input"],
        "outerHTML": html, "sectionText": section,
    }  # fmt: skip
    button = {
        "type": "click", "site": page, "selectorPath": "div > button:nth-of-type(2)", "elementType": "button", "tagName": "button",
        "typeAttr": "button", "innerText": "Turn off", "textContent": "Turn off", "classList": [], "framePath": [],
    }  # fmt: skip
    trace = write.published(switch, button, startUrl=page).trace
    assert settings_after(trace, "Grammarly-task-17-OFF", "off")["insights.personalized"] is False


# -------------------------------------------------------------------- what the format gained for imports and recordings
OPTIONAL: list[tuple[dict[str, Any], str]] = [
    ({"screenshot": "../x.png"}, "events[0].screenshot"),
    ({"screenshot": "x.svg"}, "events[0].screenshot"),
    ({"modal": "dismiss", "modal_text": "x"}, "modal_text needs modal: accept"),
    ({"modal": "accept", "modal_text": "{{account.password}}"}, "a password or a code may only be the value"),
    ({"hover": [{"tag": "li", "name": "{{account.password}}"}]}, "a password or a code may only be the value"),
    ({"hover": [{"tag": "li", "nmae": "x"}]}, 'events[0].hover[0].nmae: Extra inputs are not permitted; did you mean "name"'),
    ({"hover": [{"tag": "li"}] * 21}, "events[0].hover"),
    ({"set": "recorded"}, "events[0].set"),
    ({"url": "http://["}, "is not a URL"),
]  # fmt: skip


def test_the_optional_keys_of_an_event_are_checked(write: Write) -> None:
    for keys, says in OPTIONAL:
        event = {"type": "click", "url": START, "target": {"tag": "b", "id": "b"}} | keys
        data = {"schema": "websp-trace/2", "name": "n", "site": "x", "start_url": START, "events": [event]}
        assert says in complaint(write.file(data))
