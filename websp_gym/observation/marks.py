"""Set-of-marks: what a person could operate in the viewport right now, numbered."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from playwright.sync_api import Error as PlaywrightError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from websp_gym.browser.isolated import MAX_FRAMES, ScriptError, is_replaced, worlds_of
from websp_gym.errors import ActionError, WorldError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from playwright.sync_api import Page

    from websp_gym.browser.isolated import Frame

Box = tuple[float, float, float, float]

MAX_MARKS = 1_000
"""Marks a page has at most: no viewport of a page meant for people holds more."""
_GEOMETRY = "function (number) { return this.frameGeometry(this.iframe(number)); }"
_ATTEMPTS = 5
_GEOMETRIC = {"box", "at", "editable", "scrollable"}
_log = logging.getLogger(__name__)
# The ends of lines that JSON leaves as they are.
_LINE_ENDS = re.compile("[\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Mark:
    """One operable element in view.

    Args:
        number: What the agent calls it; from 0, in reading order.
        tag: HTML tag name.
        role: ARIA role, explicit or implied by the tag; ``generic`` without one.
        name: Accessible name, at most 300 characters.
        text: Visible text, at most 120 characters.
        type: The type of an ``<input>``, else empty.
        box: Left, top, width and height of its visible part, in pixels of the page's viewport.
        checked: Whether it is on (checkbox, switch, radio, pressed button); None for what has no such state.
        expanded: Whether what it opens is open; None where it opens nothing.
        disabled: Shown, but cannot be operated.
        selected: Whether it is the chosen tab or option; None for other elements.
        value: What is filled in, as a person reads it; a password as bullets.
        href: Where a link leads.
        frame: Position of its frame in :attr:`Marks.frames`.
        index: What our scripts in its frame call it.
        mixed: Partly checked (``checked`` is False then).
    """

    number: int
    tag: str
    role: str
    name: str
    text: str
    type: str
    box: Box
    checked: bool | None
    expanded: bool | None
    disabled: bool
    selected: bool | None
    value: str
    href: str
    frame: int
    index: int
    mixed: bool = False

    def as_dict(self) -> dict[str, Any]:
        """The facts an agent gets, as plain data."""
        return {
            "number": self.number,
            "tag": self.tag,
            "role": self.role,
            "name": self.name,
            "text": self.text,
            "type": self.type,
            "box": list(self.box),
            "checked": self.checked,
            "expanded": self.expanded,
            "disabled": self.disabled,
            "selected": self.selected,
            "value": self.value,
            "href": self.href,
            "mixed": self.mixed,
        }

    def line(self) -> str:
        """One line for a prompt: ``[9] <checkbox> "Violence" (checked)``."""
        what = self.tag if self.role in ("generic", "presentation") else self.role
        parts = [f"[{self.number}] <{what}>"]
        if shown := self.name or self.text:
            parts.append(_quoted(shown))
        if self.value:
            parts.append(f"value={_quoted(self.value)}")
        if states := list(self._states()):
            parts.append(f"({', '.join(states)})")
        return " ".join(parts)

    def _states(self) -> Iterator[str]:
        if self.mixed:
            yield "partly checked"
        elif self.checked is not None:
            state = "pressed" if self.role == "button" else "checked"
            yield state if self.checked else f"not {state}"
        if self.expanded is not None:
            yield "expanded" if self.expanded else "collapsed"
        if self.selected:
            yield "selected"
        if self.disabled:
            yield "disabled"


def _quoted(text: str) -> str:
    """Text of a page in quotes on one line, so that no name can pass for a line of its own."""
    return _LINE_ENDS.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


@dataclass
class Marks:
    """All marks of a page and the frames they are in.

    Args:
        marks: In reading order; ``marks[n].number == n``.
        frames: The frames searched, the main frame first.
        title: The title of the page, at most 300 characters.
    """

    marks: tuple[Mark, ...]
    frames: tuple[Frame, ...]
    title: str = ""

    def __getitem__(self, number: int) -> Mark:
        """The mark with this number.

        Raises:
            ActionError: There is none; the message names the valid range.
        """
        if 0 <= number < len(self.marks):
            return self.marks[number]
        valid = (
            f"the elements in view are [0] to [{len(self.marks) - 1}]" if self.marks else "none is in view"
        )
        raise ActionError(f"there is no element [{number}]: {valid}", mark=number)

    def __len__(self) -> int:
        return len(self.marks)

    def __iter__(self) -> Iterator[Mark]:
        return iter(self.marks)

    def text(self) -> str:
        """All marks, one line each."""
        return "\n".join(mark.line() for mark in self.marks)


class _Reading(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


_Number = Annotated[float, Field(allow_inf_nan=False, strict=False)]


class _Facts(_Reading):
    """One mark as its frame tells it; geometry in the frame that holds it."""

    index: int
    tag: str
    role: str
    name: str
    text: str
    type: str
    box: tuple[_Number, _Number, _Number, _Number]
    at: tuple[_Number, _Number]
    checked: bool | None
    mixed: bool
    expanded: bool | None
    disabled: bool
    selected: bool | None
    value: str
    href: str
    editable: bool
    scrollable: bool


class _Shown(_Reading):
    """An iframe in view: where the viewport in it begins, how much larger it is drawn, and what of it is seen."""

    iframe: int
    origin: tuple[_Number, _Number]
    scale: tuple[_Number, _Number]
    box: tuple[_Number, _Number, _Number, _Number]


class _Survey(_Reading):
    title: str
    entries: list[_Facts | _Shown]


@dataclass(frozen=True)
class _Found:
    """A mark before it is numbered."""

    facts: _Facts
    frame: int
    box: Box
    at: tuple[float, float]


def collect_marks(page: Page) -> Marks:
    """Finds what can be operated in the viewport, in all frames of a page.

    Hidden, covered and clipped elements get no mark; a visually hidden checkbox gets the box of its label. A page
    has :data:`MAX_MARKS` marks at most, and a frame whose elements cannot be read has none.

    Args:
        page: The page as it stands; call after it has settled.

    Returns:
        The marks, numbered in reading order from 0.

    Raises:
        WorldError: The page kept navigating away while it was read.
    """
    for _ in range(_ATTEMPTS):
        look = _Look()
        try:
            found = look.into(worlds_of(page).main, None)
        except PlaywrightError as error:
            if page.is_closed() or not is_replaced(error):
                reason = str(error).splitlines()[0]
                raise WorldError(
                    f"the elements of {page.url} cannot be read: {reason}", url=page.url
                ) from error
            # A navigation replaced the document under the question: ask its successor.
            page.wait_for_load_state("domcontentloaded")
            continue
        marks = tuple(_number(n, each) for n, each in enumerate(found))
        return Marks(marks, tuple(look.frames), look.title)
    raise WorldError(f"{page.url} kept navigating while its elements were read", url=page.url)


def marks_from_dicts(elements: Iterable[dict[str, Any]]) -> tuple[Mark, ...]:
    """Marks as a trajectory keeps them, to be drawn or listed again; they lead to no live element.

    Args:
        elements: What :meth:`Mark.as_dict` gave.

    Returns:
        The marks, equal in what they show.
    """
    return tuple(
        Mark(**{**facts, "box": tuple(facts["box"])}, frame=0, index=facts["number"]) for facts in elements
    )


def frame_origin(frame: Frame) -> tuple[float, float]:
    """Where a frame's viewport lies in the page's.

    Args:
        frame: One of :attr:`Marks.frames`.

    Returns:
        Left and top in page pixels.
    """
    return to_page(frame, 0, 0)


def to_page(frame: Frame, x: float, y: float) -> tuple[float, float]:
    """Where a point of a frame's viewport lies in the page's, iframes drawn larger or smaller included.

    Args:
        frame: One of :attr:`Marks.frames`.
        x: Pixels from the left of the frame's viewport.
        y: Pixels from its top.

    Returns:
        The same point in page pixels.
    """
    while frame.parent is not None:
        left, top, across, down = frame.parent.run(_GEOMETRY, frame.number)
        x, y = left + x * across, top + y * down
        frame = frame.parent
    return x, y


class _Look:
    """One look at a page, from the main frame into those shown inside it."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.title = ""
        self._left = MAX_MARKS

    def into(self, frame: Frame, clip: dict[str, float] | None) -> list[_Found]:
        """Reads one frame and those inside it; boxes are relative to its viewport."""
        number = len(self.frames)
        self.frames.append(frame)
        survey = _survey(frame, clip, self._left)
        self.title = self.title if number else survey.title
        found: list[_Found] = []
        for entry in survey.entries:
            if self._left <= 0:
                break
            if isinstance(entry, _Facts):
                found.append(_Found(entry, number, entry.box, entry.at))
                self._left -= 1
            elif len(self.frames) <= MAX_FRAMES:
                found += self._inside(frame, entry)
        return found

    def _inside(self, frame: Frame, where: _Shown) -> list[_Found]:
        (left, top), (across, down) = where.origin, where.scale
        x, y, width, height = where.box
        clip = {"x": (x - left) / across, "y": (y - top) / down, "w": width / across, "h": height / down}
        frames, marks_left = len(self.frames), self._left
        try:
            child = frame.child(where.iframe)
            inner = [] if child is None else self.into(child, clip)
        except PlaywrightError:
            # The frame went away or is being replaced; a later observation will have it.
            del self.frames[frames:]
            self._left = marks_left
            return []
        moved = [
            _Found(
                each.facts,
                each.frame,
                (
                    left + each.box[0] * across,
                    top + each.box[1] * down,
                    each.box[2] * across,
                    each.box[3] * down,
                ),
                (left + each.at[0] * across, top + each.at[1] * down),
            )
            for each in inner
        ]
        if not moved:
            return []
        # What lies over the iframe is known to its parent only.
        points = [coordinate for each in moved for coordinate in each.at]
        clear: str = frame.ask("uncovered", where.iframe, points)
        return [each for each, free in zip(moved, clear, strict=True) if free == "1"]


def _survey(frame: Frame, clip: dict[str, float] | None, most: int) -> _Survey:
    try:
        return _Survey.model_validate_json(frame.ask("survey", clip, most))
    except (ScriptError, ValidationError) as error:
        # The page is made so that it cannot be read: an agent that came here has nothing to operate.
        _log.warning("the elements of a frame of %s cannot be read: %s", frame.page.url[:200], error)
        return _Survey(title="", entries=[])


def _number(number: int, found: _Found) -> Mark:
    x, y, width, height = (float(round(value)) for value in found.box)
    facts = found.facts.model_dump(exclude=_GEOMETRIC)
    return Mark(number=number, box=(x, y, width, height), frame=found.frame, **facts)
