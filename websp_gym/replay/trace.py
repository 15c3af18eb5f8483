"""The trace format ``websp-trace/2``: user actions recorded on a website, made to survive a redesign.

A trace is one JSON file. It contains no passwords, tokens or hidden values. Values of the account are
replaced by placeholders such as ``{{account.email}}``, which are filled in at replay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator
from pydantic.alias_generators import to_camel

from websp_gym.browser import VIEWPORT
from websp_gym.errors import SetupError, nearest
from websp_gym.tasks.schema import OnOff as OnOff

SCHEMA = "websp-trace/2"
OLDER_SCHEMAS = ("websp-trace/1",)
"""Versions that can still be read: without ``value``, ``form``, ``serial`` and ``follows_change``."""
MAX_EVENTS = 5_000
MAX_BYTES = 20_000_000
MAX_HOVER = 20
MAX_GROUP = 20

EventType = Literal["navigate", "click", "change", "type", "key", "omitted"]
Omitted = Literal["password", "secret", "file", "captcha", "answer", "step"]

_PLACEHOLDERS = tuple(
    f"account.{field}" for field in ("email", "username", "name", "password", "new_password", "code")
)
_PASSWORDS = ("account.password", "account.new_password")
CODE = "{{account.code}}"
"""The one-time code at the moment it is typed."""
NEW_PASSWORD = "{{account.new_password}}"
_PLACEHOLDER = re.compile(r"\{\{([^{}]*)\}\}")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fingerprint(_Model):
    """How to find an element again, as recorded by ``extension/fingerprint.js``; every key except the tag is
    optional."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    tag: str = Field(description="Tag name in lower case; '*' if the imported recording does not have it.")
    test_id: str | None = Field(None, description="Value of data-testid or one of its relatives.")
    id: str | None = None
    name_attr: str | None = Field(None, description="The name attribute.")
    value: str | None = Field(
        None, description="The value attribute of a check box, radio button, button or option."
    )
    form: str | None = Field(None, description="Id, name or action of its form.")
    serial: tuple[Literal["testId", "id", "nameAttr", "value"], ...] = Field(
        (), description="Marks that other elements also have with other numbers, such as row-2 and row-3."
    )
    namesakes: int | None = Field(None, ge=0, description="Number of others with the same role and name.")
    told_by: Literal["row", "number", "heading", "both", "place"] | None = Field(
        None,
        description="What distinguishes it from its namesakes: the text around it, that text with its numbers, "
        "the heading, only both together, or nothing but its place.",
    )
    group: tuple[str, ...] = Field(
        (),
        max_length=MAX_GROUP,
        description="Names, in order, of the tabs, menus or links within the page, or of the fields with "
        "counted marks, that it is one of.",
    )
    lang: str | None = Field(None, description="Language of the page, if it is one of a series of fields.")
    role: str | None = Field(None, description="ARIA role, explicit or implied by the tag.")
    name: str | None = Field(None, description="Accessible name.")
    label: str | None = Field(None, description="Text of its label.")
    text: str | None = Field(None, description="Its own visible text.")
    nearby: str | None = Field(None, description="Text around it.")
    sibling: str | None = Field(None, description="Text of its siblings.")
    parent: str | None = Field(None, description="Text of its parent.")
    section: str | None = Field(None, description="Heading or legend of the section it is in.")
    href: str | None = None
    placeholder: str | None = None
    type_attr: str | None = Field(None, description="The type attribute.")
    css: str | None = Field(None, description="CSS path; '::shadow' separates shadow roots.")
    xpath: str | None = None
    frame_path: tuple[str, ...] = Field((), description="CSS paths of the iframes from the top page down.")
    websp_index: int | None = Field(None, description="Its position in the order of data-websp-index.")
    classes: tuple[str, ...] = ()

    def short(self) -> str:
        """Return a short description of the element for messages: ``<button> "Save"``."""
        what = f"<{self.role or self.tag}>"
        name = self.name or self.label or self.text or self.placeholder or self.nearby
        if name:
            return f'{what} "{name[:60]}"'
        mark = self.id or self.test_id or self.name_attr
        return f"{what} #{mark}" if mark else f"{what} at {(self.css or self.xpath or '?')[-60:]}"


