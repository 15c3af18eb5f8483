"""Custom controls of a page have marks and can be operated by them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.actions_support import Hands, hands, sites
from websp_gym.browser.isolated import session_of
from websp_gym.observation.marks import collect_marks

__all__ = ["hands", "sites"]


# ------------------------------------------------------------------------------------- handlers set by scripts


LISTENING = (
    "el.addEventListener('click', act)",
    "el.addEventListener('click', act, true)",
    "el.addEventListener('click', act, {once: true})",
    "el.addEventListener('click', {handleEvent: act})",
    "el.addEventListener('click', act, {signal: new AbortController().signal})",
    "el.addEventListener('mousedown', act)",
    "el.addEventListener('pointerup', act)",
    "EventTarget.prototype.addEventListener.call(el, 'click', act)",
    "el.onclick = act",
)


def test_an_element_that_listens_for_a_press_has_a_mark(hands: Hands) -> None:
    spans = "".join(
        f"""<span id=el{n}>Reject {n}</span> <span>Text</span><script>{{ const el = el{n};
        const act = () => {{ document.title = 'rejected {n}' }}; {listen} }}</script>"""
        for n, listen in enumerate(LISTENING)
    )
    hands.show(spans)
    assert hands.names() == [f"Reject {n}" for n in range(len(LISTENING))]
    for n, listen in enumerate(LISTENING):
        hands.click(f"Reject {n}")
        assert hands.page.title() == f"rejected {n}", listen


STOPPING = (
    "el.removeEventListener('click', act)",
    "controller.abort()",
    "el.click()",
    "el.replaceWith(el.cloneNode(true))",
)


def test_an_element_that_has_stopped_listening_has_no_mark(hands: Hands) -> None:
    spans = "".join(
        f"""<span id=el{n}>Reject {n}</span> <script>{{ const el = el{n}; const act = () => {{}};
        const controller = new AbortController(); stop{n} = () => {{ {stop} }};
        el.addEventListener('click', act, {{once: true, signal: controller.signal}}) }}</script>"""
        for n, stop in enumerate(STOPPING)
    )
    page = hands.show(spans)
    left = [f"Reject {n}" for n in range(len(STOPPING))]
    assert hands.names() == left
    for n, stop in enumerate(STOPPING):
        page.evaluate(f"stop{n}()")
        hands.look()
        assert hands.names() == left[n + 1 :], stop


def test_an_element_that_listens_for_other_events_has_no_mark(hands: Hands) -> None:
    events = ("mouseover", "pointermove", "keydown", "focus", "touchstart", "contextmenu")
    hands.show(
        "".join(
            f"<p id=on-{each}>{each}</p><script>document.getElementById('on-{each}').addEventListener('{each}', () => {{}})</script>"
            for each in events
        )
    )
    assert hands.names() == []


CONTAINERS = (
    "<html>",
    "<body>",
    "<div id=app><p>One</p><p>Two</p><button>Save</button></div>",
    "<form>Text</form>",
    "<main><p>Text</p></main>",
    "<div style='height: 600px'>Text</div>",
)


def test_a_container_that_listens_for_what_is_in_it_has_no_mark(hands: Hands) -> None:
    for container in CONTAINERS:
        hands.show(
            f"""{container}<script>const el = '{container}' === '<html>' ? document.documentElement
              : '{container}' === '<body>' ? document.body : document.body.firstElementChild;
            el.addEventListener('click', () => {{}})</script>"""
        )
        assert [mark.name for mark in hands.marks if mark.role != "button"] == [], container


ROWS = (
    "<ul id=el><li>One</li><li>Two</li></ul>",
    "<div id=el><p class=row>One</p><p class=row>Two</p><p class=row>Three</p></div>",
    "<table id=el><tr><td>One</td></tr><tr><td>Two</td></tr></table>",
    "<div id=el role=listbox><div>One</div><div>Two</div></div>",
)


def test_rows_have_marks_instead_of_the_list_that_listens_for_them(hands: Hands) -> None:
    for html in ROWS:
        page = hands.show(
            f"{html}<script>el.addEventListener('click', e => {{ document.title = e.target.textContent }})</script>"
        )
        assert hands.names()[:2] == ["One", "Two"], html
        assert "One Two" not in hands.names(), html
        hands.click("Two")
        assert page.title() == "Two", html


def test_a_row_that_listens_has_a_mark_as_well_as_its_controls(hands: Hands) -> None:
    listening = "<script>for (const el of document.querySelectorAll('.on')) el.addEventListener('click', () => {})</script>"
    hands.show(f"<div class=on style='padding: 20px'>Mail from Ada <i class=on>×</i></div>{listening}")
    assert hands.names() == ["Mail from Ada ×", "×"]
    hands.show(
        f"<div class=on style='padding: 20px'><p>Mail from Ada <button>Open</button></p></div>{listening}"
    )
    assert hands.names() == ["Open"], "it may listen for the button"
    hands.show(f"<ul class=on><li>Ads <button>Off</button><li>Mail <button>On</button></ul>{listening}")
    assert hands.names() == ["Off", "On"]
    hands.show(f"<div class=on><b>Oslo</b> <b>3 days</b> <b>Active</b></div>{listening}")
    assert hands.names() == ["Oslo 3 days Active"]


def test_the_root_of_a_framework_has_no_mark(hands: Hands) -> None:
    hands.show(
        """<div id=all><p>Text</p></div><div id=most><p>Text</p></div><script>for (const name in window) {
        if (!name.startsWith('on')) continue;
        all.addEventListener(name.slice(2), () => {});
        if (!['onchange', 'oninput', 'onsubmit'].includes(name)) most.addEventListener(name.slice(2), () => {}) }</script>"""
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


TOPMOST = (
    ("<dialog id=el style='position: absolute; top: 300px'>{}</dialog>", "el.showModal()"),
    (
        "<div id=el popover style='position: absolute; inset: auto; top: 300px'>{}</div>",
        "el.showPopover()",
    ),
    (
        "<p><dialog id=el style='position: absolute; top: 300px'><div>{}</div></dialog></p>",
        "el.showModal()",
    ),
)


def test_elements_in_the_top_layer_are_not_clipped(hands: Hands) -> None:
    for html, show in TOPMOST:
        page = hands.show(CLIPPED.format(html.format("<button onclick='document.title = 1'>Reject</button>")))
        page.evaluate(show)
        hands.look()
        hands.click("Reject")
        assert page.title() == "1", html


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


CLOSED = (
    f"<div id=host></div><script>{ATTACH.format('host', NOTICE)}</script>",
    f"<section id=host><p>Content without a slot</p></section><script>{ATTACH.format('host', NOTICE)}</script>",
    f"""<x-notice></x-notice><script>customElements.define('x-notice', class extends HTMLElement {{
        constructor() {{ super(); {ATTACH.format("this", NOTICE)} }} }})</script>""",
)


def test_elements_in_a_closed_shadow_root_are_operated(hands: Hands) -> None:
    for html in CLOSED:
        page = hands.show(html)
        assert hands.names() == ["Reject", "More"], html
        hands.click("Reject")
        assert page.title() == "rejected", html
        hands.click("More")
        assert page.title() == "more", html
        assert page.evaluate("document.querySelector('#host, x-notice').shadowRoot") is None


CLOSED_IN_MARKUP = (
    "<div><template shadowrootmode=closed>{}</template></div>",
    "<x-a><template shadowrootmode=closed>{}</template></x-a>",
    """<x-a><template shadowrootmode=closed><p><x-b><template shadowrootmode=closed>
        <x-c><template shadowrootmode=open>{}</template></x-c></template></x-b></template></x-a>""",
    "<iframe srcdoc='<div><template shadowrootmode=closed>{}</template></div>'></iframe>",
)


def test_a_closed_root_in_the_markup_is_searched_and_typed_into(hands: Hands) -> None:
    hands.show(
        "".join(
            html.format(f"<input aria-label=Mail{n}><button>Save{n}</button>")
            for n, html in enumerate(CLOSED_IN_MARKUP)
        )
    )
    numbers = range(len(CLOSED_IN_MARKUP))
    assert hands.names() == [name for n in numbers for name in (f"Mail{n}", f"Save{n}")]
    for n in numbers:
        hands.type(f"Mail{n}", "a@b.example")
        assert hands.mark(f"Mail{n}").value == "a@b.example", CLOSED_IN_MARKUP[n]


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


# ------------------------------------------------------------------------------------- controls without a box

PICTURE = """<img usemap='#map' width=300 height=100 style='padding: 10px; border: 3px solid; {}'
src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"><map name=map>{}</map>"""


