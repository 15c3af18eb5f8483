"""Facts about the element that an action acts on, read in the page, for policies and the harm guard."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions.browsergym import BY_BID
from websp_gym.browser.focus import DEEPEST
from websp_gym.browser.isolated import worlds_of

if TYPE_CHECKING:
    from websp_gym.actions.calls import Call
    from websp_gym.browser.isolated import Frame, Worlds
    from websp_gym.browser.tabs import Tabs

ELEMENT_FACTS = """function (how, which) {
  const { raw, kit, roleOf, nameOf, textOf } = this;
  const found = how === 'mark' ? this.element(which) : how === 'bid' ? this.ofBid(which)
    : how === 'point' ? this.topAt(which[0], which[1]) : this.focused();
  if (!found) return null;
  if (this.holdsDocument(found)) {
    if (how !== 'point' && how !== 'focus') return null;
    return { iframe: this.numberOf(found), at: how === 'point' ? this.intoFrame(found, which[0], which[1]) : null };
  }
  // A click on the text of a button is a click on the button; what is in no control may be one by a script.
  const plain = ['generic', 'presentation', 'none', 'paragraph', 'image', 'img', ''];
  const around = ['form', 'main', 'region', 'document', 'article', 'dialog', 'banner',
    'contentinfo', 'complementary', 'search'];
  const above = plain.includes(roleOf(found)) ? kit.upwards(found, (at) => !plain.includes(roleOf(at))) : null;
  const el = above && !around.includes(roleOf(above)) ? above : found;
  const form = kit.upwards(el, (at) => raw.tagOf(at) === 'form');
  const action = form && (raw.attr(el, 'formaction') || raw.attr(form, 'action')) || location.href;
  // The document of a frame may have no address of its own, such as about:srcdoc.
  const base = kit.getter(Node.prototype, 'baseURI')(document);
  const target = form && URL.canParse(action, base) ? new URL(action, base).href : '';
  const frame = kit.cut(location.href, 2000);
  const link = kit.upwards(el, (at) => raw.tagOf(at) === 'a');
  const to = link && raw.attr(link, 'href');
  const href = to && URL.canParse(to, base) ? new URL(to, base).href : '';
  const dialog = kit.upwards(el, (at) => ['dialog', 'alertdialog'].includes(roleOf(at)));
  const name = nameOf(el) || (plain.includes(roleOf(el)) ? textOf(el) : '');
  return { role: roleOf(el), name: kit.cut(name, 300), form: kit.cut(target, 2000), frame,
    href: kit.cut(href, 2000), dialog: dialog ? kit.cut(textOf(dialog), 1000) : '' };
}"""
"""Role, name, form, frame, href and dialog of an element by ``mark``, ``bid``, ``point`` or ``focus``; null for none.

If a point or the focus is in an iframe: its number, and the point in its viewport.
"""
WITH_ELEMENT_FACTS = f"""async function (name, index, ...given) {{
  let facts = null;
  try {{ facts = ({ELEMENT_FACTS}).call(this, 'mark', index); }} catch {{ }}
  return {{ facts, answer: await this[name](index, ...given) }};
}}"""
"""Call a page script function about a mark, and return the facts along with its answer, in one call."""

_LOOKS = 2
"""Number of attempts if a document is replaced meanwhile."""
_BY_FOCUS = ("keyboard_type", "keyboard_insert_text", "keyboard_press", "keyboard_down")
_BY_POINT = ("mouse_click", "mouse_dblclick", "mouse_down", "mouse_up", "mouse_move")


def element_of_call(call: Call, tabs: Tabs) -> dict[str, str] | None:
    """Return role, name, form, frame, href and dialog of the element that a BrowserGym call is about to act on.

    Args:
        call: The call.
        tabs: The open tabs.

    Returns:
        The facts; empty for a call that acts on no element, ``None`` if it cannot be read.
    """
    worlds = worlds_of(tabs.current)
    for _ in range(_LOOKS):
        with contextlib.suppress(PlaywrightError):
            return _met(call, worlds)
    return None


def _met(call: Call, worlds: Worlds) -> dict[str, str] | None:
    name = call[0]
    if name in _BY_FOCUS:
        return _inmost(worlds.main, "focus", None)
    if name in _BY_POINT:
        point = [argument_of(call, number, key) for number, key in enumerate(("x", "y"))]
        # What is no number, the call itself refuses.
        numbers = all(isinstance(value, int | float) for value in point)
        return _inmost(worlds.main, "point", point) if numbers else {}
    if name in BY_BID:
        return _of_bid([worlds.main, *worlds.children()], str(argument_of(call, 0, "bid")))
    return {}


def argument_of(call: Call, number: int, key: str) -> Any:
    """Return an argument of a call, given by its position or its name; ``None`` if it has none."""
    _, positional, named = call
    return positional[number] if number < len(positional) else named.get(key)


def _of_bid(frames: list[Frame], bid: str) -> dict[str, str] | None:
    unread = False
    for frame in frames:
        try:
            found: dict[str, str] | None = frame.run(ELEMENT_FACTS, "bid", bid)
        except PlaywrightError:
            unread = True
        else:
            if found:
                return found
    return None if unread else {}


def _inmost(frame: Frame, how: str, which: Any) -> dict[str, str] | None:
    """Return the facts of the element at a point or with the focus, in the frames inside too."""
    for _ in range(DEEPEST):
        found: dict[str, Any] = frame.run(ELEMENT_FACTS, how, which) or {}
        if "iframe" not in found:
            return found
        child = frame.child(found["iframe"])
        if child is None:
            return None
        frame, which = child, found["at"]
    return None
