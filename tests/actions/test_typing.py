"""Typing in a real browser: fields of every kind get the text, other elements are described in the error."""

from __future__ import annotations

from tests.actions_support import Hands, hands, sites
from websp_gym.browser.focus import leave_field

__all__ = ["hands", "sites"]


TYPED = (
    ("Name", "Ada", "document.getElementById('name').value", "Ada"),
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
)


def test_a_field_gets_the_text_in_place_of_what_it_had(hands: Hands) -> None:
    page = hands.open("actions_fields.html")
    for name, text, script, value in TYPED:
        hands.type(name, text)
        assert page.evaluate(script) == value, (name, text)


def test_controlled_inputs_notice_a_change_of_the_whole_value(hands: Hands) -> None:
    page = hands.open("actions_fields.html")
    for name, text in (("Day", "2026-01-31"), ("Volume", "35"), ("Colour", "#1a2b3c")):
        page.evaluate("seen.length = 0")
        hands.type(name, text)
        key = name.lower()
        assert page.evaluate("model.textContent") == f"{key}: {text}"
        assert page.evaluate("seen") == [f"input {key} {text}", f"change {key} {text}"]


REFUSED = (
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
)


def test_text_that_cannot_be_typed_is_refused_and_nothing_changes(hands: Hands) -> None:
    page = hands.open("actions_fields.html")
    values = "[...document.querySelectorAll('input,select,textarea')].map(el => el.value + el.checked)"
    before = page.evaluate(values)
    for name, text, hint in REFUSED:
        assert hint in hands.refused("Type", name, f"; {text}")
        assert page.evaluate(values) == before, (name, text)
        assert page.evaluate("seen") == [], (name, text)


def test_enter_is_not_pressed_and_line_breaks_do_not_send_a_form(hands: Hands) -> None:
    page = hands.open("actions_fields.html")
    page.evaluate("kept = 1")
    for text in ("one\ntwo\n", "one two\n", "\n", f"{'x' * 200}\n"):
        hands.type("In a form", text)
        hands.type("Name", "Ada")
        assert page.evaluate("kept") == 1, f"{text!r} has sent the form"
        assert "Enter" not in page.evaluate("keys")


def test_pages_that_listen_for_keys_hear_each_of_a_short_text(hands: Hands) -> None:
    page = hands.open("actions_fields.html")
    hands.type("Name", "Ada")
    hands.type("Note", "")
    hands.type("Note", "x" * 150 + "y")
    assert page.evaluate("keys") == ["A", "d", "a", "Delete", "y"]


def test_a_field_that_stands_alone_is_left_after_typing(hands: Hands) -> None:
    page = hands.open("actions_fields.html")
    hands.type("Name", "Ada")
    assert page.evaluate("seen").count("change name Ada") == 1
    hands.click("Button")
    assert page.evaluate("seen").count("change name Ada") == 1


KEPT = (
    ("a button to press", "<p><input> <button>Save</button></p>"),
    ("a form to send", "<form><p><input></p><div><div><input type=submit></div></div></form>"),
    ("a list of suggestions", "<input list=l><datalist id=l><option>Oslo</datalist>"),
    ("a combobox", "<input role=combobox>"),
    ("a search", "<input type=search>"),
    (
        "suggestions by a script",
        "<p><input oninput=\"document.body.append(document.createElement('ul'))\"></p>",
    ),
)


def test_a_field_with_more_to_do_keeps_the_cursor_until_the_answer(hands: Hands) -> None:
    for what, html in KEPT:
        page = hands.show(f"{html}<script>saved = []; onchange = e => saved.push(e.target.value)</script>")
        hands.do("Type [0]; Oslo")
        assert page.evaluate("[document.activeElement.localName, saved]") == ["input", []], what
        leave_field(page)
        assert page.evaluate("[document.activeElement.localName, saved]") == ["body", ["Oslo"]], what


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