SHAPES = (
    ("rect", "10,10,100,60"),
    ("rect", "100,60,10,10"),
    ("circle", "200,50,40"),
    ("poly", "0,0,300,0,300,100,280,100,280,20,0,20"),
    ("default", ""),
)


def test_an_area_of_an_image_is_clicked_in_its_shape(hands: Hands) -> None:
    for shape, coords in SHAPES:
        area = f"<area shape={shape} coords='{coords}' href='#here-{{0}}' alt=Here-{{0}}><area shape=rect coords='0,0,9,9' alt=No>"
        pictures = [
            PICTURE.format(style, area.format(n))
            .replace("#map", f"#map{n}")
            .replace("name=map", f"name=map{n}")
            for n, style in enumerate(("", "transform: scale(.5)", "margin: 40px"))
        ]
        page = hands.show("<br>".join(pictures))
        assert hands.names() == ["Here-0", "Here-1", "Here-2"], shape
        for n in range(3):
            hands.click(f"Here-{n}")
            assert page.evaluate("location.hash") == f"#here-{n}", (shape, coords)


def test_an_area_that_is_covered_or_scrolled_out_has_no_mark(hands: Hands) -> None:
    area = "<area shape=rect coords='0,0,300,100' href='#here' alt=Here>"
    hands.show(f"{PICTURE.format('', area)}<div style='position: fixed; inset: 0; background: white'></div>")
    assert hands.names() == []
    hands.show(f"<div style='height: 20px; overflow: hidden'><br><br>{PICTURE.format('', area)}</div>")
    assert hands.names() == []


