"""Recorded elements on third-party markup: one page for each cause of a past failure."""

from __future__ import annotations

import pytest

from tests.replay.test_locate import found_in, not_found
from tests.replay_support import Bench, Event, bench
from websp_gym.errors import ReplayError
from websp_gym.replay import Found, locate
from websp_gym.replay.trace import Fingerprint

__all__ = ["bench"]


def topics(*names: str, id_: str = "cb-{}") -> str:
    """A list whose ids, values and names are counted by place."""
    rows = [
        f"<li><label><input type=checkbox id='{id_.format(n)}' name='topic_{n}'> {name}</label></li>"
        for n, name in enumerate(names, 1)
    ]
    return f"<h2>Topics</h2><ul>{''.join(rows)}</ul>"


# ---------------------------------------------------------------- marks that are counted up


def test_a_box_is_known_by_its_name_where_ids_are_counted(bench: Bench) -> None:
    for id_ in ("cb-{}", "topic_{}", "lib-php-7{}", ":r{}:", "btn{}x", "el-id-1024-{}"):
        bench.show(topics("Alpha", "Beta", "Gamma", id_=id_))
        beta = bench.target("li:nth-child(2) input")
        assert set(beta["serial"]) == {"id", "nameAttr"}, id_
        bench.show(topics("Alpha", "Gamma", id_=id_))
        not_found(bench, beta)
        bench.show(topics("New", "Alpha", "Beta", "Gamma", id_=id_))
        found_in(bench, beta, "li:nth-child(3) input")


def test_a_row_that_was_inserted_does_not_move_a_button_to_its_neighbor(bench: Bench) -> None:
    def sessions(*devices: str) -> str:
        rows = [
            f"<tr><td>{device}<td><button id=out-{n}>Sign out</button>" for n, device in enumerate(devices)
        ]
        return f"<h2>Sessions</h2><table>{''.join(rows)}</table>"

    bench.show(sessions("Firefox, Porto", "Safari, Lyon"))
    lyon = bench.target("tr:nth-child(2) button")
    bench.show(sessions("Chrome, Graz", "Firefox, Porto", "Safari, Lyon"))
    found_in(bench, lyon, "tr:nth-child(3) button")
    bench.show(sessions("Chrome, Graz", "Firefox, Porto"))
    not_found(bench, lyon)


def test_the_only_row_that_is_left_is_another_one(bench: Bench) -> None:
    row = "<h2>Tokens</h2><ul><li><b>{}</b> <button data-testid=revoke>Revoke</button></li></ul>"
    bench.show(row.format("ci bot on server four"))
    token = bench.target("button")
    bench.show(row.format("laptop of the deploy team"))
    not_found(bench, token)


def test_rows_with_the_same_text_nearby_are_distinguished_by_the_whole_row(bench: Bench) -> None:
    def apps(*names: str) -> str:
        rows = [
            f"<div><div><b>{name}</b></div><div><label><input type=checkbox> Allow access</label>"
            "<button aria-label=More>…</button></div></div>"
            for name in names
        ]
        return f"<h2>Apps</h2>{''.join(rows)}"

    bench.show(apps("Calendar", "Photos", "Backup"))
    backup = bench.target("body > div:nth-of-type(3) button")
    assert "Backup" in backup["nearby"]
    bench.show(apps("Poster", "Calendar", "Backup", "Photos"))
    found_in(bench, backup, "body > div:nth-of-type(3) button")
    bench.show(apps("Poster", "Calendar", "Photos"))
    not_found(bench, backup)


def test_cards_with_most_words_in_common_are_distinguished(bench: Bench) -> None:
    def cards(*names: str) -> str:
        note = "may read your events, change them and share them with others until you disconnect it"
        return "".join(
            f"<div class=card><b>{name}</b> <p>{note}</p><button>Edit</button></div>" for name in names
        )

    bench.show(cards("Calendar", "Photos", "Backup"))
    photos = bench.target(".card:nth-of-type(2) button")
    bench.show(cards("Backup", "Photos", "Calendar"))
    found_in(bench, photos, ".card:nth-of-type(2) button")
    bench.show(cards("Calendar", "Poster", "Backup"))
    not_found(bench, photos)


