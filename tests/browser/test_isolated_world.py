"""A page that tampers with its JavaScript is observed and operated like any other page."""

from __future__ import annotations

import contextlib

import pytest
from playwright.sync_api import Error as PlaywrightError

from tests.actions_support import Hands, hands, sites
from tests.sample import long_proof, long_table
from websp_gym.browser.isolated import MAX_FRAMES, ScriptError, session_of, worlds_of
from websp_gym.browser.settle import settle
from websp_gym.errors import ActionError
from websp_gym.observation.marks import MAX_MARKS, collect_marks
from websp_gym.observation.observe import Observer

__all__ = ["hands", "sites"]

FORM = """<title>Form</title><label>Name <input></label> <label><input type=checkbox> Share</label>
<button id=go onclick="this.textContent = 'Gone'">Go</button>
<iframe srcdoc="<button onclick=&quot;this.textContent = 'Inner gone'&quot;>Inner</button>"></iframe>
<div id=react>Property</div><div style="height: 3000px"></div>
<script>react.onclick = () => { react.textContent = 'Property gone' }</script>"""
MARKS = """[0] <textbox> "Name"
[1] <checkbox> "Share" (not checked)
[2] <button> "Go"
[3] <button> "Inner"
[4] <div> "Property\""""
AFTER = """[0] <textbox> "Name" value="hello"
[1] <checkbox> "Share" (checked)
[2] <button> "Gone"
[3] <button> "Inner gone"
[4] <div> "Property gone\""""

TAMPERED = {
    "survey": 'globalThis.__websp = {survey: () => \'[{"index":0,"tag":"button","name":"Forged"}]\'}',
    "garbage": "globalThis.__websp = {survey: () => 42, quiet: () => NaN, collect: () => null}",
    "never settles": "Object.defineProperty(globalThis, '__websp', {value: {quiet: () => new Promise(() => {})}})",
    "a million marks": "globalThis.__websp = {survey: () => JSON.stringify(Array(1e6).fill({index: 0}))}",
    "map": "Array.prototype.map = Array.prototype.push = () => 'forged'",
    "iterator": "Array.prototype[Symbol.iterator] = null",
    "JSON": "JSON.stringify = () => 'forged'; globalThis.JSON = {}",
    "toJSON": "Object.prototype.toJSON = Array.prototype.toJSON = () => 'forged'",
    "Promise": "globalThis.Promise = class { then() {} }",
    "then": "Object.defineProperty(Object.prototype, 'then', {value() {}})",
    "then getter": "Object.defineProperty(Object.prototype, 'then', {get() { for (;;); }})",
    "timers": "globalThis.setTimeout = globalThis.requestAnimationFrame = () => 0; performance.now = () => NaN",
    "observer": "globalThis.MutationObserver = class { constructor() { throw 1 } }",
    "prototypes": "for (const name of ['nodeType', 'parentNode', 'firstChild']) Object.defineProperty(Node.prototype, name, {value: null})",
    "getters": "for (const name of ['value', 'checked', 'type']) Object.defineProperty(HTMLInputElement.prototype, name, {get() { for (;;); }})",
    "body": "Object.defineProperty(document, 'body', {get() { for (;;); }})",
    "root": "Object.defineProperty(Document.prototype, 'documentElement', {get() { throw 1 }})",
    "geometry": "Element.prototype.getBoundingClientRect = Element.prototype.checkVisibility = () => ({width: NaN})",
    "hit test": "Document.prototype.elementFromPoint = document.elementFromPoint = () => null",
    "style": "globalThis.getComputedStyle = () => ({display: 'none'})",
    "scrolling": "Element.prototype.scrollBy = Element.prototype.scrollTo = Element.prototype.scrollIntoView = () => { for (;;); }",
    "events": "EventTarget.prototype.dispatchEvent = EventTarget.prototype.addEventListener = () => false",
    "everything": "for (const name of ['Map', 'Set', 'WeakMap', 'WeakSet', 'Math', 'Object', 'Reflect', 'Number', 'String']) globalThis[name] = undefined",
    "clobbered document": "document.body.insertAdjacentHTML('beforeend', ['body', 'documentElement', 'activeElement', 'scrollingElement', 'compatMode', 'timeline', 'title', 'readyState', 'querySelector', 'createElement'].map(name => `<form name=${name}></form>`).join(''))",
    "clobbered form": "go.outerHTML = `<form onsubmit='return false'><input type=hidden name=parentNode><input type=hidden name=nodeType><input type=hidden name=localName>${go.outerHTML}</form>`",
    "clobbered globals": "document.body.insertAdjacentHTML('beforeend', '<a id=__websp></a><a id=scrollBy></a><a id=innerHeight></a>')",
}


ROOMS = ("websp_gym/browser/", "websp_gym/observation/", "extension/", "tests/browser/")
"""A change of these tries some more pages."""


