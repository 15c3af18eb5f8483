"""Importing the traces published with WebSP-Eval, from both versions of its recorder.

A file is ``{startUrl, events: […]}``; newer ones have ``initialFormStates`` and a page URL for each event.
Only the keys that replay needs are read, never page source, pictures or the contents of hidden fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from websp_gym.browser import VIEWPORT
from websp_gym.replay.importers.deduplicate import reduced
from websp_gym.replay.importers.event_builder import Draft, finish, left_out, typed
from websp_gym.replay.importers.import_log import ImportLog, kind_of
from websp_gym.replay.importers.menu_openers import fix_openers
from websp_gym.replay.importers.published_event import (
    CHANGES,
    CLICKS,
    KEYS,
    NAVIGATIONS,
    PICTURES,
    TEXT_KINDS,
    PublishedEvent,
    form_of,
    published_event,
    texts,
)
from websp_gym.replay.importers.published_target import fingerprint
from websp_gym.replay.importers.sanitize import side_of, types_a_letter, url_of
from websp_gym.replay.trace import SCHEMA, ElementState, OnOff

_TEXT_ROLES = frozenset({"textbox", "searchbox"})
_LED_TO = 5.0
"""Seconds within which a navigation counts as caused by the previous click or key."""


def read(data: Mapping[str, Any], log: ImportLog) -> dict[str, Any]:
    """Return the data of a trace from a published trace, without name and site.

    The log counts what is left out. Raise SetupError with the place if the file cannot be imported.
    """
    raws = [
        published_event(number, event, log)
        for number, event in enumerate(log.list_at(dict(data), "events", "events"))
    ]
    start = url_of(data.get("startUrl")) or next(
        (url for raw in raws if (url := url_of(raw.data.get("site")))), ""
    )
    if not start:
        found = kind_of(data.get("startUrl"))
        raise log.bad(
            "startUrl", f"no http or https URL (it is {found})", "add the page where the recording began"
        )
    if any(raw.data.get("webspIndex") is not None for raw in raws):
        log.note("its data-websp-index was left out: it numbers different elements than this recorder does")
    drafts = _Writer(start, data, log).write(reduced(raws, log))
    events = finish(fix_openers(drafts), log)
    if raws and not events and not log.omitted:
        kinds = ", ".join(f"{count} {kind}" for kind, count in log.dropped.most_common(6))
        raise log.bad("events", f"nothing that could be replayed ({kinds})", "record it again")
    return {
        "schema": SCHEMA,
        "start_url": start,
        "viewport": _viewport(data, log),
        "events": events,
        "recorded_with": "webspeval",
        "omitted": log.omitted,
    }


def is_one(data: Mapping[str, Any]) -> bool:
    """Whether a file looks like a published trace."""
    return "events" in data and not data.keys().isdisjoint(
        {"startUrl", "viewportWidth", "initialFormStates", "taskId"}
    )


class _Writer:
    """A writer of one file's events that tracks the page's URL and the states of its controls."""

    def __init__(self, start: str, data: Mapping[str, Any], log: ImportLog) -> None:
        self.log = log
        self.url = start
        self.forms = _objects(data.get("initialFormStates"))
        self.states = _states(data.get("initialFormStates"))
        self.forced = _forced(data)
        self.last: PublishedEvent | None = None

    def write(self, raws: list[PublishedEvent]) -> list[Draft]:
        """Return the events as drafts."""
        drafts = []
        for raw in raws:
            if raw.type in PICTURES:
                self.log.drop(raw.type)
                self.url = url_of(raw.data.get("tabUrl")) or self.url
                continue
            if raw.type in CLICKS and raw.is_beside_controls:
                self.log.drop("click beside the controls", raw.place)
                continue
            raw = self._box_of(raw) or raw
            draft = self._draft(raw)
            if draft is not None:
                drafts.append(draft)
            if raw.type in CLICKS | KEYS:
                self.last = raw
                self._went(raw)
        return drafts

    def _draft(self, raw: PublishedEvent) -> Draft | None:
        url = self._page_of(raw)
        if raw.type in NAVIGATIONS:
            return self._navigation(raw)
        if raw.kind == "hidden":  # the page's own doing
            self.log.hide(raw.data.get("value"))
            self.log.drop("change of a hidden field")
            return None
        if raw.captcha:
            return left_out(
                Draft(raw.place, "omitted", url), "captcha", "a captcha", raw.data.get("value"), self.log
            )
        draft = Draft(raw.place, "click", url, target=fingerprint(raw), opens=raw.expanded_before is False)
        if raw.type in KEYS:
            return self._key(draft, raw)
        if raw.checkable or (raw.pressed is not None and raw.role == "button"):
            return self._switch(draft, raw)
        return draft if raw.type in CLICKS else self._change(draft, raw)

    def _page_of(self, raw: PublishedEvent) -> str:
        """Return the URL of the page; of an event in a frame, the file has only that of the frame."""
        if texts(raw.data.get("framePath")):
            return self.url
        if raw.data.get("tabUrl"):
            return url_of(raw.data["tabUrl"])
        return url_of(raw.data.get("site")) if "site" in raw.data else self.url

    def _box_of(self, raw: PublishedEvent) -> PublishedEvent | None:
        """Return a click on a label as the change of the box in it; None for any other event.

        Their recorder leaves out the change that follows a click on a label around a box.
        """
        path = raw.get("selectorPath")
        if raw.type not in CLICKS or raw.tag != "label" or not path:
            return None
        for inner, box in self.forms.items():
            if inner.startswith(f"{path} > ") and box.get("type") in ("checkbox", "radio"):
                around = ("nearbyLabelText", "parentTextContext", "timestamp", "site", "framePath")
                facts = {**box, **{key: raw.data.get(key) for key in around}}
                facts |= {"elementType": "input", "inputType": box["type"], "checked": None}
                return PublishedEvent(raw.place, "change", facts, raw.log)
        return None

    def _navigation(self, raw: PublishedEvent) -> Draft | None:
        url = next((url for key in ("url", "to", "href", "site") if (url := url_of(raw.data.get(key)))), "")
        caused = self.last is not None and raw.after(self.last, _LED_TO)
        if not url or caused or url == self.url:
            self.url = url or self.url
            self.log.drop("navigation that a click caused" if caused else raw.type)
            return None
        self.url = url
        return Draft(raw.place, "navigate", url)

    def _key(self, draft: Draft, raw: PublishedEvent) -> Draft | None:
        draft.type, draft.key = "key", raw.key
        writes = raw.kind in TEXT_KINDS or raw.role in _TEXT_ROLES
        if writes and types_a_letter(draft.key):
            self.log.drop("letter typed")
            return None
        return draft

    def _switch(self, draft: Draft, raw: PublishedEvent) -> Draft:
        """Set an event's states: recorders read native controls after the change, others before it."""
        path = raw.get("selectorPath") or ""
        known = self.states.get(path)
        if not raw.checkable:
            draft.before, draft.stateful = _state(pressed=raw.pressed), True
            draft.set = self._set(raw)
            return draft
        after = True if raw.radio else self._after(raw, known)
        before = known if raw.radio or after is None else not after
        if known is not None and before != known:
            self.log.note(f"{raw.place}: its state contradicts initialFormStates; its own state is used")
        if after is not None:
            self.states[path] = after
        draft.before, draft.after = _state(checked=before), _state(checked=after)
        draft.type, draft.stateful = "change", not raw.radio
        draft.set = self._set(raw) if draft.stateful else None
        return draft

    def _after(self, raw: PublishedEvent, known: bool | None) -> bool | None:
        """Return the state after an event, where the file has it, or the state before it."""
        native = raw.tag == "input"
        if not native and raw.checked_before is not None:
            return not raw.checked_before
        if (native or raw.type in CHANGES) and raw.checked is not None:
            return raw.checked
        return None if known is None else not known

    def _set(self, raw: PublishedEvent) -> OnOff | None:
        return _forced(raw.data) or self.forced

    def _change(self, draft: Draft, raw: PublishedEvent) -> Draft | None:
        value = raw.data.get("value")
        plain = raw.tag in ("textarea", "input") or raw.kind in TEXT_KINDS or raw.role in _TEXT_ROLES
        if value is None and "value" in raw.data and plain and raw.kind != "password":
            value = ""  # the recorder's word for a field that was cleared
        if raw.kind == "file":
            return left_out(draft, "file", "a file", None, self.log)
        if value is None:
            return left_out(
                draft, "secret", f"what was put into {raw.tag}, which is not in the file", None, self.log
            )
        autocomplete = raw.html[1].get("autocomplete")
        if raw.tag == "select":
            draft.type = "change"
            return typed(draft, value, None, (autocomplete,), self.log)
        draft.type = "type" if plain else "change"
        marks = (
            autocomplete,
            raw.get("id", attribute="id"),
            raw.get("name", attribute="name"),
            form_of(raw).get("fieldName"),
            raw.get("labelText", "controlLabelText", "nearbyLabelText"),
            raw.get("ariaLabel", attribute="aria-label"),
            raw.get("placeholder", attribute="placeholder"),
        )
        return typed(draft, value, raw.kind, marks, self.log)

    def _went(self, raw: PublishedEvent) -> None:
        """Update the page's URL; forget it after an event that may leave the page to an unknown URL."""
        if texts(raw.data.get("framePath")):
            return
        site = url_of(raw.data.get("site")) or url_of(raw.data.get("tabUrl"))
        href = raw.get("href", attribute="href") or ""
        stays = raw.checkable or raw.kind in TEXT_KINDS or href.startswith("#") or raw.tag == "select"
        if site:
            self.url = site
        elif not stays:
            self.url = ""


