"""An action operates the element that was observed: not what its node has become, and also what replaced it."""

from __future__ import annotations

import pytest

from tests.actions_support import Hands, hands, sites

__all__ = ["hands", "sites"]

TOLD = "onclick='document.title = this.textContent + this.value'"


BECAME_ANOTHER = (
    (
        f"<button id=k {TOLD}>Remove phone</button>",
        "k.textContent = 'Remove laptop'",
        "Click",
        "Remove phone",
        'now says "Remove laptop"; in the observation it said "Remove phone"',
    ),
    (
        "<label for=f id=l>City</label><input id=f>",
        "l.textContent = 'Card number'",
        "Type",
        "City",
        'now says "Card number"; in the observation it said "City"',
    ),
    (
        f"<button id=k {TOLD}>Ads</button>",
        "k.setAttribute('role', 'switch')",
        "Click",
        "Ads",
        'is now a <switch> "Ads", and was a <button> "Ads"',
    ),
    (
        f"<ul><li><b id=a>Invoices</b> <button {TOLD}>Delete</button></li><li><b>Photos</b> <button>Delete</button></li></ul>",
        "a.textContent = 'Contracts'",
        "Click",
        "Delete",
        'is now in "Contracts"; in the observation it was in "Invoices"',
    ),
    (
        "<div id=d style='height:50px;overflow:auto' tabindex=0 aria-label=Notes><p style='height:900px'>x</div>",
        "d.setAttribute('aria-label', 'Terms')",
        "Scroll",
        "Notes",
        'now says "Terms"',
    ),
    (
        f"<a id=k href=/x {TOLD}>Reply to Ann</a>",
        "k.textContent = 'Reply to Bob'",
        "Hover",
        "Reply to Ann",
        'now says "Reply to Bob"',
    ),
)


def test_an_element_that_has_become_another_is_refused_and_described(hands: Hands) -> None:
    for html, change, action, name, said in BECAME_ANOTHER:
        page = hands.show(html)
        before = page.content()
        mark = next(mark for mark in hands.marks if mark.name == name)
        page.evaluate(change)
        changed = page.content()
        rest = {"Type": "; 4242", "Scroll": "; down"}.get(action, "")
        assert said in hands.refused(f"{action} [{mark.number}]{rest}")
        assert page.content() == changed != before, change


RERENDERED = (
    "l.innerHTML = l.innerHTML",
    "l.outerHTML = l.outerHTML",
    "document.body.innerHTML = document.body.innerHTML",
    "l.prepend(l.lastElementChild)",
    "l.lastElementChild.querySelector('small').textContent = 'last used 2 minutes ago'; l.innerHTML = l.innerHTML",
)


def test_a_rerendered_or_moved_element_is_operated(hands: Hands) -> None:
    row = "<li>{0} <small>last used 1 minute ago</small> <button onclick='document.title = \"{0}\"'>Delete</button></li>"
    for change in RERENDERED:
        page = hands.show(f"<ul id=l>{row.format('Invoices')}{row.format('Photos')}</ul>")
        mark = [mark for mark in hands.marks if mark.name == "Delete"][1]
        page.evaluate(change)
        hands.do(f"Click [{mark.number}]")
        assert page.title() == "Photos", change


def test_an_element_in_a_rerendered_frame_and_shadow_root_is_operated(hands: Hands) -> None:
    button = "<button onclick='parent.document.title = `in`'>In</button>"
    page = hands.show(f'<div id=f><iframe srcdoc="{button}"></iframe></div>')
    page.evaluate("f.innerHTML = f.innerHTML")
    page.wait_for_function("document.querySelector('iframe').contentDocument?.querySelector('button')")
    hands.click("In")
    assert page.title() == "in"
    fill = (
        "host.attachShadow({mode: 'open'}).innerHTML = `<button onclick='document.title = 1'>Deep</button>`"
    )
    page = hands.show(f"<div id=b><div id=host></div></div><script>{fill}</script>")
    page.evaluate(f"b.innerHTML = '<div id=host></div>'; {fill}")
    hands.click("Deep")
    assert page.title() == "1"


def test_an_element_is_operated_after_its_page_was_loaded_again(hands: Hands) -> None:
    page = hands.open(hands.site.put("/again", f"<button {TOLD}>Save</button>"))
    page.reload()
    hands.click("Save")
    assert page.title() == "Save"


