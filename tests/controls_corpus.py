"""Structures that pages make controls of, each reduced to what is special about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Structure:
    """A piece of a page.

    Args:
        name: What it is.
        html: Its markup and scripts; ``{other}`` is a page of another origin with the button "Inner".
        names: Names of its marks in reading order.
        begin: JavaScript to run before looking at it.
    """

    name: str
    html: str
    names: tuple[str, ...]
    begin: str = ""


def listening(*ids: str, event: str = "click") -> str:
    """Return a script by which these elements listen for an event."""
    return f"<script>for (const id of {list(ids)}) document.getElementById(id).addEventListener('{event}', () => {{}})</script>"


def closed(html: str) -> str:
    """Return markup inside a closed shadow root."""
    return f"<template shadowrootmode=closed>{html}</template>"


def opened(html: str) -> str:
    """Return markup inside an open shadow root."""
    return f"<template shadowrootmode=open>{html}</template>"


def within(root: Callable[[str], str], html: str) -> str:
    """Return a custom element with markup inside its shadow root."""
    return f"<x-a>{root(html)}</x-a>"


def internals(**own: str) -> str:
    """Return a script that defines <x-own>, whose ElementInternals have these values."""
    return f"""<script>customElements.define('x-own', class extends HTMLElement {{ static formAssociated = true;
    constructor() {{ super(); Object.assign(this.attachInternals(), {own}) }}
    connectedCallback() {{ this.tabIndex = 0; this.style.cssText = 'display: inline-block; width: 40px; height: 20px' }} }})</script>"""


HIDDEN = "position: absolute; opacity: 0; width: 1px; height: 1px; clip: rect(0 0 0 0)"
BAR = "position: fixed; left: 0; right: 0; bottom: 0; padding: 20px; background: silver"
CLIPS = "position: relative; overflow: hidden; height: 40px"
MAP = """<img usemap='#m' width=200 height=80 src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>"><map name=m>"""

