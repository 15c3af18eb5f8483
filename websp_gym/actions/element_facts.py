"""What policies have to know of the element that an action meets, read in the page."""

ELEMENT_FACTS = """function (how, which) {
  const { raw, kit, roleOf, nameOf } = this;
  const found = how === 'mark' ? this.element(which) : how === 'bid' ? this.ofBid(which)
    : how === 'point' ? document.elementFromPoint(which[0], which[1]) : this.focused();
  if (!found || raw.tagOf(found) === 'iframe') return null;
  // A click on the text of a button is a click on the button.
  const plain = ['generic', 'presentation', 'none', 'paragraph', 'image', 'img', ''];
  const el = plain.includes(roleOf(found)) ? kit.upwards(found, (at) => !plain.includes(roleOf(at))) ?? found : found;
  const form = kit.upwards(el, (at) => raw.tagOf(at) === 'form');
  const target = form ? new URL(raw.attr(form, 'action') || '', location.href).href : '';
  const frame = kit.cut(location.href, 2000);
  return { role: roleOf(el), name: kit.cut(nameOf(el), 300), form: kit.cut(target, 2000), frame };
}"""
"""Role, name, form target and frame of an element by ``mark``, ``bid``, ``point`` or ``focus``; null for none."""
WITH_ELEMENT_FACTS = f"""async function (name, index, ...given) {{
  let facts = null;
  try {{ facts = ({ELEMENT_FACTS}).call(this, 'mark', index); }} catch {{ }}
  return {{ facts, answer: await this[name](index, ...given) }};
}}"""
"""Call a page script function about a mark, and return the facts beside its answer: one call for both."""