CODE = """<script>for (let i = 0; i < 6; i++) document.body.insertAdjacentHTML('beforeend',
`<input maxlength=1 aria-label="Digit ${i}" oninput="this.nextElementSibling?.focus()" style="width:30px">`)</script>"""
CODE_BY_KEYS = """<script>for (let i = 0; i < 4; i++) document.body.insertAdjacentHTML('beforeend', `<input aria-label="Digit ${i}"
onkeydown="if (event.key.length === 1) { event.preventDefault(); this.value = event.key; this.nextElementSibling?.focus() }">`)</script>"""
CONFIRM = """<input aria-label="Confirm" onkeyup="done.disabled = this.value !== 'ERASE'"><button id=done disabled>Erase</button>"""
TAGS = """<div id=tags></div><input aria-label="Words" onkeydown="if (event.key === ',') { event.preventDefault();
tags.append(this.value.trim() + '|'); this.value = '' }">"""
PHONE = """<input aria-label="Phone" oninput="const d = this.value.replace(/[^0-9]/g, '');
this.value = d.length > 3 ? `(${d.slice(0, 3)}) ${d.slice(3)}` : d">"""


LISTENING = (
    (
        CODE,
        "Digit 0",
        "482913",
        "[...document.querySelectorAll('input')].map(i => i.value).join('')",
        "482913",
    ),
    (
        CODE_BY_KEYS,
        "Digit 0",
        "7301",
        "[...document.querySelectorAll('input')].map(i => i.value).join('')",
        "7301",
    ),
    (CONFIRM, "Confirm", "ERASE", "done.disabled", False),
    (TAGS, "Words", "spam, scam, ads,", "tags.textContent", "spam|scam|ads|"),
    (PHONE, "Phone", "5551234567", "document.querySelector('input').value", "(555) 1234567"),
)


def test_a_page_that_listens_to_keys_gets_what_a_person_types(hands: Hands) -> None:
    for html, name, text, script, result in LISTENING:
        page = hands.show(html)
        hands.type(name, text)
        assert page.evaluate(script) == result
        assert hands.told == []


LOST: tuple[tuple[str, str, list[str]], ...] = (
    ("<input maxlength=3>", "482913", ['[0] holds "482" now, not "482913"']),
    ("<input oninput='this.value = this.value.toUpperCase()'>", "shout", []),
    ("<input oninput='this.value = this.value.trim()'>", " ann ", []),
    ("<input list=l><datalist id=l><option>privacy</option></datalist>", "priv", []),
    ("<input oninput='this.value = `privacy settings`'>", "privacy", []),
    ("<input oninput='this.value = ``'>", "Ann", ['[0] holds "" now, not "Ann"']),
    ("<input value=old oninput='this.value = `old`'>", "", ['[0] holds "old" now, not ""']),
    ("<textarea maxlength=4></textarea>", "two\nlines", ['[0] holds "two" now, not "two lines"']),
    ("<input type=password maxlength=2>", "hidden", ["[0] holds 2 of the 6 characters"]),
    ("<input type=password>", "hidden", []),
    ("<input type=number>", "-2.5", []),
    ("<div contenteditable style='width:90px;height:30px'></div>", "rich", []),
    ("<input>", "e\u0301 🏳️‍🌈 שלום", []),
    ("<input>", "x" * 300, []),
)


def test_lost_text_is_reported_but_reformatted_text_is_not(hands: Hands) -> None:
    hands.show("".join(f"<p>{html}</p>" for html, *_ in LOST))
    for number, (html, text, told) in enumerate(LOST):
        hands.do(f"Type [{number}]; {text}")
        assert hands.told == [each.replace("[0]", f"[{number}]") for each in told], html


def test_of_a_long_list_the_nearest_options_are_named_and_the_others_counted(hands: Hands) -> None:
    countries = "".join(f"<option>Land {number}</option>" for number in range(60))
    hands.show(f"<select aria-label=Country>{countries}<option>Germany (DE)</option></select>")
    said = hands.refused("Type", "Country", "; germany")
    assert 'has no option "germany"; its options: "Germany (DE)", "Land 0", ' in said
    assert said.partition(";")[2].count("Land") == 19
    assert ", and 41 more" in said