CONTROLS = (
    Structure(
        "native controls",
        "<button>A</button> <a href='#'>B</a> <input aria-label=C> <textarea aria-label=D></textarea>",
        ("A", "B", "C", "D"),
    ),
    Structure(
        "names by the style sheet",
        """<style>.a::before { content: "Reject all" } .b::after { content: attr(data-l) } .c::before { content: "×" / "Close" }
        .d::before { content: "\\f101" } .e::after { content: "all"; display: block } .f::after { content: "gone"; display: none }
        .g::before { content: url(x.png) / "Logo" } .h::before { content: "→" } .i::after { content: "a / b" }</style>
        <button class=a></button> <button class=b data-l="Accept all"></button> <button class=c></button>
        <button class=d>Icon</button> <button class=e>Reject</button> <button class=f>Plain</button>
        <button class=g></button> <a class=h href=#>Next</a> <button class=i></button>""",
        ("Reject all", "Accept all", "Close", "Icon", "Reject all", "Plain", "Logo", "Next", "a / b"),
    ),
    Structure(
        "a label by the style sheet",
        """<style>.l::before { content: "Share " } .s::after { content: "on" }</style>
        <label class=l>data <input></label> <label class=s><input type=checkbox>Ads</label>""",
        ("Share data", "Ads"),
    ),
    Structure(
        "boxes of all states",
        "<label><input type=checkbox checked> On</label> <label><input type=checkbox> Off</label> <label><input type=radio disabled> No</label>",
        ("On", "Off", "No"),
    ),
    Structure(
        "a partly checked box",
        "<label><input type=checkbox id=el> Some</label>",
        ("Some",),
        "el.indeterminate = true",
    ),
    Structure(
        "a box hidden under a drawn switch",
        f"<label><input type=checkbox role=switch style='{HIDDEN}'><i style='display: inline-block; width: 40px; height: 20px; background: teal'></i> Ads</label>",
        ("Ads",),
    ),
    Structure(
        "a box after its label",
        f"<label for=el>Ads</label> <input type=checkbox id=el style='{HIDDEN}'>",
        ("Ads",),
    ),
    Structure(
        "an input of every kind",
        "".join(
            f"<p><input type={kind} aria-label={kind}>"
            for kind in ("text", "search", "email", "tel", "url", "number", "range", "password")
        ),
        ("text", "search", "email", "tel", "url", "number", "range", "password"),
    ),
    Structure(
        "a dropdown", "<label>Who <select><option>All<option selected>Nobody</select></label>", ("Who",)
    ),
    Structure(
        "a list box",
        "<select size=3 aria-label=Who><option>All<option selected>Nobody</select>",
        ("Who", "All", "Nobody"),
    ),
    Structure("a summary", "<details><summary>More</summary><button>Inside</button></details>", ("More",)),
    Structure(
        "ARIA switch, slider and tabs",
        "<b role=switch aria-checked=true tabindex=0>Ads</b> <b role=slider tabindex=0 aria-label=Loud aria-valuenow=5>5</b> <div role=tablist><b role=tab aria-selected=true tabindex=0>One</b> <b role=tab tabindex=-1>Two</b></div>",
        ("Ads", "Loud", "One", "Two"),
    ),
    Structure(
        "an ARIA menu",
        "<ul role=menu><li role=menuitem tabindex=-1>Block<li role=menuitemcheckbox aria-checked=true tabindex=-1>Mute</ul>",
        ("Block", "Mute"),
    ),
    Structure(
        "an ARIA combobox with its list",
        "<input role=combobox aria-expanded=true aria-controls=l aria-label=City><ul role=listbox id=l><li role=option aria-selected=true>Oslo<li role=option aria-selected=false>Bergen</ul>",
        ("City", "Oslo", "Bergen"),
    ),
    Structure(
        "a tree", "<ul role=tree><li role=treeitem aria-expanded=false tabindex=0>Folder</ul>", ("Folder",)
    ),
    Structure(
        "a button that is pressed",
        "<button aria-pressed=true>Mute</button> <button aria-pressed=mixed>Some</button>",
        ("Mute", "Some"),
    ),
    Structure(
        "links without href that listen",
        "<a id=a>Reject</a> <a id=b>Settings</a> <span id=c>×</span>" + listening("a", "b", "c"),
        ("Reject", "Settings", "×"),
    ),
    Structure(
        "rows that listen",
        "<table><tr id=a><td>Berlin<tr id=b><td>Oslo</table>" + listening("a", "b"),
        ("Berlin", "Oslo"),
    ),
    Structure(
        "a drawing that listens",
        "<div id=a style='width: 24px'><svg width=24 height=24><title>Close</title><path d='M2 2L22 22' stroke=black /></svg></div>"
        + listening("a"),
        ("Close",),
    ),
    Structure(
        "a shape that listens",
        "<svg width=100 height=40><rect id=a width=90 height=30 /></svg>" + listening("a"),
        ("",),
    ),
    Structure(
        "a list item that is pressed",
        "<ul><li id=a>One<li id=b>Two</ul>" + listening("a", "b", event="mousedown"),
        ("One", "Two"),
    ),
    Structure("React's empty handler", "<div id=a>Row</div><script>a.onclick = () => {}</script>", ("Row",)),
    Structure(
        "a handler in a slot",
        f"<x-a>{opened('<slot></slot>')}<span id=a>Slotted</span></x-a>" + listening("a"),
        ("Slotted",),
    ),
    Structure(
        "a modal dialog in a box that clips",
        f"<div style='{CLIPS}'><button>Behind</button><dialog id=d style='position: absolute; top: 200px'><button>Reject</button></dialog></div>",
        ("Reject",),
        "d.showModal()",
    ),
    Structure(
        "a popover in a box that clips",
        f"<div style='{CLIPS}'><button popovertarget=d>More</button><div id=d popover style='position: absolute; inset: 150px auto auto 20px'><button>Block</button></div></div>",
        ("More", "Block"),
        "d.showPopover()",
    ),
    Structure(
        "a popover over a modal dialog",
        "<dialog id=d><button popovertarget=p>More</button><div id=p popover><button>Block</button></div></dialog>",
        ("Block",),
        "d.showModal(); p.showPopover(); p.style.inset = '0 auto auto 0'; p.style.position = 'fixed'; d.querySelector('button').hidden = true",
    ),
    Structure(
        "what is inert, covered or clipped",
        f"<div inert><button>A</button></div><div style='{CLIPS}'><p style='height: 60px'></p><button>B</button></div><div style='position: relative'><button>C</button><i style='position: absolute; inset: 0; background: white'></i></div>",
        (),
    ),
    Structure(
        "a switch by ElementInternals",
        "<label>Ads <x-own></x-own></label>" + internals(role="switch", ariaChecked="true"),
        ("Ads",),
    ),
    Structure(
        "a disabled box by ElementInternals",
        "<fieldset disabled><x-own aria-label=Ads></x-own></fieldset>"
        + internals(role="checkbox", ariaChecked="mixed"),
        ("Ads",),
    ),
    Structure(
        "a menu button by ElementInternals",
        "<x-own></x-own>" + internals(role="button", ariaLabel="More", ariaExpanded="false"),
        ("More",),
    ),
    Structure(
        "a slider by ElementInternals",
        "<x-own></x-own>" + internals(role="slider", ariaLabel="Loud", ariaValueNow="5"),
        ("Loud",),
    ),
    Structure("a closed root", f"<div>{closed('<button>In</button>')}</div>", ("In",)),
    Structure(
        "closed in closed in open",
        within(opened, within(closed, within(closed, "<button>In</button>"))),
        ("In",),
    ),
    Structure(
        "a handler in a closed root",
        "<div id=h></div><script>const r = h.attachShadow({mode: 'closed'}); r.innerHTML = '<p>Reject</p>'; r.firstChild.addEventListener('click', () => {})</script>",
        ("Reject",),
    ),
    Structure(
        "a closed root around slotted links",
        f"<x-a>{closed('<nav><slot></slot></nav>')}<a href='#'>One</a> <a href='#'>Two</a></x-a>",
        ("One", "Two"),
    ),
    Structure(
        "an image map",
        f"{MAP}<area coords='0,0,100,80' href='#a' alt=Left><area shape=circle coords='150,40,30' href='#b' alt=Right></map>",
        ("Left", "Right"),
    ),
    Structure(
        "links without a box",
        "<a style='display: contents' href='#a'>Bare</a> <a style='display: contents' href='#b'><span>Wrapped</span></a>",
        ("Bare", "Wrapped"),
    ),
    Structure(
        "a box of a pseudo-element",
        f"<style>label::before {{ content: ''; position: absolute; left: 9px; top: 9px; width: 20px; height: 20px; background: teal }}</style><input type=checkbox id=a aria-label=Ads style='{HIDDEN}'><label for=a></label>",
        ("Ads",),
    ),
    Structure(
        "a slider with a hidden range",
        "<span style='position: relative; display: inline-block; width: 200px; height: 20px; cursor: pointer'><span style='position: absolute; left: 50%; width: 20px; height: 20px'><input type=range aria-label=Loud style='position: absolute; width: 100%; height: 100%; clip-path: inset(50%)'></span></span>",
        ("Loud",),
    ),
    Structure("an editable paragraph", "<p contenteditable role=textbox aria-label=Note>Text</p>", ("Note",)),
    Structure(
        "a document that is edited",
        "<iframe srcdoc='<body contenteditable aria-label=Note>Text'></iframe>",
        ("Note",),
    ),
    Structure(
        "an editor around a hidden field",
        "<div id=a style='width: 300px; height: 60px'><div style='overflow: hidden; height: 0; width: 3px; position: relative'><textarea aria-label=Code style='position: absolute; bottom: -1em; height: 1em'></textarea></div><pre>Text</pre></div>"
        + listening("a", event="mousedown"),
        ("Code",),
    ),
    Structure("a document in an object", "<object type=text/html data='{other}'></object>", ("Inner",)),
    Structure(
        "a turned frame",
        "<div style='padding: 100px'><iframe style='rotate: 20deg' src='{other}'></iframe></div>",
        ("Inner",),
    ),
    Structure(
        "a scaled frame in a sandbox", "<iframe sandbox style='scale: .8' src='{other}'></iframe>", ("Inner",)
    ),
    Structure("a tab stop", "<div tabindex=0>Card</div>", ("Card",)),
    Structure(
        "a box that scrolls",
        "<div style='height: 60px; overflow: auto'><p style='height: 200px'>Terms</p></div>",
        (),
    ),
)

