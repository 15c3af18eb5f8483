"""Building a trace from the steps of a script: which element, what was done to it, and on which page.

Scripts contain neither states nor the texts around elements; the page's URL is known until something is pressed on
it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal

from websp_gym.browser import VIEWPORT
from websp_gym.replay.importers.event_builder import Draft, finish, left_out, step_left_out, typed
from websp_gym.replay.importers.import_log import ImportLog
from websp_gym.replay.importers.roles import CHECKABLE, RADIOS
from websp_gym.replay.importers.sanitize import key_of, path_of, side_of, text_of, url_of
from websp_gym.replay.importers.selectors import read_selectors
from websp_gym.replay.trace import MAX_HOVER, SCHEMA, ElementState, Fingerprint

_MODIFIERS = {"ControlOrMeta": "Control", "CommandOrControl": "Control"}


@dataclass(frozen=True)
class Element:
    """An element as named in a script."""

    selectors: tuple[str | list[str], ...]
    """As in a flow of Chrome's Recorder, for :func:`read_selectors`."""
    frames: tuple[str, ...] = ()
    """CSS selectors of the frames that it is in, from the top page down."""
    around: str | None = None
    """Text of the row or box in which to look for it."""


@dataclass
class StepWriter:
    """A writer of events for one script."""

    log: ImportLog
    start: str = ""
    viewport: dict[str, int] = field(default_factory=lambda: {"width": VIEWPORT[0], "height": VIEWPORT[1]})
    done: list[Draft] = field(default_factory=list)
    _urls: dict[str, str] = field(default_factory=dict)
    _hovers: list[Fingerprint] = field(default_factory=list)
    _answer: tuple[Literal["accept", "dismiss"], str | None] | None = None

    def left_out(self, place: str, what: str, why: str, *, matters: bool = True) -> None:
        """Note a step that is not in the trace; replay stops there if it matters."""
        if matters:
            self.done.append(step_left_out(place, what, why, self.log))
        else:
            self.log.drop(what, place, why=why)

    def size(self, width: object, height: object) -> None:
        """Set the size of the window."""
        if side_of(width) and side_of(height):
            self.viewport = {"width": side_of(width), "height": side_of(height)}

    def open(self, place: str, address: object, page: str = "") -> None:
        """Open an address in a page; the empty name is the first page."""
        url = url_of(address)
        if not url:
            if address != "about:blank":
                self.left_out(place, "opening of a page", "its address is not a literal http or https URL")
            return
        if not self.start:
            self.start = url
        else:
            self._add(Draft(place, "navigate", url), page)
        self._urls[page] = url

    def click(self, place: str, element: Element, page: str = "") -> None:
        """Click an element; on a box or switch this changes its state, which the script does not state."""
        target = self._target(place, element)
        draft = Draft(place, "click", target=target)
        if target.role in CHECKABLE or target.type_attr in ("checkbox", "radio"):
            draft.type, draft.stateful = "change", not _is_radio(target)
        self._add(draft, page)
        self._urls[page] = ""

    def turn(self, place: str, element: Element, *, on: bool, page: str = "") -> None:
        """Turn a box or switch on or off."""
        target = self._target(place, element)
        draft = Draft(place, "change", target=target, stateful=not _is_radio(target))
        draft.after = ElementState(checked=on)
        self._add(draft, page)

    def type(self, place: str, element: Element, value: object, page: str = "") -> None:
        """Write a text into a field; ``value`` is None if the script does not contain it."""
        target = self._target(place, element)
        marks = (target.id, target.name_attr, target.name, target.placeholder, target.test_id)
        draft = typed(
            Draft(place, "type", target=target),
            "x" if value is None else value,
            target.type_attr,
            marks,
            self.log,
        )
        if value is None and draft.type != "omitted" and "account.password" not in (draft.value or ""):
            why = "the script does not contain it, but computes it or reads it from elsewhere"
            self.log.drop("text typed", place, why=why, matters=True)
            draft.value = None
            left_out(draft, "secret", "a text that the script does not contain", None, self.log)
        self._add(draft, page)

    def choose(self, place: str, element: Element, value: object, page: str = "") -> None:
        """Choose an option of a list by its value or label."""
        target = self._target(place, element)
        self._add(typed(Draft(place, "change", target=target), value, None, (), self.log), page)

    def press(self, place: str, key: object, element: Element | None = None, page: str = "") -> None:
        """Press a key, with modifiers as in ``Control+a``."""
        *modifiers, name = str(key)[:-1].split("+")
        known = key_of(name + str(key)[-1:], [_MODIFIERS.get(each, each) for each in modifiers])
        if known is None:
            self.left_out(place, f"key {str(key)[:30]}", "replay does not know it")
            return
        self._add(
            Draft(place, "key", key=known, target=self._target(place, element) if element else None), page
        )
        self._urls[page] = ""

    def hover(self, place: str, element: Element) -> None:
        """Move the pointer over an element, for the next event."""
        self._hovers.append(self._target(place, element))

    def answer(self, how: Literal["accept", "dismiss"], text: str | None = None) -> None:
        """Set how the dialog that the next event opens is answered."""
        self._answer = (how, text)

    def trace(self, name: str | None, recorded_with: str) -> dict[str, Any]:
        """Return the data of the trace, without its site."""
        events = finish(self.done, self.log)
        if not self.log.omitted and all(event.what == "step" for event in events):
            kinds = ", ".join(list(self.log.dropped)[:6]) or "none beyond opening a page"
            raise self.log.bad("it", f"nothing that could be replayed ({kinds})", "record it again")
        return {
            "schema": SCHEMA,
            "name": text_of(name),
            "start_url": self.start,
            "viewport": self.viewport,
            "recorded_with": recorded_with,
            "events": events,
            "omitted": self.log.omitted,
        }

    def _target(self, place: str, element: Element) -> Fingerprint:
        target = read_selectors(list(element.selectors), place, self.log)
        frames = tuple(path for frame in element.frames[:20] if (path := path_of(frame, self.log)))
        around = text_of(element.around)
        return target.model_copy(update={"frame_path": frames, "nearby": around})

    def _add(self, draft: Draft, page: str) -> None:
        if not self.start:
            raise self.log.bad(
                draft.place, "nothing before it opens an http or https page", "begin with opening one"
            )
        draft = replace(draft, url=draft.url or self._urls.get(page, ""), popup=bool(page))
        if draft.target is not None:
            draft.hover, self._hovers = tuple(self._hovers[-MAX_HOVER:]), []
        if self._answer is not None:
            draft.modal, draft.modal_text = self._answer
            self._answer = None
        self.done.append(draft)


def _is_radio(target: Fingerprint) -> bool:
    return target.role in RADIOS or target.type_attr == "radio"
