"""One event of a published trace: its facts, and the fingerprint of its element."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from math import isfinite
from typing import Any

from websp_gym.replay.importers.import_log import ImportLog, kind_of
from websp_gym.replay.importers.roles import (
    CHECKABLE,
    NAMED_BY_CONTENT,
    RADIOS,
    ROLES,
    TEST_ATTRIBUTES,
    implicit_role,
    opening_tag,
    words,
)
from websp_gym.replay.importers.sanitize import (
    UNKNOWN_TAG,
    href_of,
    key_of,
    mark_of,
    path_of,
    tag_of,
    text_of,
)
from websp_gym.replay.trace import Fingerprint

CLICKS = frozenset({"click", "dblclick", "mouseclick", "tap"})
CHANGES = frozenset({"change", "input"})
KEYS = frozenset({"keydown"})
NAVIGATIONS = frozenset({"navigation", "navigate", "goto"})
PICTURES = frozenset({"initial-screenshot", "final-screenshot", "screenshot"})
TEXT_KINDS = words(
    "text search tel url email password number date datetime-local month week time color range textarea"
)
_BUTTONS = frozenset({"submit", "button", "reset"})
_CAPTCHA = re.compile(r"g-recaptcha|h-captcha|cf-turnstile|captcha", re.IGNORECASE)
_SHADOW = re.compile(r"(?:\s{0,9}>\s{0,9})?::shadow(?:\s{0,9}>\s{0,9})?")
_LAST_TAG = re.compile(r"([a-z][\w-]*)(?:#[^\s>]*|:nth-of-type\(\d+\))?$", re.IGNORECASE)
_FLAGS = {"Control": "ctrlKey", "Alt": "altKey", "Meta": "metaKey", "Shift": "shiftKey"}


@dataclass
class PublishedEvent:
    """An event of a published trace, with typed access to its keys."""

    place: str
    type: str
    data: Mapping[str, Any]
    log: ImportLog

    @cached_property
    def html(self) -> tuple[str, dict[str, str]]:
        return opening_tag(self.data.get("outerHTML"))

    @cached_property
    def time(self) -> float | None:
        return _seconds(self.data.get("timestamp"))

    def get(self, *keys: str, attribute: str = "") -> str | None:
        """Return the first text under one of the keys, or else an attribute of the element's HTML."""
        for key in keys:
            text = self.data.get(key)
            if isinstance(text, str) and text.strip():
                return text
        return self.html[1].get(attribute)

    @cached_property
    def tag(self) -> str:
        path = self.get("selectorPath") or ""
        last = _LAST_TAG.search(path[-200:])
        found = (self.get("elementType"), self.get("tagName"), self.html[0], last and last[1])
        return next((tag for tag in map(tag_of, found) if tag), UNKNOWN_TAG)

    @cached_property
    def kind(self) -> str | None:
        """The value of the element's ``type`` property, in lower case."""
        kind = self.get("inputType", "typeAttr", attribute="type")
        return kind.strip().lower()[:40] if kind else None

    @cached_property
    def key(self) -> str | None:
        """The key pressed; None for other events."""
        held = [name for name, flag in _FLAGS.items() if self.data.get(flag) is True]
        return key_of(self.data.get("key"), held) if self.type in KEYS else None

    @cached_property
    def role(self) -> str | None:
        given = (self.get("role", attribute="role") or "")[:100].lower().split()
        if given and given[0] in ROLES:
            return given[0]
        if self.kind == "switch":
            return "switch"
        attributes = {**self.html[1], **({"href": ""} if self.get("href") else {})}
        return implicit_role(self.tag, self.kind, attributes)

    @property
    def checkable(self) -> bool:
        """Whether the element is a check box, switch or radio button."""
        return self.role in CHECKABLE

    @property
    def radio(self) -> bool:
        """Whether the element is a radio button."""
        return self.role in RADIOS

    @cached_property
    def checked(self) -> bool | None:
        """The checked state in the file; None where it is unknown."""
        for key in ("checked", "ariaChecked"):
            state = flag_of(self.data.get(key))
            if state is not None:
                return state
        return flag_of(self.html[1].get("aria-checked"))

    @cached_property
    def pressed(self) -> bool | None:
        state = flag_of(self.data.get("ariaPressed"))
        return state if state is not None else flag_of(self.html[1].get("aria-pressed"))

    @cached_property
    def captcha(self) -> bool:
        marks = (self.get("id"), self.get("name", attribute="name"), self.get("selectorPath"))
        return any(_CAPTCHA.search(mark[:2_000]) for mark in marks if mark)

    def after(self, other: PublishedEvent, seconds: float) -> bool:
        """Whether it happened at most this many seconds after another event; True where times are missing."""
        if self.time is None or other.time is None:
            return True
        return 0 <= self.time - other.time <= seconds

    def same(self, other: PublishedEvent) -> bool:
        """Whether both events are on the same element, by the first path or attribute that both have."""
        if _texts(self.data.get("framePath")) != _texts(other.data.get("framePath")):
            return False
        marks = ((self.get(key), other.get(key)) for key in ("selectorPath", "xpath", "id", "name"))
        return next((one == two for one, two in marks if one and two), False)


