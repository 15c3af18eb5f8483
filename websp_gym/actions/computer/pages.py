"""Tabs and elements as an agent of a browser toolset names them: by numbers that it has been told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from websp_gym.browser.isolated import session_of
from websp_gym.errors import ActionError
from websp_gym.observation.reading import DEPTH, Shown, find_elements, read_text, read_tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs


@dataclass(frozen=True)
class PageReading:
    """Something to read: the accessibility tree, the elements for a query, the text, the tabs, or the tab now shown.

    Args:
        what: Which of them.
        query: Words that the elements should have.
        shown: Which elements of the tree.
        depth: Levels of the tree.
        root: ``bid`` of the element where the tree begins; empty for the page.
    """

    what: Literal["tree", "elements", "text", "tabs", "tab"]
    query: str = ""
    shown: Shown = "in view"
    depth: int = DEPTH
    root: str = ""


class Pages:
    """The numbers of tabs, and the references to elements, such as ``ref_7``, that an agent has been told.

    A reference is for one element of one document: after a navigation it is refused, and never of another element.

    Args:
        tabs: The open tabs.
    """

    def __init__(self, tabs: Tabs) -> None:
        self._tabs = tabs
        self._refs: dict[tuple[int, str, str], str] = {}
        self._known: dict[str, tuple[int, str, str]] = {}

    @property
    def current(self) -> Page:
        """The tab that is shown."""
        return self._tabs.current

    def tab(self, number: str) -> Page:
        """Return the tab with a number; raise ActionError if none has it."""
        for page in self._tabs.pages:
            if str(self._tabs.number_of(page)) == number.strip():
                return page
        known = ", ".join(str(self._tabs.number_of(page)) for page in self._tabs.pages)
        raise ActionError(f"there is no tab {number[:20]!r}; the open tabs are {known}; nothing was done")

    def index(self, page: Page) -> int:
        """Return the place of a tab among the open ones."""
        return self._tabs.pages.index(page)

    def bid(self, ref: str, page: Page) -> str:
        """Return the ``bid`` of the element that a reference is for.

        Raises:
            ActionError: It is unknown, or of another tab or document than the page shows now.
        """
        known = self._known.get(ref.strip(" []"))
        if known is None:
            raise ActionError(
                f"there is no {ref[:20]!r}: references come from read_page and find; nothing was done"
            )
        number, document, bid = known
        if number != self._tabs.number_of(page):
            raise ActionError(f"{ref} is of tab {number}; nothing was done")
        if document != _document(page, bid):
            raise ActionError(f"{ref} is of a page that is gone; {NEW}; nothing was done")
        return bid

    def read(self, reading: PageReading, page: Page) -> str:
        """Return what is to be read of a tab."""
        match reading.what:
            case "tree":
                return read_tree(
                    page, self._ref_on(page), shown=reading.shown, depth=reading.depth, root=reading.root
                )
            case "elements":
                return find_elements(page, self._ref_on(page), reading.query)
            case "text":
                return read_text(page)
            case "tabs":
                return "\n".join(map(self._line, self._tabs.pages))
        return self._line(self.current)

    def _line(self, page: Page) -> str:
        active = " (active)" if page is self.current else ""
        return f"tab_id {self._tabs.number_of(page)}{active}: {self._tabs.title_of(page)}  {page.url}"

    def _ref_on(self, page: Page) -> Callable[[str], str]:
        number = self._tabs.number_of(page)
        here, within = _document(page, "0"), _document(page, "a0")

        def ref(bid: str) -> str:
            key = number, here if bid.isdigit() else within, bid
            if key not in self._refs:
                self._refs[key] = f"ref_{len(self._refs) + 1}"
                self._known[self._refs[key]] = key
            return self._refs[key]

        return ref


NEW = "read_page and find give new references"


def _document(page: Page, bid: str) -> str:
    """Return which document an element is of; which documents for one in a frame (letters first)."""
    tree = session_of(page).send("Page.getFrameTree")["frameTree"]
    if bid.isdigit():
        return str(tree["frame"]["loaderId"])
    waiting, loaders = [tree], []
    while waiting:
        each = waiting.pop()
        loaders.append(str(each["frame"]["loaderId"]))
        waiting += each.get("childFrames", ())
    return " ".join(loaders)