def test_a_link_without_a_box_has_a_mark(hands: Hands) -> None:
    contents = ("Text", "<b>Bold</b>", "Text <b>bold</b>", "<i style='float: left'>Text</i>")
    page = hands.show(
        "".join(
            f"<p>Before <a style='display: contents' href='#here{n}'>{content}</a> after</p>"
            for n, content in enumerate(contents)
        )
    )
    for n, content in enumerate(contents):
        hands.do(f"Click [{n}]")
        assert page.evaluate("location.hash") == f"#here{n}", content


DRAWN = (
    "position: absolute; left: 30px; top: 40px",
    "position: absolute; left: 50%; top: 50%; transform: translate(-50%, -50%)",
    "position: absolute; right: 20px; bottom: 20px; border: 2px solid",
    "position: fixed; left: 300px; top: 300px",
    "float: left",
    "display: inline-block",
)


@pytest.mark.parametrize("hidden", ["position: absolute; opacity: 0; width: 0; height: 0", "display: none"])
def test_a_box_that_a_pseudo_element_of_the_label_draws_is_ticked(hands: Hands, hidden: str) -> None:
    hands.show(
        "".join(
            f"""<style>.d{n}::before {{ content: ''; width: 20px; height: 20px; background: teal; {drawn} }}</style>
            <div style='position: relative; height: 150px'><input type=checkbox id=box{n} aria-label=Ads{n} style='{hidden}'>
            <label class=d{n} for=box{n}></label></div>"""
            for n, drawn in enumerate(DRAWN)
        )
    )
    for n, drawn in enumerate(DRAWN):
        hands.click(f"Ads{n}")
        assert hands.mark(f"Ads{n}").checked is True, drawn


def thumb(name: str, value: int) -> str:
    hidden = "clip-path: inset(50%); clip: rect(0 0 0 0); position: absolute; width: 100%; height: 100%; margin: -1px"
    return (
        f"<span style='position: absolute; left: {value}%; width: 20px; height: 20px; top: -8px; background: navy'>"
        f"<input type=range aria-label={name} value={value} style='{hidden}'></span>"
    )


