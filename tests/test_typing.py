"""Typing in a real browser: fields of every kind get the text, everything else says what it is."""

from __future__ import annotations

import pytest

from tests.actions_support import Hands, hands, sites

__all__ = ["hands", "sites"]


@pytest.mark.parametrize(
    ("name", "text", "script", "value"),
    [
        ("Name", "Ada", "name.value", "Ada"),
        ("Name", "", "document.getElementById('name').value", ""),
        ("Short", "privacy", "short.value", "priv"),
        ("Secret", "p4ss wörd", "secret.value", "p4ss wörd"),
        ("Note", "two\nlines", "note.value", "two\nlines"),
        ("Rich", "new", "rich.innerText.trim()", "new"),
        ("Rich", "", "rich.innerText.trim()", ""),
        ("Day", "2026-01-31", "day.value", "2026-01-31"),
        ("Day", "", "day.value", ""),
        ("Time", "14:05", "time.value", "14:05"),
        ("When", "2026-01-31T14:05", "moment.value", "2026-01-31T14:05"),
        ("Month", "2026-01", "month.value", "2026-01"),
        ("Week", "2026-W05", "week.value", "2026-W05"),
        ("Count", "-2.5", "count.value", "-2.5"),
        ("Colour", "#1A2b3c", "colour.value", "#1a2b3c"),
        ("Volume", "35", "volume.value", "35"),
        ("Shadow", "new", "host.shadowRoot.querySelector('input').value", "new"),
        ("Who", "friends only", "who.value", "f"),
        ("React", "shout", "react.value + '|' + model.textContent", "SHOUT|react: SHOUT"),
    ],
)
def test_a_field_gets_the_text_in_place_of_what_it_had(
    hands: Hands, name: str, text: str, script: str, value: str
) -> None:
    page = hands.open("actions_fields.html")
    hands.type(name, text)
    if script.startswith("name."):
        script = f"document.getElementById('name').{script[5:]}"
    assert page.evaluate(script) == value


@pytest.mark.parametrize(("name", "text"), [("Day", "2026-01-31"), ("Volume", "35"), ("Colour", "#1a2b3c")])
def test_controlled_inputs_that_are_set_as_a_whole_hear_of_it(hands: Hands, name: str, text: str) -> None:
    page = hands.open("actions_fields.html")
    hands.type(name, text)
    key = name.lower()
    assert page.evaluate("model.textContent") == f"{key}: {text}"
    assert page.evaluate("seen") == [f"input {key} {text}", f"change {key} {text}"]


@pytest.mark.parametrize(
    ("name", "text", "hint"),
    [
        ("Day", "31.1.2026", 'takes a date written like 2026-01-31, not "31.1.2026"'),
        ("Day", "2026-02-30", "written like 2026-01-31"),
        ("Time", "2 pm", "written like 14:05"),
        ("When", "2026-01-31", "written like 2026-01-31T14:05"),
        ("Month", "January", "written like 2026-01"),
        ("Week", "5", "written like 2026-W05"),
        ("Count", "many", 'takes a number, not "many"'),
        ("Colour", "red", "written like #1a2b3c"),
        ("Colour", "", "written like #1a2b3c"),
        ("Volume", "51", "takes a number from 0 to 50 in steps of 5"),
        ("Volume", "33", "in steps of 5"),
        ("Volume", "loud", "takes a number"),
        ("Fixed", "new", "is read-only"),
        ("Off", "new", "is disabled"),
        ("File", "/etc/passwd", "not a field to type into"),
        ("Tick", "yes", 'is a <checkbox> "Tick", not a field to type into'),
        ("Link", "x", 'is a <link> "Link", not a field'),
        ("Button", "x", 'is a <button> "Button", not a field'),
        ("Slider", "5", 'is a <slider> "Slider", not a field'),
        ("Who", "Nobody", 'has no option "Nobody"; its options: "Everyone", "Friends only"'),
        ("Who", "Staff", "it is disabled"),
        ("Who", "Twice", "more than one"),
    ],
)
def test_what_cannot_be_typed_is_refused_and_nothing_changes(
    hands: Hands, name: str, text: str, hint: str
) -> None:
    page = hands.open("actions_fields.html")
    values = "[...document.querySelectorAll('input,select,textarea')].map(el => el.value + el.checked)"
    before = page.evaluate(values)
    assert hint in hands.refused("Type", name, f"; {text}")
    assert page.evaluate(values) == before
    assert page.evaluate("seen") == []


def test_enter_is_not_pressed_and_line_breaks_do_not_send_a_form(hands: Hands) -> None:
    page = hands.open("actions_fields.html")
    hands.type("In a form", "one\ntwo\n")
    assert page.url.split("?")[0].endswith("/actions_fields.html")
    assert "Enter" not in page.evaluate("keys")


def test_pages_that_listen_for_keys_hear_one(hands: Hands) -> None:
    page = hands.open("actions_fields.html")
    hands.type("Name", "Ada")
    hands.type("Note", "")
    assert page.evaluate("keys") == ["a", "Delete"]


def test_leaving_a_field_reports_its_change_once(hands: Hands) -> None:
    page = hands.open("actions_fields.html")
    hands.type("Name", "Ada")
    assert "change name Ada" not in page.evaluate("seen")
    hands.click("Button")
    assert page.evaluate("seen").count("change name Ada") == 1


def test_text_goes_to_the_editor_that_a_click_put_in_the_fields_place(hands: Hands) -> None:
    page = hands.show(
        """<input id=a aria-label=Show value=x onfocus="this.remove(); document.body.insertAdjacentHTML(
        'beforeend', '<textarea id=b></textarea>'); b.focus()">"""
    )
    hands.type("Show", "hello")
    assert page.evaluate("b.value") == "hello"


def test_a_field_that_sends_the_cursor_away_is_not_typed_into(hands: Hands) -> None:
    page = hands.show(
        """<input id=a aria-label=One value=1><input id=b aria-label=Two value=2>
        <script>b.onfocus = () => a.focus()</script>"""
    )
    page.evaluate("a.focus()")
    hands.look()
    assert "does not take the cursor" in hands.refused("Type", "Two", "; new")
    assert page.evaluate("[a.value, b.value]") == ["1", "2"]
