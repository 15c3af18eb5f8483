"""The weighing of evidence: what makes an element the recorded one, and what makes it another."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.replay_support import Bench, bench
from websp_gym.errors import ReplayError
from websp_gym.replay import Found, NotFound, locate
from websp_gym.replay.locate import install
from websp_gym.replay.trace import Fingerprint

__all__ = ["bench"]

ROWS = ("Firefox on Windows, Porto", "Safari on iPhone, Lyon", "Chrome on Android, Graz")


def section(heading: str, *rows: str) -> str:
    return f"<section><h2>{heading}</h2>{''.join(rows)}</section>"


def device(name: str) -> str:
    return f"<div><span>{name}</span> <button>Sign out</button></div>"


def box(label: str, **attrs: str) -> str:
    more = " ".join(f'{name}="{value}"' for name, value in attrs.items())
    return f"<div><label><input type=checkbox {more}> {label}</label></div>"


def switch(label: str, note: str) -> str:
    return f'<div><b id="l-{len(label)}">{label}</b> <button role=switch aria-checked=false aria-labelledby="l-{len(label)}"></button> <p>{note}</p></div>'


def found_in(bench: Bench, target: dict[str, Any], css: str) -> Found:
    """The element found, which must be the one this selector means."""
    result = locate(bench.page, Fingerprint.model_validate(target))
    assert isinstance(result, Found), [str(rung) for rung in result.rungs]
    assert result.handle.evaluate("(el, css) => el === __websp.allByCss(css)[0]", css)
    return result


def not_found(bench: Bench, target: dict[str, Any]) -> None:
    assert isinstance(locate(bench.page, Fingerprint.model_validate(target)), NotFound)


def test_the_button_of_another_row_is_not_taken_even_where_it_is_the_only_one_left(bench: Bench) -> None:
    for left in ((0, 2), (0,), (2,)):
        bench.show(section("Devices", *map(device, ROWS)))
        target = bench.target("div:nth-of-type(2) button")
        bench.show(section("Devices", *(device(ROWS[n]) for n in left)))
        not_found(bench, target)


def test_a_row_is_known_by_its_data_wherever_it_stands_and_whatever_was_added(bench: Bench) -> None:
    bench.show(section("Devices", *map(device, ROWS)))
    target = bench.target("div:nth-of-type(2) button")
    bench.show(section("Devices", device(ROWS[2]), device(f"{ROWS[1]} (this device)"), device(ROWS[0])))
    found_in(bench, target, "div:nth-of-type(2) button")


def test_a_label_that_is_in_several_sections_belongs_to_its_own(bench: Bench) -> None:
    sections = [section(name, box("Email"), box("Push")) for name in ("Messages", "Comments", "Offers")]
    bench.show("".join(sections))
    target = bench.target("section:nth-of-type(2) div:nth-of-type(1) input")
    bench.show("".join(reversed(sections)) + section("Archive", box("Email"), box("Push")))
    found_in(bench, target, "section:nth-of-type(2) div:nth-of-type(1) input")
    bench.show(sections[0] + section("Comments", box("Push")) + sections[2])
    not_found(bench, target)
    bench.show(sections[0])
    not_found(bench, target)


def test_a_link_below_all_sections_is_in_none_whichever_is_the_last_above_it(bench: Bench) -> None:
    foot = "<footer><a href=/terms>Terms</a> <a href=/help>Help</a></footer>"
    first, second = section("Privacy", box("Ads")), section("Messages", box("Push"))
    bench.show(f"<main>{first}{second}</main>{foot}")
    target = bench.target("footer a")
    assert "section" not in target
    bench.show(f"<main>{second}{first}</main>{foot}")
    assert not found_in(bench, target, "footer a").doubtful
    # Wherever it is, the same link leads to the same page.
    bench.show(f"<main>{second}</main><section><h2>More</h2><a href=/terms>Terms</a></section>")
    found_in(bench, target, "section a")


KNOWN: list[dict[str, Any]] = [
    {"id": "ads"},
    {"nameAttr": "news[]", "name": "Watch history"},
    {"name": "Watch history"},
    {"name": "Watch history", "role": "checkbox"},
    {"name": "Save all changes", "classes": ["big"]},
    {"placeholder": "Nickname", "name": "Nickname"},
]


def test_what_an_import_could_not_know_speaks_against_nothing(bench: Bench) -> None:
    for tag in ("*", None):
        for known in KNOWN:
            rows = [box("Personalised ads", id="ads"), box("Watch history", name="news[]"), box("Push")]
            more = "<button class=big>Save all changes</button><input type=text placeholder=Nickname>"
            bench.show(section("Privacy", *rows, more))
            css = (
                "#ads" if "id" in known else "[name]" if "Watch" in known.get("name", "") else "[placeholder]"
            )
            css = "button" if "Save" in str(known) else css
            own: str = bench.page.evaluate("css => document.querySelector(css).localName", css)
            found = found_in(bench, {"tag": tag or own, **known}, css)
            assert found.score == 1
            bench.show(section("Privacy", box("Push"), "<button>Close</button><h3>Save all changes</h3>"))
            not_found(bench, {"tag": tag or own, **known})


def test_the_one_in_an_iframe_is_preferred_to_another_of_its_name_in_the_page(bench: Bench) -> None:
    bench.show(section("Messages", box("Push")) + section("Comments", box("Push")))
    target = bench.target("section:nth-of-type(1) input")
    page = bench.show(section("Comments", box("Push")) + "<iframe></iframe>")
    page.frames[1].set_content(section("Messages", box("Push")))
    result = locate(page, Fingerprint.model_validate(target))
    assert isinstance(result, Found)
    assert result.frame is page.frames[1]
    page.frames[1].set_content(section("Messages", box("Email")))
    not_found(bench, target)


def test_of_two_alike_in_two_frames_none_is_taken(bench: Bench) -> None:
    bench.show(section("Messages", box("Push")))
    target = bench.target("input")
    page = bench.show("<iframe></iframe><iframe></iframe>")
    for frame in page.frames[1:]:
        frame.set_content(section("Messages", box("Push")))
    not_found(bench, target)


def in_frames(bench: Bench, *texts: str, around: str = "{}") -> tuple[str, ...]:
    """Show a frame for each text, with the same button in all; return their paths as a recorder takes them."""
    page = bench.show("".join(around.format("<iframe></iframe>") for _ in texts))
    for frame, text in zip(page.frames[1:], texts, strict=True):
        frame.set_content(f"<p>{text}</p><button>Open</button>")
    install(page.main_frame)
    script = "[...document.querySelectorAll('iframe')].map((frame) => __websp.css(frame, true))"
    paths: list[str] = page.evaluate(script)
    return tuple(paths)


def test_of_two_alike_in_two_frames_the_one_in_the_recorded_frame_is_taken(bench: Bench) -> None:
    for around in ("{}", "<div>{}</div>", "<div id=only>{}</div>"):
        for at in (0, 1):
            path = in_frames(bench, "Text", "Text", around=around)[at]
            target = bench.target("button", bench.page.frames[1 + at], (path,))
            cases: list[tuple[str, str]] = [("Text", "Text"), ("Text", "Other"), ("Other", "Text")]
            for texts in cases:
                in_frames(bench, *texts, around=around)
                found = locate(bench.page, Fingerprint.model_validate(target))
                if texts[at] == "Other":
                    assert not isinstance(found, Found) or found.frame is bench.page.frames[2 - at]
                    continue
                assert isinstance(found, Found)
                assert found.frame is bench.page.frames[1 + at]
                assert not found.moved


def test_a_frame_beside_which_others_came_or_went_may_be_another(bench: Bench) -> None:
    for around in ("{}", "<div>{}</div>"):
        path = in_frames(bench, "Text", "Text", "Text", around=around)[1]
        target = bench.target("button", bench.page.frames[2], (path,))
        for count in (2, 4):
            in_frames(bench, *["Text"] * count, around=around)
            not_found(bench, target)
        # A trace that does not tell how many there were.
        in_frames(bench, "Text", "Text", "Text", around=around)
        not_found(bench, target | {"framePath": (re.sub(r":nth-last-of-type\(\d+\)", "", path),)})


def test_what_a_text_field_holds_is_no_mark_of_it(bench: Bench) -> None:
    """Nor where the element around it has the text as its value."""
    page = bench.show("""<x-text value="my diary"></x-text><script>customElements.define('x-text', class extends HTMLElement {
        constructor() { super(); this.attachShadow({mode: 'open'}).innerHTML = '<input aria-label=Note value="my diary">' } })</script>""")
    bench.target("x-text")
    script = "__websp.recordedPrint(document.querySelector('x-text').shadowRoot.querySelector('input'))"
    print_ = page.evaluate(script)
    assert (print_["name"], print_.get("value")) == ("Note", None)


def test_what_stands_around_a_control_is_more_than_the_labels_of_its_neighbours(bench: Bench) -> None:
    bar = "<div><button>Hide</button> <button>Share</button> <button aria-label=More></button></div>"
    cards = [
        f"<article><b>{name}</b> <p>{text}</p>{bar}</article>"
        for name, text in (("Ada", "River"), ("Bo", "Coast"))
    ]
    bench.show(section("Feed", *cards))
    share, more = (bench.target(f"article:nth-of-type(2) button:nth-of-type({n})") for n in (2, 3))
    assert share["nearby"] == "Bo Coast"
    bench.show(section("Feed", *reversed(cards)))
    found_in(bench, share, "article:nth-of-type(1) button:nth-of-type(2)")
    found_in(bench, more, "article:nth-of-type(1) button:nth-of-type(3)")
    bench.show(section("Feed", cards[1].replace("<button>Share</button>", "")))
    not_found(bench, share)


def test_the_other_box_of_a_row_does_not_pass_for_the_one_that_is_gone(bench: Bench) -> None:
    def row(event: str, *columns: str) -> str:
        return f"<tr><th>{event}</th>{''.join(f'<td><input type=checkbox aria-label={name}></td>' for name in columns)}</tr>"

    bench.show(
        f"<table>{row('New sign-ins', 'Email', 'Push')}{row('Failed sign-ins', 'Email', 'Push')}</table>"
    )
    target = bench.target("tr:nth-of-type(2) td:nth-of-type(1) input")
    bench.show(f"<table>{row('New sign-ins', 'Email', 'Push')}{row('Failed sign-ins', 'Push')}</table>")
    not_found(bench, target)


def test_a_translated_control_is_known_by_its_mark_and_without_one_not_at_all(bench: Bench) -> None:
    for mark in ("id", "data-testid", "name"):
        bench.show(section("Privacy", box("Personalised ads", **{mark: "ads"}), box("Watch history")))
        ads, history = bench.target("div:nth-of-type(1) input"), bench.target("div:nth-of-type(2) input")
        bench.show(section("Datenschutz", box("Verlauf"), box("Personalisierte Werbung", **{mark: "ads"})))
        found_in(bench, ads, "div:nth-of-type(2) input")
        not_found(bench, history)


def test_an_id_that_a_framework_counted_up_is_no_evidence(bench: Bench) -> None:
    for id_ in (":r3:", "radix-12", "x-4711"):
        bench.show(section("Privacy", box("Personalised ads", id=id_)))
        target = bench.target("input")
        bench.show(section("Datenschutz", box("Verlauf", id=id_)))
        not_found(bench, target)


def options(ids: tuple[str, ...], *names: str) -> str:
    shown = zip(ids, names, strict=True)
    return "".join(f'<div role=option tabindex=0 id="listbox{at}">{name}</div>' for at, name in shown)


def test_an_id_that_react_counted_up_does_not_outweigh_the_name(bench: Bench) -> None:
    for ids in (("rm", "rn", "ro"), ("ra", "rc", "re"), ("r1m", "r1n", "r1o")):
        bench.show(options(ids, "Pounds", "Euros", "Swiss francs"))
        euros = bench.target("div:nth-of-type(2)")
        bench.show(options(ids, "Yen", "Pounds", "Euros"))
        found_in(bench, euros, "div:nth-of-type(3)")
        bench.show(options(ids, "Yen", "Pounds", "Swiss francs"))
        not_found(bench, euros)


def test_ids_that_are_words_are_not_counted_up(bench: Bench) -> None:
    bench.show(
        section("Privacy", box("Store", id="store"), box("Stork", id="stork"), box("Storm", id="storm"))
    )
    target = bench.target("#stork")
    bench.show(
        section("Datenschutz", box("Laden", id="store"), box("Sturm", id="storm"), box("Storch", id="stork"))
    )
    found_in(bench, target, "#stork")


def topics(*labels: str, lang: str, heading: str, start: int = 1) -> str:
    boxes = [box(label, name=f"topic_{number}") for number, label in enumerate(labels, start)]
    return f"<!doctype html><html lang={lang}>{section(heading, *boxes)}"


def test_a_counted_mark_is_enough_in_another_language_where_its_whole_series_is_there(bench: Bench) -> None:
    bench.show(topics("Faces", "Places", "Animals", lang="en", heading="Labels"))
    places = bench.target("[name=topic_2]")
    bench.show(topics("Gesichter", "Orte", "Tiere", lang="de", heading="Schlagwörter"))
    found_in(bench, places, "[name=topic_2]")


ELSEWHERE = {
    "one is gone": topics("Gesichter", "Orte", lang="de", heading="Schlagwörter"),
    "one more": topics("Essen", "Gesichter", "Orte", "Tiere", lang="de", heading="Schlagwörter"),
    "a name is left": topics("Gesichter", "Orte", "Animals", lang="de", heading="Schlagwörter"),
    "the same language": topics("Food", "Cars", "Text", lang="en-GB", heading="Tags"),
    "the same heading": topics("Gesichter", "Orte", "Tiere", lang="de", heading="Labels"),
    "one name twice": topics("Gesichter", "Orte", "Orte", lang="de", heading="Schlagwörter"),
}


def test_a_counted_mark_is_not_enough_elsewhere(bench: Bench) -> None:
    bench.show(topics("Faces", "Places", "Animals", lang="en", heading="Labels"))
    places = bench.target("[name=topic_2]")
    for page in ELSEWHERE.values():
        bench.show(page)
        not_found(bench, places)


def test_a_drop_down_has_the_label_and_the_marks_of_the_field_in_it(bench: Bench) -> None:
    def drop_down(label: str, shown: str, **marks: str) -> str:
        marks = {"id": f"input-{len(label)}"} | marks
        field = f"<input readonly {' '.join(f'{name}={value}' for name, value in marks.items())}>"
        return f"<div><div role=combobox tabindex=0><label for={marks['id']}>{label}</label>{shown}{field}</div></div>"

    for mark in ("", "id", "name"):
        own = {mark: "currency"} if mark else {}
        bench.show(section("Shop", drop_down("Prices", "Pounds", **own), drop_down("Sizes", "Inches")))
        target = bench.target("[role=combobox]")
        bench.show(section("Shop", drop_down("Sizes", "Points"), drop_down("Prices", "Francs", **own)))
        found_in(bench, target, "div:nth-of-type(2) > [role=combobox]")
        bench.show(section("Laden", drop_down("Format", "Zoll"), drop_down("Preise", "Franken", **own)))
        if mark:
            found_in(bench, target, "div:nth-of-type(2) > [role=combobox]")
        else:
            not_found(bench, target)


def test_a_relabelled_switch_is_known_by_the_note_beside_it_but_doubted(bench: Bench) -> None:
    note = "Lets the site know where you are."
    bench.show(section("Privacy", switch("Precise location", note), switch("Ads", "Shows you adverts.")))
    target = bench.target("button")
    bench.show(section("Privacy", switch("Ads", "Shows you adverts."), switch("Exact position", note)))
    assert found_in(bench, target, "div:nth-of-type(2) button").doubtful
    bench.show(section("Privacy", switch("Ads", "Shows you adverts."), switch("Exact position", "New.")))
    not_found(bench, target)


def test_a_renamed_heading_makes_a_long_name_doubtful_and_a_short_one_unfindable(bench: Bench) -> None:
    bench.show(section("Done", "<button>Save all changes</button>", box("Push")))
    save, push = bench.target("button"), bench.target("input")
    bench.show(section("Actions", "<button>Save all changes</button>", box("Push")))
    assert found_in(bench, save, "button").doubtful
    not_found(bench, push)


def test_a_doubtful_match_gives_way_to_the_right_one_that_comes_late(bench: Bench) -> None:
    page = bench.show(section("Messages", box("Direct message alerts")))
    event = bench.event("change", "input", stateful=True)
    page = bench.show(section("Archive", box("Direct message alerts")))
    page.evaluate(
        "html => setTimeout(() => document.body.insertAdjacentHTML('beforeend', html), 900)",
        section("Messages", box("Direct message alerts")),
    )
    bench.play(event, set_="on", timeout=30)
    assert page.evaluate("[...document.querySelectorAll('input')].map((each) => each.checked)") == [
        False,
        True,
    ]


def test_a_page_that_renders_anew_when_the_pointer_comes_is_clicked_once_on_what_is_there_then(
    bench: Bench,
) -> None:
    page = bench.show("<div id=app></div>")
    page.evaluate("""() => {
      window.clicks = [];
      let load = 0;
      window.render = () => { load++; app.innerHTML = `<p>Text</p><button onclick="clicks.push(${load})">Go on</button>`; };
      render();
    }""")
    event = bench.event("click", "button")
    page.evaluate("() => { document.body.addEventListener('pointerover', () => render(), { once: true }); }")
    bench.play(event)
    assert page.evaluate("clicks") == [2]


def test_twins_are_told_apart_by_place_only_on_the_page_that_was_recorded(bench: Bench) -> None:
    row = "<div><button>Mute</button></div>"
    bench.show(section("Rooms", row, row, row))
    target = bench.target("div:nth-of-type(2) button")
    found_in(bench, target, "div:nth-of-type(2) button")
    bench.show("<p>New</p>" + section("Rooms", f"<div>{row}{row}{row}</div>"))
    with pytest.raises(ReplayError, match="several alike"):
        bench.play({"type": "click", "url": bench.page.url, "target": target}, timeout=0.3)


# ---------------------------------------------------------------- addresses


def link(href: str, name: str = "Preferences", attrs: str = "") -> str:
    return f"<li><a href='{href}' {attrs}>{name}</a></li>"


def test_links_with_one_name_and_one_address_are_one_and_a_visible_one_is_preferred(bench: Bench) -> None:
    bench.show(f"<ul>{link('/preferences')}</ul>")
    target = bench.target("a")
    menu, header = f"<ul id=menu>{link('/preferences')}</ul>", f"<ul id=head>{link('/preferences')}</ul>"
    bench.show(f"<nav>{menu}{header}</nav>")
    assert isinstance(locate(bench.page, Fingerprint.model_validate(target)), Found)
    bench.show(f"<nav><div hidden>{menu}</div>{header}</nav>")
    for hidden in (False, True):
        found = locate(bench.page, Fingerprint.model_validate(target), hidden=hidden)
        assert isinstance(found, Found)
        assert found.handle.is_visible()
    bench.show(f"<nav hidden>{menu}{header}</nav>")
    assert isinstance(locate(bench.page, Fingerprint.model_validate(target), hidden=True), Found)


def test_one_of_two_links_that_are_the_same_can_be_recorded(bench: Bench) -> None:
    page = f"<nav><ul>{link('/preferences')}</ul><ul>{link('/preferences')}</ul></nav>"
    bench.show(page)
    target = bench.target("ul:nth-of-type(2) a")
    bench.show(f"<div>{page}</div>{page}")
    assert isinstance(locate(bench.page, Fingerprint.model_validate(target)), Found)


def test_links_with_one_name_and_several_addresses_are_told_apart_or_refused(bench: Bench) -> None:
    bench.show(f"<ul>{link('/ada/preferences')}</ul>")
    target = bench.target("a")
    bench.show(f"<nav><ul>{link('/ben/preferences')}</ul><ul>{link('/ada/preferences')}</ul></nav>")
    found_in(bench, target, "ul:nth-of-type(2) a")
    bench.show(f"<nav><ul>{link('/ben/preferences')}</ul><ul>{link('/eve/preferences')}</ul></nav>")
    not_found(bench, target)
    bench.show(f"<nav hidden><ul>{link('/ben/preferences')}</ul><ul>{link('/eve/preferences')}</ul></nav>")
    assert isinstance(locate(bench.page, Fingerprint.model_validate(target), hidden=True), NotFound)


def test_of_links_that_differ_in_their_query_the_one_with_the_recorded_query_is_taken(bench: Bench) -> None:
    bench.show(f"<ul>{link('/settings?tab=privacy')}</ul>")
    target = bench.target("a")
    others = f"<ul>{link('/settings?tab=email')}</ul><ul>{link('/settings?tab=privacy')}</ul>"
    bench.show(f"<nav>{others}</nav>")
    whole = found_in(bench, target, "ul:nth-of-type(2) a").score
    scores = []
    for address in ("/settings?tab=email", "/terms?tab=privacy"):
        bench.show(f"<ul>{link(address)}</ul>")
        other = locate(bench.page, Fingerprint.model_validate(target))
        scores.append(other.score if isinstance(other, Found) else max(rung.best for rung in other.rungs))
    assert whole > scores[0] > scores[1]


def test_links_in_rows_are_not_the_same_link_whatever_their_address(bench: Bench) -> None:
    def page(*rows: str, cell: str = "tr") -> str:
        made = "".join(
            f"<{cell}><td>{row}<td><a href=/list data-id={row}>Remove</a></{cell}>" for row in rows
        )
        return f"<table>{made}</table>"

    bench.show(page("Ada", "Ben"))
    target = bench.target("tr:nth-of-type(2) a")
    bench.show(page("Eve", "Tom", "Ben"))
    found_in(bench, target, "tr:nth-of-type(3) a")
    bench.show(page("Eve", "Tom"))
    not_found(bench, target)
    bench.show(page("Ben"))
    target = bench.target("a")
    bench.show(page("Eve", "Tom"))
    not_found(bench, target)


PEOPLE = (
    ("Ben", "Ada"),
    ("Ben Stone", "Ada Stone"),
    ("Ben</td><td>Member since May", "Ada</td><td>Member since May"),
)
ACTS = {
    "a": (
        "<a href='#'>Remove</a>",
        "<a href=/list>Remove</a>",
        "<a href=/members>Remove</a>",
        "<a href='#'>Remove member</a>",
    ),
    "button": ("<button>Remove</button>", "<form><button name=remove>Remove</button></form>"),
}


def row_of(title: str, act: str, cell: str) -> str:
    return f"<h2>People</h2><table><{cell}><td>{title}</td><td>{act}</td></{cell}></table>"


@pytest.mark.parametrize("cell", ["tr", "div"])
def test_the_only_row_left_may_be_that_of_another_thing(bench: Bench, cell: str) -> None:
    for tag, acts in ACTS.items():
        for act in acts:
            for ben, ada in PEOPLE:
                if cell == "div" and act != acts[0]:
                    continue  # without a row by its markup, a longer name or a mark is enough
                bench.show(row_of(ben, act, cell))
                target = bench.target(tag)
                bench.show(row_of(ada, act, cell))
                not_found(bench, target)
                for more in (f"{ben} (you)", f"{ben}</td><td>seen yesterday"):
                    bench.show(row_of(more, act, cell))
                    found_in(bench, target, tag)


def test_an_address_of_its_own_tells_a_row_whose_title_has_changed(bench: Bench) -> None:
    for address in ("/people/ben/remove", "/list?remove=4"):
        act = f"<a href={address}>Remove</a>"
        bench.show(row_of("Ben", act, "tr"))
        target = bench.target("a")
        bench.show(row_of("Benjamin", act, "tr"))
        found_in(bench, target, "a")


def test_links_that_lead_nowhere_are_not_the_same_link(bench: Bench) -> None:
    for nowhere in ("#", "#!", "javascript:void(0)", ""):
        bench.show(f"<ul>{link(nowhere)}</ul>")
        target = bench.target("a")
        bench.show(f"<nav><ul>{link(nowhere)}</ul><ul>{link(nowhere)}</ul></nav>")
        not_found(bench, target)


def test_a_hidden_link_that_is_there_twice_is_reached_through_the_menu_that_holds_it(bench: Bench) -> None:
    bench.show(f"<ul>{link('#preferences')}</ul>")
    event = bench.event("click", "a")
    opener = '<button aria-expanded=false onclick="ariaExpanded = true; nextElementSibling.hidden = false">Ada</button>'
    one = link("#preferences", attrs="onclick=\"document.title = 'opened by a click'\"")
    bench.show(f"<nav>{opener}<ul hidden>{one}</ul></nav><header hidden><ul>{one}</ul></header>")
    bench.play(event)
    assert bench.page.title() == "opened by a click"
    assert bench.page.url.endswith("#preferences")


def test_a_nonce_is_no_part_of_an_address_but_the_number_of_a_thing_is(bench: Bench) -> None:
    def page(**nonces: str) -> str:
        rows = [
            f"<p>Text<a href='comment.php?action=spam&amp;c={row[1:]}&amp;_wpnonce={nonce}&amp;t=1732{len(nonce)}00012'>Spam</a>"
            for row, nonce in nonces.items()
        ]
        return f"<h2>Comments</h2>{''.join(rows)}"

    bench.show(page(c5="3fa9c01b7e", c17="99ab00cd1e"))
    target = bench.target("p:nth-of-type(1) a")
    bench.show(page(c17="0b7e9c11ff", c5="77e0a1b2c3d"))
    found = found_in(bench, target, "p:nth-of-type(2) a")
    assert found.rung == "attributes"
    bench.show(page(c17="0b7e9c11ff", c55="77e0a1b2c3d"))
    not_found(bench, target)


def test_a_part_of_the_page_is_an_address_unless_parts_are_numbered(bench: Bench) -> None:
    bench.show("<nav><a href=#mail>Mail</a> <a href=#privacy>Privacy</a></nav>")
    target = bench.target("a:nth-of-type(2)")
    bench.show("<nav><a href=#privacy>Datenschutz</a> <a href=#mail>Post</a></nav>")
    found_in(bench, target, "a:nth-of-type(1)")
    bench.show("<nav><a href=#tab-1>Mail</a> <a href=#tab-2>Privacy</a></nav>")
    target = bench.target("a:nth-of-type(2)")
    bench.show("<nav><a href=#tab-1>Suche</a> <a href=#tab-2>Post</a> <a href=#tab-3>Datenschutz</a></nav>")
    not_found(bench, target)
