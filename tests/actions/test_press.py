"""What is pressed is what was seen: an element that stands for something else by now is told, and left alone."""

from __future__ import annotations

import pytest

from tests.actions_support import Hands, hands, sites

__all__ = ["hands", "sites"]

SAY = 'onclick="document.title = `pressed`"'

OTHERS: tuple[tuple[str, str, str, str], ...] = (
    (
        "the heading over it",
        f"<h2 id=h>Token A</h2><button {SAY}>Delete</button>",
        "h.textContent = 'Token B'",
        'is now under the heading "Token B"; in the observation it was under "Token A"',
    ),
    (
        "a heading without a heading's tag",
        f"<div role=heading aria-level=2 id=h>Token A</div><p><button {SAY}>Delete</button></p>",
        "h.outerHTML = '<div role=heading aria-level=2>Token B</div>'",
        "Token B",
    ),
    (
        "the legend of its group",
        f"<fieldset><legend id=h>Ada</legend><button {SAY}>Block</button></fieldset>",
        "h.textContent = 'Bob'",
        'under the heading "Bob"',
    ),
    (
        "its row, the only one",
        f"<ul><li><span id=h>Laptop in Berlin</span> <button {SAY}>Sign out</button></li></ul>",
        "h.textContent = 'Phone in Oslo'",
        'is now in "Phone in Oslo"; in the observation it was in "Laptop in Berlin"',
    ),
    (
        "an id in its row",
        f"<table><tr><td id=h>Key 10.0.0.1<td><button {SAY}>Revoke</button></table>",
        "h.textContent = 'Key 10.0.0.2'",
        "Key 10.0.0.2",
    ),
    (
        "the number of its record",
        f"<h2 id=h>Order 1001</h2><button {SAY}>Cancel</button>",
        "h.textContent = 'Order 1002'",
        "Order 1002",
    ),
    (
        "the page's route",
        f"<button {SAY}>Delete</button>",
        "history.pushState(0, '', '/records/b')",
        "is now on the page",
    ),
    (
        "a route behind the #",
        f"<button {SAY}>Delete</button>",
        "location.hash = '#/records/b'",
        "is now on the page",
    ),
    (
        "where a link leads",
        "<a id=h href='#list-a'>Unsubscribe</a>",
        "h.href = '#list-b'",
        "now leads to",
    ),
    (
        "where the link of an image map leads",
        "<img usemap=#m width=80 height=80 src=\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>\">"
        "<map name=m><area id=h shape=rect coords=0,0,80,80 href='#a' alt=Leave></map>",
        "h.href = '#b'",
        "now leads to",
    ),
    (
        "the state of a check box",
        "<label><input id=h type=checkbox> Private</label>",
        "h.checked = true",
        "is checked now; in the observation it was not checked",
    ),
    (
        "the state of a switch by a script",
        f"<div id=h role=switch tabindex=0 aria-checked=true aria-label=Private {SAY}></div>"
        "<style>div { width: 40px; height: 20px }</style>",
        "h.setAttribute('aria-checked', 'false')",
        "is not checked now; in the observation it was checked",
    ),
    (
        "the state of a pressed button",
        f"<button id=h aria-pressed=false {SAY}>Follow</button>",
        "h.setAttribute('aria-pressed', 'true')",
        "is pressed now; in the observation it was not pressed",
    ),
    (
        "its name",
        f"<button id=h {SAY}>Enable</button>",
        "h.textContent = 'Disable'",
        'now says "Disable"; in the observation it said "Enable"',
    ),
)


def test_an_element_that_stands_for_something_else_is_not_pressed(hands: Hands) -> None:
    for what, html, change, said in OTHERS:
        page = hands.show(html)
        page.evaluate("document.title = ''")
        name = hands.names()[0]
        page.evaluate(change)
        was = page.evaluate("[location.href, document.body.innerHTML]")
        refused = hands.refused("Click", name)
        assert said in refused, (what, refused)
        assert refused.endswith("; nothing was changed"), what
        assert page.title() == "", what
        assert page.evaluate("[location.href, document.body.innerHTML]") == was, what
        hands.look()
        hands.do("Click [0]")  # what is seen now can be pressed