def test_an_attribute_that_all_rows_share_does_not_identify_the_row(bench: Bench) -> None:
    def people(*names: str) -> str:
        rows = [
            f"<div class=card><p>{name}</p><button data-testid=mute aria-label=Mute></button></div>"
            for name in names
        ]
        return "".join(rows)

    bench.show(people("Nora of Bergen", "Otto of Kiel"))
    otto = bench.target(".card:nth-of-type(2) button")
    bench.show(people("Otto of Kiel", "Nora of Bergen"))
    found_in(bench, otto, ".card:nth-of-type(1) button")


# ---------------------------------------------------------------- values of boxes and buttons


def test_boxes_of_one_name_are_distinguished_by_their_value(bench: Bench) -> None:
    rights = ["edit", "move", "delete", "protect", "block", "undelete", "patrol"] * 4
    boxes = "".join(
        f"<label><input type=checkbox name='rights[]' value={right}-{chr(97 + n)}> Right</label> "
        for n, right in enumerate(rights[:26])
    )
    long = "Users in this group may do everything that is ticked below, on every page of this wiki. " * 3
    page = bench.show(f"<form id=rights><p>{long}</p>{boxes}</form>")
    for number in (1, 13, 26):
        found_in(
            bench, bench.target(f"label:nth-of-type({number}) input"), f"label:nth-of-type({number}) input"
        )
    last = bench.target("label:nth-of-type(26) input")
    page.evaluate(
        "document.querySelector('form').prepend(...[...document.querySelectorAll('label')].reverse())"
    )
    found_in(bench, last, "label:nth-of-type(1) input")


def test_a_group_of_another_language_is_known_by_name_and_value(bench: Bench) -> None:
    group = "<fieldset><legend>{}</legend>{}</fieldset>"
    radio = "<label><input type=radio name=visible value={}> {}</label>"
    bench.show(group.format("Who sees me", radio.format("all", "Everybody") + radio.format("none", "Nobody")))
    nobody = bench.target("label:nth-of-type(2) input")
    bench.show(group.format("Wer mich sieht", radio.format("none", "Niemand") + radio.format("all", "Alle")))
    found_in(bench, nobody, "label:nth-of-type(1) input")


# ---------------------------------------------------------------- names that hold a value


SHOWING = (
    "<div role=combobox tabindex=0 aria-label='Font: {0}'>{0}</div>",
    "<b id=font>Font</b> <button id=own aria-haspopup=listbox aria-labelledby='font own'>{0}</button>",
    "<button aria-haspopup=listbox>Font: {0}</button>",
)


def test_a_drop_down_is_found_whatever_it_shows(bench: Bench) -> None:
    size = "<div role=combobox tabindex=0 aria-label='Zoom: 100 %'>100 %</div>"
    form = "<h2>Editor</h2><div>{}</div><div>{}</div>"
    for html in SHOWING:
        bench.show(form.format(html.format("Monospace"), size))
        font = bench.target("[role=combobox], [aria-haspopup]")
        bench.show(form.format(html.format("Serif"), size))
        found_in(bench, font, "[role=combobox], [aria-haspopup]")
        bench.show(form.format("", size))
        not_found(bench, font)


# ---------------------------------------------------------------- headings


def test_a_heading_that_moved_does_not_outweigh_everything_else(bench: Bench) -> None:
    box = "<label><input type=checkbox id=digest name=digest> Weekly digest</label>"
    bench.show(f"<h2>Mail</h2><p>{box}</p><h2>Push</h2><p>None</p>")
    digest = bench.target("input")
    bench.show(f"<h2>Mail</h2><p>None</p><h2>Summaries</h2><p>{box}</p>")
    found_in(bench, digest, "input")


def test_the_heading_of_a_section_that_ended_before_is_not_its_own(bench: Bench) -> None:
    bench.show(
        "<main><section><h2>Mail</h2><input aria-label=From><input aria-label=To></section>"
        "<div><button>Log out everywhere</button></div></main>"
    )
    assert "section" not in bench.target("button")
    bench.show("<div><h3><button>Filters</button></h3></div><div><h3><button>Blocked</button></h3></div>")
    assert "section" not in bench.target("div:nth-of-type(2) button")


def test_the_legend_of_the_previous_field_is_not_a_heading(bench: Bench) -> None:
    def field(name: str) -> str:
        # In the manner of Material UI: the legend only draws the gap of the border for the label.
        legend = f"<fieldset aria-hidden=true><legend><span>{name}</span></legend></fieldset>"
        return f"<div><label for={name}>{name}</label><div><input id={name}>{legend}</div></div>"

    bench.show(field("Website") + field("Motto"))
    assert "section" not in bench.target("#Motto")
    bench.show("<fieldset><legend>Replies</legend><p><input aria-label=Mail></p></fieldset>")
    assert bench.target("input")["section"] == "Replies"


