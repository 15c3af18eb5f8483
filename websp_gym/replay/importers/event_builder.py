"""Build trace events from the events of an imported file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import ValidationError

from websp_gym.errors import SetupError
from websp_gym.replay.importers.account_values import holds_value
from websp_gym.replay.importers.import_log import ImportLog
from websp_gym.replay.importers.redact import PASSWORD, clean_event, email_in, what_field
from websp_gym.replay.importers.sanitize import REDACTED, types_a_letter, value_of
from websp_gym.replay.importers.secret_texts import is_secret_text
from websp_gym.replay.trace import MAX_EVENTS, ElementState, EventType, Fingerprint, OnOff, TraceEvent
from websp_gym.replay.trace_files import explain


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
    modal: Literal["accept", "dismiss"] | None = None
    modal_text: str | None = None
    opens: bool = False
    """Whether the file says that its target unfolds something, which was folded before."""
    whole: TraceEvent | None = None
    """The original event, in a flow that was exported from a trace; it is used unchanged."""

    def event(self) -> TraceEvent:
        """Return the validated event."""
        data = {key: value for key, value in vars(self).items() if key not in ("place", "opens", "whole")}
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
    if field_ == "secret" or (isinstance(found, str) and is_secret_text(found)):
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
    account = _mark_account(drafts, log)
    return tuple(_checked(draft, account, log) for draft in drafts)


def _checked(draft: Draft, account: Mapping[str, str], log: ImportLog) -> TraceEvent:
    if draft.whole is not None:
        return draft.whole
    try:
        event = TraceEvent.model_validate(clean_event(draft.event().model_dump(), account, log.secrets))
        if email_in(event.value):
            log.note(f"{draft.place}: an e-mail address; if it is the account's, write {{{{account.email}}}}")
        if event.value and (field := holds_value(event.value, account)):
            log.note(
                f"{draft.place}: the account's {field} is a part of it; if it stands for the account, write "
                f"{{{{account.{field}}}}} there"
            )
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


def _mark_account(drafts: list[Draft], log: ImportLog) -> dict[str, str]:
    """Replace the user name typed before a password by a placeholder; return the account's values."""
    before: Draft | None = None
    account: dict[str, str] = {}
    for draft in drafts:
        if draft.value == PASSWORD and before is not None and "{{" not in (before.value or ""):
            name = before.value or ""
            field_ = "email" if email_in(name) == name else "username"
            before.value = f"{{{{account.{field_}}}}}"
            log.note(f"{before.place}: who signed in became {before.value}")
            account[field_] = name
        before = draft if _is_typed_text(draft) else before
    return account


def _is_typed_text(draft: Draft) -> bool:
    choice = draft.target is not None and draft.target.tag == "select"
    return draft.value is not None and draft.value != PASSWORD and not choice
