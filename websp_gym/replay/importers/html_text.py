"""Reading the visible text and the accessible name from the HTML of one element, which may be cut off.

There is no live page: what a style sheet hides is unknown; only what the HTML itself hides is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser

from websp_gym.replay.importers.roles import words

MOST = 20_000
"""Number of characters of HTML that are read."""
_UNREAD = words("script style noscript template head datalist object iframe select textarea")
_EMPTY = words("area base br col embed hr img input link meta source track wbr")
_INLINE = words(
    "a abbr b bdi bdo cite code em font i kbd label mark q s small span strong sub sup time u var"
)
_CONTROLS = words("a button input select textarea")
_BUTTONS = words("submit reset button")


@dataclass(frozen=True)
class HtmlText:
    """The text of an element."""

    shown: str
    """What a person reads."""
    named: str
    """What its accessible name would be if named by its content, including names of pictures."""
    cut: bool = False
    """Whether the HTML ends before the element does."""
    controls: int = 0
    """Number of links, buttons and fields in it."""


def read_html(html: object) -> HtmlText:
    """Return the text in an element's HTML; empty if it has none or ``html`` is not a text."""
    if not isinstance(html, str):
        return HtmlText("", "")
    part = html[:MOST]
    if part.rfind("<") > part.rfind(">"):
        part = part[: part.rfind("<")]  # the last tag is cut off
    reader = _Reader()
    reader.feed(part)
    reader.close()
    shown, named = (" ".join("".join(parts).split()) for parts in (reader.shown, reader.named))
    return HtmlText(shown, named, cut=bool(reader.open), controls=reader.controls)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []
        self.named: list[str] = []
        self.controls = 0
        self.open: list[tuple[str, bool, bool]] = []
        """The open tags, and whether the text and the name in them are left out."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._apart(tag)
        attributes = {name: value or "" for name, value in attrs}
        self.controls += bool(self.open) and tag in _CONTROLS and attributes.get("type") != "hidden"
        silent, nameless = self._left_out()
        own = None if nameless or not self.open else _own_name(tag, attributes)
        if own:
            self.named.append(f" {own} ")
        if tag in _EMPTY:
            return
        hidden = tag in _UNREAD or "hidden" in attributes or "display:none" in _style(attributes)
        unnamed = own is not None or (bool(self.open) and attributes.get("aria-hidden") == "true")
        unshown = hidden or tag == "title"
        inside_svg = tag == "title" and any(name == "svg" for name, _, _ in self.open)
        self.open.append((tag, silent or unshown, nameless or (hidden and not inside_svg) or unnamed))

    def handle_endtag(self, tag: str) -> None:
        if any(name == tag for name, _, _ in self.open):
            while self.open.pop()[0] != tag:
                pass
        self._apart(tag)

    def handle_data(self, data: str) -> None:
        silent, nameless = self._left_out()
        if not silent:
            self.shown.append(data)
        if not nameless:
            self.named.append(data)

    def _left_out(self) -> tuple[bool, bool]:
        return self.open[-1][1:] if self.open else (False, False)

    def _apart(self, tag: str) -> None:
        if tag not in _INLINE:
            self.shown.append(" ")
            self.named.append(" ")


def _own_name(tag: str, attributes: dict[str, str]) -> str | None:
    """Return what an element inside another adds to its name instead of its text; None for its text."""
    if attributes.get("aria-hidden") == "true":
        return ""
    label = attributes.get("aria-label", "").strip()
    if label:
        return label
    kind = attributes.get("type", "").lower()
    if tag == "img" or (tag == "input" and kind == "image"):
        return attributes.get("alt") or attributes.get("title") or ""
    if tag == "input":
        return attributes.get("value", "") if kind in _BUTTONS else ""
    return None


def _style(attributes: dict[str, str]) -> str:
    return attributes.get("style", "").replace(" ", "").lower()
