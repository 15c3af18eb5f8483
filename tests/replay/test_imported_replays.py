"""Events as the published recorders write them, on pages like those they were recorded on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.replay_support import ACCOUNT, HOME, Bench, Event, bench
from websp_gym.errors import ReplayError
from websp_gym.replay import ReplayReport, Trace, replay
from websp_gym.replay.importers import Imported, import_trace
from websp_gym.replay.importers.html_text import read_html
from websp_gym.replay.importers.menu_openers import fix_openers
from websp_gym.replay.importers.published_paths import css_of, xpath_of
from websp_gym.replay.importers.published_target import told

__all__ = ["bench"]

PAGE = f"{HOME}/empty"
REMEMBER = "<script>addEventListener('click', e => document.title = e.target.closest('[data-me],[id]')?.dataset.me ?? '')</script>"


def read(folder: Path, *events: Event, **top: Any) -> Imported:
    path = folder / "published.json"
    head = {"startUrl": PAGE, "viewportWidth": 1280, "viewportHeight": 800}
    path.write_text(json.dumps(head | top | {"events": events}), "utf-8")
    return import_trace(path)[0]


GONE = 1.0
"""Seconds to look for what is not there; replay tries all it can within half of them."""


def play(bench: Bench, trace: Trace, set_: Any = "recorded", timeout: float = 4.0) -> ReplayReport:
    return replay(trace, bench.tabs, set=set_, account=ACCOUNT, timeout=timeout, start=False)


def on(tag: str, path: str, **facts: Any) -> Event:
    """A click in the last version of the format; what the recorder did not find is null in it."""
    unknown = dict.fromkeys(
        ("href", "role", "typeAttr", "ariaLabel", "labelText", "innerText", "textContent", "id", "name",
         "nearbyLabelText", "parentTextContext", "outerHTML", "ariaLabelledby", "title", "placeholder")
    )  # fmt: skip
    event = {
        "type": "click",
        "site": PAGE,
        "selectorPath": path,
        "elementType": tag,
        "tagName": tag,
        **unknown,
    }
    facts.setdefault("textContent", facts.get("innerText"))
    return event | {"framePath": [], "classList": [], "webspIndex": 7} | facts


def first(path: str, xpath: str, html: str = "", **facts: Any) -> Event:
    """An event of the first version of the format, without texts and types."""
    event = {"type": "click", "tabUrl": PAGE, "selectorPath": path, "xpath": xpath, "framePath": [], **facts}
    return event | ({"outerHTML": html} if html else {})


ROWS = "".join(
    f"<div class=row><div class=what><span class=t><span data-me='{me}'>{text}</span></span></div></div>"
    for me, text in (("ads", "Ad settings"), ("hist", "Clear watch history"), ("out", "Sign out"))
)
TILES = "".join(
    f"<div class=tile data-me=t{n}>{text}</div>" for n, text in enumerate(("Public", "Friends", "Only me"))
)
LONG = "We use what you watch to suggest more of it, and to measure how well that works in every region of the world"
CARDS = "".join(
    f"<section><h3>{title}</h3><div class=card><p>{text}</p><p>{LONG}</p><button data-me='{title}'>Edit</button></div></section>"
    for title, text in (("Watching", "Kept for a year"), ("Searching", "Kept for a month"))
)
BOXES = "".join(
    f"<li><label><input type=checkbox name='mail[]' value={value} data-me={value}> {label}</label></li>"
    for value, label in (
        ("news", "News and stories"),
        ("deals", "Deals of the week"),
        ("polls", "Polls and studies"),
    )
)
FORM = (
    "<form id=prefs><input type=radio id=ads_0 name=ads value=0><label for=ads_0>No ads made for me</label>"
    "<input type=submit name=commit value=Submit data-me=go></form><script>addEventListener('submit', e => e.preventDefault())</script>"
)
MENU = (
    "<style>#account-menu-toggle{position:absolute;opacity:0} .list{display:none}"
    "#account-menu-toggle:checked ~ .list{display:block}</style>"
    "<nav><input type=checkbox id=account-menu-toggle><label for=account-menu-toggle>Ada</label>"
    "<ul class=list><li><a href='#privacy' data-me=privacy>Privacy</a></li><li><a href='#out'>Sign out</a></li></ul></nav>"
)  # fmt: skip
LAST = "html:nth-of-type(1) > body:nth-of-type(1) > "

FOUND: dict[str, tuple[str, Event, str, str]] = {
    "a span in spans": (
        ROWS,
        on("span", LAST + "div:nth-of-type(2) > div:nth-of-type(1) > span:nth-of-type(1) > span:nth-of-type(1)",
           innerText="Clear watch history", parentTextContext="Clear watch history"),
        "hist", ROWS.replace("Clear watch history", "Export everything"),
    ),
    "the span around it": (
        ROWS,
        on("span", LAST + "div:nth-of-type(2) > div:nth-of-type(1) > span:nth-of-type(1)", classList=["t"],
           innerText="Clear watch history", parentTextContext="Clear watch history"),
        "hist", ROWS.replace("Clear watch history", ""),
    ),
    "a row moved, with a label that it has not": (
        "<div class=row>New</div>" + ROWS,
        on("span", LAST + "div:nth-of-type(2) > div:nth-of-type(1) > span:nth-of-type(1) > span:nth-of-type(1)",
           innerText="Clear watch history", labelText="Clear watch history"),
        "hist", "<div class=row>New</div>" + ROWS.replace("Clear watch history", "Watch again"),
    ),
    "a tile of few letters": (
        TILES,
        on("div", LAST + "div:nth-of-type(2)", classList=["tile"], innerText="Friends", nearbyLabelText="Public",
           parentTextContext="PublicFriendsOnly me"),
        "t1", TILES.replace("Friends", "Everyone"),
    ),
    "a click of the first version": (
        "<div id=menu><a href='/a'>Home</a><a href='javascript:;' data-me=alpha>\n Weather <b>Alpha</b></a></div>",
        first("div#menu > a:nth-of-type(2)", 'id("menu")/a[2]',
              "<a href=\"javascript:;\" data-me=\"alpha\">\n Weather <b>Alpha</b></a>"),
        "alpha", "<div id=menu><a href='/a'>Home</a><a href='/c'>Contact us</a></div>",
    ),
    "a span of the first version, cut in its HTML": (
        f"<div id=panel><p>x</p><div><span data-me=s>{LONG}</span></div></div>",
        first("div#panel > div > span", 'id("panel")/div[1]/span[1]', f'<span data-me="s">{LONG[:60]}</sp'),
        "s", "<div id=panel><p>x</p><div><span>Something else</span></div></div>",
    ),
    "one of two buttons, by texts joined and cut": (
        CARDS,
        on("button", LAST + "section:nth-of-type(2) > div:nth-of-type(1) > button:nth-of-type(1)", innerText="Edit",
           nearbyLabelText=LONG[:100], parentTextContext=f"Kept for a month{LONG}Edit"[:150]),
        "Searching", "<section><h3>Watching</h3><div class=card><p>Kept for a year</p><button>Edit</button></div></section>",
    ),
    "one of the boxes of a list": (
        "<ul>" + BOXES + "</ul>",
        on("input", LAST + "ul:nth-of-type(1) > li:nth-of-type(1) > label:nth-of-type(1) > input:nth-of-type(1)",
           type="change", inputType="checkbox", typeAttr="checkbox", checked=True, value="deals", name="mail[]",
           labelText="Deals of the week", parentTextContext="Deals of the week", nearbyLabelText="Deals of the week",
           outerHTML='<input type="checkbox" name="mail[]" value="deals">', sectionText="News and stories Deals of the week",
           headingText="Your mails"),
        "deals", "<ul>" + BOXES.replace("value=deals", "value=offers").replace("Deals of the week", "Offers") + "</ul>",
    ),
    "a button beside the label of another control": (
        FORM,
        on("input", "form#prefs > input:nth-of-type(2)", typeAttr="submit", labelText="No ads made for me",
           name="commit", nearbyLabelText="No ads made for me", parentTextContext="No ads made for me",
           outerHTML='<input type="submit" name="commit" value="Submit">'),
        "go", FORM.replace("<input type=submit name=commit value=Submit data-me=go>", ""),
    ),
    "a link that the file knows by its whole address": (
        "<p><a href='/account/privacy' data-me=p onclick='event.preventDefault()'>Privacy</a></p>",
        on("a", LAST + "p:nth-of-type(1) > a:nth-of-type(1)", href=f"{HOME}/account/privacy", innerText="Privacy"),
        "p", "<p><a href='/account/terms'>Terms</a></p>",
    ),
    "a button that a picture names": (
        "<button data-me=x><img alt='Close this' src=''></button><button><img alt='Help' src=''></button>",
        on("button", LAST + "button:nth-of-type(1)", outerHTML='<button><img alt="Close this" src=""></button>'),
        "x", "<button><img alt='Help' src=''></button>",
    ),
    "a long container that was clicked beside its boxes": (
        f"<main><div class=prefs data-me=p><label><input type=checkbox> {LONG}</label><p>{LONG}</p></div></main>",
        on("div", LAST + "main:nth-of-type(1) > div:nth-of-type(1)", classList=["prefs"], innerText=LONG[:100],
           xpath="/html/body/main[1]/div[1]", parentTextContext=(LONG + LONG)[:150]),
        "p", "<main><div class=prefs>Nothing to choose here</div></main>",
    ),
}  # fmt: skip


@pytest.mark.proof
def test_an_element_is_found_where_it_is_and_not_where_it_is_gone(bench: Bench, tmp_path: Path) -> None:
    for what, (html, event, clicked, gone) in FOUND.items():
        trace = read(tmp_path, event).trace
        page = bench.show(html + REMEMBER)
        play(bench, trace)
        assert page.title() == clicked, what
        bench.show(gone + REMEMBER)
        with pytest.raises(ReplayError):
            play(bench, trace, timeout=GONE)
        assert page.title() == "", what


# -------------------------------------------------------------------- switches
LABELS = "".join(
    f"<div class=line><p>{text}</p><div><label id='switch:{n}' style='display:inline-block;width:30px;height:17px'>"
    f"<input type=checkbox id=b{n} {'checked' if n == 2 else ''} style='width:0;height:0;opacity:0'></label></div></div>"
    for n, text in ((1, "Let search engines list my name"), (2, "Let others find me by mail"))
)


def test_a_click_on_a_label_around_a_box_is_a_change_of_the_box(bench: Bench, tmp_path: Path) -> None:
    inner = "label#switch:1 > input:nth-of-type(1)"
    box = {
        "selectorPath": inner,
        "xpath": '//*[@id="switch:1"]/input[1]',
        "type": "checkbox",
        "checked": False,
    }
    event = on(
        "label", "label#switch:1", id="switch:1", labelText="Let search engines list my name",
        nearbyLabelText="Let search engines list my name", parentTextContext="Let search engines list my name",
    )  # fmt: skip
    trace = read(tmp_path, event, initialFormStates={inner: box}).trace
    assert trace.events[0].target is not None
    assert trace.events[0].target.css == "label#switch\\:1 > input:nth-of-type(1)"
    for wanted in (True, False):
        bench.show(LABELS)
        play(bench, trace, "on" if wanted else "off")
        assert (bench.checked("#b1"), bench.checked("#b2")) == (wanted, True)
    bench.show(LABELS)
    play(bench, trace)
    assert bench.checked("#b1") is True


def test_a_box_of_the_first_version_is_turned_once(bench: Bench, tmp_path: Path) -> None:
    groups = "".join(
        f"<x-group><div><p>{text}</p><label><input type=checkbox {mark}><span class=s><span>Off</span></span></label></div></x-group>"
        for mark, text in (("id=a aria-label='Product news'", "Product news"), ("id=b", "Training offers"))
    )
    place = "body/main[1]/x-group[2]/div[1]/label[1]"
    path = "html > body > main > x-group:nth-of-type(2) > div > label"
    imported = read(
        tmp_path,
        first(f"{path} > span > span", f"{place}/span[1]/span[1]", "<span>Off</span>", timestamp="2025-10-24T21:00:01.400Z"),
        first(f"{path} > input", f"{place}/input[1]", type="change", checked=True, value="on", timestamp="2025-10-24T21:00:01.600Z"),
    )  # fmt: skip
    (event,) = imported.trace.events
    assert (event.type, event.stateful, event.url) == ("change", True, PAGE)
    bench.show(f"<main>{groups}</main>")
    play(bench, imported.trace)
    assert (bench.checked("#a"), bench.checked("#b")) == (False, True)


def test_the_state_of_an_aria_switch_is_the_one_before_the_press(bench: Bench, tmp_path: Path) -> None:
    html = '<button role="switch" aria-checked="false" aria-labelledby="t">'
    event = on(
        "button", "div#row > button:nth-of-type(1)", type="change", inputType="switch", role="switch", checked=False,
        ariaLabelledby="t", labelText="Read receipts", outerHTML=html,
    )  # fmt: skip
    trace = read(tmp_path, event).trace
    assert trace.events[0].before is not None
    assert (trace.events[0].before.on, trace.events[0].after and trace.events[0].after.on) == (False, True)
    turn = "this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')"
    bench.show(f'<div id=row><p id=t>Read receipts</p>{html[:-1]} id=s onclick="{turn}"></button></div>')
    play(bench, trace)
    assert bench.checked("#s") is True


def test_a_switch_of_unknown_state_is_refused_and_never_toggled(bench: Bench, tmp_path: Path) -> None:
    event = on(
        "input", "input#news", id="news", typeAttr="checkbox", inputType="checkbox", labelText="Newsletter"
    )
    trace = read(tmp_path, event).trace
    bench.show("<label><input type=checkbox id=news> Newsletter</label>")
    with pytest.raises(ReplayError, match="does not say whether"):
        play(bench, trace)
    assert bench.checked("#news") is False


# -------------------------------------------------------------------- menus
TOGGLE = on(
    "input", "input#account-menu-toggle", type="change", inputType="checkbox", typeAttr="checkbox", value="on",
    id="account-menu-toggle", labelText="Ada", checked=True,
    outerHTML='<input type="checkbox" id="account-menu-toggle">',
)  # fmt: skip
ENTRY = on(
    "a", LAST + "nav:nth-of-type(1) > ul:nth-of-type(1) > li:nth-of-type(1) > a:nth-of-type(1)",
    href=f"{PAGE}#privacy", innerText="Privacy", outerHTML='<a href="#privacy">Privacy</a>',
)  # fmt: skip


def test_a_menu_that_a_box_opens_stays_open_for_the_next_event(bench: Bench, tmp_path: Path) -> None:
    for set_ in ("on", "off", "recorded"):
        trace = read(tmp_path, TOGGLE, ENTRY).trace
        assert (trace.events[0].stateful, trace.events[0].set) == (False, "on")
        page = bench.show(MENU + REMEMBER)
        play(bench, trace, set_)
        assert page.title() == "privacy"


def test_a_setting_before_a_link_stays_a_setting(tmp_path: Path) -> None:
    setting = TOGGLE | {
        "selectorPath": "input#digest",
        "id": "digest",
        "name": "digest",
        "labelText": "Show the menu tips",
    }
    events = read(
        tmp_path, setting | {"outerHTML": '<input type="checkbox" id="digest" name="digest">'}, ENTRY
    ).trace.events
    assert (events[0].stateful, events[0].set) == (True, None)
    alone = read(tmp_path, TOGGLE).trace.events
    assert (alone[0].stateful, alone[0].set) == (True, None)
    assert fix_openers([]) == []


def test_a_button_that_unfolds_a_menu_leaves_it_open(bench: Bench, tmp_path: Path) -> None:
    html = '<button aria-expanded="false" aria-haspopup="menu">Account</button>'
    button = on(
        "button", LAST + "nav:nth-of-type(1) > button:nth-of-type(1)", innerText="Account", outerHTML=html
    )
    trace = read(tmp_path, button, ENTRY).trace
    flip = "const o = this.getAttribute('aria-expanded') !== 'true'; this.setAttribute('aria-expanded', o); list.hidden = !o"
    for open_ in ("false", "true"):
        hidden = "" if open_ == "true" else "hidden"
        page = bench.show(
            f'<nav><button aria-expanded={open_} aria-haspopup=menu onclick="{flip}">Account</button>'
            f"<ul id=list {hidden}><li><a href='#privacy' data-me=privacy>Privacy</a></li></ul></nav>{REMEMBER}"
        )
        play(bench, trace)
        assert page.title() == "privacy"


# -------------------------------------------------------------------- what is taken over
def test_an_event_in_a_frame_that_two_pages_recorded_is_one(tmp_path: Path) -> None:
    frame = 'iframe[src*="newsletter_settings"]'
    inside = on("button", "div#letters > button:nth-of-type(1)", xpath='//*[@id="letters"]/button[1]', innerText="SAVE",
                framePath=[frame], site="https://replay.example/newsletter_settings", timestamp="2025-11-10T21:45:08.366Z")  # fmt: skip
    copy = inside | {
        "selectorPath": "",
        "framePath": [],
        "site": PAGE,
        "timestamp": "2025-11-10T21:45:08.374Z",
    }
    (event,) = read(tmp_path, inside, copy).trace.events
    assert event.target is not None
    assert (event.target.frame_path, event.url) == ((frame,), PAGE)
    box = {
        "elementType": "input",
        "tagName": "input",
        "typeAttr": "checkbox",
        "innerText": None,
        "textContent": None,
    }
    press = (
        inside
        | box
        | {"selectorPath": "li#offer > input:nth-of-type(1)", "xpath": '//*[@id="offer"]/input[1]'}
    )
    change = press | {
        "selectorPath": "",
        "framePath": [],
        "type": "change",
        "inputType": "checkbox",
        "checked": False,
    }
    (event,) = read(tmp_path, press, change).trace.events
    assert event.target is not None
    assert (event.type, event.target.frame_path) == ("change", (frame,))
    assert event.target.css == "li#offer > input:nth-of-type(1)"


def test_a_click_beside_the_controls_and_an_index_of_other_elements_are_left_out(tmp_path: Path) -> None:
    page = on("html", "html:nth-of-type(1)", innerText="Skip to content")
    list_ = on(
        "div",
        "form#mails > div:nth-of-type(1)",
        outerHTML="<div><input type=checkbox><input type=checkbox></div>",
    )
    reacting = list_ | {"targetOnClick": "function () { open() }"}
    imported = read(tmp_path, page, list_, reacting, ENTRY)
    assert imported.dropped == {"click beside the controls": 2}
    assert [event.type for event in imported.trace.events] == ["click", "click"]


def test_a_click_on_an_empty_cover_of_the_page_is_left_out_and_no_other_empty_element(tmp_path: Path) -> None:
    cover = on("div", "div#menu-cover", id="menu-cover", outerHTML='<div id="menu-cover"></div>')
    knob = on("div", "div#menu-knob", id="menu-knob", outerHTML='<div id="menu-knob"></div>')
    told = cover | {"innerText": "Cover photo"}
    button = cover | {"role": "button"}
    imported = read(tmp_path, cover, knob, told, button, ENTRY)
    assert imported.dropped == {"click beside the controls": 1}
    assert len(imported.trace.events) == 4
    assert all(event.target and event.target.websp_index is None for event in imported.trace.events)
    assert any("data-websp-index" in note for note in imported.notes)


HEADINGS: list[tuple[dict[str, Any], str | None]] = [
    ({"headingText": "Cookies", "sectionText": "Cookies\nAllow cookies of others"}, "Cookies"),
    ({"headingText": "Cookies", "sectionText": "Allow cookies of others\nCookies"}, None),
    ({"headingText": "Cookies", "sectionText": "Cookies " + LONG * 4}, None),
    ({"headingText": "Cookies"}, None),
    ({"sectionText": "Push\n\nFeed\n\nEmail", "parentContext": "Where you get them"}, None),
]


def test_only_a_heading_that_begins_a_small_section_is_the_targets_own(tmp_path: Path) -> None:
    for facts, kept in HEADINGS:
        target = read(tmp_path, TOGGLE | facts).trace.events[0].target
        assert target is not None
        assert target.section == kept


def test_marks_of_boxes_and_forms_are_taken_over(tmp_path: Path) -> None:
    def target(**facts: Any) -> tuple[str | None, str | None]:
        found = read(tmp_path, TOGGLE | facts).trace.events[0].target
        assert found is not None
        return found.value, found.form

    of_form = {"formContext": {"formSelector": "form#prefs", "fieldName": "x"}}
    assert target(outerHTML='<input type="checkbox" value="17">', **of_form) == ("17", "prefs")
    assert target() == (None, None)
    assert target(outerHTML=None) == (None, None), "a box without the attribute says on"
    assert target(outerHTML=None, value="deals") == ("deals", None)
    assert target(selectorPath="form#mail > input:nth-of-type(1)") == (None, "mail")
    assert target(formContext={"formSelector": "form#edit_user_23346412"}) == (None, None)
    assert target(formContext={"formSelector": "main:nth-of-type(1) > form:nth-of-type(1)"}) == (None, None)


def test_a_cut_text_loses_half_a_word_and_says_so() -> None:
    assert told("Contributions, achievements, and a", 34) == "Contributions, achievements, and …"
    assert told("Contributions and activity", 100) == "Contributions and activity"
    assert told("x" * 300) == "x" * 118 + " …"
    assert told("🙂" * 50, 100) == "🙂" * 50 + " …"
    assert told(None, 5) is None


READ: list[tuple[Any, str, str]] = [
    ("<a>More <b>of</b> it</a>", "More of it", "More of it"),
    ("<div><p>One</p><p>Two</p></div>", "One Two", "One Two"),
    ("<button><svg><title>Close</title><path/></svg></button>", "", "Close"),
    ('<button><img alt="Ada"> Profile<script>x()</script></button>', "Profile", "Ada Profile"),
    ('<a aria-label="Own"><i aria-hidden="true">★</i> Stars <span aria-label="four">4</span></a>', "★ Stars 4", "Stars four"),
    ('<div><span hidden>no</span><span style="display: none">no</span>Yes', "Yes", "Yes"),
    ('<p>A &amp; B<br>C <input type="submit" value="Go"><select><option>no</select> <spa', "A & B C", "A & B C Go"),
    ("no tag", "no tag", "no tag"),
    (None, "", ""),
]  # fmt: skip


def test_html_says_what_a_person_reads_and_what_names_it() -> None:
    for html, shown, named in READ:
        found = read_html(html)
        assert (found.shown, found.named) == (shown, named)


PATHS: list[tuple[str, str | None, str | None]] = [
    ("label#switch:1 > input:nth-of-type(1)", None, "label#switch\\:1 > input:nth-of-type(1)"),
    ("dialog#27cdd355 > div:nth-of-type(2)", None, "dialog#\\32 7cdd355 > div:nth-of-type(2)"),
    ("html > body > a-b > div:nth-of-type(2) > input", "body/a-b[1]/div[2]/input[1]",
     "html > body > a-b:nth-of-type(1) > div:nth-of-type(2) > input:nth-of-type(1)"),
    ("div#menu > a", 'id("menu")/a[1]', "div#menu > a:nth-of-type(1)"),
    ("a-b:nth-of-type(1) > ::shadow > p:nth-of-type(1)", None, "a-b:nth-of-type(1) ::shadow :host > p:nth-of-type(1)"),
    ('iframe[src*="a"]', None, 'iframe[src*="a"]'),
    ("", None, None),
]  # fmt: skip


def test_paths_are_made_ones_that_a_browser_follows() -> None:
    for path, xpath, wanted in PATHS:
        assert css_of(path, xpath) == wanted


def test_xpaths_begin_at_the_document() -> None:
    assert xpath_of("body/main[1]/a[2]") == "/html/body/main[1]/a[2]"
    assert xpath_of('id("menu")/a[2]') == '//*[@id="menu"]/a[2]'
    assert xpath_of("/html/body/a[1]") == "/html/body/a[1]"
    assert xpath_of(None) is None


# -------------------------------------------------------------------- switches without a name
ABOUT = "Insights are drawn from what you write and from what your work is, and offers fit them. Nothing is sold to others."
FLIP = "this.setAttribute('aria-checked', this.getAttribute('aria-checked') !== 'true')"


def switches(*rows: tuple[str, str, str], named: bool) -> str:
    """Rows with a switch each, as a live page without names or as one that names them; the third is its id."""
    return "".join(
        f"<section><h4>{title}</h4><p>{text}</p><div id={id_} role=switch tabindex=0 aria-checked=true class=toggle "
        f'onclick="{FLIP}" {f"aria-label={title!r}" if named else ""}>'
        "<i></i><span>ON</span><span>OFF</span></div></section>"
        for title, text, id_ in rows
    )


def test_a_switch_without_a_name_is_known_by_the_first_words_of_its_section(
    bench: Bench, tmp_path: Path
) -> None:
    for named in (False, True):
        event = on(
            "div", "div#r_91 > div:nth-of-type(2)", type="change", inputType="switch", role="switch", checked=True,
            innerText="ON\nOFF", textContent="ONOFF", classList=["toggle"], nearbyLabelText=f"Adult stories{ABOUT}"[:100],
            parentTextContext=f"Adult stories{ABOUT}ONOFF"[:150], sectionText=f"Adult stories\n\n{ABOUT}\n\nON\nOFF",
            outerHTML='<div class="toggle" role="switch" aria-checked="true"><i></i><span>ON</span><span>OFF</span></div>',
        )  # fmt: skip
        trace = read(tmp_path, event).trace
        target = trace.events[0].target
        assert target is not None
        assert (target.name, target.label, target.text) == (None, "Adult stories", None)
        other = (
            "Read receipts",
            "Others see when you have read what they sent to you, and you see the same.",
            "read",
        )
        bench.show(
            switches(other, ("Adult stories", "Written anew for the page of today.", "adult"), named=named)
        )
        play(bench, trace, "off")
        assert (bench.checked("#read"), bench.checked("#adult")) == (True, False)
        bench.show(switches(other, named=named))
        with pytest.raises(ReplayError):
            play(bench, trace, "off", timeout=GONE)
        assert bench.checked("#read") is True


def test_a_switch_of_which_a_file_only_has_the_place_is_refused(bench: Bench, tmp_path: Path) -> None:
    html = '<button type="button" class="Switch" aria-labelledby="_R_1cb_ _R_1cbH2_" aria-pressed="false"></button>'
    event = on(
        "button", "div#_R_1cbH2_ > button:nth-of-type(1)", xpath='//*[@id="_R_1cbH2_"]/button[1]', typeAttr="button",
        ariaLabelledby="_R_1cb_ _R_1cbH2_", nearbyLabelText="OnOff", classList=["Switch"], outerHTML=html,
    )  # fmt: skip
    trace = read(tmp_path, event).trace
    bench.show(
        "".join(
            f"<p id=t{n}>{text}</p><button id=b{n} class=Switch aria-labelledby=t{n} aria-pressed=false></button>"
            for n, text in enumerate(("Campaign mails", "Deploy keys"))
        )
    )
    with pytest.raises(ReplayError):
        play(bench, trace, "on", timeout=GONE)
    assert [bench.checked("#b0"), bench.checked("#b1")] == [False, False]


def test_the_number_of_an_account_in_an_address_is_no_part_of_it(bench: Bench, tmp_path: Path) -> None:
    event = on(
        "a", LAST + "ul:nth-of-type(1) > li:nth-of-type(1) > a:nth-of-type(1)", innerText="Edit profile",
        href=f"{HOME}/user/edit.php?id=7770864&returnto=profile",
    )  # fmt: skip
    trace = read(tmp_path, event).trace
    assert "7770864" not in trace.model_dump_json()
    for href in ("/user/edit.php", f"{HOME}/user/edit.php?id=4711&returnto=profile"):
        page = bench.show(
            f"<a href='{href}' data-me=edit onclick='event.preventDefault()'>Edit profile</a>{REMEMBER}"
        )
        play(bench, trace)
        assert page.title() == "edit"
    item = on("a", LAST + "a:nth-of-type(1)", innerText="Show", href=f"{HOME}/item.php?id=7770864")
    assert "item.php?id=7770864" in read(tmp_path, item).trace.model_dump_json()