CONSENT = (
    Structure(
        "a bar of links without href",
        f"<div style='{BAR}'>We value your privacy <a id=a>Reject all</a> <a id=b>Settings</a> <button>Accept</button></div>"
        + listening("a", "b"),
        ("Reject all", "Settings", "Accept"),
    ),
    Structure(
        "a bar in an open root",
        within(opened, f"<div style='{BAR}'><button>Deny</button> <button>Accept</button></div>"),
        ("Deny", "Accept"),
    ),
    Structure(
        "a bar in a closed root",
        f"<div id=h></div><script>h.attachShadow({{mode: 'closed'}}).innerHTML = `<div style='{BAR}'><button>Deny</button> <button>Accept</button></div>`</script>",
        ("Deny", "Accept"),
    ),
    Structure(
        "a bar in a frame of another origin", f"<iframe src='{{other}}' style='{BAR}'></iframe>", ("Inner",)
    ),
    Structure(
        "a modal in nested roots",
        within(opened, within(closed, "<dialog open><button>Deny</button></dialog>")),
        ("Deny",),
    ),
    Structure(
        "a slider of three positions",
        "<div style='position: relative; width: 300px'><div id=a>Required</div><div id=b>Functional</div><div id=c>Advertising</div></div><a id=d>Submit</a>"
        + listening("a", "b", "c", "d"),
        ("Required", "Functional", "Advertising", "Submit"),
    ),
    Structure(
        "agree or disagree for each purpose",
        "".join(
            f"<p>{purpose} <button aria-pressed=false aria-label='Disagree to {purpose}'>Disagree</button> <button aria-pressed=false aria-label='Agree to {purpose}'>Agree</button></p>"
            for purpose in ("Ads", "Content")
        ),
        ("Disagree to Ads", "Agree to Ads", "Disagree to Content", "Agree to Content"),
    ),
    Structure(
        "consent and legitimate interest for each vendor",
        "".join(
            f"<div><b>{vendor}</b> <label><input type=checkbox> Consent</label> <label><input type=checkbox checked> Legitimate interest</label></div>"
            for vendor in ("One", "Two")
        ),
        ("Consent", "Legitimate interest") * 2,
    ),
    Structure(
        "pay or accept",
        f"<div role=dialog aria-modal=true style='{BAR}'><button>Accept and continue</button> <span id=a>Subscribe</span></div>"
        + listening("a"),
        ("Accept and continue", "Subscribe"),
    ),
    Structure(
        "switches drawn beside their text",
        f"<ul><li>Ads <label style='display: inline-block; width: 40px; height: 20px; background: gray'><input type=checkbox aria-label=Ads style='{HIDDEN}'></label><li>Content <label style='display: inline-block; width: 40px; height: 20px; background: gray'><input type=checkbox checked aria-label=Content style='{HIDDEN}'></label></ul>",
        ("Ads", "Content"),
    ),
)
