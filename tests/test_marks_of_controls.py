"""What a page makes operable in its own way has a mark, and can be operated by it."""

from __future__ import annotations

import pytest

from tests.actions_support import Hands, hands, sites

__all__ = ["hands", "sites"]


# ------------------------------------------------------------------------------------- handlers set by scripts


@pytest.mark.parametrize(
    "listen",
    [
        "el.addEventListener('click', act)",
        "el.addEventListener('click', act, true)",
        "el.addEventListener('click', act, {once: true})",
        "el.addEventListener('click', {handleEvent: act})",
        "el.addEventListener('click', act, {signal: new AbortController().signal})",
        "el.addEventListener('mousedown', act)",
        "el.addEventListener('pointerup', act)",
        "EventTarget.prototype.addEventListener.call(el, 'click', act)",
        "el.onclick = act",
    ],
)
def test_an_element_that_listens_for_a_press_has_a_mark(hands: Hands, listen: str) -> None:
    hands.show(
        f"""<span id=el>Reject</span> <span>Text</span>
        <script>const act = () => {{ document.title = 'rejected' }}; {listen}</script>"""
    )
    assert hands.names() == ["Reject"]
    hands.click("Reject")
    assert hands.page.title() == "rejected"


@pytest.mark.parametrize(
    "stop",
    [
        "el.removeEventListener('click', act)",
        "controller.abort()",
        "el.click()",
        "el.replaceWith(el.cloneNode(true))",
    ],
)
def test_an_element_that_has_stopped_listening_has_no_mark(hands: Hands, stop: str) -> None:
    page = hands.show(
        """<span id=el>Reject</span><script>const act = () => {}; const controller = new AbortController();
        el.addEventListener('click', act, {once: true, signal: controller.signal})</script>"""
    )
    assert hands.names() == ["Reject"]
    page.evaluate(stop)
    hands.look()
    assert hands.names() == []


@pytest.mark.parametrize(
    "event", ["mouseover", "pointermove", "keydown", "focus", "touchstart", "contextmenu"]
)
def test_an_element_that_listens_for_something_else_has_none(hands: Hands, event: str) -> None:
    hands.show(f"<p id=el>Text</p><script>el.addEventListener('{event}', () => {{}})</script>")
    assert hands.names() == []


@pytest.mark.parametrize(
    "container",
    [
        "<html>",
        "<body>",
        "<div id=app><p>One</p><p>Two</p><button>Save</button></div>",
        "<ul><li>One</li><li>Two</li></ul>",
        "<div><div class=row>One</div><div class=row>Two</div><div class=row>Three</div></div>",
        "<table><tr><td>One</td></tr></table>",
        "<main><p>Text</p></main>",
        "<div style='height: 600px'>Text</div>",
    ],
)
def test_a_container_that_listens_for_what_is_in_it_has_no_mark(hands: Hands, container: str) -> None:
    hands.show(
        f"""{container}<script>const el = '{container}' === '<html>' ? document.documentElement
          : '{container}' === '<body>' ? document.body : document.body.firstElementChild;
        el.addEventListener('click', () => {{}})</script>"""
    )
    assert [mark.name for mark in hands.marks if mark.role != "button"] == []


def test_the_root_of_a_framework_has_no_mark(hands: Hands) -> None:
    hands.show(
        """<div id=root><p>Text</p></div><script>for (const name in window) if (name.startsWith('on'))
        root.addEventListener(name.slice(2), () => {})</script>"""
    )
    assert hands.names() == []


def test_listeners_are_seen_in_frames_popups_and_after_navigations(hands: Hands) -> None:
    listening = (
        "<p id=el>{}</p><script>el.addEventListener('click', () => {{ el.textContent += '!' }})</script>"
    )
    inner = hands.other.put("/inner", listening.format("Inner"))
    popup = hands.site.put("/popup", listening.format("Popup"))
    hands.show(
        f"{listening.format('Outer')}<iframe src='{inner}'></iframe><a href='{popup}' target=_blank>Open</a>"
    )
    assert hands.names() == ["Outer", "Inner", "Open"]
    hands.click("Inner")
    assert hands.names() == ["Outer", "Inner!", "Open"]
    hands.click("Open")
    assert hands.names() == ["Popup"]
    hands.page.goto(inner)
    hands.look()
    assert hands.names() == ["Inner"]


def test_a_page_does_not_see_that_its_listeners_are_read(hands: Hands) -> None:
    page = hands.show(
        """<p id=el>Text</p><script>const native = f => Function.prototype.toString.call(f);
        window.report = () => [native(el.addEventListener), native(el.removeEventListener), native(el.attachShadow),
          'getEventListeners' in window, Object.getOwnPropertyNames(el).length, el.attributes.length];
        el.addEventListener('click', () => {}); window.before = report()</script>"""
    )
    assert hands.names() == ["Text"]
    assert page.evaluate("report()") == page.evaluate("before")
    assert "function addEventListener() { [native code] }" in page.evaluate("report()")


