"""What counts as a thing a person did, and how it is written down."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import jsonschema
import pytest

from tests.recorder_support import (
    Record,
    Server,
    facts,
    opened_studio,
    record,
    recorded,
    rest,
    server,
    studio,
)
from websp_gym.errors import SetupError
from websp_gym.replay.trace import json_schema

if TYPE_CHECKING:
    from websp_gym.recording import RecorderBrowser

__all__ = ["opened_studio", "record", "server", "studio"]


def test_a_page_that_stops_and_overrides_everything_is_recorded_all_the_same(
    studio: RecorderBrowser, record: Record
) -> None:
    page = record("hostile.html")
    page.click("text=Spy on me")
    page.click("#who")
    page.keyboard.type("me")
    page.click("text=Go")
    trace = studio.stop()
    assert facts(trace) == [
        ("change", ("checkbox", "Spy on me"), None),
        ("type", ("textbox", "Name"), "me"),
        ("click", ("button", "Go"), None),
    ]
    assert trace.events[0].after is not None
    assert trace.events[0].after.checked is True
    assert "click" in page.evaluate("heard")


@pytest.mark.parametrize(
    "names",
    [
        ["Replaced when pressed", "Gone when pressed", "Hidden when pressed", "Stays"],
        ["Goes away when pressed"],
    ],
    ids=["in the page", "with the page"],
)
def test_what_the_page_takes_away_under_the_pointer_was_clicked_once(
    names: list[str], studio: RecorderBrowser, record: Record
) -> None:
    page = record("vanish.html")
    for name in names:
        box = page.locator(f"text={name}").first.bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 20, box["y"] + 10)
        page.mouse.down()
        if "away" in name:
            page.wait_for_url("**/vanish_next.html")
        page.mouse.up()
    assert [(event.type, event.target and event.target.name) for event in recorded(studio).events] == [
        ("click", name) for name in names
    ]


def test_a_press_without_a_click_counts_where_the_page_makes_something_of_it(
    studio: RecorderBrowser, record: Record
) -> None:
    page = record("presses.html")
    for what in ("Not now", "Theme", "Contrast"):
        box = page.get_by_text(what, exact=True).bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 5, box["y"] + 5)
        page.mouse.down()
        page.mouse.up()
    assert [event.target and event.target.name for event in recorded(studio).events] == ["Theme", "Contrast"]


def test_a_press_that_is_dragged_off_is_no_click(studio: RecorderBrowser, record: Record) -> None:
    page = record("vanish.html")
    page.hover("text=Stays")
    page.mouse.down()
    page.mouse.move(700, 700)
    page.mouse.up()
    assert recorded(studio).events == ()


def test_clicks_of_scripts_and_on_nothing_are_left_out(studio: RecorderBrowser, record: Record) -> None:
    page = record("widgets.html")
    page.evaluate(
        "auto.click(); reacts.click(); q.value = 'x'; q.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    page.click("text=Plain text that does nothing")
    page.click("#q")
    page.click("h1")
    assert recorded(studio).events == ()


DRAWN = {
    "Stopped": "el => { el.onkeydown = event => event.preventDefault() }",
    "Down": "el => { el.onkeydown = event => { event.target.title = 'taken' } }",
    "Up": "el => { el.onkeyup = event => { event.target.title = 'taken' } }",
    "Bare": "el => {}",
}
"""Controls that a page draws itself, and what makes something of a key there: nothing with the last one."""


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_a_key_on_a_drawn_control_counts_where_the_page_takes_it(
    key: str, studio: RecorderBrowser, record: Record
) -> None:
    page = record("form.html")
    for name, script in DRAWN.items():
        drawn = f"<div role=menuitem tabindex=0>{name}</div>"
        page.evaluate("html => document.body.insertAdjacentHTML('beforeend', html)", drawn)
        page.evaluate(f"() => ({script})(document.body.lastElementChild)")
    for name in DRAWN:
        page.focus(f"text={name}")
        page.keyboard.press(key, delay=200)  # as long as a hand takes
    page.focus("text=Save")
    events = recorded(studio).events
    assert [event.target and event.target.name for event in events] == ["Stopped", "Down", "Up"]


def test_one_event_each_for_a_label_a_key_and_an_implied_submit(
    studio: RecorderBrowser, record: Record
) -> None:
    page = record("form.html")
    page.click("label[for=news]")
    page.focus("[name=news]")
    page.keyboard.press("Space")
    page.focus("text=Save")
    page.evaluate("document.forms[0].onsubmit = () => false")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.click("[name=nick]")
    page.keyboard.type("x")
    page.keyboard.press("Enter")
    trace = recorded(studio)
    assert facts(trace) == [
        ("change", ("checkbox", "Send me news"), None),
        ("change", ("checkbox", "Send me news"), None),
        ("click", ("button", "Save"), None),
        ("click", ("button", "Save"), None),
        ("type", ("textbox", "Nickname"), "x"),
        ("key", ("textbox", "Nickname"), "Enter"),
    ]
    first, second = trace.events[:2]
    assert first.stateful
    assert (first.before and first.before.checked, first.after and first.after.checked) == (False, True)
    assert (second.before and second.before.checked, second.after and second.after.checked) == (True, False)


_SLOW_SWITCHES = """() => {
  document.body.innerHTML = ['Ads', 'Mails'].map(name =>
    `<button role=switch aria-checked=true aria-label=${name}>${name}</button>`).join('');
  for (const el of document.querySelectorAll('button')) el.onclick = () => later(() => {
    el.setAttribute('aria-checked', String(el.ariaChecked !== 'true'));
  });
  window.later = move => setTimeout(move, 400);
}"""


def test_a_switch_that_moves_late_is_recorded_as_it_ended(studio: RecorderBrowser, record: Record) -> None:
    page = record("form.html")
    page.evaluate(_SLOW_SWITCHES)
    page.click("text=Ads")
    page.click("text=Mails")
    page.wait_for_function("() => !document.querySelector('[aria-checked=true]')")
    events = recorded(studio).events
    assert [(event.before and event.before.on, event.after and event.after.on) for event in events] == [
        (True, False),
        (True, False),
    ]


def test_two_presses_of_a_switch_that_moves_late_are_one_event(
    studio: RecorderBrowser, record: Record
) -> None:
    page = record("form.html")
    page.evaluate(_SLOW_SWITCHES)
    # They move when all three were pressed, however long that takes.
    page.evaluate("() => { window.moves = []; window.later = move => moves.push(move); }")
    page.click("text=Ads")
    page.click("text=Mails")
    page.click("text=Ads")
    page.evaluate("for (const move of moves) move()")
    events = recorded(studio).events
    assert [(event.target and event.target.name, event.after and event.after.on) for event in events] == [
        ("Mails", False),
        ("Ads", True),
    ]


def test_a_radio_button_is_a_change_without_a_state_to_set(studio: RecorderBrowser, record: Record) -> None:
    page = record("form.html")
    page.click("text=Friends")
    (event,) = recorded(studio).events
    assert (event.type, event.stateful) == ("change", False)
    assert (event.before and event.before.checked, event.after and event.after.checked) == (False, True)


def test_the_state_after_is_read_when_the_page_has_reacted(studio: RecorderBrowser, record: Record) -> None:
    page = record("spa.html?view=privacy")
    page.click("text=Private account")
    page.wait_for_selector("[aria-pressed=true]")
    (toggle,) = recorded(studio).events
    assert (toggle.type, toggle.stateful) == ("click", True)
    assert (toggle.before and toggle.before.pressed, toggle.after and toggle.after.pressed) == (False, True)


def test_looking_at_a_recording_does_not_disturb_it(studio: RecorderBrowser, record: Record) -> None:
    page = record("spa.html?view=privacy")
    page.click("text=Private account")
    assert studio.trace().events[0].after is not None
    page.wait_for_selector("[aria-pressed=true]")
    page.goto(page.url.replace("spa.html?view=privacy", "form.html"))
    page.click("[name=nick]")
    page.keyboard.type("ab")
    assert len(studio.trace().events) == 2
    page.keyboard.press("Tab")
    events = recorded(studio).events
    assert events[0].after is not None
    assert events[0].after.pressed is True
    assert [event.type for event in events] == ["click", "navigate", "type", "key"]


def test_an_opener_has_its_state_before_and_after(studio: RecorderBrowser, record: Record) -> None:
    page = record("menus.html")
    page.click("text=Options")
    page.click("text=Export")
    opener, item = recorded(studio).events
    assert (opener.before and opener.before.expanded, opener.after and opener.after.expanded) == (False, True)
    assert item.hover == ()


@pytest.mark.parametrize(
    ("way", "target", "openers"),
    [
        (["text=Account", "text=More"], "text=Delete data", ["Account", "More"]),
        (["text=Settings"], "text=Privacy settings", ["Settings"]),
        (["text=Help"], "text=Options", []),
    ],
)
def test_menus_that_open_under_the_pointer_are_kept_with_the_click(
    way: list[str], target: str, openers: list[str], studio: RecorderBrowser, record: Record
) -> None:
    page = record("menus.html")
    rest(page)
    for stop in way:
        page.hover(stop)
        rest(page)
    page.click(target)
    (event,) = recorded(studio).events
    assert [(print_.name or print_.text) for print_ in event.hover] == openers


def test_a_row_that_turns_its_box_is_a_change_of_the_box(studio: RecorderBrowser, record: Record) -> None:
    page = record("widgets.html")
    page.click("text=Row with a box")
    (event,) = recorded(studio).events
    assert (event.type, event.stateful) == ("change", True)
    assert (event.before and event.before.checked, event.after and event.after.checked) == (False, True)


def test_typing_is_one_event_with_the_last_value(studio: RecorderBrowser, record: Record) -> None:
    page = record("form.html")
    page.click("[name=nick]")
    page.keyboard.type("wrong")
    page.keyboard.press("Control+a")
    page.keyboard.press("Control+x")
    page.keyboard.press("Control+v")
    page.keyboard.type("ly")
    page.click("h1")
    page.click("[name=nick]")
    page.keyboard.press("End")
    page.keyboard.type(", I think")
    page.context.new_cdp_session(page).send(
        "Input.imeSetComposition", {"text": "日本", "selectionStart": 2, "selectionEnd": 2}
    )
    page.context.new_cdp_session(page).send("Input.insertText", {"text": "日本語"})
    assert facts(recorded(studio)) == [("type", ("textbox", "Nickname"), "wrongly, I think日本語")]


def test_a_field_is_left_by_the_person_and_not_by_the_window_or_the_end(
    studio: RecorderBrowser, record: Record
) -> None:
    page = record("form.html")
    page.click("[name=nick]")
    page.keyboard.type("ada")
    page.click("h1")
    page.click("[name=mail]")
    page.keyboard.type("a@b.example")
    page.evaluate("""() => {
      addEventListener('focusout', () => { left = document.activeElement.name; });
    }""")
    page.context.new_cdp_session(page).send("Emulation.setFocusEmulationEnabled", {"enabled": False})
    studio.context.new_page().bring_to_front()
    assert page.evaluate("left") == "mail"
    assert [event.left for event in recorded(studio).events] == [True, False]


def test_a_press_on_a_list_counts_where_the_page_draws_the_list(
    studio: RecorderBrowser, record: Record
) -> None:
    page = record("drawn_list.html")
    page.click("#photos")
    page.click("a >> text=always")
    page.click("#language")
    page.keyboard.press("Escape")
    page.keyboard.type("D")
    assert [event.describe() for event in recorded(studio).events] == [
        'click <combobox> "Remote images"',
        'click <link> "always"',
        'change <combobox> "Language"',
    ]


def test_tab_counts_where_it_ends_typing(studio: RecorderBrowser, record: Record) -> None:
    page = record("form.html")
    page.focus("[name=nick]")
    page.keyboard.press("Tab")
    page.keyboard.type("a@b.example")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert [event.describe() for event in recorded(studio).events] == [
        "type 'a@b.example' into <textbox> \"E-mail\"",
        'key Tab in <textbox> "E-mail"',
    ]


def test_navigations_count_where_the_person_chose_them(
    studio: RecorderBrowser, record: Record, server: Server
) -> None:
    page = record("form.html")
    page.click("text=Another page")
    page.wait_for_url("**/form_other.html")
    page.click("text=Load again")
    page.wait_for_function("performance.getEntriesByType('navigation')[0].type === 'reload'")
    page.click("text=Back to the form")
    page.wait_for_url(lambda url: "form.html" in url)
    page.goto(server.url("spa.html"))
    page.click("text=Privacy")
    page.go_back()
    page.reload()
    events = recorded(studio).events
    assert [event.target.name if event.target else urlsplit(event.url).path for event in events] == [
        "Another page",
        "Load again",
        "Back to the form",
        "/spa.html",
        "Privacy",
        "/spa.html",
        "/spa.html",
    ]


def test_a_window_the_page_opens_is_recorded_and_one_the_person_opens_is_not(
    studio: RecorderBrowser, record: Record, server: Server
) -> None:
    page = record("opener.html")
    own = studio.context.new_page()
    own.goto(server.url("form.html"))
    own.click("text=Send me news")
    page.bring_to_front()
    with page.expect_popup() as opened:
        page.click("text=Sign in with Other")
    opened.value.click("text=Ann")
    first, second = recorded(studio).events
    assert (first.popup, second.popup) == (False, True)
    assert second.url == f"{server.other}/opener_popup.html?client=1"


def test_a_window_written_by_script_is_recorded(studio: RecorderBrowser, record: Record) -> None:
    page = record("written.html")
    with page.expect_popup() as opened:
        page.click("text=Open")
    opened.value.click("text=Inside")
    assert [event.target and event.target.name for event in recorded(studio).events] == ["Open", "Inside"]


def test_frames_of_other_sites_say_where_they_stand(
    studio: RecorderBrowser, record: Record, server: Server
) -> None:
    page = record("framed.html")
    page.frame_locator("div > iframe").get_by_text("Personal ads").click()
    page.frame_locator("#own").get_by_text("Continue").click()
    one, two = recorded(studio).events
    assert one.target is not None
    assert two.target is not None
    assert one.target.frame_path == ("html > body > div > iframe",)
    assert two.target.frame_path == ("#own",)
    assert one.url == two.url == server.url("framed.html")
    assert page.evaluate("document.title") == "Continued"


def test_answers_to_dialogs_belong_to_the_event_before(studio: RecorderBrowser, record: Record) -> None:
    page = record("dialogs.html")
    answers: list[Any] = [None, "fresh"]

    def answer(dialog: Any) -> None:
        text = answers.pop(0)
        dialog.dismiss() if text is None else dialog.accept(text)

    page.on("dialog", answer)
    page.click("text=Leave group")
    page.click("text=Rename")
    trace = recorded(studio)
    assert [(event.modal, event.modal_text) for event in trace.events] == [
        ("dismiss", None),
        ("accept", "fresh"),
    ]
    assert page.evaluate("confirm.toString()") == "function () { [native code] }"


def test_elements_are_numbered_while_recording_and_as_the_page_changes(
    studio: RecorderBrowser, record: Record
) -> None:
    page = record("react.html")
    page.wait_for_selector("[aria-label=History][data-websp-index='2']")
    page.click("[aria-label=Ads]")
    page.wait_for_selector("button[data-websp-index='5']")
    writes = page.evaluate(
        """() => new Promise(done => {
          let count = 0;
          new MutationObserver(list => { count += list.length; }).observe(document, {subtree: true, attributes: true});
          let n = 20;
          const turn = () => (n-- ? requestAnimationFrame(turn) : done(count));
          turn();
        })"""
    )
    assert writes == 0
    recorded(studio)
    page.wait_for_function("!document.querySelector('[data-websp-index]')")


def test_shadow_roots_are_numbered_too(studio: RecorderBrowser, record: Record) -> None:
    page = record("shadow.html")
    page.wait_for_selector("x-panel >> css=button[data-websp-index='4']")
    page.wait_for_selector("x-panel >> css=button[data-websp-index='9']")
    assert page.locator("[data-websp-index]").count() == 10


def test_nothing_is_noted_while_paused_or_after_a_discard(studio: RecorderBrowser, record: Record) -> None:
    page = record("form.html")
    page.click("text=Send me news")
    assert studio.pause().events == 1
    page.click("text=Friends")
    assert studio.resume().state == "recording"
    page.click("text=Nobody")
    assert facts(studio.trace()) == [
        ("change", ("checkbox", "Send me news"), None),
        ("change", ("radio", "Nobody"), None),
    ]
    assert studio.discard().state == "idle"
    page.click("text=Everyone")
    assert studio.status().events == 0
    with pytest.raises(SetupError, match="nothing is being recorded"):
        studio.stop()


def test_a_page_of_the_browser_is_refused_in_words(studio: RecorderBrowser) -> None:
    studio.page.goto("chrome://version")
    with pytest.raises(SetupError, match=r"chrome://version is a browser page"):
        studio.start("x", "local")


def test_a_second_start_is_refused_while_recording(studio: RecorderBrowser, record: Record) -> None:
    record("form.html")
    with pytest.raises(SetupError, match="already running"):
        studio.start("again", "local")


def test_a_recording_begun_on_a_blank_tab_starts_where_the_person_goes(
    studio: RecorderBrowser, server: Server
) -> None:
    studio.start("x", "local")
    studio.page.goto(server.url("form.html"))
    studio.page.click("text=Send me news")
    trace = recorded(studio)
    assert trace.start_url == server.url("form.html")
    assert facts(trace) == [("change", ("checkbox", "Send me news"), None)]


@pytest.mark.parametrize(
    ("shown", "opened", "start"),
    [
        ("form.html?client=1&state=Xy7Qk2Lm9PvR", "", ""),
        ("form.html?to=%2Fa%3Fauth_callback%3D1", "", ""),
        ("form.html?client=1&state=Xy7Qk2Lm9PvR", "settings?tab=2", "settings?tab=2"),
        ("form.html?client=1&state=Xy7Qk2Lm9PvR", "?sid=Xy7Qk2Lm9PvR", ""),
        ("form.html?tab=2&t=1700000000000", "", "form.html?tab=2"),
    ],
)
def test_a_recording_never_starts_at_a_part_of_an_address(
    shown: str, opened: str, start: str, studio: RecorderBrowser, server: Server
) -> None:
    studio.page.goto(f"{server.base}/{shown}")
    studio.start("x", "local", opened=opened and f"{server.base}/{opened}")
    studio.page.click("text=Send me news")
    assert recorded(studio).start_url == f"{server.base}/{start}"


def test_the_export_fits_the_published_schema(studio: RecorderBrowser, record: Record) -> None:
    page = record("form.html")
    page.click("text=Send me news")
    page.click("text=Another page")
    page.wait_for_url("**/form_other.html")
    studio.stop()
    data = json.loads(json.dumps(studio.call("trace")))
    jsonschema.validate(data, json_schema())
    assert data["recorded_with"] == "websp-recorder 1.0"


def test_a_button_that_comes_with_a_change_is_told_from_one_that_was_there(
    studio: RecorderBrowser, record: Record
) -> None:
    page = record("save_bar.html")
    for what in ("#clear", "#alerts", "#save", "#confirm", "#clear"):
        page.click(what)
        rest(page)
    page.reload()
    page.fill("#nick", "ada")
    rest(page)
    page.click("#apply")
    trace = recorded(studio)
    follows = {
        (number, event.target.name): event.follows_change
        for number, event in enumerate(trace.events)
        if event.type == "click" and event.target
    }
    assert list(follows.values()) == [False, True, True, False, True], follows