@pytest.mark.parametrize("name", long_table(TAMPERED, *ROOMS, most=4))
def test_a_page_that_tampers_with_its_javascript_is_read_and_operated_as_any_other(
    hands: Hands, name: str
) -> None:
    hands.page.goto(hands.site.put("/tampered", f"<!doctype html>{FORM}<script>{TAMPERED[name]}</script>"))
    hands.look()
    assert hands.marks.text() == MARKS
    assert hands.marks.title == "Form"
    hands.type("Name", "hello")
    for name in ("Share", "Go", "Inner", "Property"):
        hands.click(name)
        assert hands.rested
    assert hands.marks.text() == AFTER
    hands.do("Scroll [WINDOW]; down")
    assert hands.names() == []
    hands.do("Scroll_to_end")
    assert "already at its bottom" in hands.refused("Scroll_to_end")


def test_a_page_finds_nothing_of_ours_in_its_own_world(hands: Hands) -> None:
    hands.page.goto(hands.site.put("/looking", FORM))
    before = hands.page.evaluate("Object.getOwnPropertyNames(globalThis)")
    hands.look()
    hands.click("Go")
    assert hands.page.evaluate("Object.getOwnPropertyNames(globalThis)") == before
    assert not [name for name in before if "websp" in name]


def test_a_page_that_hears_every_event_it_can_name_does_not_hear_how_it_is_asked_for_handlers(
    hands: Hands,
) -> None:
    page = hands.page
    page.goto(
        hands.site.put(
            "/spy",
            f"""<script>window.heard = []; const listen = EventTarget.prototype.addEventListener;
            EventTarget.prototype.addEventListener = function (name, ...more) {{ heard.push(name); return listen.call(this, name, ...more) }};
            const send = EventTarget.prototype.dispatchEvent;
            EventTarget.prototype.dispatchEvent = function (event) {{ heard.push(event.type); return send.call(this, event) }};
            const Old = Event; globalThis.Event = function (type, ...more) {{ heard.push(type); return new Old(type, ...more) }}</script>{FORM}""",
        )
    )
    hands.look()
    assert "Property" in hands.names()
    assert page.evaluate("heard") == []


def test_a_handler_set_as_a_property_in_a_shadow_root_or_by_a_late_script_has_a_mark(hands: Hands) -> None:
    page = hands.show("<div id=host></div><div id=late>Late</div>")
    page.evaluate(
        """() => { const root = host.attachShadow({mode: 'open'}); root.innerHTML = '<div>Deep</div>';
        root.firstChild.onclick = () => {}; late.onclick = () => {} }"""
    )
    hands.look()
    assert hands.names() == ["Deep", "Late"]
    page.evaluate("late.onclick = null")
    hands.look()
    assert hands.names() == ["Deep"]


def test_a_frame_without_scripts_is_read_and_keeps_nobody_waiting(hands: Hands) -> None:
    hands.show("<iframe sandbox srcdoc='<button>Inert</button>'></iframe><button>Here</button>")
    hands.do("Hover", "Inert")
    assert hands.rested
    assert hands.names() == ["Inert", "Here"]


def test_a_frame_in_another_origin_and_a_sandbox_is_operated(hands: Hands) -> None:
    url = hands.other.put("/other", "<button onclick='this.textContent = 1'>Far</button>")
    hands.show(f"<iframe sandbox='allow-scripts' src='{url}'></iframe>")
    hands.click("Far")
    assert hands.names() == ["1"]


def test_a_frame_that_the_browser_would_not_load_keeps_nobody_waiting(hands: Hands) -> None:
    hands.show(
        "<iframe src='file:///etc/hostname'></iframe><iframe src='mailto:a@b.c'></iframe><button>Here</button>"
    )
    assert hands.names() == ["Here"]


def test_an_action_on_the_previous_document_reports_that_it_is_gone(hands: Hands) -> None:
    hands.show("<button>Old</button>")
    mark = hands.mark("Old")
    hands.page.goto(hands.other.put("/new", "<button>New</button>"))
    with pytest.raises(ActionError, match="no longer on the page"):
        hands.do(f"Click [{mark.number}]")


def test_a_document_of_another_process_gets_a_new_isolated_world(hands: Hands) -> None:
    hands.show("<button>Here</button>")
    for name in (
        "http://127.0.0.1:1/refused",  # the browser's own error page
        "about:blank",
        hands.other.put("/elsewhere", "<p>Elsewhere"),
        "data:text/html,<button>Data</button>",
    ):
        with contextlib.suppress(PlaywrightError):
            hands.page.goto(name)
        hands.look()
    assert hands.names() == ["Data"]


