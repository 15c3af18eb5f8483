"""BrowserGym's own observation keys, extracted with its own functions.

Its screenshot is not used: on recent Chromium it detaches its CDP session afterwards, which drops the viewport
override and shrinks the page to 780×493.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from browsergym.core import observation as bg
from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.frames import give_documents

if TYPE_CHECKING:
    from playwright.sync_api import Page

KEYS = ("dom_object", "axtree_object", "extra_element_properties", "focused_element_bid")
_TRIES = 5
_PATIENCE = 10.0
_DOCUMENT_TEXTS = (
    "documentURL", "title", "baseURL", "contentLanguage", "encodingName", "publicId", "systemId", "frameId"
)  # fmt: skip


def extract(page: Page, tags_to_mark: str = "standard_html") -> dict[str, Any]:
    """Extracts DOM snapshot, accessibility tree, element properties and focus.

    Args:
        page: The active page; its elements get ``bid`` attributes, which BrowserGym's actions address.
        tags_to_mark: BrowserGym's option of the same name.

    Returns:
        The values of :data:`KEYS`.
    """
    # Its functions would wait for ever for a frame that has none.
    give_documents(page, patience=_PATIENCE)
    for attempt in range(1, _TRIES + 1):
        try:
            return _extract(page, tags_to_mark, lenient=attempt == _TRIES)
        except (PlaywrightError, bg.MarkingError):
            # A frame went away in the middle; what took its place is asked next.
            if attempt == _TRIES:
                raise
            page.wait_for_load_state("domcontentloaded")
    raise AssertionError("unreachable")


def _extract(page: Page, tags_to_mark: str, *, lenient: bool) -> dict[str, Any]:
    bg._pre_extract(page, tags_to_mark=tags_to_mark, lenient=lenient)
    dom = without_passwords(bg.extract_dom_snapshot(page))
    axtree = bg.extract_merged_axtree(page)
    focused = bg.extract_focused_element_bid(page)
    extra = bg.extract_dom_extra_properties(dom, scale_factor=1.0)
    bg._post_extract(page)

    return {
        "dom_object": dom,
        "axtree_object": axtree,
        "extra_element_properties": extra,
        "focused_element_bid": focused,
    }


def without_passwords(dom: dict[str, Any]) -> dict[str, Any]:
    """Puts bullets for what is written in password fields, as a person sees it.

    Args:
        dom: A snapshot by ``DOMSnapshot.captureSnapshot``; changed in place.

    Returns:
        The same snapshot.
    """
    strings = dom["strings"]
    hidden: set[int] = set()

    def mask(table: list[int], place: int) -> None:
        hidden.add(table[place])
        strings.append("•" * len(strings[table[place]]))
        table[place] = len(strings) - 1

    for document in dom["documents"]:
        nodes = document["nodes"]
        typed = nodes.get("inputValue", {"index": [], "value": []})
        for node, attributes in enumerate(nodes["attributes"]):
            named = {strings[attributes[at]].lower(): at + 1 for at in range(0, len(attributes), 2)}
            if "type" not in named or strings[attributes[named["type"]]].lower() != "password":
                continue
            if "value" in named:
                mask(attributes, named["value"])
            if node in typed["index"]:
                mask(typed["value"], typed["index"].index(node))
    # The table of texts is shared: one that is used elsewhere too is shown there by the page itself.
    for index in hidden - _used(dom) if hidden else ():
        strings[index] = ""
    return dom


def _used(dom: dict[str, Any]) -> set[int]:
    """Which texts of a snapshot's table are used (the fields of type ``StringIndex`` of the protocol)."""
    used: set[int] = set()
    for document in dom["documents"]:
        nodes, layout = document["nodes"], document.get("layout", {})
        used.update(document.get(name, -1) for name in _DOCUMENT_TEXTS)
        for name in ("nodeName", "nodeValue"):
            used.update(nodes.get(name, ()))
        for part in nodes.values():
            if isinstance(part, dict):
                used.update(part.get("value", ()))
        for line in (*nodes["attributes"], *layout.get("styles", ()), layout.get("text", ())):
            used.update(line)
    return used
