"""One event of a published trace, with typed access to its facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from math import isfinite
from typing import Any

from websp_gym.replay.importers.html_text import HtmlText, read_html
from websp_gym.replay.importers.import_log import ImportLog, kind_of
from websp_gym.replay.importers.roles import CHECKABLE, RADIOS, ROLES, implicit_role, opening_tag, words
from websp_gym.replay.importers.sanitize import UNKNOWN_TAG, key_of, tag_of

CLICKS = frozenset({"click", "dblclick", "mouseclick", "tap"})
CHANGES = frozenset({"change", "input"})
KEYS = frozenset({"keydown"})
NAVIGATIONS = frozenset({"navigation", "navigate", "goto"})
PICTURES = frozenset({"initial-screenshot", "final-screenshot", "screenshot"})
TEXT_KINDS = words(
    "text search tel url email password number date datetime-local month week time color range textarea"
)
_CAPTCHA = re.compile(r"g-recaptcha|h-captcha|cf-turnstile|captcha", re.IGNORECASE)
_COVER = re.compile(r"(?<![a-z])(?:cover|overlay|backdrop|scrim)(?![a-z])", re.IGNORECASE)
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
    def html_text(self) -> HtmlText:
        return read_html(self.data.get("outerHTML"))

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
        if kind:
            return kind.strip().lower()[:40]
        # The first version of the recorder writes no type, but the state of a box.
        is_box = (
            self.tag == "input"
            and self.data.get("value") == "on"
            and flag_of(self.data.get("checked")) is not None
        )
        return "checkbox" if is_box else None

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
            # Their recorder calls a radio button with `aria-checked` a switch too.
            return "radio" if self.get("typeAttr", attribute="type") == "radio" else "switch"
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
        """The checked state in the file; None if unknown."""
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
    def checked_before(self) -> bool | None:
        """The ``aria-checked`` in its HTML, which their recorder takes before the page reacts; None if unknown."""
        return flag_of(self.html[1].get("aria-checked"))

    @cached_property
    def expanded_before(self) -> bool | None:
        """The ``aria-expanded`` in its HTML; None if unknown."""
        return flag_of(self.html[1].get("aria-expanded"))

    @cached_property
    def captcha(self) -> bool:
        marks = (self.get("id"), self.get("name", attribute="name"), self.get("selectorPath"))
        return any(_CAPTCHA.search(mark[:2_000]) for mark in marks if mark)

    def after(self, other: PublishedEvent, seconds: float) -> bool:
        """Whether it happened at most this many seconds after another event; True if times are missing."""
        if self.time is None or other.time is None:
            return True
        return 0 <= self.time - other.time <= seconds

    def same(self, other: PublishedEvent) -> bool:
        """Whether both events are on the same element, by the first path or attribute that both have."""
        keys: tuple[str, ...] = ("selectorPath", "xpath", "id", "name")
        if self.is_copy or other.is_copy:
            keys = ("xpath",)
        elif texts(self.data.get("framePath")) != texts(other.data.get("framePath")):
            return False
        marks = ((self.get(key), other.get(key)) for key in keys)
        return next((one == two for one, two in marks if one and two), False)

    @property
    def is_beside_controls(self) -> bool:
        """Whether a click hit the page, a plain container of several controls, or an empty cover of the page.

        A replay would press whatever is in the middle of it.
        """
        plain = self.role == "generic" and "tabindex" not in self.html[1] and self.tag != "label"
        reacts = self.get("targetOnClick", attribute="onclick") is not None
        aside = self.html_text.controls > 1 or self._is_cover
        return self.tag in ("html", "body") or (plain and not reacts and aside)

    @property
    def _is_cover(self) -> bool:
        """Whether its marks call it a cover, as that behind an open menu, and it holds nothing."""
        classes = self.data.get("classList")
        marks = [self.get("id", attribute="id"), *(classes if isinstance(classes, list) else [])]
        told = self.get("innerText", "textContent", "ariaLabel", "title") or self.html_text.shown
        return not told and any(isinstance(mark, str) and _COVER.search(mark[:200]) for mark in marks)

    @property
    def is_copy(self) -> bool:
        """Whether it was recorded by the page around an iframe, which cannot write a CSS path into it."""
        return self.data.get("selectorPath") == ""

    def complete_from(self, other: PublishedEvent) -> None:
        """Copy the place of a copy's element from an event on the same element."""
        if self.is_copy and self.same(other):
            places = {key: other.data.get(key) for key in ("selectorPath", "framePath", "site")}
            self.data = {**self.data, **places}

    def label_by(self, text: str | None) -> None:
        """Set the text of its label, in files of the first version, which have none."""
        if text and "labelText" not in self.data:
            self.data = {**self.data, "labelText": text}


def published_event(number: int, event: object, log: ImportLog) -> PublishedEvent:
    """Validate an event of the file. Raise SetupError if it is not an object with a type."""
    place = f"events[{number}]"
    if not isinstance(event, dict):
        raise log.bad(place, f"an event is an object, but this is {kind_of(event)}", "record it again")
    type_ = event.get("type")
    if not isinstance(type_, str):
        raise log.bad(f"{place}.type", f"expected a text, but this is {kind_of(type_)}", "record it again")
    return PublishedEvent(place, type_.strip().lower()[:60], event, log)


def form_of(raw: PublishedEvent) -> dict[str, str]:
    """Return the facts about the element's form."""
    found = raw.data.get("formContext")
    pairs = found.items() if isinstance(found, dict) else ()
    return {key: value for key, value in pairs if isinstance(value, str)}


def texts(found: object) -> list[str]:
    """Return the texts in a list; empty for anything else."""
    return [text for text in found if isinstance(text, str) and text] if isinstance(found, list) else []


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