# ------------------------------------------------------------------------------------- the top layer

CLIPPED = "<div style='position: relative; overflow: hidden; height: 40px'>{}</div>"


@pytest.mark.parametrize(
    ("html", "show"),
    [
        ("<dialog id=el style='position: absolute; top: 300px'>{}</dialog>", "el.showModal()"),
        (
            "<div id=el popover style='position: absolute; inset: auto; top: 300px'>{}</div>",
            "el.showPopover()",
        ),
        (
            "<p><dialog id=el style='position: absolute; top: 300px'><div>{}</div></dialog></p>",
            "el.showModal()",
        ),
    ],
)
def test_what_is_in_the_top_layer_is_not_clipped(hands: Hands, html: str, show: str) -> None:
    page = hands.show(CLIPPED.format(html.format("<button onclick='document.title = 1'>Reject</button>")))
    page.evaluate(show)
    hands.look()
    hands.click("Reject")
    assert page.title() == "1"


def test_the_options_of_a_dropdown_in_a_low_box_have_marks(hands: Hands) -> None:
    hands.show(CLIPPED.format("<select aria-label=Who><option>All<option>Some<option>Nobody</select>"))
    hands.click("Who")
    assert hands.names() == ["Who", "All", "Some", "Nobody"]
    hands.click("Nobody")
    assert hands.mark("Who").value == "Nobody"


@pytest.mark.parametrize("style", ["overflow: auto; height: 150px", "overflow: visible; max-height: none"])
def test_a_popup_in_the_top_layer_scrolls(hands: Hands, style: str) -> None:
    page = hands.show(
        CLIPPED.format(
            f"""<dialog id=el style='position: absolute; top: 500px; {style}'><p tabindex=0 autofocus>Start</p>
            <div style='height: 700px'></div><button>End</button></dialog>"""
        )
    )
    page.evaluate("el.showModal()")
    hands.look()
    assert "End" not in hands.names()
    for _ in range(7):
        if "End" not in hands.names():
            hands.do("Scroll_within_popup; down")
    assert "End" in hands.names()


# ------------------------------------------------------------------------------------- closed shadow roots

NOTICE = """<div style='position: fixed; bottom: 0; width: 100%'><button onclick='document.title = "rejected"'>Reject</button>
<span id=more>More</span></div>"""
ATTACH = """const root = {}.attachShadow({{mode: 'closed'}}); root.innerHTML = `{}`;
root.getElementById('more')?.addEventListener('click', () => {{ document.title = 'more' }})"""


@pytest.mark.parametrize(
    "html",
    [
        f"<div id=host></div><script>{ATTACH.format('host', NOTICE)}</script>",
        f"<section id=host><p>Content without a slot</p></section><script>{ATTACH.format('host', NOTICE)}</script>",
        f"""<x-notice></x-notice><script>customElements.define('x-notice', class extends HTMLElement {{
        constructor() {{ super(); {ATTACH.format("this", NOTICE)} }} }})</script>""",
    ],
)
def test_what_is_in_a_closed_shadow_root_is_operated(hands: Hands, html: str) -> None:
    page = hands.show(html)
    assert hands.names() == ["Reject", "More"]
    hands.click("Reject")
    assert page.title() == "rejected"
    hands.click("More")
    assert page.title() == "more"
    assert page.evaluate("document.querySelector('#host, x-notice').shadowRoot") is None


@pytest.mark.parametrize(
    "html",
    [
        "<div><template shadowrootmode=closed>{}</template></div>",
        "<x-a><template shadowrootmode=closed>{}</template></x-a>",
        """<x-a><template shadowrootmode=closed><p><x-b><template shadowrootmode=closed>
        <x-c><template shadowrootmode=open>{}</template></x-c></template></x-b></template></x-a>""",
        "<iframe srcdoc='<div><template shadowrootmode=closed>{}</template></div>'></iframe>",
    ],
)
def test_a_closed_root_in_the_markup_is_searched_and_typed_into(hands: Hands, html: str) -> None:
    hands.show(html.format("<input aria-label=Mail><button>Save</button>"))
    assert hands.names() == ["Mail", "Save"]
    hands.type("Mail", "a@b.example")
    assert hands.mark("Mail").value == "a@b.example"


def test_slotted_content_is_clipped_by_the_closed_root_around_it(hands: Hands) -> None:
    low = "<div style='overflow: hidden; height: 30px'><slot></slot></div>"
    hands.show(
        f"""<x-a><template shadowrootmode=closed>{low}</template><button>Seen</button>
        <p style='height: 60px'></p><button>Clipped</button></x-a>"""
    )
    assert hands.names() == ["Seen"]


def test_a_closed_root_attached_after_the_first_look_is_found(hands: Hands) -> None:
    page = hands.show("<div id=host></div><button>Here</button>")
    assert hands.names() == ["Here"]
    page.evaluate(f"() => {{ {ATTACH.format('host', NOTICE)} }}")
    hands.look()
    assert hands.names() == ["Reject", "More", "Here"]