def test_a_drawn_slider_has_its_value_and_is_set_by_typing(hands: Hands) -> None:
    page = hands.show(
        f"""<span style='position: relative; display: inline-block; width: 300px; height: 4px; margin: 30px; cursor: pointer'>
        {thumb("Low", 20)}{thumb("High", 70)}</span><script>addEventListener('change', () => {{ document.title += '!' }})</script>"""
    )
    assert hands.marks.text() == '[0] <slider> "Low" value="20"\n[1] <slider> "High" value="70"'
    hands.type("High", "90")
    assert hands.mark("High").value == "90"
    assert page.title() == "!"


# ------------------------------------------------------------------------------------- editors and documents


def test_a_document_in_design_mode_is_typed_into(hands: Hands) -> None:
    inner = hands.site.put(
        "/design", "<!doctype html><title>Body</title><script>document.designMode = 'on'</script>"
    )
    hands.show(f"<iframe src='{inner}'></iframe>")
    assert [mark.role for mark in hands.marks] == ["textbox"]
    hands.do("Type [0]; hello")
    assert hands.marks[0].value == "hello"


def test_an_editor_that_writes_into_a_hidden_field_is_typed_into(hands: Hands) -> None:
    editor = """<div id=editor style='position: relative; height: 80px; width: 300px; cursor: text'>
        <div style='overflow: hidden; position: relative; width: 3px; height: 0'>
        <textarea aria-label=Code style='position: absolute; bottom: -1em; width: 1000px; height: 1em'></textarea></div>
        <pre>body</pre></div><script>const [field] = editor.getElementsByTagName('textarea'), [shown] = editor.getElementsByTagName('pre');
        field.addEventListener('input', () => { shown.textContent += field.value; field.value = '' });"""
    hands.show(
        editor + "editor.addEventListener('mousedown', (e) => { e.preventDefault(); field.focus() })</script>"
    )
    assert hands.marks.text() == '[0] <textbox> "Code" value="body"'
    hands.type("Code", " text")
    assert hands.mark("Code").value == "body text"
    hands.show(editor + "</script>")
    assert hands.names() == [], "nobody takes the cursor there"


def test_a_document_in_an_object_is_operated(hands: Hands) -> None:
    inner = hands.other.put("/inside", "<!doctype html><button onclick='this.textContent = 1'>Go</button>")
    for tag in ("object type=text/html data", "object data", "embed type=text/html src", "embed src"):
        hands.show(f"<{tag}='{inner}' width=200 height=100>")
        while not hands.page.frames[1:]:  # Chromium on a busy machine sometimes never asks for an object
            hands.open(hands.page.url)
        hands.click("Go")
        assert hands.names() == ["1"], tag


def test_an_object_without_a_document_shows_what_it_falls_back_to(hands: Hands) -> None:
    hands.show("<object data='data:image/png;base64,'><a href='#'>Fallback</a></object>")
    assert hands.names() == ["Fallback"]


TURNED = (
    "transform: rotate(20deg)",
    "rotate: 135deg",
    "transform: rotate(90deg) scale(.7)",
    "transform: skewX(20deg)",
    "transform: scaleX(-1)",
    "transform: rotate(30deg); zoom: 1.5",
    "scale: .8 1.2; rotate: 10deg; border: 7px solid; padding: 5px",
)


@pytest.mark.parametrize("around", ["", "transform: rotate(-25deg)"])
def test_elements_in_a_rotated_iframe_are_clicked_in_place(hands: Hands, around: str) -> None:
    button = "<button style='position: absolute; left: {}px; top: {}px; width: 60px; height: 24px' onclick='this.textContent += 1'>{}</button>"
    places = [(10, 10, "a"), (220, 10, "b"), (10, 110, "c"), (220, 110, "d")]
    inner = hands.site.put("/turned", "<!doctype html>" + "".join(button.format(*place) for place in places))
    for style in TURNED:
        hands.show(
            f"<div style='padding: 200px; {around}'><iframe width=300 height=150 style='{style}' src='{inner}'>"
        )
        for name in "ad":  # opposite corners
            hands.click(name)
        assert sorted(hands.names()) == ["a1", "b", "c", "d1"], style


# ------------------------------------------------------------------------------------- ElementInternals