def test_a_heading_without_controls_may_come_between(bench: Bench) -> None:
    phone, save = "<div><h5>Phone</h5>{}</div>", "<div><button>Save</button></div>"
    bench.show("<h1>Contact</h1>" + phone.format("<input aria-label=Code><input aria-label=Number>") + save)
    button = bench.target("button")
    assert button["section"] == "Contact"
    bench.show("<h1>Contact</h1>" + phone.format("") + save)
    found_in(bench, button, "button")
    bench.show("<h1>Contact</h1><p>None</p><h1>Reminders</h1>" + save)
    not_found(bench, button)
    bench.show("<h1>Contact</h1>" + phone.format(save) * 2)
    not_found(bench, button)


def test_the_other_fields_of_a_form_are_not_a_row(bench: Bench) -> None:
    def form(*fields: str) -> str:
        rest = "".join(f"<div><label>{name} <input></label></div>" for name in fields)
        return f"<h1>You</h1><div><h3>Calls</h3>{rest}<div><button>Ring</button></div></div>"

    bench.show(form("Letters", "Sounds", "Themes"))
    ring = bench.target("button")
    for fields in ((), ("Music",), ("Mail", "Music")):
        bench.show(form(*fields))
        found_in(bench, ring, "button")
    # A text beside it that was not there may be the title of a row.
    bench.show(form("Mail", "Music").replace("<div><button>", "<div><a href=/ada>Ada</a> <button>"))
    not_found(bench, ring)


def test_a_hidden_copy_of_a_label_does_not_count_as_text(bench: Bench) -> None:
    bench.show(
        "<p>Colour <span aria-hidden=true><i style='opacity: 0'>Colour</i></span> <button>Choose</button></p>"
    )
    assert bench.target("button")["nearby"] == "Colour"


# ---------------------------------------------------------------- other languages


def test_a_form_in_another_language_is_known_by_its_field_names(bench: Bench) -> None:
    def form(title: str, name: str, about: str, save: str) -> str:
        return (
            f"<h2>{title}</h2><form action=/profile/save><label>{name} <input name=realname id=field-1></label>"
            f"<label>{about} <input name=about id=field-2></label><button type=submit>{save}</button></form>"
        )

    bench.show(form("Profile", "Real name", "About me", "Save"))
    about, save = bench.target("label:nth-of-type(2) input"), bench.target("button")
    bench.show(form("Profil", "Echter Name", "Über mich", "Speichern"))
    found_in(bench, about, "label:nth-of-type(2) input")
    found_in(bench, save, "button")


def test_an_element_known_only_by_its_text_is_lost_in_another_language(bench: Bench) -> None:
    bench.show("<h2>Sessions</h2><p><button>Sign out</button></p>")
    button = bench.target("button")
    bench.show("<h2>Sitzungen</h2><p><button>Löschen</button></p>")
    not_found(bench, button)


def test_a_button_that_would_do_the_opposite_is_not_pressed(bench: Bench) -> None:
    for recorded, now in (
        ("Follow", "Unfollow"),
        ("Enable sign-in codes", "Disable sign-in codes"),
        ("Hide age", "Show age"),
    ):
        bench.show(f"<h2>Ada</h2><button id=do name=do>{recorded}</button>")
        event = bench.event("click", "button")
        page = bench.show(f"<h2>Ada</h2><button id=do name=do onclick='this.remove()'>{now}</button>")
        with pytest.raises(ReplayError):
            bench.play(event, timeout=0.4)
        assert page.locator("button").count() == 1, now


# ---------------------------------------------------------------- menus

MENU = """<style>#menu {{ display: none }} .open, :checked ~ #menu {{ display: block !important }}</style><h1>Site</h1>
<div>{}<div id=menu><a href="#left" onclick="document.title = 'left'">Log out</a></div></div>"""


OPENERS = (
    "<input type=checkbox id=user hidden><label for=user>Ada</label>",
    "<input type=checkbox id=user role=button aria-haspopup=true aria-label=Ada>",
    "<button aria-expanded=false aria-controls=menu onclick=\"menu.className = 'open'\">Ada</button>",
    "<button aria-haspopup=menu onclick=\"menu.className = 'open'\">Ada</button>",
)


