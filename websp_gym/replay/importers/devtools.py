"""Importing user flows of the Chrome DevTools Recorder: ``{title, steps: […]}``, the JSON file of its *Export*.

A flow contains no states, no texts around its elements, and no page URLs; the URLs are inferred from its
navigations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from websp_gym.browser import VIEWPORT
from websp_gym.errors import SetupError
from websp_gym.replay.importers.event_builder import Draft, finish, step_left_out, typed
from websp_gym.replay.importers.import_log import ImportLog, kind_of
from websp_gym.replay.importers.roles import CHECKABLE, RADIOS
from websp_gym.replay.importers.sanitize import key_of, modifier_of, side_of, text_of, url_of
from websp_gym.replay.importers.selectors import read_selectors
from websp_gym.replay.trace import MAX_HOVER, SCHEMA, Fingerprint, TraceEvent

_TEXT_TAGS = frozenset({"input", "textarea"})
_TEXT_ROLES = frozenset({"textbox", "searchbox"})
_NO_PLACE = frozenset({"chrome:", "about:", "edge:", "brave:"})


def is_one(data: Mapping[str, Any]) -> bool:
    """Whether a file looks like a user flow."""
    return "steps" in data


def read(data: Mapping[str, Any], log: ImportLog) -> dict[str, Any]:
    """Return the data of a trace from a user flow, without its site.

    The log counts what is left out. Raise SetupError with the place if the flow cannot be imported.
    """
    reader = _Reader(data, log)
    for number, step in enumerate(log.list_at(dict(data), "steps", "steps")):
        reader.read(f"steps[{number}]", step)
    reader.end()
    events = reader.events()
    if all(event.what == "step" for event in events):
        kinds = ", ".join(list(log.dropped)[:6]) or "none beyond opening a page"
        raise log.bad("steps", f"nothing that could be replayed ({kinds})", "record it again")
    return {
        "schema": SCHEMA,
        "name": text_of(data.get("title")),
        "start_url": reader.start,
        "viewport": reader.viewport,
        "recorded_with": "chrome-recorder",
        "events": events,
        "omitted": log.omitted,
    }


class _Reader:
    """A reader of the steps of one flow, in order."""

    def __init__(self, data: Mapping[str, Any], log: ImportLog) -> None:
        self.log = log
        attribute = data.get("selectorAttribute")
        self.test_attribute = attribute if isinstance(attribute, str) else ""
        self.start = ""
        self.viewport = {"width": VIEWPORT[0], "height": VIEWPORT[1]}
        self.known_viewport = False
        self.done: list[Draft] = []
        self.hovers: list[Fingerprint] = []
        self.held: list[str] = []
        self.awaited: Fingerprint | None = None
        """Element that the previous step waited for: a key pressed next is meant for it."""
        self.urls: dict[str, str] = {}

    def read(self, place: str, step: object) -> None:
        """Read one step."""
        if not isinstance(step, dict):
            raise self.log.bad(place, f"a step is an object, but this is {kind_of(step)}", "record it again")
        type_ = step.get("type")
        if not isinstance(type_, str):
            raise self.log.bad(
                f"{place}.type", f"expected a text, but this is {kind_of(type_)}", "record it again"
            )
        if type_ in _STEPS:
            _STEPS[type_](self, place, step)
        else:
            matters = type_ not in _HARMLESS
            if matters:
                self.done.append(step_left_out(place, type_, "replay has no such step", self.log))
            else:
                self.log.drop(type_, place, why="replay does not need it")
        if type_ not in _OF_A_KEY:
            self._forget_awaited()
        self._arrive(step)

    def end(self) -> None:
        """Count the hovers and waits that no event followed."""
        self._forget_awaited()
        for _ in self.hovers:
            self.log.drop("hover with nothing after it")

    def events(self) -> tuple[TraceEvent, ...]:
        """Return the events of all steps."""
        return finish(self.done, self.log)

    # ---------------------------------------------------------------- steps
    def _viewport(self, place: str, step: dict[str, Any]) -> None:
        width, height = side_of(step.get("width")), side_of(step.get("height"))
        if not (width and height):
            self.log.note(
                f"{place}: its window size cannot be used; {VIEWPORT[0]} by {VIEWPORT[1]} is used instead"
            )
        elif not self.known_viewport:
            self.viewport, self.known_viewport = {"width": width, "height": height}, True
        else:
            self.log.drop("setViewport after the first", place)

    def _navigate(self, place: str, step: dict[str, Any]) -> None:
        url = url_of(step.get("url"))
        if not url:
            found = step.get("url")
            if (
                not (isinstance(found, str) and found.partition("//")[0][:20] in _NO_PLACE)
                and found != "about:blank"
            ):
                raise self.log.bad(f"{place}.url", "no http or https URL", "write the page's address there")
            self.log.drop("navigate to an internal page of the browser", place)
            return
        if self.start:
            self._add(Draft(place, "navigate", url), step)
        else:
            self.start = url
        self.urls[_target(step)] = url

    def _click(self, place: str, step: dict[str, Any]) -> None:
        if step.get("button") not in ("primary", None):
            why = "replay presses the primary button only"
            self.done.append(step_left_out(place, "click with another mouse button", why, self.log))
            return
        if step["type"] == "doubleClick":
            self.log.note(f"{place}: a double click became one click")
        held = step.get("duration")
        if isinstance(held, int | float) and held >= LONG_PRESS:
            why = "replay does not hold the button down"
            self.done.append(step_left_out(place, f"press of {held:.0f} ms", why, self.log))
            return
        target = self._print(place, step)
        draft = Draft(place, "click", target=target)
        if target.role in CHECKABLE or target.type_attr in ("checkbox", "radio"):
            draft.type = "change"
            draft.stateful = target.role not in RADIOS and target.type_attr != "radio"
        self._add(draft, step)

    def _change(self, place: str, step: dict[str, Any]) -> None:
        target = self._print(place, step)
        last = self.done[-1] if self.done else None
        if step.get("value") == "on" and last is not None and last.target == target:
            self.log.drop("change of a box that was clicked", place)
            return
        marks = (
            target.id,
            target.name_attr,
            target.name,
            target.placeholder,
            target.test_id,
        )
        text = target.tag in _TEXT_TAGS or target.role in _TEXT_ROLES
        draft = typed(
            Draft(place, "change", target=target), step.get("value"), target.type_attr, marks, self.log
        )
        if draft.type == "change" and text and target.role != "combobox":
            draft.type = "type"
        self._add(draft, step)

    def _hover(self, place: str, step: dict[str, Any]) -> None:
        self.hovers.append(self._print(place, step))

    def _key_down(self, place: str, step: dict[str, Any]) -> None:
        modifier = modifier_of(step.get("key"))
        if modifier:
            self.held = [*self.held, modifier]
            return
        key = key_of(step.get("key"), self.held)
        if key is None:
            self.done.append(
                step_left_out(place, "key that replay does not know", "it cannot be pressed", self.log)
            )
        else:
            self._add(Draft(place, "key", key=key, target=self.awaited), step)
            self.awaited = None

    def _key_up(self, place: str, step: dict[str, Any]) -> None:
        modifier = modifier_of(step.get("key"))
        self.held = [name for name in self.held if name != modifier]

    def _wait_for_element(self, place: str, step: dict[str, Any]) -> None:
        self._forget_awaited()
        try:
            self.awaited = self._print(place, step)
        except SetupError:  # it only waits: replay can do without it
            self.log.drop("waitForElement")

    def _forget_awaited(self) -> None:
        if self.awaited is not None:
            self.log.drop("waitForElement")
        self.awaited = None

    # ---------------------------------------------------------------- parts of a step
    def _print(self, place: str, step: dict[str, Any]) -> Fingerprint:
        if step.get("frame"):
            self.log.note("it numbers frames; replay looks for these targets in all frames")
        return read_selectors(
            step.get("selectors"), f"{place}.selectors", self.log, test_attribute=self.test_attribute
        )

    def _add(self, draft: Draft, step: dict[str, Any]) -> None:
        target = _target(step)
        if not self.start:
            raise self.log.bad(
                draft.place, "no step before it opens an http or https page", "begin with a navigate step"
            )
        if draft.type != "navigate":
            popup = target != "main"
            url = self.urls.get(target) or (url_of(target) if popup else "")
            draft = replace(draft, url=url, popup=popup)
            if draft.target is not None:
                draft.hover = tuple(self.hovers[-MAX_HOVER:])
                self.hovers = []
        self.done.append(draft)

    def _arrive(self, step: dict[str, Any]) -> None:
        """Store the URL that a step led to."""
        asserted = step.get("assertedEvents")
        for event in asserted[:50] if isinstance(asserted, list) else []:
            url = url_of(event.get("url")) if isinstance(event, dict) else ""
            if url:
                self.urls[_target(step)] = url


LONG_PRESS = 500
"""Milliseconds from which a page treats a press as a long one."""
_HARMLESS = frozenset(
    {"scroll", "waitForElement", "waitForExpression", "close", "emulateNetworkConditions", "setViewport"}
)
"""Steps that are left out and change nothing."""
_OF_A_KEY = frozenset({"waitForElement", "keyDown", "keyUp"})
_STEPS = {
    "setViewport": _Reader._viewport,
    "navigate": _Reader._navigate,
    "click": _Reader._click,
    "doubleClick": _Reader._click,
    "change": _Reader._change,
    "hover": _Reader._hover,
    "keyDown": _Reader._key_down,
    "keyUp": _Reader._key_up,
    "waitForElement": _Reader._wait_for_element,
}
"""Readers by step type. Other types (scroll, waits, close, custom steps) are left out, never executed."""


def _target(step: Mapping[str, Any]) -> str:
    target = step.get("target")
    return target if isinstance(target, str) and target else "main"