def published_event(number: int, event: object, log: ImportLog) -> PublishedEvent:
    """Validate an event of the file. Raise SetupError where it is not an object with a type."""
    place = f"events[{number}]"
    if not isinstance(event, dict):
        raise log.bad(place, f"an event is an object, this is {kind_of(event)}", "record it again")
    type_ = event.get("type")
    if not isinstance(type_, str):
        raise log.bad(f"{place}.type", f"a text is expected, this is {kind_of(type_)}", "record it again")
    return PublishedEvent(place, type_.strip().lower()[:60], event, log)


def fingerprint(raw: PublishedEvent) -> Fingerprint:
    """Return the fingerprint of an event's element. Raise SetupError if the file describes no element."""
    get = raw.get
    css, xpath = get("selectorPath"), get("xpath")
    shadow = css is not None and "::shadow" in css
    type_attr = get("typeAttr", attribute="type")
    if not type_attr and raw.tag == "input" and not raw.html[0] and raw.kind != "text":
        type_attr = raw.kind
    label = text_of(get("labelText")) or text_of(get("controlLabelText"))
    text = None if raw.tag in ("input", "select", "textarea") else text_of(get("innerText", "textContent"))
    name = _name(raw, label, text)
    classes = raw.data.get("classList", raw.html[1].get("class", ""))
    target = Fingerprint(
        tag=raw.tag,
        test_id=mark_of(get("dataTestId", "dataCy", "dataAutomation") or _test_id(raw)),
        id=mark_of(get("id", attribute="id")),
        name_attr=mark_of(get("name", attribute="name") or form_of(raw).get("fieldName")),
        role=raw.role,
        name=name,
        label=label,
        text=text,
        nearby=_nearby(raw, name, text),
        parent=text_of(get("parentTextContext")),
        section=text_of(get("headingText")) or _short(text_of(get("sectionText"), 400)),
        href=href_of(get("href", attribute="href")),
        placeholder=text_of(get("placeholder", attribute="placeholder")),
        type_attr=mark_of(type_attr, 40),
        css=path_of(_SHADOW.sub(" ::shadow ", css[:4_000]), raw.log) if css else None,
        xpath=path_of(xpath, raw.log) if xpath and not shadow else None,
        frame_path=tuple(
            path for frame in _texts(raw.data.get("framePath"))[:20] if (path := path_of(frame, raw.log))
        ),
        classes=tuple(filter(None, (mark_of(name, 100) for name in _words(classes)[:50]))),
    )
    if target == Fingerprint(tag=target.tag, role=target.role):
        raise raw.log.bad(raw.place, "nothing in it tells which element it was on", "record it again")
    return target


def _name(raw: PublishedEvent, label: str | None, text: str | None) -> str | None:
    """Return the accessible name, as far as the file allows."""
    if raw.tag == "input" and raw.kind in _BUTTONS:
        shown = text_of(raw.data.get("value")) or text_of(raw.html[1].get("value"))
        return text_of(raw.get("ariaLabel", attribute="aria-label")) or shown or label
    content = text if raw.role in NAMED_BY_CONTENT else None
    return (
        text_of(raw.get("ariaLabel", attribute="aria-label"))
        or label
        or content
        or text_of(raw.get("title", attribute="title"))
        or text_of(raw.get("placeholder", attribute="placeholder"))
    )


def _nearby(raw: PublishedEvent, name: str | None, text: str | None) -> str | None:
    """Return the text around the element without its own; None if unknown, as a wrong text does harm."""
    around = text_of(raw.get("parentTextContext"), 400)
    if around and text:
        around = text_of(around.replace(text, " ", 1))
    return text_of(around) or (None if name else text_of(raw.get("nearbyLabelText")))


def _short(text: str | None) -> str | None:
    """Return a section's text if it is short enough to be only a heading."""
    return text if text and len(text) <= 80 else None


def _test_id(raw: PublishedEvent) -> str | None:
    return next((raw.html[1][name] for name in TEST_ATTRIBUTES if name in raw.html[1]), None)


def form_of(raw: PublishedEvent) -> dict[str, str]:
    """Return the facts about the element's form."""
    found = raw.data.get("formContext")
    pairs = found.items() if isinstance(found, dict) else ()
    return {key: value for key, value in pairs if isinstance(value, str)}


def _words(found: object) -> list[object]:
    return list(found[:5_000].split()) if isinstance(found, str) else _list(found)


def _list(found: object) -> list[Any]:
    return found if isinstance(found, list) else []


def _texts(found: object) -> list[str]:
    return [text for text in _list(found) if isinstance(text, str) and text]


def flag_of(found: object) -> bool | None:
    """Return a boolean written as JSON or as an attribute; None for anything else."""
    if isinstance(found, str):
        return {"true": True, "false": False}.get(found.lower())
    return found if isinstance(found, bool) else None


def _seconds(found: object) -> float | None:
    try:
        if isinstance(found, int | float) and not isinstance(found, bool):
            return found / 1000 if isfinite(found) else None
        return datetime.fromisoformat(found).timestamp() if isinstance(found, str) else None
    except (ValueError, OverflowError, OSError):
        return None
