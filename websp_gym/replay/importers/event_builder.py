"""Build trace events from the events of an imported file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from websp_gym.errors import SetupError
from websp_gym.replay.importers.import_log import ImportLog
from websp_gym.replay.importers.redact import PASSWORD, email_in, is_card, what_field
from websp_gym.replay.importers.sanitize import REDACTED, types_a_letter, value_of
from websp_gym.replay.trace import (
    MAX_EVENTS,
    ElementState,
    EventType,
    Fingerprint,
    OnOff,
    TraceEvent,
    explain,
)


@dataclass
class Draft:
    """A trace event that is still being built."""

    place: str
    """Its place in the file, for messages."""
    type: EventType
    url: str = ""
    target: Fingerprint | None = None
    value: str | None = None
    key: str | None = None
    stateful: bool = False
    before: ElementState | None = None
    after: ElementState | None = None
    set: OnOff | None = None
    hover: tuple[Fingerprint, ...] = ()
    popup: bool = False
    whole: TraceEvent | None = None
    """The original event, in a flow that was exported from a trace; it is used unchanged."""

    def event(self) -> TraceEvent:
        """Return the validated event."""
        data = {key: value for key, value in vars(self).items() if key not in ("place", "whole")}
        return self.whole or TraceEvent.model_validate(data)


def typed(
    draft: Draft, found: object, kind: str | None, marks: Sequence[str | None], log: ImportLog
) -> Draft | None:
    """Set the value that was typed in an event; return None if it is secret and must not be kept.

    Args:
        draft: The event.
        found: The typed value.
        kind: The field's type; None where it is unknown.
        marks: Other attributes of the field: name, id, label, autocomplete.
        log: The import log of the file.
    """
    field_ = what_field(kind, *marks)
    if field_ == "secret" or (isinstance(found, str) and is_card(found)):
        log.omit(draft.place, "what stands in a secret field", found)
        return None
    if field_ == "password":
        draft.value = PASSWORD
        log.hide(found if "{{" not in str(found) else None)
        log.note(f"{draft.place}: the password became {PASSWORD}")
        return draft
    draft.value = value_of(found, f"{draft.place}.value", log)
    if REDACTED.search(draft.value):
        log.omit(draft.place, "a redacted value", None)
        return None
    return draft


def finish(drafts: list[Draft], log: ImportLog) -> tuple[TraceEvent, ...]:
    """Return validated events: drop letter keys that a text event covers, and recognize the account.

    Raise SetupError where there are too many events, or one is not valid.
    """
    drafts = _without_letters(drafts, log)
    if len(drafts) > MAX_EVENTS:
        raise log.bad("events", f"{len(drafts):,} to replay", f"a trace has at most {MAX_EVENTS:,}")
    email = _mark_account(drafts, log)
    return tuple(_checked(draft, email, log) for draft in drafts)


def _checked(draft: Draft, email: str | None, log: ImportLog) -> TraceEvent:
    if draft.whole is not None:
        return draft.whole
    try:
        event = draft.event()
        if email or log.secrets:
            event = _cleared(event, email, log.secrets)
        if email_in(event.model_dump_json()):
            log.note(f"{draft.place}: an e-mail address; if it is the account's, write {{{{account.email}}}}")
        return event
    except ValidationError as error:
        raise SetupError(explain(log.path, error, at=draft.place), path=str(log.path)) from error


def _without_letters(drafts: list[Draft], log: ImportLog) -> list[Draft]:
    """Drop letter keys next to a text event, which has the text; alone they could spell a password."""
    kept: list[Draft] = []
    for number, draft in enumerate(drafts):
        if draft.type == "key" and types_a_letter(draft.key):
            near = drafts[max(0, number - 1) : number + 2]
            if any(other is not draft and _types(other) for other in near):
                log.drop("letter typed")
                continue
        kept.append(draft)
    return kept


def _types(draft: Draft) -> bool:
    return (
        draft.type == "type" or draft.value is not None or (draft.type == "key" and types_a_letter(draft.key))
    )


def _mark_account(drafts: list[Draft], log: ImportLog) -> str | None:
    """Replace the user name typed before a password by a placeholder, and return it if it is an e-mail."""
    before: Draft | None = None
    found: str | None = None
    for draft in drafts:
        if draft.value == PASSWORD and before is not None and "{{" not in (before.value or ""):
            name = before.value or ""
            email = email_in(name)
            before.value = "{{account.email}}" if email == name else "{{account.username}}"
            log.note(f"{before.place}: who signed in became {before.value}")
            found = email if email == name else found
        before = draft if _is_typed_text(draft) else before
    return found


def _is_typed_text(draft: Draft) -> bool:
    choice = draft.target is not None and draft.target.tag == "select"
    return draft.value is not None and draft.value != PASSWORD and not choice


def _cleared(event: TraceEvent, email: str | None, secrets: set[str]) -> TraceEvent:
    """Remove secrets typed elsewhere, and replace the account's e-mail address, in texts and URLs."""
    words = "|".join(re.escape(secret) for secret in sorted(secrets, key=len, reverse=True))
    hidden = re.compile(words) if words else None
    address = re.compile(re.escape(email), re.IGNORECASE) if email else None

    def clean(data: Any) -> Any:
        if isinstance(data, str):
            data = hidden.sub("", data) if hidden else data
            return address.sub("{{account.email}}", data) if address else data
        if isinstance(data, dict):
            return {key: clean(value) for key, value in data.items()}
        return [clean(value) for value in data] if isinstance(data, list | tuple) else data

    data = event.model_dump()
    data |= {key: clean(data[key]) for key in ("url", "target", "hover")}
    if address and event.value:
        data["value"] = address.sub("{{account.email}}", event.value)
    return TraceEvent.model_validate(data)