SAME: tuple[tuple[str, str, str, str], ...] = (
    (
        "a text elsewhere",
        f"<h2>Token</h2><button {SAY}>Delete</button><p id=h>Idle</p>",
        "h.textContent = 'Saved'",
        "",
    ),
    (
        "a notice between the heading and it",
        f"<h2>Token</h2><div id=h></div><button {SAY}>Delete</button>",
        "h.innerHTML = '<h3>News</h3>'",
        "",
    ),
    ("a place on the page", f"<button {SAY}>Delete</button>", "location.hash = 'terms'", ""),
    (
        "a heading far above a link",
        f"<h2 id=h>Welcome, Ada</h2><a href=# {SAY}>Home</a><a href='#x' {SAY}>Settings</a>",
        "h.hidden = true",
        "",
    ),
    (
        "a count in its name",
        f"<button id=h {SAY}>Join the stream, 1,203 watching</button>",
        "h.textContent = 'Join the stream, 1,204 watching'",
        'now says "Join the stream, 1,204 watching"; in the observation it said "Join the stream, 1,203 watching"',
    ),
    ("a badge", f"<button id=h {SAY}>Inbox <b>12</b></button>", "h.lastChild.textContent = '13'", "Inbox 13"),
    (
        "a count in its row",
        f"<ul><li><span id=h>Club of Bob: 20 new messages</span> <button {SAY}>Mute</button></li></ul>",
        "h.textContent = 'Club of Bob: 21 new messages'",
        "21 new messages",
    ),
    (
        "a count in the heading",
        f"<h2 id=h>Unread (3)</h2><button {SAY}>Clear</button>",
        "h.textContent = 'Unread (4)'",
        "(4)",
    ),
    (
        "the time in its row",
        f"<ul><li>Phone, <span id=h>1 minute ago</span> <button {SAY}>Sign out</button></li></ul>",
        "h.textContent = '2 minutes ago'",
        "",
    ),
    (
        "the chosen radio button",
        f"<label><input type=radio name=r {SAY}> Friends</label><label><input id=h type=radio name=r>Nobody</label>",
        "document.querySelector('input').checked = true",
        "",
    ),
    (
        "another node",
        f"<h2>Token</h2><p id=h><button {SAY}>Delete</button></p>",
        "h.innerHTML = '<button onclick=\"document.title = `pressed`\">Delete</button>'",
        "",
    ),
)


def test_what_changes_by_itself_on_a_live_page_is_pressed_and_told(hands: Hands) -> None:
    for what, html, change, told in SAME:
        page = hands.show(html)
        page.evaluate("document.title = ''")
        page.evaluate(change)
        name = hands.names()[0]
        hands.click(name)
        assert page.title() == "pressed", what
        assert bool(hands.told) is bool(told), (what, hands.told)
        assert told in "".join(hands.told), (what, hands.told)


def test_an_element_in_a_frame_with_another_document_is_not_pressed(hands: Hands) -> None:
    first = hands.site.put("/pane/a", "<h1>A</h1><button onclick='top.document.title = `a`'>Delete</button>")
    second = hands.site.put("/pane/b", "<h1>B</h1><button onclick='top.document.title = `b`'>Delete</button>")
    page = hands.show(f"<iframe id=f src={first}></iframe>")
    page.evaluate("address => new Promise(done => { f.onload = done; f.src = address })", second)
    page.evaluate("document.title = ''")
    assert "no longer on the page" in hands.refused("Click", "Delete")
    assert page.title() == ""


# ------------------------------------------------------------------------------------- what the pointer does to a page

MOVES: tuple[tuple[str, str, str], ...] = (
    (
        "another button takes its place",
        f"""<style>.x {{ display: none }} .row:hover .x {{ display: inline }} button {{ width: 90px }}</style>
        <div class=row style="width:300px"><button class=x>Delete</button><button {SAY}>Edit</button></div>""",
        "Edit",
    ),
    (
        "a bar pushes it down",
        f"""<div id=d><button {SAY}>Edit</button></div>
        <script>d.onmouseenter = () => d.insertAdjacentHTML('afterbegin', '<p style="height:60px">Bar</p>')</script>""",
        "Edit",
    ),
    (
        "it grows a part that is in the way",
        f"""<style>.c {{ position: relative; width: 300px }} .t {{ position: absolute; inset: 0 50% 0 0; display: none; background: #fff }}
        .c:hover .t {{ display: block }}</style><div class=c><button style="width:300px" {SAY}>Edit</button><div class=t>Tip</div></div>""",
        "Edit",
    ),
)


def test_an_element_that_moves_when_the_pointer_comes_is_followed(hands: Hands) -> None:
    for what, html, name in MOVES:
        page = hands.show(html)
        page.mouse.move(1, 700)
        page.evaluate("document.title = ''")
        hands.click(name)
        assert page.title() == "pressed", what