class ElementState(_Model):
    """What a control said about itself; ``None`` if it has no such state."""

    checked: bool | None = None
    expanded: bool | None = None
    disabled: bool | None = None
    selected: bool | None = None
    pressed: bool | None = None
    value: str | None = None

    @property
    def on(self) -> bool | None:
        """Whether a two-state control is on: checked, else pressed, else selected."""
        known = (state for state in (self.checked, self.pressed, self.selected) if state is not None)
        return next(known, None)


class Viewport(_Model):
    """Size of the page's window in CSS pixels."""

    width: int = Field(gt=0, le=10_000)
    height: int = Field(gt=0, le=10_000)


class TraceEvent(_Model):
    """One thing the person did."""

    type: EventType
    what: Omitted | None = Field(
        None,
        description="For an 'omitted' event: the kind of input that was left out because it is secret (a "
        "password that is not the account's, another secret, a file, a captcha, or the answer to "
        "the next event's dialog), or a step of an imported recording that a trace cannot express. "
        "Replay stops there, or uses the value given for it.",
    )
    url: str = Field(
        "", description="URL of the page when it happened; for a navigate event, where it leads."
    )
    target: Fingerprint | None = None
    value: str | None = Field(
        None,
        description="Text typed, or value or label of the option chosen; for an 'omitted' event, a placeholder.",
    )
    key: str | None = Field(
        None, description="Key pressed, as in KeyboardEvent.key, with modifiers: Control+a."
    )
    left: bool = Field(
        False,
        description="Whether the field was left afterwards, as by a click beside it: many a page saves a "
        "text only then.",
    )
    follows_change: bool | None = Field(
        None,
        description="Whether the target was absent or disabled before the changes recorded until then, like "
        "Save in a bar; replay skips it if nothing needs to change. Null if unknown.",
    )
    stateful: bool = Field(False, description="The target is a switch that replay can turn on and off.")
    before: ElementState | None = None
    after: ElementState | None = None
    hover: tuple[Fingerprint, ...] = Field(
        (),
        max_length=MAX_HOVER,
        description="Elements to hover over for the target to appear, outermost first.",
    )
    popup: bool = Field(False, description="Whether it happened in a popup window.")
    modal: Literal["accept", "dismiss"] | None = Field(
        None, description="How the alert, confirm or prompt that followed was answered."
    )
    kept: bool | None = Field(
        None,
        description="Whether the page still had the state or text when it was reloaded after the recording: a "
        "setting does, a box that only selects a row does not. Null if unknown.",
    )
    sent: bool | None = Field(
        None,
        description="Whether a request that may change something followed before the next event, at once or after "
        "a while, when it was recorded. Null if unknown.",
    )
    modal_text: str | None = Field(None, description="Text given to a prompt that was accepted.")
    set: OnOff | None = Field(
        None, description="State in which replay leaves the target, regardless of the requested state."
    )
    optional: bool = Field(
        False, description="Skipped silently if its target is absent, such as a consent banner."
    )
    screenshot: str | None = Field(
        None,
        max_length=255,
        pattern=r"^[A-Za-z0-9_][A-Za-z0-9_. -]*\.png$",
        description="Screenshot of the page at that moment: name of a PNG file in the folder named after the trace.",
    )

    @model_validator(mode="after")
    def _complete(self) -> TraceEvent:
        if self.type == "navigate" and not self.url:
            raise ValueError("a 'navigate' event needs a url")
        if self.type in ("click", "change", "type") and self.target is None:
            raise ValueError(f"a '{self.type}' event needs a target")
        if self.type == "type" and self.value is None:
            raise ValueError("a 'type' event needs a value")
        if self.type == "key" and not self.key:
            raise ValueError("a 'key' event needs a key")
        if (self.type == "omitted") is not (self.what is not None):
            raise ValueError("only an 'omitted' event has, and needs, what was left out")
        if self.type == "omitted" and self.value and not _PLACEHOLDER.fullmatch(self.value):
            raise ValueError(f"the value of an 'omitted' event is a placeholder, such as {NEW_PASSWORD}")
        if self.modal_text is not None and self.modal != "accept":
            raise ValueError("a modal_text needs modal: accept")
        if self.type == "navigate":
            _check_url(self.url)
        prints = [self.target, *self.hover] if self.target else self.hover
        texts = [self.url, self.modal_text or "", *(print_.model_dump_json() for print_ in prints)]
        if any(types_password(text) or CODE in text for text in texts):
            raise ValueError("a password or a code may only be the value of a 'type' event")
        _check_parts(self.url)
        _check_placeholders(self.url, self.value or "", self.modal_text or "")
        return self

    def describe(self) -> str:
        """Return a short description of the event for messages and reports."""
        if self.type == "navigate" or self.target is None:
            return f"{self.type} {self.key or self.what or self.url}"
        into = {
            "type": f"{self.value!r} into ",
            "key": f"{self.key} in ",
            "omitted": f"{self.what} in ",
        }.get(self.type, "")
        return f"{self.type} {into}{self.target.short()}"


