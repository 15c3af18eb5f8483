"""Facts that the shared page script reads from an element: role, name, text, state, place and path."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pytest

from tests.pages_support import ShowHtml, blank_page, origins
from websp_gym.browser.scripts import page_scripts

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["blank_page", "origins"]


@pytest.fixture
def show(blank_page: Page) -> ShowHtml:
    """Shows a piece of HTML to scripts that run in the page's own world, as a replay's do."""

    def show_(html: str) -> Page:
        blank_page.set_content(f"<!doctype html><html><body>{html}</body></html>")
        blank_page.evaluate(page_scripts())
        return blank_page

    return show_


def ask(page: Page, htmls: Iterable[str], what: str) -> dict[str, Any]:
    """The value of ``what``, JavaScript in which ``$`` is the element with the id t, for each piece of HTML."""
    script = """htmls => htmls.map(html => {
        document.body.setHTMLUnsafe(html);
        const $ = document.querySelector('#t');
        return [html, WHAT];
    })"""
    return dict(page.evaluate(script.replace("WHAT", what), list(htmls)))


ROLES = {
    "<a id=t>": "generic", "<a id=t href=#>": "link", "<button id=t>": "button", "<h3 id=t>": "heading",
    "<input id=t>": "textbox", "<input id=t type=range>": "slider", "<input id=t type=nonsense>": "textbox",
    "<input id=t type=email list=x>": "combobox", "<input id=t type=checkbox switch>": "switch",
    "<select id=t></select>": "combobox", "<select id=t multiple></select>": "listbox",
    "<select id=t size=3></select>": "listbox", "<img id=t alt=''>": "presentation", "<img id=t>": "img",
    "<section id=t>": "generic", "<section id=t aria-label=x>": "region", "<div id=t contenteditable>": "textbox",
    "<div id=t role='  SWITCH  checkbox'>": "switch", "<div id=t role='doc-tip tab'>": "tab",
    "<div id=t role=toString>": "generic", "<nav id=t role=''>": "navigation",
    "<p id=t role=none>": "presentation", "<p id=t role=none tabindex=0>": "paragraph",
    "<button id=t role=presentation>": "button", "<a id=t href=# role='none menuitem'>": "link",
    "<a id=t role=presentation>": "presentation",
}  # fmt: skip

NAMES = {
    "<input id=t aria-labelledby='a b no'><i id=a>One</i><b id=b hidden>Two <i style='display:none'>three</i></b>": "One Two three",
    "<input id=t aria-labelledby=a aria-label=no><select id=a><option>A<option selected>B</select>": "B",
    "<input id=t aria-labelledby=a aria-label=yes>": "yes",
    "<button id=t aria-label=' La  bel '>no</button>": "La bel",
    "<button id=t aria-label=' '>Text</button>": "Text",
    "<label for=t>For <b>it</b></label><input id=t title=no>": "For it",
    "<label for=t hidden>Hidden</label><input id=t>": "Hidden",
    "<label>Wrap <input id=t value=no> after</label>": "Wrap after",
    "<label>In <input id=t type=checkbox> <input value=5> days</label>": "In 5 days",
    "<label>A<input></label><label for=t>B</label><label for=t>C</label><input id=t>": "B C",
    "<img id=t alt=Picture title=no>": "Picture", "<input id=t type=image alt=Find>": "Find",
    "<a id=t href=#><img alt=Home> page</a>": "Home page", "<button id=t title=Tip></button>": "Tip",
    "<input id=t title=Tip placeholder=no>": "Tip", "<input id=t placeholder=Hint>": "Hint",
    "<div id=t placeholder=Hint>no content, a div has none</div>": "Hint",
    "<button id=t><svg><title>Close</title><text>no</text></svg></button>": "Close",
    "<svg id=t><title>Logo</title></svg>": "Logo",
    "<fieldset id=t><legend>Who <b>are</b></legend>no</fieldset>": "Who are",
    "<table id=t><caption>Prices</caption><tr><td>no</table>": "Prices", "<input id=t type=submit>": "Submit",
    "<input id=t type=button value=Go>": "Go", "<button id=t value=no>Go</button>": "Go",
    "<button id=t>A<i aria-hidden=true>B</i><i style='display:none'>C</i><i style='visibility:hidden'>D</i>E</button>": "AE",
    "<div id=t role=button><p>one</p><p>two<br>three</p></div>": "one two three",
    "<div id=t role=checkbox><i aria-label=Inner>no</i> box</div>": "Inner box",
}  # fmt: skip

TEXTS = {
    "<div id=t>a<p>b</p>c<span>d</span>e</div>": "a b cde",
    "<div id=t>a<i style='display:none'>no</i><i hidden>no</i><script>no</script>b</div>": "ab",
    "<div id=t>a<i style='visibility:hidden'>no<b style='visibility:visible'>b</b></i></div>": "ab",
    "<div id=t>a<textarea>no</textarea><select><option>no</select><input value=no>b</div>": "a b",
    "<table id=t><tr><td>a<td>b<tr><td>c</table>": "a b c", "<ul id=t><li>a<li>b</ul>": "a b",
    "<div id=t>a<b style='display:inline-block'>b</b> \n &nbsp; c<br>d</div>": "a b c d",
    "<div id=t><template shadowrootmode=open>a<slot name=s>no</slot><slot name=u>d</slot></template>no<i slot=s>b</i></div>": "abd",
}  # fmt: skip

NO_STATE = {
    "checked": None, "mixed": False, "expanded": None, "disabled": False, "selected": None, "pressed": None, "value": None,
}  # fmt: skip

STATES: dict[str, dict[str, Any]] = {
    "<input id=t type=checkbox checked>": {"checked": True}, "<input id=t type=radio>": {"checked": False},
    "<div id=t role=checkbox aria-checked=mixed>": {"checked": False, "mixed": True},
    "<div id=t role=menuitemcheckbox aria-checked=TRUE>": {"checked": True},
    "<div id=t role=switch>": {"checked": False}, "<button id=t role=switch aria-pressed=true>": {"checked": True},
    "<div id=t aria-checked=true>": {}, "<button id=t aria-pressed=false>": {"pressed": False},
    "<button id=t aria-pressed=true>": {"pressed": True}, "<details id=t open><summary>": {"expanded": True},
    "<details><summary id=t></summary></details>": {"expanded": False},
    "<button id=t aria-expanded=false>": {"expanded": False},
    "<button id=t popovertarget=p></button><p popover id=p>": {"expanded": False},
    "<select id=t><option value=1>A<option value=2 selected>B</select>": {"value": "2"},
    "<select><option id=t value=1>A</select>": {"selected": True}, "<div id=t role=tab>": {"selected": False},
    "<div id=t role=tab aria-selected=true>": {"selected": True},
    "<a id=t href=# aria-current=page>": {"selected": True}, "<button id=t disabled>": {"disabled": True},
    "<fieldset disabled><button id=t>": {"disabled": True}, "<fieldset disabled><legend><button id=t>": {},
    "<div inert><p><button id=t>": {"disabled": True},
    "<div aria-disabled=true><template shadowrootmode=open><slot></slot></template><button id=t></div>": {"disabled": True},
    "<textarea id=t>q</textarea>": {"value": "q"},
    "<div id=t contenteditable>rich <b>t</b></div>": {"value": "rich t"},
    "<div id=t role=slider aria-valuenow=3>": {"value": "3"}, "<input id=t type=hidden value=s>": {},
    "<svg><input id=t type=checkbox></input></svg>": {},
}  # fmt: skip

RULED = {
    "<div id=t>": None, "<div id=t class=is-on>": True, "<div id=t class=is-off>": False,
    "<div id=t><p><i class=is-on></i></p></div>": True, "<div id=t class=is-off><i class=is-on></i></div>": False,
    "<input id=t type=checkbox class=is-off checked>": False, "<input id=t type=checkbox checked>": True,
}  # fmt: skip

SLOTTED = {
    "<x-b id=t><template shadowrootmode=open><button><slot></slot>!</button></template>Save <b>it</b></x-b>": "Save it!",
    "<x-b id=t><template shadowrootmode=open><button><slot>Fallback</slot></button></template></x-b>": "Fallback",
}

INTERACTIVE = {
    "<a id=t>": False, "<a id=t href=#>": True, "<input id=t type=hidden>": False, "<div id=t role=menuitem>": True,
    "<div id=t role=heading>": False, "<summary id=t>": False, "<details><summary id=t></summary></details>": True,
    "<div id=t contenteditable>": True, "<div id=t contenteditable=false>": False, "<div id=t onclick=1>": True,
    "<div id=t tabindex=0>": True, "<div id=t tabindex=' 3px'>": True, "<div id=t tabindex=-1>": False,
    "<div id=t tabindex=''>": False, "<div id=t style='cursor:pointer'>": True,
    "<div style='cursor:pointer'><p id=t>": False, "<label id=t style='cursor:pointer'>": False,
    "<button style='cursor:auto'><i id=t style='cursor:pointer'>": False, "<svg><input id=t></input></svg>": False,
}  # fmt: skip

OPERABLE = {
    "<label id=t for=to>x</label><input id=to>": "to", "<label><b id=t>x</b><input id=to></label>": "to",
    "<label><a href=# id=to><b id=t>x</b></a><input></label>": "to",
    "<button id=to><i id=t style='cursor:pointer'>x</i></button>": "to",
    "<div id=to style='cursor:pointer'><p id=t>x</p></div>": "to",
    "<div id=to tabindex=0><p id=t>x</p></div>": "to",
    "<div id=to onclick=1><template shadowrootmode=open><slot></slot></template><p id=t>x</p></div>": "to",
    "<div><p id=t>x</p></div>": "t",
}  # fmt: skip

MAZE = """
  <h2>Rooms</h2><ul><li><a href=#>One</a><li><a href=#>Two</a></ul>
  <div id=:r1:><button id=radix-12>Unstable</button><button id=mui-4>Other</button></div><p id=twice></p><p id=twice></p>
  <o:p><button id="ä b">Word</button></o:p>
  <svg><defs><linearGradient></linearGradient></defs><g><a href=#><path/></a></g><g></g></svg>
  <img name=evaluate><img name=querySelectorAll>
  <x-outer><template shadowrootmode=open>
    <section><div><button>First</button></div></section>
    <div><button>Second</button><slot name=in></slot></div>
    <x-inner><template shadowrootmode=open>
      <svg><a></a></svg><p><b><button>Third</button></b></p><b><button>Fourth</button></b><o:p></o:p><slot>Fallback <i></i></slot>
    </template></x-inner></template>
    <b><button>No slot</button></b><button slot=in>Slotted</button></x-outer>
  <x-outer><template shadowrootmode=open><div id=app-8f3c2b1a9><button>Fifth</button></div></template></x-outer>
  <select><option>A</select><datalist id=d><option>B</datalist><div role=option>C</div>"""

NAMED = "__websp.{}.map(el => __websp.nameOf(el) || el.localName)"


@pytest.mark.parametrize(
    ("cases", "what"),
    [
        pytest.param(ROLES, "__websp.roleOf($)", id="role"),
        pytest.param(NAMES, "__websp.nameOf($)", id="name"),
        pytest.param(SLOTTED, "__websp.nameOf($.shadowRoot.firstElementChild)", id="name-from-slot"),
        pytest.param(RULED, "__websp.stateOf($, [{on: '.is-on', off: '.is-off'}]).checked", id="class-rule"),
        pytest.param(TEXTS, "__websp.textOf($)", id="text"),
        pytest.param(INTERACTIVE, "__websp.interactive($)", id="interactive"),
        pytest.param(OPERABLE, "__websp.operable($).id", id="operable"),
    ],
)
def test_elements_are_read_as_a_person_meets_them(show: ShowHtml, cases: dict[str, Any], what: str) -> None:
    assert ask(show(""), cases, what) == cases


def test_only_states_the_element_supports_are_listed(show: ShowHtml) -> None:
    whole = {html: NO_STATE | state for html, state in STATES.items()}
    assert ask(show(""), STATES, "__websp.stateOf($)") == whole
    box = "<input id=t type=checkbox checked>"
    mixed = {"checked": False, "mixed": True}
    assert ask(show(""), [box], "($.indeterminate = true, __websp.stateOf($))") == {box: NO_STATE | mixed}


def test_a_walk_goes_through_shadow_roots_and_slots_in_reading_order(show: ShowHtml) -> None:
    page = show(MAZE)
    names = page.evaluate(NAMED.format("elements(document.querySelector('x-outer'))"))
    assert [name for name in names if name[0].isupper()] == ["First", "Second", "Slotted", "Third", "Fourth"]
    upwards = """['Slotted', 'Third'].map(name => {
        const path = [];
        let up = __websp.indexed().find(el => __websp.nameOf(el) === name);
        while ((up = __websp.parentOf(up))) path.push(up.localName);
        return path.join(" ");
    })"""
    assert page.evaluate(upwards) == ["slot div x-outer body html", "b p x-inner x-outer body html"]


def test_a_walk_leaves_out_what_its_visitor_refuses(show: ShowHtml) -> None:
    html = "<p id=t><b><i></i></b><u><i></i></u></p>"
    walked = "(list => (__websp.walk($, el => (list.push(el.localName), el.localName !== 'b')), list))([])"
    assert ask(show(""), [html], walked)[html] == ["p", "b", "u", "i"]


def test_the_index_is_the_same_every_time_and_has_no_options(show: ShowHtml) -> None:
    page = show(MAZE)
    names = page.evaluate(NAMED.format("indexed()"))
    assert names == [
        "One", "Two", "Unstable", "Other", "Word", "First", "Second", "Slotted", "Third", "Fourth", "Fifth", "select", "C",
    ]  # fmt: skip
    assert page.evaluate(NAMED.format("indexed()")) == names
    places = "() => __websp.indexed().map(el => __websp.fingerprint(el).webspIndex)"
    assert page.evaluate(places) == list(range(len(names)))


@pytest.mark.parametrize(("path", "back"), [("css", "allByCss"), ("xpath", "allByXPath")])
def test_every_path_leads_back_to_exactly_its_element(show: ShowHtml, path: str, back: str) -> None:
    astray = show(MAZE).evaluate(
        """([path, back]) => __websp.elements(document).filter(el => {
            const found = __websp[back](__websp[path](el));
            return found.length !== 1 || found[0] !== el;
        }).map(__websp[path])""",
        [path, back],
    )
    assert astray == []


def test_a_path_names_no_id_that_will_differ_at_the_next_load(show: ShowHtml) -> None:
    page = show(MAZE)
    paths = page.evaluate("() => __websp.elements(document).map(__websp.css)")
    for unstable in ("r1", "radix", "mui", "8f3c2b1a9", "twice"):
        assert not [path for path in paths if unstable in path]
    assert page.evaluate("__websp.css(document.querySelector('#d'))") == "#d"
    assert page.evaluate("__websp.css(document.getElementById('ä b'))") == r"#ä\ b"


def test_a_fingerprint_includes_the_surroundings_of_an_element(show: ShowHtml) -> None:
    html = """<section aria-label=no><h2>Privacy</h2><div><p>Share my data</p>
        <button id=t data-cy=share class=' a  b ' name=n>On</button></div></section>"""
    assert ask(show(""), [html], "__websp.fingerprint($)")[html] == {
        "tag": "button", "testId": "share", "id": "t", "nameAttr": "n", "role": "button", "name": "On", "text": "On",
        "nearby": "Share my data", "sibling": "Share my data", "parent": "Share my data On", "section": "Privacy",
        "css": "#t", "xpath": "/html[1]/body[1]/section[1]/div[1]/button[1]", "webspIndex": 0, "classes": ["a", "b"],
    }  # fmt: skip


def test_a_text_is_read_alike_however_far_its_page_is_indented(show: ShowHtml) -> None:
    html = """<main><p>Search</p><form><p>Rights of the group</p><div><button id=t>Save</button></div></form></main>"""
    read = "[__websp.textOf(document.body, [], 30), __websp.aroundOf($)]"
    tight = ask(show(""), [html], read)[html]
    wide = html.replace("><", ">" + "\n" * 300 + "<")
    assert (
        ask(show(""), [wide], read)[wide]
        == tight
        == ["Search Rights of the group Save", "Rights of the group"]
    )


def test_a_password_is_read_as_bullets_wherever_it_is_looked_for(show: ShowHtml) -> None:
    html = """<label id=t>Password <input type=password value=hunter2 aria-labelledby=p id=p></label>
        <button aria-labelledby=p>Show</button><input type=hidden name=token value=hunter2>"""
    page = show(html)
    read = """() => __websp.raw.stringify(__websp.elements(document).map(el => [
        __websp.fingerprint(el), __websp.stateOf(el), __websp.nameOf(el), __websp.textOf(el), __websp.labelOf(el),
        __websp.shownValue(el), __websp.describe(el)]))"""
    assert "hunter2" not in page.evaluate(read)
    assert page.evaluate("__websp.stateOf(document.querySelector('#p')).value") == "•" * 7
    assert page.evaluate("__websp.shownValue(document.querySelector('#p'))") == "•" * 7
    # Nor when the page says that a password is something else.
    page.evaluate("Object.defineProperty(document.querySelector('#p'), 'type', {value: 'text'})")
    page.evaluate("Object.defineProperty(HTMLInputElement.prototype, 'type', {get: () => 'text'})")
    assert "hunter2" not in page.evaluate(read)


READ = """() => __websp.raw.stringify(__websp.elements(document.documentElement).map(el => [
    __websp.fingerprint(el), __websp.stateOf(el), __websp.interactive(el), __websp.describe(__websp.operable(el)),
    __websp.allByCss(__websp.css(el)).length, __websp.allByXPath(__websp.xpath(el)).length]))"""


def test_the_names_of_a_forms_fields_do_not_change_what_is_read(show: ShowHtml) -> None:
    clobbers = (
        "id", "parentNode", "attributes", "nodeType", "localName", "firstChild", "nextSibling", "children", "matches",
        "getAttribute", "hasAttribute", "querySelectorAll", "getRootNode", "shadowRoot", "assignedSlot", "textContent",
        "previousElementSibling", "nextElementSibling", "checkVisibility", "labels", "type", "value", "ownerDocument",
    )  # fmt: skip

    def read(names: tuple[str, ...]) -> Any:
        fields = "".join(f"<input name={name}><img name={name}>" for name in names)
        page = show(f"<h1>Title</h1><form role=search aria-label=Find class=c><b>Text</b>{fields}</form>")
        return json.loads(page.evaluate(READ))

    plain, clobbered = read(tuple(f"harmless{at}" for at in range(len(clobbers)))), read(clobbers)
    (form,) = [facts for facts, *_ in clobbered if facts["tag"] == "form"]
    known = {"role": "search", "name": "Find", "section": "Title", "classes": ["c"]}
    assert form | known == form
    for facts in (*plain, *clobbered):
        facts[0].pop("nameAttr", None)
    assert clobbered == plain


PATCHES = (
    "Array.prototype.push = () => 0",
    "Array.prototype[Symbol.iterator] = null",
    "Object.prototype.junk = 'junk'",
    "Set.prototype.has = () => false",
    "String.prototype.trim = String.prototype.toLowerCase = () => 'x'",
    "RegExp.prototype.test = () => true",
    "Element.prototype.getAttribute = Element.prototype.matches = () => null",
    "Document.prototype.evaluate = document.querySelectorAll = CSS.escape = null",
    "window.getComputedStyle = Object.hasOwn = Object.assign = null",
    "for (const name of ['parentNode', 'nodeType']) Object.defineProperty(Node.prototype, name, {value: null})",
    "for (const name of ['type', 'value', 'checked']) Object.defineProperty(HTMLInputElement.prototype, name, {value: 'x'})",
    "for (const name of ['__websp', 'Node', 'Reflect']) globalThis[name] = {}",
)  # fmt: skip


@pytest.mark.parametrize("patch", PATCHES)
def test_a_page_that_patches_built_ins_does_not_change_what_is_read(show: ShowHtml, patch: str) -> None:
    page = show(f"<fieldset><legend>All</legend>{'<br>'.join([*STATES, *ROLES][::4])}</fieldset>")
    # Read twice in one call: the patch may break Playwright's own way of calling as well.
    script = (
        "patch => { const read = READ, before = read(); (0, eval)(patch); return before + '\\n' + read(); }"
    )
    before, after = page.evaluate(script.replace("READ", READ), patch).split("\n")
    assert after == before