@pytest.mark.parametrize(
    ("buttons", "change"),
    [
        pytest.param(1, "l.innerHTML = l.innerHTML + l.innerHTML", id="one has become two"),
        pytest.param(2, "l.innerHTML = l.innerHTML", id="nothing tells two apart"),
    ],
)
def test_of_two_that_could_be_meant_none_is_operated(hands: Hands, buttons: int, change: str) -> None:
    page = hands.show(f"<div id=l>{'<button onclick=document.title=1>Save</button>' * buttons}</div>")
    number = next(mark.number for mark in hands.marks if mark.name == "Save")
    page.evaluate(change)
    assert "no longer on the page" in hands.refused(f"Click [{number}]")
    assert page.title() == ""


PASSING: tuple[tuple[str, str, bool | str], ...] = (
    ("Resend code (29 s)", "Resend code (28 s)", True),
    ("Seen 3 minutes ago", "Seen 4 minutes ago", True),
    ("Seen an hour ago", "Seen 2 hours ago", True),
    ("Offer ends in 12:05:07", "Offer ends in 12:05:06", True),
    ("Seen just now", "Seen 4s ago", True),
    ("Delete after 30 days", "Delete after 90 days", False),
    ("Mute for 1 hour", "Mute for 8 hours", False),
    ("Remind me in 5 minutes", "Remind me in 10 minutes", False),
    ("Book 10:00", "Book 14:00", False),
    ("Seen 3 minutes ago", "Seen 3 hours ago", False),
    ("5M followers", "6M subscribers", False),
    ("3 new messages", "4 messages", False),
    ("12", "13", False),
    ("5M followers", "6M followers", "told"),
    ("Token 1", "Token 2", "told"),
    ("3 new messages", "4 new messages", "told"),
    ("1,203 watching", "1,210 watching", "told"),
)


def test_times_in_a_name_may_pass_and_numbers_change_and_are_told(hands: Hands) -> None:
    page = hands.show("<button id=k onclick='document.title = 1'></button>")
    for old, new, same in PASSING:
        page.evaluate("text => { k.textContent = text; document.title = '' }", old)
        hands.look()
        page.evaluate("text => { k.textContent = text }", new)
        if same:
            hands.click(old)
            told = [f'[0] now says "{new}"; in the observation it said "{old}"'] if same == "told" else []
            assert hands.told == told
        else:
            assert new in hands.refused("Click", old)
        assert page.title() == ("1" if same else ""), (old, new)


DESCRIBED = (
    (
        "<div><span>Marketing mail</span> <button role=switch aria-checked=true style='width:40px;height:20px'></button></div>"
        "<div><span>Analytics</span> <button role=switch aria-checked=false style='width:40px;height:20px'></button></div>",
        [
            '[0] <switch> (checked) in the row "Marketing mail"',
            '[1] <switch> (not checked) in the row "Analytics"',
        ],
    ),
    (
        "<p>Friends <input type=radio name=r> Nobody <input type=radio name=r checked></p>",
        [
            '[0] <radio> (not checked) in the row "Friends"',
            '[1] <radio> (checked) in the row "Nobody"',
        ],
    ),
    (
        "<p><input type=radio name=r> Friends <i>only</i> <input type=radio name=r> Nobody</p>",
        [
            '[0] <radio> (not checked) in the row "Friends only"',
            '[1] <radio> (not checked) in the row "Nobody"',
        ],
    ),
    (
        "<p><input type=checkbox> Share with partners</p><p><input type=checkbox checked> Share with researchers</p>",
        [
            '[0] <checkbox> (not checked) in the row "Share with partners"',
            '[1] <checkbox> (checked) in the row "Share with researchers"',
        ],
    ),
    (
        "<table><tr><td>Mail</td><td><input type=checkbox></td></tr><tr><td>Push</td><td><input type=checkbox></td></tr></table>",
        [
            '[0] <checkbox> (not checked) in the row "Mail"',
            '[1] <checkbox> (not checked) in the row "Push"',
        ],
    ),
    (
        "<p>Seen by: <input type=radio name=r> Friends <input type=radio name=r> Only me</p>",
        [
            '[0] <radio> (not checked) in the row "Friends"',
            '[1] <radio> (not checked) in the row "Only me"',
        ],
    ),
    (
        "<table><tr><th></th><th>E-mail</th><th>Push</th></tr><tr><td>News</td><td><input type=checkbox></td><td><input type=checkbox></td></tr></table>",
        [
            '[0] <checkbox> (not checked) in the row "News, E-mail"',
            '[1] <checkbox> (not checked) in the row "News, Push"',
        ],
    ),
    ("<label>Ads <input type=checkbox></label>", ['[0] <checkbox> "Ads" (not checked)']),
)


def test_a_control_without_a_name_is_described_by_the_adjacent_text(hands: Hands) -> None:
    for html, lines in DESCRIBED:
        hands.show(html)
        assert hands.marks.text().splitlines() == lines