def _state(*, checked: bool | None = None, pressed: bool | None = None) -> ElementState | None:
    state = ElementState(checked=checked, pressed=pressed)
    return state if state.on is not None else None


def _objects(found: object) -> dict[str, dict[str, Any]]:
    pairs = found.items() if isinstance(found, dict) else ()
    return {path: state for path, state in pairs if isinstance(state, dict)}


def _states(found: object) -> dict[str, bool]:
    """Return the controls' initial states. Other form values are not read, because they may be secret."""
    states = {}
    for path, state in found.items() if isinstance(found, dict) else ():
        on = state.get("checked") if isinstance(state, dict) else state
        if isinstance(on, bool):
            states[path] = on
    return states


def _forced(data: Mapping[str, Any]) -> OnOff | None:
    """Return the final state that the file sets for its toggles; None where it has none."""
    found = data.get("set_checked_state", data.get("setCheckedState"))
    if not isinstance(found, bool):
        return None
    return "on" if found else "off"


def _viewport(data: Mapping[str, Any], log: ImportLog) -> dict[str, int]:
    width, height = side_of(data.get("viewportWidth")), side_of(data.get("viewportHeight"))
    if width and height:
        return {"width": width, "height": height}
    log.note(f"its window size is unknown; {VIEWPORT[0]} by {VIEWPORT[1]} is used")
    return {"width": VIEWPORT[0], "height": VIEWPORT[1]}