def test_a_link_behind_a_closed_user_menu_is_reached(bench: Bench) -> None:
    for opener in OPENERS:
        page = bench.show(MENU.format(opener))
        page.locator("label, button, input").last.click()
        link = bench.event("click", "a")
        page = bench.show(MENU.format(opener))
        bench.play(link)
        assert page.title() == "left", opener


def test_a_setting_is_not_changed_to_reach_what_it_hides(bench: Bench) -> None:
    box = "<input type=checkbox name=ads id=ads> <label for=ads>Ads</label>"
    page = bench.show(MENU.format(box))
    page.check("#ads")
    link = bench.event("click", "a")
    page = bench.show(MENU.format(box))
    bench.play(link)
    assert not page.is_checked("#ads")


def personal(*links: str) -> str:
    """A user menu in a folded drop-down, as in MediaWiki's Vector 2022: a transparent box lies over its label."""
    return (
        "<style>#bar { position: relative; width: 200px } #bar input { position: absolute; inset: 0; opacity: 0;"
        " width: 100%; height: 100%; margin: 0 } #menu { position: absolute; top: 100%; opacity: 0; visibility: hidden }"
        " :checked ~ #menu { opacity: 1; visibility: visible !important }</style>"
        "<h1>Main page</h1><nav id=bar aria-label=Account><input type=checkbox id=box role=button aria-haspopup=true>"
        f"<label for=box>Ada</label><ul id=menu>{''.join(links)}</ul></nav><p>Text</p>"
    )


def own(href: str, name: str = "Preferences") -> str:
    return f"<li><a href='{href}' onclick='document.title = this.textContent'>{name}</a></li>"


def test_a_link_in_a_folded_menu_is_known_by_its_name_and_address(bench: Bench) -> None:
    for heading in ("Account", "Personal tools"):
        bench.show(
            f"<nav aria-label='{heading}'><ul>{own('#preferences')}{own('#watched', 'Watched')}</ul></nav>"
        )
        event = bench.event("click", "li:nth-of-type(1) a")
        folded = personal(own("#ada", "Ada"), own("#preferences"))
        copy = f"<header style='visibility: hidden'><h2>Sticky</h2><ul>{own('#preferences')}</ul></header>"
        for html in (folded, folded + copy, copy + folded):
            page = bench.show(html)
            bench.play(event, timeout=10)
            assert page.title() == "Preferences"
            found = locate(page, Fingerprint.model_validate(event["target"]), hidden=True)
            assert isinstance(found, Found)
            assert not found.doubtful


def test_a_link_in_a_folded_menu_with_another_address_is_not_pressed_and_one_of_a_row_is_doubted(
    bench: Bench,
) -> None:
    bench.show(f"<nav aria-label='Personal tools'><ul>{own('/ada/preferences')}</ul></nav>")
    event = bench.event("click", "a")
    page = bench.show(personal(own("/ben/preferences"), own("/eve/preferences")))
    with pytest.raises(ReplayError):
        bench.play(event, timeout=1.5)
    assert page.title() == ""
    row = "<h2>{}</h2><table><tr><td>Ada<td><a href=/list>Remove this person</a></table>"
    bench.show(row.format("Friends"))
    target = bench.target("a")
    bench.show(row.format("Blocked"))
    assert found_in(bench, target, "a").doubtful


# ---------------------------------------------------------------- rows


def orders(*numbers: int, note: str = "Paid on 4 December") -> str:
    rows = [f"<tr><td>Order {number}<td>{note}<td><button>Cancel</button>" for number in numbers]
    return f"<h2>Orders</h2><table>{''.join(rows)}</table>"


def test_rows_that_differ_only_in_a_number_are_distinguished_by_it(bench: Bench) -> None:
    bench.show(orders(1041, 1042, 1043))
    order = bench.target("tr:nth-child(2) button")
    assert "1042" in order["nearby"]
    bench.show(orders(1044, 1041, 1042, 1043))
    found_in(bench, order, "tr:nth-child(3) button")
    bench.show(orders(1044, 1041, 1043))
    not_found(bench, order)