INTERNALS = """<style>x-el { display: inline-block; width: 50px; height: 26px; background: gray }</style>
<script>customElements.define('x-el', class extends HTMLElement {
  static formAssociated = true;
  constructor() { super(); this.own = this.attachInternals(); }
  connectedCallback() { Object.assign(this.own, JSON.parse(this.textContent || '{}')); this.tabIndex = 0; this.textContent = '' }
})</script>"""


BY_INTERNALS = (
    (
        """<label>Ads <x-el>{"role": "switch", "ariaChecked": "true"}</x-el></label>""",
        '<switch> "Ads" (checked)',
    ),
    (
        """<x-el>{"role": "checkbox", "ariaChecked": "mixed", "ariaLabel": "All"}</x-el>""",
        '<checkbox> "All" (partly checked)',
    ),
    (
        """<x-el>{"role": "button", "ariaLabel": "Save", "ariaDisabled": "true"}</x-el>""",
        '<button> "Save" (disabled)',
    ),
    (
        """<x-el>{"role": "button", "ariaLabel": "More", "ariaExpanded": "false"}</x-el>""",
        '<button> "More" (collapsed)',
    ),
    (
        """<x-el>{"role": "button", "ariaLabel": "Mute", "ariaPressed": "true"}</x-el>""",
        '<button> "Mute" (pressed)',
    ),
    (
        """<x-el>{"role": "tab", "ariaLabel": "Mail", "ariaSelected": "true"}</x-el>""",
        '<tab> "Mail" (selected)',
    ),
    (
        """<x-el>{"role": "slider", "ariaLabel": "Volume", "ariaValueNow": "7", "ariaValueMin": "0", "ariaValueMax": "9"}</x-el>""",
        '<slider> "Volume" value="7"',
    ),
    (
        """<fieldset disabled><x-el aria-label=Off>{"role": "switch", "ariaChecked": "false"}</x-el></fieldset>""",
        '<switch> "Off" (not checked, disabled)',
    ),
    (
        """<x-el role=switch aria-label=Mine>{"ariaChecked": "true"}</x-el>""",
        '<switch> "Mine" (checked)',
    ),
    ("""<x-el aria-label=Plain></x-el>""", '<x-el> "Plain"'),
)


def test_role_name_and_state_of_element_internals_are_listed(hands: Hands) -> None:
    hands.show("".join(f"<div>{html}</div>" for html, _ in BY_INTERNALS) + INTERNALS)
    lines = [f"[{n}] {line}" for n, (_, line) in enumerate(BY_INTERNALS)]
    assert hands.marks.text().splitlines() == lines


def test_the_only_interactive_part_of_a_custom_element_has_the_elements_role(hands: Hands) -> None:
    hands.show(
        """<x-box></x-box><script>customElements.define('x-box', class extends HTMLElement { constructor() {
        super(); Object.assign(this.attachInternals(), {role: 'switch', ariaLabel: 'Ads', ariaChecked: 'true'});
        const part = this.attachShadow({mode: 'closed'}).appendChild(document.createElement('div'));
        part.style.cssText = 'width: 40px; height: 20px'; part.addEventListener('click', () => {}) } })</script>"""
    )
    assert hands.marks.text() == '[0] <switch> "Ads" (checked)'


def test_the_state_of_element_internals_follows_a_click(hands: Hands) -> None:
    page = hands.show(
        f"""<label>Ads <x-el id=el>{{"role": "switch", "ariaChecked": "true"}}</x-el></label>{INTERNALS}
        <script>el.onclick = () => {{ el.own.ariaChecked = String(el.own.ariaChecked !== 'true') }}</script>"""
    )
    hands.click("Ads")
    assert hands.mark("Ads").checked is False
    assert page.evaluate("el.own.ariaChecked") == "false"


def test_only_a_page_with_custom_elements_asks_for_the_accessibility_tree(hands: Hands) -> None:
    asked: list[str] = []
    session = session_of(hands.page)
    send = session.send

    def listen(method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        asked.append(method)
        return send(method, params)

    hands.show(
        "<button>Save</button><div role=switch tabindex=0 aria-checked=true>Ads</div><p onclick='0'>Text</p>"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "send", listen)
        collect_marks(hands.page)
    assert asked == ["Runtime.callFunctionOn"]
