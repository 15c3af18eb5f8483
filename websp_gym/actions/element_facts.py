"""What is known of the element that an action meets, read in the page: for policies and the harm guard."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions.browsergym import BY_BID
from websp_gym.browser.isolated import worlds_of

if TYPE_CHECKING:
    from websp_gym.actions.calls import Call
    from websp_gym.browser.isolated import Frame
    from websp_gym.browser.tabs import Tabs

ELEMENT_FACTS = """function (how, which) {
  const { raw, kit, roleOf, nameOf, textOf } = this;
  const found = how === 'mark' ? this.element(which) : how === 'bid' ? this.ofBid(which)
    : how === 'point' ? document.elementFromPoint(which[0], which[1]) : this.focused();
  if (!found || raw.tagOf(found) === 'iframe') return null;
  // A click on the text of a button is a click on the button; what is in no control may be one by a script.
  const plain = ['generic', 'presentation', 'none', 'paragraph', 'image', 'img', ''];
  const around = ['form', 'main', 'region', 'document', 'article', 'dialog', 'banner',
    'contentinfo', 'complementary', 'search'];
  const above = plain.includes(roleOf(found)) ? kit.upwards(found, (at) => !plain.includes(roleOf(at))) : null;
  const el = above && !around.includes(roleOf(above)) ? above : found;
  const form = kit.upwards(el, (at) => raw.tagOf(at) === 'form');
  const target = form ? new URL(raw.attr(form, 'action') || '', location.href).href : '';
  const frame = kit.cut(location.href, 2000);
  const name = nameOf(el) || (plain.includes(roleOf(el)) ? textOf(el) : '');
  return { role: roleOf(el), name: kit.cut(name, 300), form: kit.cut(target, 2000), frame };
}"""
"""Role, name, form target and frame of an element by ``mark``, ``bid``, ``point`` or ``focus``; null for none."""
WITH_ELEMENT_FACTS = f"""async function (name, index, ...given) {{
  let facts = null;
  try {{ facts = ({ELEMENT_FACTS}).call(this, 'mark', index); }} catch {{ }}
  return {{ facts, answer: await this[name](index, ...given) }};
}}"""
"""Call a page script function about a mark, and return the facts beside its answer: one call for both."""

_BY_FOCUS = ("keyboard_type", "keyboard_insert_text", "keyboard_press", "keyboard_down")
_BY_POINT = ("mouse_click", "mouse_dblclick", "mouse_down", "mouse_up", "mouse_move")


def element_of_call(call: Call, tabs: Tabs) -> dict[str, str]:
    """Return role, name, form and frame of the element that a call of BrowserGym is about to meet.

    Args:
        call: The call.
        tabs: The open tabs.

    Returns:
        The facts; none for a call that meets no element, or where it cannot be read.
    """
    name, positional, named = call
    values = [*positional, *named.values()]
    worlds = worlds_of(tabs.current)
    if name in _BY_FOCUS:
        return _read(worlds.main, "focus", None)
    if name in BY_BID and values:
        found = (_read(frame, "bid", str(values[0])) for frame in (worlds.main, *worlds.children()))
        return next(filter(None, found), {})
    if name in _BY_POINT and len(values) > 1:
        return _read(worlds.main, "point", [float(values[0]), float(values[1])])
    return {}


def _read(frame: Frame, how: str, which: Any) -> dict[str, str]:
    with contextlib.suppress(PlaywrightError):
        found: dict[str, str] | None = frame.run(ELEMENT_FACTS, how, which)
        return found or {}
    return {}