@pytest.mark.parametrize("boxes", [range(2), range(40)])
def test_names_that_differ_only_in_a_number_are_distinguished_by_it(bench: Bench, boxes: range) -> None:
    def settings(*numbers: int) -> str:
        rows = [
            f"<label><input type=checkbox id=box-{at}> Setting {n}</label>" for at, n in enumerate(numbers)
        ]
        return "".join(rows)

    bench.show(settings(*boxes))
    box = bench.target("label:nth-of-type(2) input")
    bench.show(settings(99, *boxes))
    found_in(bench, box, "label:nth-of-type(3) input")
    bench.show(settings(99, *(n for n in boxes if n != 1)))
    not_found(bench, box)


def test_a_number_of_minutes_does_not_distinguish_rows(bench: Bench) -> None:
    def devices(*minutes: int) -> str:
        rows = [f"<tr><td>Pixel phone<td>{n} minutes ago<td><button>Sign out</button>" for n in minutes]
        return f"<h2>Devices</h2><table>{''.join(rows)}</table>"

    bench.show(devices(5, 9))
    first = bench.target("tr:nth-child(1) button")
    bench.show(devices(1, 5, 15))
    not_found(bench, first)


def test_a_group_is_the_same_when_other_fields_come_and_go(bench: Bench) -> None:
    def group(title: str, *fields: str) -> str:
        boxes = "".join(f"<div><label><input type=checkbox> {field}</label></div>" for field in fields)
        return f"<div><h4>{title}</h4>{boxes}</div>"

    bench.show(group("Before it is due", "Mail", "Push") + group("When it is late", "Mail", "Push"))
    late = bench.target("div:nth-of-type(2) > div:nth-of-type(2) input")
    bench.show(group("Before it is due", "Letter", "Push") + group("When it is late", "Letter", "Push"))
    found_in(bench, late, "div:nth-of-type(2) > div:nth-of-type(2) input")
    bench.show(group("Before it is due", "Letter", "Push") + group("When it is lost", "Letter", "Push"))
    not_found(bench, late)


def test_a_group_that_lost_fields_is_still_closed_before_the_button_below(bench: Bench) -> None:
    def form(*fields: str) -> str:
        inputs = "".join(f"<p><label>{field} <input></label></p>" for field in fields)
        phone = (
            "<div><h4>Phone</h4><p><label>Code <input></label></p><p><label>Number <input></label></p></div>"
        )
        return f"<h2>Contact</h2>{phone}<div><h4>Address</h4>{inputs}</div><p><button>Save</button></p>"

    bench.show(form("Street", "City"))
    save = bench.target("button")
    bench.show(form("Street"))
    found_in(bench, save, "button")


def test_text_for_screen_readers_does_not_count_as_page_text(bench: Bench) -> None:
    html = "<ul>{}</ul>".format(
        "".join(f"<li><button>{name}{{}}</button></li>" for name in ("Mute", "Block"))
    )
    hidden = "<span style='position: absolute; clip: rect(0, 0, 0, 0)'>Is active</span>"
    bench.show(html.format("", ""))
    mute = bench.target("li:nth-child(1) button")
    bench.show(html.format(hidden, hidden))
    found_in(bench, mute, "li:nth-child(1) button")


def test_a_value_that_is_the_label_changes_with_the_language(bench: Bench) -> None:
    html = "<h2>{}</h2><label><input type=checkbox name=online value='{}'> {}</label>"
    bench.show(html.format("Privacy", "Show me", "Show me"))
    online = bench.target("input")
    bench.show(html.format("Privatsphäre", "Zeige mich", "Zeige mich"))
    found_in(bench, online, "input")


# ---------------------------------------------------------------- the pointer


DRAWN = """
    <style>
      #fold {{ overflow: hidden; height: {height}px; margin-top: {top}px }}
      #box {{ position: absolute; opacity: 0; width: 0 }}
      #drawing {{ width: 40px; height: 20px; background: gray; margin: 60px 0 }}
    </style>
    <button aria-expanded=false onclick="ariaExpanded = 'true'; setTimeout(() => fold.style.height = '200px', 300)">More</button>
    <div id=fold><label for=box>Share</label><div id=drawing><input id=box type=checkbox></div></div>
    <script>
      window.told = [];
      drawing.onclick = ({{ target }}) => {{ told.push(target.id); box.checked = !box.checked; }};
    </script>"""
"""A check box whose label turns it alone, as in some libraries, and not what its drawing stands for."""