ESCAPES: tuple[tuple[str, str, str], ...] = (
    (
        "a bar covers it",
        """<style>.c { position: relative; width: 300px } .t { position: absolute; inset: 0; display: none }
        .c:hover .t { display: block }</style><div class=c><a href=#read style="display:block">Read</a>
        <div class=t><button style="width:100%;height:100%" onclick="document.title = `reported`">Report</button></div></div>""",
        'is covered by <button> "Report"',
    ),
    (
        "it flees",
        f"""<button id=b style="position:absolute;left:10px" {SAY}>Read</button>
        <script>let n = 0; b.onmousemove = () => {{ b.style.left = `${{100 + 90 * (n++ % 5)}}px` }}</script>""",
        "moves away from the pointer",
    ),
    (
        "it becomes another one",
        """<button id=b onclick="document.title = this.textContent">Read</button>
        <script>b.onmouseenter = () => { b.textContent = 'Delete' }</script>""",
        'now says "Delete"',
    ),
    (
        "it goes",
        "<button id=b>Read</button><script>b.onmouseenter = () => b.remove()</script>",
        "is no longer on the page",
    ),
)


def test_what_appears_under_the_pointer_is_not_pressed(hands: Hands) -> None:
    for what, html, said in ESCAPES:
        page = hands.show(html)
        page.mouse.move(1, 700)
        page.evaluate("document.title = ''")
        assert said in hands.refused("Click", "Read"), what
        assert page.title() == "", what


DRAWN = (
    ("transform: perspective(400px) rotateY(35deg)", "", False),
    ("perspective: 400px", "transform: rotateX(30deg)", False),
    ("offset-path: path('M 300 200 L 700 500'); offset-distance: 50%", "", False),
    ("transform: rotate(15deg)", "zoom: 1.3", True),
    ("transform: scale(0.8) translateX(40px)", "", True),
)


@pytest.mark.parametrize(("outer", "own", "hits"), DRAWN)
def test_a_press_into_a_frame_that_is_drawn_otherwise_hits_or_is_told(
    hands: Hands, outer: str, own: str, hits: bool
) -> None:
    inner = hands.site.put(
        "/turned",
        "<body style='margin:0'><div style='height:120px'></div>"
        "<button style='margin-left:260px;width:60px;height:30px' onclick='top.document.title = `in`'>Inner</button>",
    )
    page = hands.show(
        f'<div style="{outer};margin:120px"><iframe src={inner} width=400 height=300 style="{own}"></iframe></div>'
    )
    page.evaluate("document.title = ''")
    if hits:
        hands.click("Inner")
        assert page.title() == "in"
    else:
        assert "the pointer does not reach it" in hands.refused("Click", "Inner")
        assert page.title() == ""


# ------------------------------------------------------------------------------------- told apart in the text view

ALIKE: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "rows of a list",
        "<ul><li>Laptop, Berlin <button>Sign out</button></li><li>Phone, Oslo <button>Sign out</button></li></ul>",
        ("Laptop, Berlin", "Phone, Oslo"),
    ),
    (
        "answers to questions",
        "<fieldset><legend>Share my data?</legend><label><input type=radio name=a>Yes</label></fieldset>"
        "<fieldset><legend>Show my profile?</legend><label><input type=radio name=b>Yes</label></fieldset>",
        ("Share my data?", "Show my profile?"),
    ),
    (
        "sections",
        "<section><h3>Analytics</h3><button>Manage</button></section><section><h3>Ads</h3><button>Manage</button></section>",
        ("Analytics", "Ads"),
    ),
    (
        "under headings, in no box of their own",
        "<h3>Analytics</h3><button>Manage</button><h3>Ads</h3><button>Manage</button>",
        ("Analytics", "Ads"),
    ),
    (
        "two switches for each purpose",
        "".join(
            f"<div><b>{purpose}</b><label><input type=checkbox>Consent</label><label><input type=checkbox>Legitimate"
            " interest</label></div>"
            for purpose in ("Store cookies", "Measure ads")
        ),
        ("Store cookies", "Store cookies", "Measure ads", "Measure ads"),
    ),
    ("one of a kind", "<ul><li>Laptop, Berlin <button>Sign out</button></li></ul>", ("",)),
)


def test_lines_of_one_name_say_which_row_they_are_in(hands: Hands) -> None:
    for what, html, rows in ALIKE:
        hands.show(html)
        assert tuple(mark.row for mark in hands.marks) == rows, what
        for mark, row in zip(hands.marks, rows, strict=True):
            assert mark.line().endswith(f'in the row "{row}"' if row else f'"{mark.name}"'), what
