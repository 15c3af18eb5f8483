"""ARIA roles and attributes implied by HTML tags: the Python version of rules in ``extension/names.js``.

A file made by another recorder has no live element to query, so the few rules an import needs are tables
here. ``tests/replay/test_importers.py`` compares them with the JavaScript rules in a browser.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape


def words(text: str) -> frozenset[str]:
    """Return the set of words in a text, for tables."""
    return frozenset(text.split())


CHECKABLE = frozenset({"checkbox", "switch", "radio", "menuitemcheckbox", "menuitemradio"})
RADIOS = frozenset({"radio", "menuitemradio"})
ROLES = words(
    "alert alertdialog application article banner blockquote button caption cell checkbox code columnheader combobox "
    "complementary contentinfo definition dialog directory document emphasis feed figure form generic grid gridcell "
    "group heading image img link list listbox listitem log main marquee math menu menubar menuitem menuitemcheckbox "
    "menuitemradio meter navigation note option paragraph progressbar radio radiogroup region row rowgroup rowheader "
    "scrollbar search searchbox separator slider spinbutton status strong switch tab table tablist tabpanel term "
    "textbox time timer toolbar tooltip tree treegrid treeitem"
)
"""Roles accepted in a ``role`` attribute."""
NAMED_BY_CONTENT = words(
    "button link checkbox switch radio tab menuitem menuitemcheckbox menuitemradio option treeitem heading cell "
    "gridcell row columnheader rowheader tooltip"
)
"""Roles whose accessible name is their content."""
TEST_ATTRIBUTES = (
    "data-testid",
    "data-test-id",
    "data-test",
    "data-cy",
    "data-qa",
    "data-automation",
    "data-automation-id",
    "data-e2e",
    "data-tid",
    "data-hook",
)
"""Attributes for automated tests; the first one found is used."""
INPUT_ROLES = {
    "checkbox": "checkbox",
    "radio": "radio",
    "range": "slider",
    "number": "spinbutton",
    "search": "searchbox",
    "button": "button",
    "submit": "button",
    "reset": "button",
    "image": "button",
    "file": "button",
    "color": "button",
}
"""Roles of ``<input>`` by type; all other types are text boxes."""
TAG_ROLES = {
    "button": "button",
    "summary": "button",
    "textarea": "textbox",
    "option": "option",
    "optgroup": "group",
    "details": "group",
    "fieldset": "group",
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    "nav": "navigation",
    "main": "main",
    "article": "article",
    "table": "table",
    "tr": "row",
    "td": "cell",
    "th": "columnheader",
    "ul": "list",
    "ol": "list",
    "li": "listitem",
    "dialog": "dialog",
    "p": "paragraph",
    "form": "form",
}
"""Roles by tag. Other tags are generic, unless their role depends on more than the tag (``_UNTOLD``)."""
_UNTOLD = frozenset({"section", "img", "iframe", "svg", "header", "footer", "aside", "menu", "output"})
_TEXT_TYPES = frozenset({"text", "search", "tel", "url", "email"})
_TAG = re.compile(r"<([a-zA-Z][\w-]{0,60})")
_ATTRIBUTE = re.compile(
    r"""([a-zA-Z_][-\w:.]{0,80})(?:\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?"""
)
_HTML = 8_000
"""Number of characters of HTML to read; the opening tag is at the start."""


def opening_tag(html: object) -> tuple[str, dict[str, str]]:
    """Return the name and the complete attributes of the first tag in HTML that may be cut off.

    Both are empty if there is no tag or ``html`` is not a text.
    """
    text = html[:_HTML].lstrip() if isinstance(html, str) else ""
    tag = _TAG.match(text)
    if not tag:
        return "", {}
    attributes: dict[str, str] = {}
    at = tag.end()
    while at < len(text) and text[at] != ">":
        found = _ATTRIBUTE.match(text, at)
        if not found:
            at += 1
            continue
        at = found.end()
        if at < len(text):
            attributes.setdefault(found[1].lower(), unescape(found[2] or found[3] or found[4] or ""))
    return tag[1].lower(), attributes


def implicit_role(tag: str, kind: str | None, attributes: Mapping[str, str]) -> str | None:
    """Return the role of an element without a ``role`` attribute; None if unknown.

    Args:
        tag: The tag.
        kind: The value of the ``type`` property: ``checkbox``, ``select-one``, …
        attributes: The known attributes.
    """
    if attributes.get("contenteditable", "false") != "false":
        return "textbox"
    if tag in ("a", "area"):
        return "link" if "href" in attributes else None
    if tag == "select":
        several = kind == "select-multiple" or "multiple" in attributes or attributes.get("size", "1") > "1"
        return "listbox" if several else "combobox"
    if tag == "input":
        return _input_role(kind, attributes)
    return TAG_ROLES.get(tag) or (None if tag in _UNTOLD or tag == "*" else "generic")


def _input_role(kind: str | None, attributes: Mapping[str, str]) -> str | None:
    if kind == "checkbox" and "switch" in attributes:
        return "switch"
    if kind in _TEXT_TYPES and "list" in attributes:
        return "combobox"
    return INPUT_ROLES.get(kind, "textbox") if kind else None
