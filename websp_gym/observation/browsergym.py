"""BrowserGym's observation keys, extracted with its own functions.

BrowserGym's screenshot function is not used: it detaches its CDP session afterwards. On recent Chromium this
drops the viewport override and shrinks the page to 780×493.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.frames import give_documents
from websp_gym.browser.isolated import session_of
from websp_gym.browsergym import observation as stock

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.internals import Session

KEYS = ("dom_object", "axtree_object", "extra_element_properties", "focused_element_bid")
_TRIES = 5
_PATIENCE = 10.0
_DOCUMENT_TEXTS = (
    "documentURL", "title", "baseURL", "contentLanguage", "encodingName", "publicId", "systemId", "frameId"
)  # fmt: skip


def extract(page: Page, tags_to_mark: str = "standard_html") -> dict[str, Any]:
    """Extract DOM snapshot, accessibility tree, element properties and focused element: the values of :data:`KEYS`.

    The elements of the page get ``bid`` attributes, which BrowserGym's actions refer to. ``tags_to_mark`` is
    BrowserGym's option of the same name.
    """
    bg = stock()
    # BrowserGym's functions wait forever for a frame without a document.
    give_documents(page, patience=_PATIENCE)
    for attempt in range(1, _TRIES + 1):
        try:
            return _extract(page, tags_to_mark, lenient=attempt == _TRIES)
        except (PlaywrightError, bg.MarkingError):
            # A frame was removed or replaced meanwhile: try again.
            if attempt == _TRIES:
                raise
            page.wait_for_load_state("domcontentloaded")
    raise AssertionError("unreachable")


def _extract(page: Page, tags_to_mark: str, *, lenient: bool) -> dict[str, Any]:
    bg = stock()
    bg._pre_extract(page, tags_to_mark=tags_to_mark, lenient=lenient)
    sessions = _Sessions(session_of(page))
    dom = without_passwords(bg.extract_dom_snapshot(sessions))
    axtree = bg.extract_merged_axtree(sessions)
    focused = bg.extract_focused_element_bid(page)
    extra = bg.extract_dom_extra_properties(dom, scale_factor=1.0)
    bg._post_extract(page)

    return {
        "dom_object": dom,
        "axtree_object": axtree,
        "extra_element_properties": extra,
        "focused_element_bid": focused,
    }


class _Sessions:
    """Stands in for a page in two of BrowserGym's functions, which use only its DevTools session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def context(self) -> _Sessions:
        """The part of a page that opens sessions."""
        return self

    def new_cdp_session(self, page: object) -> Session:
        """Return the session."""
        return self._session


def without_passwords(dom: dict[str, Any]) -> dict[str, Any]:
    """Replace the content of password fields by bullets, as a user sees it, and return the same snapshot.

    ``dom``, a result of ``DOMSnapshot.captureSnapshot``, is changed in place.
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
    # The string table is shared: a string that is still used elsewhere is visible on the page anyway.
    for index in hidden - _used(dom) if hidden else ():
        strings[index] = ""
    return dom


def _used(dom: dict[str, Any]) -> set[int]:
    """Return the indexes of the used strings of a snapshot (fields of type ``StringIndex`` in the protocol)."""
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
