"""Building trace events from the events of an imported file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from pydantic import ValidationError

from websp_gym.errors import SetupError
from websp_gym.replay.importers.account_values import holds_value
from websp_gym.replay.importers.import_log import ImportLog
from websp_gym.replay.importers.redact import PASSWORD, asks_for, clean_event, email_in, what_field
from websp_gym.replay.importers.sanitize import REDACTED, types_a_letter, value_of
from websp_gym.replay.importers.secret_texts import is_secret_text
from websp_gym.replay.trace import (
    MAX_EVENTS,
    NEW_PASSWORD,
    ElementState,
    EventType,
    Fingerprint,
    Omitted,
    OnOff,
    TraceEvent,
)
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
    what: Omitted | None = None
    """What was left out."""
    typed: str | None = None
    """The password that was typed, to compare it with others; never stored."""
    is_new: bool = False
    """Whether its field asks for a new password."""
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
    """Whether the file says that its target unfolds something that was folded before."""

    def event(self) -> TraceEvent:
        """Return the validated event."""
        data = {key: value for key, value in vars(self).items() if key in TraceEvent.model_fields}
        data["type"] = "omitted" if self.what else self.type
        return TraceEvent.model_validate(data)


def typed(
    draft: Draft, found: object, kind: str | None, marks: Sequence[str | None], log: ImportLog
) -> Draft:
    """Return an event with the typed value; if that is secret, it becomes an ``omitted`` event.

    Args:
        draft: The event.
        found: The typed value.
        kind: The field's type; None if unknown.
        marks: Other attributes of the field: name, id, label, autocomplete.
        log: The import log of the file.
    """
    field_ = what_field(kind, *marks)
    if field_ == "secret" or (isinstance(found, str) and is_secret_text(found)):
        is_password = asks_for("password", *marks)
        left_out(draft, "password" if is_password else "secret", "what stands in a secret field", found, log)
        draft.value = NEW_PASSWORD if is_password and asks_for("new_password", *marks) else None
        return draft
    if field_ == "password":
        draft.value, draft.type = PASSWORD, "type"
        is_told = isinstance(found, str) and "{{" not in found and not REDACTED.search(found)
        draft.typed = found if is_told and isinstance(found, str) else None
        draft.is_new = (
            "{{" not in str(found)
            and asks_for("new_password", *marks)
            and not asks_for("current_password", *marks)
        )
        log.hide(found if "{{" not in str(found) else None)
        log.note(f"{draft.place}: the password became {PASSWORD}")
        return draft
    draft.value = value_of(found, f"{draft.place}.value", log)
    if REDACTED.search(draft.value):
        draft.value = None
        left_out(draft, "secret", "a redacted value", None, log)
    return draft


def left_out(draft: Draft, what: Omitted, told: str, value: object, log: ImportLog) -> Draft:
    """Turn an event into the place of an input that is left out, and return it.

    Args:
        draft: The event.
        what: What is left out.
        told: The same in words, for a remark.
        value: The value, to remove it elsewhere.
        log: The import log of the file.
    """
    draft.type, draft.what = "omitted", what
    log.omit(draft.place, told, value)
    return draft


def step_left_out(place: str, what: str, why: str, log: ImportLog) -> Draft:
    """Return the event for a step that a trace cannot express and that may have changed the site's state."""
    log.drop(what, place, why=why, matters=True)
    return Draft(place, "omitted", what="step")


def finish(drafts: list[Draft], log: ImportLog) -> tuple[TraceEvent, ...]:
    """Return validated events: drop letter keys that a text event covers, and recognize the account.

    Raise SetupError if there are too many events, or one is not valid.
    """
    drafts = _without_letters(drafts, log)
    _leave_out_new_passwords(drafts, log)
    if len(drafts) > MAX_EVENTS:
        raise log.bad("events", f"{len(drafts):,} to replay", f"a trace has at most {MAX_EVENTS:,}")
    account = _mark_account(drafts, log)
    return tuple(_checked(draft, account, log) for draft in drafts)


def _leave_out_new_passwords(drafts: list[Draft], log: ImportLog) -> None:
    """Leave out the passwords that are not the account's: new ones, and any other than the one typed first."""
    passwords = [draft for draft in drafts if draft.value == PASSWORD]
    new = {draft.typed for draft in passwords if draft.is_new and draft.typed is not None}
    own = next((draft for draft in passwords if draft.typed is not None and draft.typed not in new), None)
    for draft in passwords:
        differs = own is not None and draft.typed != own.typed and draft.target != own.target
        if draft.is_new or draft.typed in new or (draft.typed is not None and differs):
            left_out(draft, "password", "a password that is not the account's", draft.typed, log)
            draft.value = NEW_PASSWORD


def _checked(draft: Draft, account: Mapping[str, str], log: ImportLog) -> TraceEvent:
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
    """Drop letter keys next to a text event, which has the text; leave out others, as they may spell a password."""
    kept: list[Draft] = []
    for is_letter, group in groupby(drafts, _is_letter):
        run = list(group)
        if not is_letter:
            kept += run
            continue
        first, last = drafts.index(run[0]), drafts.index(run[-1])
        near = [*drafts[max(0, first - 1) : first], *drafts[last + 1 : last + 2]]
        if any(_has_text(draft) for draft in near):
            log.dropped["letter typed"] += len(run)
        elif len(run) == 1:  # a shortcut, as "/" for a search
            kept += run
        else:
            kept.append(left_out(run[0], "secret", "what was typed letter by letter", None, log))
            run[0].key = None
    return kept


def _is_letter(draft: Draft) -> bool:
    return draft.type == "key" and types_a_letter(draft.key)


def _has_text(draft: Draft) -> bool:
    return draft.type == "type" or draft.what not in (None, "step") or draft.value is not None


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
