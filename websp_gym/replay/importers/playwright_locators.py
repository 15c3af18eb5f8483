"""Playwright's locators: ``get_by_role("button", name="Save")``, ``locator("#save")``, chains and frames."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from websp_gym.replay.importers.published_target import CUT_MARK
from websp_gym.replay.importers.roles import INPUT_ROLES, TAG_ROLES
from websp_gym.replay.importers.script import Call, Chain, Pattern, Value
from websp_gym.replay.importers.steps import Element

_PLACE = frozenset({"first", "last", "nth"})
_FRAMES = frozenset({"frame_locator", "content_frame", "frame"})
_TEXT_OF = re.compile(r""":(?:has-text|text-is|text)\(\s*(["'])(.*?)\1\s*\)""")
_OWN_PSEUDO = re.compile(r":(?:visible|nth-match\([^)]*\)|has-text\([^)]*\)|text-is\([^)]*\)|text\([^)]*\))")
_LITERAL = re.compile(r"\^?((?:[^\\^$.|?*+()\[\]{}]|\\[^A-Za-z0-9])+)\$?")
_ROLE = re.compile(r"""(\w+)\s*(?:\[name=(["'])(.*?)\2i?\])?""")
_KEYS = {"css": "{}", "id": '[id="{}"]', "data-testid": '[data-testid="{}"]', "data-test-id": '[data-test-id="{}"]',
         "data-test": '[data-test="{}"]'}  # fmt: skip


class UnreadableLocatorError(ValueError):
    """Raised for a locator that a trace cannot express, with the reason."""


@dataclass(frozen=True)
class Locator:
    """An element, as far as the chain has been read."""

    selectors: tuple[str | list[str], ...] = ()
    frames: tuple[str, ...] = ()
    around: str | None = None
    said: str | None = None
    """The name or text of the element, by which elements inside it are identified."""
    filtered: str | None = None
    placed: tuple[str, ...] = field(default=())
    """Links that only count elements: ``first``, ``nth(2)``."""

    def element(self) -> Element:
        """Return the element. Raise UnreadableLocatorError if nothing is known about it."""
        selectors = self.selectors
        if self.filtered and not any(str(one).startswith(("aria/", "text/")) for one in selectors):
            selectors = (*selectors, f"text/{self.filtered}")
        if not selectors:
            raise UnreadableLocatorError("the script does not say which element")
        return Element(selectors, self.frames, self.around)

    def inside(self, selectors: tuple[str | list[str], ...], said: str | None) -> Locator:
        """Return the locator of an element inside this one."""
        around = self.filtered or self.said or self.around
        mine, inner = _only_css(self.selectors), _only_css(selectors)
        if mine and inner and not self.placed and not self.filtered:
            selectors = (f"{mine} {inner}",)
        return Locator(selectors, self.frames, around, said)


def is_locator(call: Call) -> bool:
    """Whether a link of a chain leads to an element without acting on it."""
    name = call.name
    return (
        name in _READERS or name in _PLACE or name in _FRAMES or name in ("filter", "and", "or", "describe")
    )


def follow(calls: tuple[Call, ...], start: Locator) -> Locator:
    """Return the locator that a chain leads to. Raise UnreadableLocatorError if it cannot be read."""
    at = start
    for call in calls:
        name = call.name
        if name in _PLACE:
            number = call.argument(0)
            at = replace(at, placed=(*at.placed, f"nth({number})" if name == "nth" else name))
        elif name in _FRAMES:
            at = _frame(call, name, at)
        elif name == "filter":
            at = _filtered(call, at)
        elif name in _READERS:
            selectors, said = _READERS[name](call)
            at = _with_text(call, at.inside(selectors, said))
        elif name != "describe":
            raise UnreadableLocatorError(f"{call.name}() is not read")
    return at


def selected(selector: str, at: Locator) -> Locator:
    """Return the locator of a selector, as in the older ``page.click("#save")``."""
    return follow((Call("locator", (selector,)),), at)


def text_in(value: Value) -> tuple[str, bool] | None:
    """Return a text or the text of a pattern, and whether it is the whole; None if unknown."""
    if isinstance(value, str):
        return value, False
    if isinstance(value, Pattern):
        match = _LITERAL.fullmatch(value.source)
        whole = value.source.startswith("^") and value.source.endswith("$")
        return (re.sub(r"\\(.)", r"\1", match[1]), whole) if match else None
    return None


# ---------------------------------------------------------------- one link each
_Read = tuple[tuple[str | list[str], ...], str | None]


def _needed(call: Call, value: Value) -> str:
    found = text_in(value)
    if found is None:
        raise UnreadableLocatorError(f"what {call.name}() looks for is not a literal text")
    return found[0]


def _role(call: Call) -> _Read:
    role = _needed(call, call.argument(0)).lower()
    given = call.options.get("name")
    css = _css_of_role(role)
    if given is None:
        return (f'aria/[role="{role}"]', css), None
    name = _needed(call, given)
    return (f'aria/{name}[role="{role}"]',), name


def _css_of_role(role: str) -> str:
    tags = [tag for tag, implied in TAG_ROLES.items() if implied == role]
    inputs = [f'input[type="{kind}"]' for kind, implied in INPUT_ROLES.items() if implied == role]
    return f""":is({", ".join([f'[role="{role}"]', *tags, *inputs])})"""


def _named(call: Call) -> _Read:
    name = _needed(call, call.argument(0))
    return (f"aria/{name}",), name


def _text(call: Call) -> _Read:
    text = _needed(call, call.argument(0))
    return (f"text/{text}",), text


def _attribute(name: str) -> Callable[[Call], _Read]:
    def read(call: Call) -> _Read:
        value = _needed(call, call.argument(0))
        return (f'[{name}="{_quoted(value)}"]',), None

    return read


def _locator(call: Call) -> _Read:
    selector = call.argument(0)
    if not isinstance(selector, str):
        raise UnreadableLocatorError("its selector is not a literal text")
    *outer, last = (part.strip() for part in selector.split(" >> "))
    around = next((text for part in reversed(outer) if (text := _engine(part)[1])), None)
    if re.fullmatch(r"nth=-?\d+|visible=true", last) and outer:
        last = outer[-1]
    selectors, said = _engine(last)
    if outer and not around and _only_css(selectors) and all(_only_css(_engine(part)[0]) for part in outer):
        selectors = (" ".join(str(_only_css(_engine(part)[0])) for part in (*outer, last)),)
    return selectors, said


def _engine(selector: str) -> _Read:
    """Read a selector with the name of its engine: ``text=Save``, ``xpath=//a``, ``#save``."""
    engine, sign, rest = selector.partition("=")
    key = engine.removeprefix("internal:").strip().lower()
    if sign and key in ("text", "label", "has-text"):
        text = re.sub("[si]$", "", rest).strip("\"'") if rest[:1] in "\"'" else rest
        return (f"{'aria' if key == 'label' else 'text'}/{text}",), text
    if sign and key == "role" and (match := _ROLE.match(rest)):
        return _role(Call("role", (match[1],), {"name": match[3]} if match[3] else {}))
    if selector.startswith(("//", "..", "(//")) or (sign and key == "xpath"):
        return (f"xpath/{rest if key == 'xpath' else selector}",), None
    if sign and key in _KEYS:
        selector = _KEYS[key].format(rest if key == "css" else _quoted(rest))
    text_of = _TEXT_OF.search(selector)
    bare = _OWN_PSEUDO.sub("", selector).strip()
    said = text_of[2] if text_of else None
    return tuple(filter(None, (bare, f"text/{said}" if said else ""))), said


def _with_text(call: Call, at: Locator) -> Locator:
    return _filtered(call, at) if call.name == "locator" and call.options else at


def _filtered(call: Call, at: Locator) -> Locator:
    for key, value in call.options.items():
        if key == "has_text":
            found = text_in(value)
            if found is None:
                raise UnreadableLocatorError("its text is not a literal")
            at = replace(at, filtered=found[0] if found[1] else found[0] + CUT_MARK)
        elif key == "has" and isinstance(value, Chain):
            inner = follow(value.calls, Locator())
            at = replace(at, filtered=inner.said + CUT_MARK if inner.said else at.filtered)
        elif key in ("has_not", "has_not_text"):
            raise UnreadableLocatorError(f"{key} cannot be kept")
    return at


def _frame(call: Call, name: str, at: Locator) -> Locator:
    if name == "frame_locator":
        selector = _needed(call, call.argument(0))
    elif name == "content_frame":
        selector = _only_css(at.selectors) or ""
    else:
        given = call.options.get("name", call.argument(0))
        selector = f'iframe[name="{_quoted(given)}"]' if isinstance(given, str) else ""
    if not selector:
        raise UnreadableLocatorError("its frame is not named by a selector")
    return Locator(frames=(*at.frames, selector))


def _only_css(selectors: tuple[str | list[str], ...]) -> str | None:
    """Return the CSS selector, if there is nothing else."""
    only = selectors[0] if len(selectors) == 1 else None
    return only if isinstance(only, str) and not re.match("(?:aria|text|xpath|pierce)/", only) else None


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


_READERS: dict[str, Callable[[Call], _Read]] = {
    "get_by_role": _role,
    "get_by_label": _named,
    "get_by_alt_text": _named,
    "get_by_text": _text,
    "get_by_placeholder": _attribute("placeholder"),
    "get_by_title": _attribute("title"),
    "get_by_test_id": _attribute("data-testid"),
    "locator": _locator,
}
