"""Reading an element's facts from the selectors of a Chrome DevTools recording.

A step has several alternatives for one element. Each is a selector, or a list of selectors where each is
searched inside the element of the previous one (inside its shadow root, if it has one).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from websp_gym.replay.importers.import_log import ImportLog, kind_of
from websp_gym.replay.importers.roles import ROLES, TEST_ATTRIBUTES
from websp_gym.replay.importers.sanitize import UNKNOWN_TAG, href_of, mark_of, path_of, tag_of, text_of
from websp_gym.replay.trace import Fingerprint

_MOST = 50
_LONGEST = 4_000
_WHOLE_TEXT = 12
"""Chrome may cut texts of this many characters or more; shorter ones are complete."""

_ARIA = re.compile(r"""\[\s{0,9}(name|role)\s{0,9}=\s{0,9}(["'])((?:\\.|(?!\2)[^\\])*)\2\s{0,9}\]""")
# Possessive quantifiers prevent catastrophic backtracking.
_IDENT = r"(?>[a-zA-Z0-9_-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}+\s?+|\\.)++"
_PIECE = re.compile(
    rf"""(?P<tag>^{_IDENT})|\#(?P<id>{_IDENT})|\.(?P<class>{_IDENT})|(?P<pseudo>::?{_IDENT})
    |\[\s*(?P<name>{_IDENT})\s*(?P<sign>[~|^$*]?=)\s*(?:"(?P<double>(?:\\.|[^"\\])*)"|'(?P<single>(?:\\.|[^'\\])*)'
    |(?P<plain>{_IDENT}))\s*[iIsS]?\s*\]""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_XPATH_TAG = re.compile(r"/([a-zA-Z][\w-]*)(?:\[\d+\])*$")
_XPATH_MARK = re.compile(r"""//\*\[@([\w-]+)=(?:"([^"]*)"|'([^']*)')\]""")

_ATTRIBUTES = {
    "id": "id",
    "name": "name_attr",
    "type": "type_attr",
    "placeholder": "placeholder",
    "aria-label": "name",
    "title": "title",
    "role": "role",
    "href": "href",
    **dict.fromkeys(TEST_ATTRIBUTES, "test_id"),
}


@dataclass
class _Facts:
    found: dict[str, Any] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    test_attribute: str = ""

    def keep(self, key: str, value: str | None) -> None:
        """Store a fact, unless an earlier alternative has set it."""
        if value:
            self.found.setdefault(key, value)

    def attribute(self, name: str, value: str) -> None:
        """Store the value of an attribute selector."""
        key = "test_id" if name == self.test_attribute else _ATTRIBUTES.get(name)
        if key:
            clean = {"href": href_of, "name": text_of, "title": text_of, "placeholder": text_of}.get(
                key, mark_of
            )
            self.keep(key, clean(value))


def read_selectors(found: object, place: str, log: ImportLog, *, test_attribute: str = "") -> Fingerprint:
    """Return the fingerprint described by a step's selectors.

    Args:
        found: The value of ``selectors`` in the step.
        place: Its place in the file, for messages.
        log: The import log of the file.
        test_attribute: The attribute that the recording was configured to use in selectors; empty for none.

    Raises:
        SetupError: They are not selectors, or they describe no element.
    """
    facts = _Facts(test_attribute=test_attribute[:100])
    for number, alternative in enumerate(_alternatives(found, place, log)):
        parts = [alternative] if isinstance(alternative, str) else alternative
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            where = f"{place}[{number}]"
            raise log.bad(
                where, f"expected a selector, but this is {kind_of(alternative)}", "record it again"
            )
        if parts and max(map(len, parts)) <= _LONGEST and len(parts) <= _MOST:
            _read(parts, facts, log)
        else:
            log.note(f"{place}[{number}]: a selector longer than any that Chrome writes was left out")
    return _print(facts, place, log)


def _alternatives(found: object, place: str, log: ImportLog) -> list[Any]:
    if not isinstance(found, list) or not found:
        raise log.bad(place, f"expected a list of selectors, but this is {kind_of(found)}", "record it again")
    if len(found) > _MOST:
        log.note(f"{place}: only the first {_MOST} of {len(found)} selectors were read")
    return found[:_MOST]


def _read(parts: list[str], facts: _Facts, log: ImportLog) -> None:
    prefix, mark, _ = parts[-1].partition("/")
    kind = prefix if mark and prefix in _READERS else "css"
    own = [part.removeprefix(f"{kind}/") for part in parts]
    alike = all(part.startswith(f"{kind}/") or kind == "css" for part in parts)
    _READERS[kind](own, alike, facts, log)


def _aria(parts: list[str], alike: bool, facts: _Facts, log: ImportLog) -> None:
    last = parts[-1]
    given = {key: _unescaped(value) for key, _, value in _ARIA.findall(last)}
    name = given.get("name") or _ARIA.sub("", last)
    facts.keep("name", text_of(name))
    role = (text_of(given.get("role")) or "").lower()
    facts.keep("role", role if role in ROLES else None)


def _text(parts: list[str], alike: bool, facts: _Facts, log: ImportLog) -> None:
    facts.keep("text", text_of(parts[-1]))


def _css(parts: list[str], alike: bool, facts: _Facts, log: ImportLog) -> None:
    if alike:
        facts.keep("css", path_of(" ::shadow ".join(parts), log))
    _compound(parts[-1], facts)


def _pierce(parts: list[str], alike: bool, facts: _Facts, log: ImportLog) -> None:
    facts.keep("pierce", path_of(parts[-1], log) if len(parts) == 1 else None)
    _compound(parts[-1], facts)


def _xpath(parts: list[str], alike: bool, facts: _Facts, log: ImportLog) -> None:
    last = parts[-1]
    if len(parts) == 1 and last.startswith("/"):  # an XPath cannot start at a shadow root
        facts.keep("xpath", path_of(last, log))
    tag = _XPATH_TAG.search(last[-300:])
    facts.keep("tag", tag_of(tag[1]) if tag else None)
    mark = _XPATH_MARK.fullmatch(last)
    if mark:
        facts.attribute(mark[1], mark[2] or mark[3] or "")


_READERS: dict[str, Callable[[list[str], bool, _Facts, ImportLog], None]] = {
    "aria": _aria,
    "css": _css,
    "xpath": _xpath,
    "pierce": _pierce,
    "text": _text,
}


def _compound(selector: str, facts: _Facts) -> None:
    """Read the last element of a CSS path: in ``form > input#mail[name='m']``, the input."""
    last = _last_compound(selector)
    classes = []
    at = 0
    while piece := _PIECE.match(last, at):
        at = piece.end()
        kind = piece.lastgroup
        if piece["tag"]:
            facts.keep("tag", tag_of(_unescaped(piece["tag"])))
        elif piece["id"]:
            facts.attribute("id", _unescaped(piece["id"]))
        elif piece["class"]:
            classes.append(_unescaped(piece["class"]))
        elif piece["name"] and piece["sign"] == "=":
            value = piece["double"] or piece["single"] or piece["plain"] or ""
            facts.attribute(_unescaped(piece["name"]).lower(), _unescaped(value))
        elif kind == "pseudo" and last[at : at + 1] == "(":
            at = _after_bracket(last, at)
    facts.classes = facts.classes or tuple(filter(None, (mark_of(name, 100) for name in classes[:50])))


def _last_compound(selector: str) -> str:
    """Return the part of a selector after its last combinator; empty for a list of selectors."""
    begin = at = 0
    selector = selector.strip()
    while at < len(selector):
        letter = selector[at]
        if letter == "\\":
            escape = _ESCAPE.match(selector, at)
            at = escape.end() if escape else len(selector)
        elif letter in "[(":
            at = _after_bracket(selector, at)
        elif letter == ",":
            return ""
        else:
            at += 1
            begin = at if letter in " >+~\t\n" else begin
    return selector[begin:]


def _after_bracket(text: str, at: int) -> int:
    """Return the position after the bracket that closes the one at this position."""
    depth = 0
    quote = ""
    while at < len(text):
        letter = text[at]
        if letter == "\\":
            at += 1
        elif quote:
            quote = "" if letter == quote else quote
        elif letter in "\"'":
            quote = letter
        elif letter in "[(":
            depth += 1
        elif letter in "])":
            depth -= 1
            if not depth:
                return at + 1
        at += 1
    return len(text)


def _unescaped(text: str) -> str:
    def letter(match: re.Match[str]) -> str:
        code = int(match[1], 16) if match[1] else 0
        known = 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
        return match[2] or (chr(code) if known else "\ufffd")

    return _ESCAPE.sub(letter, text)


def _print(facts: _Facts, place: str, log: ImportLog) -> Fingerprint:
    found = facts.found
    found.setdefault("tag", UNKNOWN_TAG)
    pierce, title = found.pop("pierce", None), found.pop("title", None)
    found.setdefault("css", pierce)
    found.setdefault("name", title)
    role = str(found.get("role") or "").lower()
    found["role"] = role if role in ROLES else None
    name, text = found.get("name"), found.get("text")
    # A text that was cut would seem to contradict the element's full text.
    if name and text and len(text) >= _WHOLE_TEXT and name != text:
        found["text"] = None
    target = Fingerprint(**found, classes=facts.classes)
    if target == Fingerprint(tag=target.tag, role=target.role):
        raise log.bad(place, "they say nothing about the element", "record it again")
    return target