class End(_Model):
    """The page on which a recording ended."""

    url: str
    asks_password: bool = Field(False, description="Whether it showed a password field.")
    shows_error: bool = Field(
        False,
        description="Whether it showed a message that looks like an error, as some pages do even if all is well.",
    )


class Trace(_Model):
    """A recorded session on one website."""

    schema_version: Literal["websp-trace/2"] = Field(alias="schema")
    name: str
    description: str = Field("", description="Purpose of the trace, in a sentence.")
    site: str = Field(description="Slug of the site it was recorded on.")
    start_url: str = Field(min_length=1)
    viewport: Viewport = Viewport(width=VIEWPORT[0], height=VIEWPORT[1])
    recorded_with: str = Field(
        "", description="Program that recorded it: websp-recorder 1.0, chrome-recorder, webspeval."
    )
    omitted: int = Field(
        0,
        ge=0,
        description="Number of inputs left out because they are secret. If there are fewer 'omitted' events, as "
        "in older traces, it is unknown where, and the trace is not replayed.",
    )
    end: End | None = Field(None, description="Where the last event led.")
    events: tuple[TraceEvent, ...] = Field(max_length=MAX_EVENTS)

    model_config = ConfigDict(populate_by_name=True)

    @field_validator("schema_version", mode="before")
    @classmethod
    def _read_older(cls, version: object) -> object:
        return SCHEMA if version in OLDER_SCHEMAS else version

    @model_validator(mode="after")
    def _placeholders(self) -> Trace:
        for url in (self.start_url, self.end.url if self.end else ""):
            if url:
                _check_url(url)
            _check_placeholders(url)
        return self


def types_password(text: str | None) -> bool:
    """Whether a text has the placeholder of a password."""
    return any(placeholder in (text or "") for placeholder in _PASSWORDS)


def fill(text: str, account: Mapping[str, str]) -> str:
    """Replace the placeholders in a text with the account's values.

    Args:
        text: Text with placeholders such as ``{{account.email}}``.
        account: The account's values by field: ``email``, ``username``, ``name``, ``password``, ``new_password``,
            ``code``.

    Returns:
        The text with the values.

    Raises:
        SetupError: A placeholder is unknown, or the account has no value for it.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        _check_known(name)
        field = name.removeprefix("account.")
        if field not in account:
            raise SetupError(f"the trace needs {{{{{name}}}}}, but this account has no {field}")
        return account[field]

    return _PLACEHOLDER.sub(value, text)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a trace, as published in ``docs/trace.schema.json``."""
    schema = Trace.model_json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA, **schema}


def _check_placeholders(*texts: str) -> None:
    for text in texts:
        for match in _PLACEHOLDER.finditer(text):
            try:
                _check_known(match[1].strip())
            except SetupError as error:
                raise ValueError(error.message) from error


def _check_url(url: str) -> None:
    # A javascript: URL would run code, and a file: URL would read local files.
    if not url.startswith(("https://", "http://")):
        raise ValueError(f"{url[:60]!r} is not an http or https URL")
    _check_parts(url)
    if types_password(url) or CODE in url:
        raise ValueError("a password or a code may only be the value of a 'type' event")


def _check_parts(url: str) -> None:
    try:
        urlsplit(url)
    except ValueError as error:
        raise ValueError(f"{url[:60]!r} is not a URL: {error}") from error


def _check_known(placeholder: str) -> None:
    if placeholder not in _PLACEHOLDERS:
        raise SetupError(
            f"unknown placeholder {{{{{placeholder[:60]}}}}}{nearest(placeholder[:60], _PLACEHOLDERS)} "
            f"(there are {', '.join(_PLACEHOLDERS)})",
        )
