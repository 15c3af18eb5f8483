"""Removing events of a published trace that only repeat or follow from another event.

A click on a label is followed by the browser's own click on the checkbox and by its change event; a text is
recorded letter by letter; Enter in a form clicks the form's button. Replaying all of these would perform the
action twice.
"""

from __future__ import annotations

from itertools import pairwise

from websp_gym.replay.importers.import_log import ImportLog
from websp_gym.replay.importers.published_event import (
    CHANGES,
    CLICKS,
    KEYS,
    NAVIGATIONS,
    PICTURES,
    PublishedEvent,
)
from websp_gym.replay.importers.sanitize import types_a_letter

_AT_ONCE = 0.5
"""Seconds within which a click and a change, or two equal events, are one user action."""
_LATE = 2.0
"""Seconds within which a field's change may be recorded again: the recorder waits for a pause in typing."""
_LABELS = frozenset({"label", "span", "div", "svg", "path", "i", "b", "p", "li", "td", "img"})
_PRESSING = ("Space", "Enter")


def reduced(raws: list[PublishedEvent], log: ImportLog) -> list[PublishedEvent]:
    """Remove events without a counterpart in a trace, and duplicates of other events.

    Return the rest in replay order, with pictures, which contain the page's URL. The log counts what is
    removed.
    """
    known = CLICKS | CHANGES | KEYS | NAVIGATIONS | PICTURES
    kept = []
    for raw in raws:
        if raw.type not in known or (raw.type in KEYS and raw.key is None):
            log.drop(raw.type)
        else:
            kept.append(raw)
    echoes = _echoes(_in_order([raw for raw in kept if raw.type not in PICTURES]), log)
    return _in_order([raw for raw in kept if id(raw) not in echoes])


def _in_order(raws: list[PublishedEvent]) -> list[PublishedEvent]:
    """Move a field's change before the Enter or Tab that caused it: replay must set the value first."""
    ordered: list[PublishedEvent] = []
    for raw in raws:
        last = ordered[-1] if ordered else None
        leaving = (
            last is not None and last.key in ("Enter", "Tab") and last.same(raw) and raw.after(last, _AT_ONCE)
        )
        if leaving and raw.type in CHANGES and not raw.checkable:
            ordered.insert(-1, raw)
        else:
            ordered.append(raw)
    return ordered


def _echoes(acts: list[PublishedEvent], log: ImportLog) -> set[int]:
    """Return the ids (``id()``) of events that another event already describes, or describes better."""
    gone: dict[int, str] = {}
    last: PublishedEvent | None = None
    written: list[PublishedEvent] = []
    for raw in acts:
        if last is not None and (_repeats(raw, last) or _comes_late(raw, written)):
            gone[id(raw)] = f"{raw.type} recorded twice"
        else:
            last = raw
            if raw.type in CHANGES and not raw.checkable:
                written.append(raw)
    # Go backwards: a label's click is removed for its box's click, and that for the box's change.
    labels: dict[str, str] = {}
    following: PublishedEvent | None = None
    for raw in reversed([raw for raw in acts if id(raw) not in gone]):
        if following is not None and _is_cause(raw, following):
            gone[id(raw)] = f"{raw.type} that led to a {following.type}"
            following.complete_from(raw)
            if _labels(raw, following):
                labels.setdefault(following.get("xpath") or "", raw.html_text.shown)
        else:
            following = raw
    for raw in acts:
        raw.label_by(labels.get(raw.get("xpath") or ""))
    for before, after in pairwise([raw for raw in acts if id(raw) not in gone]):
        if _is_submission(before, after):
            gone[id(after)] = "click by Enter"
    log.dropped.update(gone.values())
    return set(gone)


def _repeats(raw: PublishedEvent, last: PublishedEvent) -> bool:
    """Whether an event is a second record of the previous event."""
    both = raw.type == last.type or {raw.type, last.type} <= CLICKS
    timed = raw.time is not None and last.time is not None and raw.after(last, _AT_ONCE)
    facts = all(_fact(raw, key) == _fact(last, key) for key in ("checked", "value", "key"))
    return both and timed and facts and raw.same(last) and raw.type not in NAVIGATIONS


def _comes_late(raw: PublishedEvent, written: list[PublishedEvent]) -> bool:
    """Whether an event says once more what was written in a field, after another action such as a click on *Add*."""
    if raw.type not in CHANGES or raw.checkable or raw.time is None:
        return False
    last = next((each for each in reversed(written) if raw.same(each)), None)
    if last is None or last.time is None or not raw.after(last, _LATE):
        return False
    return _fact(raw, "value") is not None and _fact(raw, "value") == _fact(last, "value")


def _fact(raw: PublishedEvent, key: str) -> object:
    found = raw.data.get(key)
    return found if isinstance(found, str | int | float) else None


def _is_cause(raw: PublishedEvent, following: PublishedEvent) -> bool:
    """Whether the following event results from this one and describes the action better."""
    pressed = raw.type in KEYS and following.after(raw, _AT_ONCE)
    if following.type in CHANGES and following.checkable:
        arrow = pressed and following.radio and (raw.key or "").startswith("Arrow")
        by_key = pressed and raw.key in _PRESSING and raw.same(following)
        return arrow or by_key or (raw.type in CLICKS and (raw.same(following) or _labels(raw, following)))
    if following.type in CHANGES:
        if raw.type in CHANGES:
            return raw.same(following)  # the text of a field, letter by letter
        chosen = following.tag == "select" and (raw.type in CLICKS or pressed)
        return raw.same(following) and (chosen or types_a_letter(raw.key))
    if following.type in CLICKS:
        by_key = pressed and raw.key in _PRESSING and raw.same(following)
        return by_key or (raw.type in CLICKS and _labels(raw, following))
    return False


def _labels(raw: PublishedEvent, following: PublishedEvent) -> bool:
    """Whether this is a click on a label, and the following event the browser's own click on its control."""
    label = raw.tag in _LABELS and raw.role not in ("button", "link") and not raw.checkable
    if not following.checkable or not label or not following.after(raw, _AT_ONCE):
        return False
    timed = raw.time is not None and following.time is not None
    inside = (following.get("selectorPath") or "-").startswith(raw.get("selectorPath") or "+")
    return timed or inside or raw.tag == "label"


def _is_submission(before: PublishedEvent, after: PublishedEvent) -> bool:
    """Whether a click on a form's button was made by the browser because Enter was pressed in a field."""
    button = after.type in CLICKS and (
        after.kind == "submit" or (after.tag == "button" and after.kind is None)
    )
    timed = before.time is not None and after.time is not None and after.after(before, _AT_ONCE)
    return before.key == "Enter" and button and timed and not before.same(after)