def test_a_drawing_that_is_out_of_view_is_pressed_before_a_label_that_is_in_view(bench: Bench) -> None:
    height = bench.page.viewport_size["height"] if bench.page.viewport_size else 0
    page = bench.show(DRAWN.format(height=200, top=height - 60))
    box = bench.event("change", "#box", before={"checked": False}, after={"checked": True})
    bench.play(box)
    assert page.evaluate("told") == ["drawing"]


def test_a_control_that_unfolds_after_a_while_is_pressed_where_it_is_drawn(bench: Bench) -> None:
    html = DRAWN.format(height=0, top=0)
    bench.show(html)
    more = bench.event("click", "button", before={"expanded": False}, after={"expanded": True})
    box = bench.event("change", "#box", before={"checked": False}, after={"checked": True})
    page = bench.show(html)
    bench.play(more, box)
    assert page.evaluate("told") == ["drawing"]


# ---------------------------------------------------------------- the button of a form after an upgrade


SIGN_IN = "<h1>Welcome back</h1><p>Backup is easy.</p><form action=/login method=post><p>{}</p><input type=submit value='{}'></form>"
FIELDS = "<input name=user placeholder=Name> <input name=secret type=password placeholder=Password>"
UPGRADED = (
    "<main><img alt=Logo><form action=/login/ method=post><label>Name <input name=user></label>"
    "<label>Password <input name=secret type=password></label><div>Keep me here for 30 days</div>{}</form></main>"
)


def sign_in(bench: Bench, name: str) -> list[Event]:
    """A recorded sign-in; what it sends goes nowhere."""
    bench.show(SIGN_IN.format(FIELDS, name))
    fields = [bench.event("type", f"[name={field}]", value="ada") for field in ("user", "secret")]
    return [*fields, bench.event("click", "[type=submit]")]


def show_guarded(bench: Bench, html: str) -> None:
    """Show a page whose title is the text of the button that was pressed."""
    bench.show(html).evaluate(
        "() => { onclick = ({target}) => { const button = target.closest('button, input[type=submit]');"
        " if (button) document.title = button.id || button.textContent || button.value; };"
        "onsubmit = (event) => event.preventDefault() }"
    )


def test_the_button_that_sends_the_form_just_filled_in_is_known_after_an_upgrade(bench: Bench) -> None:
    """Its tag, the heading over it and all text around it are other ones."""
    for name in ("Sign in", "Login"):
        events = sign_in(bench, name)
        for button in (f"<button type=submit>{name}</button>", f"<button>{name}</button>"):
            show_guarded(bench, UPGRADED.format(button))
            bench.play(*events)
            assert bench.page.title() == name
    events = sign_in(bench, "Sign in")
    show_guarded(
        bench, "<div>Hello <input name=user> <input name=secret type=password> <button>Sign in</button></div>"
    )
    bench.play(*events)
    assert bench.page.title() == "Sign in"


OTHER_SENDERS = {
    "another form": f"<form action=/login/>{FIELDS}</form><form><p>Guests</p><button>Login</button></form>",
    "another name": UPGRADED.format("<button>Register</button>"),
    "not sending": UPGRADED.format("<button type=button>Login</button>"),
    "resets": UPGRADED.format("<input type=reset value=Login>"),
    "one of two": UPGRADED.format("<button>Login</button> <button name=sso>Continue</button>"),
    "the old heading elsewhere": UPGRADED.format("<button>Login</button>") + "<h1>Welcome back</h1>",
    "under another heading": f"<div>{FIELDS}</div><h2>Guests</h2><p>No account</p><div><button>Login</button></div>",
}


def test_a_button_that_may_send_something_else_is_no_sign_in(bench: Bench) -> None:
    events = sign_in(bench, "Login")
    for page in OTHER_SENDERS.values():
        show_guarded(bench, page)
        with pytest.raises(ReplayError, match="event 3"):
            bench.play(*events, timeout=0.6)
        assert bench.page.title() == ""


def test_the_button_of_another_row_is_not_taken_after_a_field_of_the_page(bench: Bench) -> None:
    row = "<input name=q placeholder=Filter> <div class=card><b>{}</b> <form action=/revoke><button>Revoke</button></form></div>"
    bench.show(row.format("Tablet in Porto"))
    events = [bench.event("type", "[name=q]", value="a"), bench.event("click", "button")]
    for form in ("form", "div"):
        show_guarded(bench, row.format("Telephone of Ben").replace("form", form))
        with pytest.raises(ReplayError, match="event 2"):
            bench.play(*events, timeout=0.6)
        assert bench.page.title() == ""