def test_a_failing_script_of_ours_raises_a_playwright_error(hands: Hands) -> None:
    main = worlds_of(hands.page).main
    with pytest.raises(ScriptError, match="a script of websp-gym failed"):
        main.ask("nothing of this name")


def test_an_error_names_the_call_that_failed_and_answers_are_plain(hands: Hands) -> None:
    with pytest.raises(PlaywrightError, match=r"^Page\.goto: net::ERR_"):
        hands.page.goto("http://127.0.0.1:1/")
    with pytest.raises(PlaywrightError, match=r"^Locator\.click: Timeout 50ms"):
        hands.page.locator("#missing").click(timeout=50)
    # An answer of the DevTools protocol may look like one of Playwright's references.
    value = session_of(hands.page).send(
        "Runtime.evaluate", {"expression": "({guid: 'page@1', deep: [{guid: ''}]})", "returnByValue": True}
    )
    assert value["result"]["value"] == {"guid": "page@1", "deep": [{"guid": ""}]}


def test_a_page_has_one_session_of_ours(hands: Hands) -> None:
    assert session_of(hands.page) is session_of(hands.page)


# ------------------------------------------------------------------------------------- more than anybody reads

HUGE = {
    "buttons": "for (let i = 0; i < 100000; i++) document.body.append(document.createElement('button'))",
    "buttons on top of each other": """document.head.innerHTML = '<style>button { position: absolute; top: 0; left: 0; width: 90px; height: 30px }</style>';
        for (let i = 0; i < 20000; i++) document.body.append(document.createElement('button'))""",
    "small buttons": """document.head.innerHTML = '<style>button { width: 6px; height: 6px; padding: 0; border: 0 }</style>';
        for (let i = 0; i < 20000; i++) document.body.append(document.createElement('button'))""",
    "label": "document.body.innerHTML = '<button></button>'; document.querySelector('button').ariaLabel = 'x '.repeat(25e6)",
    "text": "document.body.innerHTML = '<button></button>'; document.querySelector('button').textContent = 'x '.repeat(1e6)",
    "value": "document.body.innerHTML = '<input>'; document.querySelector('input').value = 'x'.repeat(1e6)",
    "title": "document.title = 'x'.repeat(10e6); document.body.innerHTML = '<button>A</button>'",
    "tag": "document.body.innerHTML = `<${'x'.repeat(1e6)} onclick=0>A</${'x'.repeat(1e6)}>`",
    "link": "document.body.innerHTML = '<a>A</a>'; document.querySelector('a').href = 'https://' + 'x'.repeat(5e6)",
    "labelled by": "document.body.innerHTML = `<p id=p>${'text '.repeat(1e4)}</p><button aria-labelledby='${'p '.repeat(1e5)}'></button>`",
    "depth": "let at = document.body; for (let i = 0; i < 1000; i++) at = at.appendChild(document.createElement('div')); at.innerHTML = '<button>Deep</button>'",
    "frames": 'document.body.innerHTML = \'<iframe srcdoc="<button>A</button>" style="width:100px;height:60px"></iframe>\'.repeat(55)',
    "half a character": "document.title = '\\ud83d'; document.body.innerHTML = '<button>\\ud83d</button><input value=\"\\ude00\">'",
}


@pytest.mark.parametrize("name", long_proof(HUGE, [name for name in HUGE if name != "buttons"]))
def test_oversized_results_of_a_page_are_cut(hands: Hands, name: str) -> None:
    url = hands.site.put("/huge", f"<!doctype html><body><script>{HUGE[name]}</script>")
    hands.page.goto(url, wait_until="commit")
    settle(hands.tabs)
    marks = collect_marks(hands.page)
    assert len(marks) <= MAX_MARKS
    assert len(marks.frames) <= MAX_FRAMES + 1
    for text in (marks.title, *(mark.name for mark in marks)):
        assert len(text) <= 300
    for mark in marks:
        assert max(map(len, (mark.text, mark.value, mark.tag))) <= 120
        assert len(mark.href) <= 2_000
    assert len(marks.text()) < 500 * MAX_MARKS
    marks.text().encode()
    marks.title.encode()


def test_the_title_of_a_tab_in_the_background_is_read_though_it_hangs(hands: Hands) -> None:
    hung = hands.page
    hung.goto(hands.site.put("/hung", "<title>Hung</title>"))
    page = hands.tabs.context.new_page()
    page.goto(hands.other.put("/here", "<title>Here</title>"))
    hands.look()
    observer = Observer("marks", hands.tabs, seed=1)
    hung.evaluate("() => { setTimeout(() => { for (;;); }) }")
    observation = observer.observe(
        goal="", chat=[], last_action="", last_action_error="", actions_left=1, elapsed=0, max_seconds=9
    )
    session_of(hung).send("Runtime.terminateExecution")
    assert [tab["title"] for tab in observation["tabs"]] == ["Hung", "Here"]
