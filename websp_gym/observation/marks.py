"""Set-of-marks: the numbered elements of the viewport that a user could operate right now."""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from playwright.sync_api import Error as PlaywrightError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from websp_gym.browser.accessibility import described
from websp_gym.browser.isolated import MAX_FRAMES, ScriptError, is_replaced, worlds_of
from websp_gym.browser.shadows import reveal_shadows
from websp_gym.errors import ActionError, WorldError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from playwright.sync_api import Page

    from websp_gym.browser.isolated import Frame

Box = tuple[float, float, float, float]

MAX_MARKS = 1_000
"""Maximum number of marks of a page; the viewport of an ordinary page holds fewer."""
_OUT_OF = "function (number, x, y) { return this.outOf(this.iframe(number), x, y); }"
_ATTEMPTS = 5
_ROOTS_DEEP = 5
"""Maximum number of closed shadow roots inside each other to look into in one observation."""
_MOST_CUSTOMS = 100
"""Maximum number of custom elements of a frame to ask the browser about, 1 ms each."""
_GEOMETRIC = {"box", "at", "editable", "scrollable"}
_log = logging.getLogger(__name__)
# Control characters and line ends that JSON does not escape.
_LINE_ENDS = re.compile("[\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Mark:
    """One operable element in the viewport.

    Args:
        number: Number shown to the agent; from 0, in reading order.
        tag: HTML tag name.
        role: ARIA role, explicit or implied by the tag; ``generic`` if there is none.
        name: Accessible name, at most 300 characters.
        text: Visible text, at most 120 characters.
        type: Type of an ``<input>``, else empty.
        box: Left, top, width and height of the visible part, in pixels of the page's viewport.
        checked: Whether it is on (checkbox, switch, radio, pressed button); None if it has no such state.
        expanded: Whether what it opens is open; None if it opens nothing.
        disabled: Whether it is visible but cannot be operated.
        selected: Whether it is the chosen tab or option; None for other elements.
        value: Current value as a user reads it; bullets for a password.
        href: Target of a link.
        frame: Index of its frame in :attr:`Marks.frames`.
        index: Index of the element for the page scripts in its frame.
        mixed: Whether it is partly checked (``checked`` is then False).
        row: For an element without name and text: the text beside it or in its row, at most 200 characters. For one
            whose role and name others have too: the text of its row or group, at most 100 characters.
        place: The text around the element, without its own; empty if it stands alone in a large part of the page.
        heading: The heading over it; empty for a link.
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
    row: str = ""
    place: str = ""
    heading: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that an agent gets, as plain data."""
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
        """Return one line for a prompt: ``[9] <checkbox> "Violence" (checked)``.

        An element without a name, or with the same role and name as others, is described by its row too:
        ``[4] <switch> (not checked) in the row "Analytics"``.
        """
        what = self.tag if self.role in ("generic", "presentation") else self.role
        parts = [f"[{self.number}] <{what}>"]
        if shown := self.name or self.text:
            parts.append(quoted(shown))
        if self.value:
            parts.append(f"value={quoted(self.value)}")
        if states := list(self._states()):
            parts.append(f"({', '.join(states)})")
        if self.row:
            parts.append(f"in the row {quoted(self.row)}")
        return " ".join(parts)

    def _states(self) -> Iterator[str]:
        state = "pressed" if self.role == "button" else "checked"
        if self.mixed:
            yield f"partly {state}"
        elif self.checked is not None:
            yield state if self.checked else f"not {state}"
        if self.expanded is not None:
            yield "expanded" if self.expanded else "collapsed"
        if self.selected:
            yield "selected"
        if self.disabled:
            yield "disabled"


def quoted(text: str) -> str:
    """Return page text quoted on one line, so that no text of a page can imitate another line of the list."""
    return _LINE_ENDS.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


@dataclass
class Marks:
    """All marks of a page and the frames they are in.

    Args:
        marks: Marks in reading order; ``marks[n].number == n``.
        frames: The frames searched, the main frame first.
        title: Title of the page, at most 300 characters.
        url: Address of the page.
        addresses: Addresses of the frames' documents.
        seen: When they were found, on the monotonic clock.
        noting: Called with role, name, form and frame of the element that an action acts on.
    """

    marks: tuple[Mark, ...]
    frames: tuple[Frame, ...]
    title: str = ""
    url: str = ""
    addresses: tuple[str, ...] = ()
    seen: float = field(default_factory=time.monotonic)
    noting: Callable[[dict[str, str]], None] | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, number: int) -> Mark:
        """Return the mark with this number; raise ActionError with the valid range if there is none."""
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

    def identity_of(self, mark: Mark) -> dict[str, Any]:
        """Return what makes an element the one that was seen, as ``compare`` of ``identity.js`` compares it."""
        turned_over = None if mark.mixed or mark.role == "radio" else mark.checked
        return {
            "role": mark.role,
            "name": mark.name,
            "state": turned_over,
            "place": mark.place,
            "heading": mark.heading,
            "href": mark.href,
            "address": self.addresses[mark.frame],
        }

    def text(self) -> str:
        """Return all marks, one line each."""
        return "\n".join(mark.line() for mark in self.marks)


class _Reading(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


_Number = Annotated[float, Field(allow_inf_nan=False, strict=False)]


class _Facts(_Reading):
    """One mark as its frame reports it; positions are relative to that frame."""

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
    row: str
    place: str
    heading: str


class _Shown(_Reading):
    """A visible iframe: the CSS matrix from its viewport to that of its parent, and the box of its visible part."""

    iframe: int
    matrix: tuple[_Number, _Number, _Number, _Number, _Number, _Number]
    box: tuple[_Number, _Number, _Number, _Number]


class _Survey(_Reading):
    title: str
    address: str
    suspects: int
    customs: list[int]
    entries: list[_Facts | _Shown]


@dataclass(frozen=True)
class _Found:
    """A mark without a number."""

    facts: _Facts
    frame: int
    box: Box
    at: tuple[float, float]


def collect_marks(page: Page) -> Marks:
    """Find the operable elements of the viewport in all frames of a settled page.

    Hidden, covered and clipped elements get no mark; a visually hidden checkbox gets the box of its label. A
    page has at most :data:`MAX_MARKS` marks. A frame whose elements cannot be read has none.

    Returns:
        The marks, numbered in reading order from 0.

    Raises:
        WorldError: The elements of the page cannot be read, or it kept navigating meanwhile.
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
            # A navigation replaced the document: read the new one.
            page.wait_for_load_state("domcontentloaded")
            continue
        marks = tuple(_number(n, each) for n, each in enumerate(found))
        return Marks(marks, tuple(look.frames), look.title, page.url, tuple(look.addresses))
    raise WorldError(f"{page.url} kept navigating while its elements were read", url=page.url)


def marks_from_dicts(elements: Iterable[dict[str, Any]]) -> tuple[Mark, ...]:
    """Return marks from the dictionaries of :meth:`Mark.as_dict`, as stored in a trajectory.

    They can be drawn and listed but refer to no live element.
    """
    return tuple(
        Mark(**{**facts, "box": tuple(facts["box"])}, frame=0, index=facts["number"]) for facts in elements
    )


def to_page(frame: Frame, x: float, y: float) -> tuple[float, float]:
    """Convert a point of a frame's viewport to page pixels, whatever transforms apply to the iframes."""
    while frame.parent is not None:
        point = frame.parent.run(_OUT_OF, frame.number, x, y)
        x, y = point["x"], point["y"]
        frame = frame.parent
    return x, y


class _Look:
    """One pass over a page, from the main frame into the visible child frames."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.addresses: list[str] = []
        self.title = ""
        self._left = MAX_MARKS

    def into(self, frame: Frame, clip: dict[str, float] | None) -> list[_Found]:
        """Return the marks of a frame and of the frames inside it; boxes are relative to its viewport."""
        number = len(self.frames)
        self.frames.append(frame)
        self.addresses.append("")
        survey = _survey(frame, clip, self._left)
        self.addresses[number] = survey.address
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
        x, y, width, height = _mapped(_inverse(where.matrix), where.box)
        clip = {"x": x, "y": y, "w": width, "h": height}
        frames, marks_left = len(self.frames), self._left
        try:
            child = frame.child(where.iframe)
            inner = [] if child is None else self.into(child, clip)
        except PlaywrightError:
            # The frame was removed or is being replaced; a later observation will include it.
            del self.frames[frames:], self.addresses[frames:]
            self._left = marks_left
            return []
        moved = [
            _Found(each.facts, each.frame, _mapped(where.matrix, each.box), _point(where.matrix, *each.at))
            for each in inner
        ]
        if not moved:
            return []
        # Only the parent knows what covers the iframe.
        points = [coordinate for each in moved for coordinate in each.at]
        clear: str = frame.ask("uncovered", where.iframe, points)
        return [each for each, free in zip(moved, clear, strict=True) if free == "1"]


Matrix = tuple[float, float, float, float, float, float]


def _point(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _mapped(matrix: Matrix, box: Box) -> Box:
    """Return the box around a box after the mapping."""
    x, y, width, height = box
    corners = [_point(matrix, x + across, y + down) for across in (0, width) for down in (0, height)]
    left, top = min(corner[0] for corner in corners), min(corner[1] for corner in corners)
    return left, top, max(corner[0] for corner in corners) - left, max(corner[1] for corner in corners) - top


def _inverse(matrix: Matrix) -> Matrix:
    a, b, c, d, e, f = matrix
    size = a * d - b * c
    return d / size, -b / size, -c / size, a / size, (c * f - d * e) / size, (b * e - a * f) / size


def _survey(frame: Frame, clip: dict[str, float] | None, most: int) -> _Survey:
    try:
        for _ in range(_ROOTS_DEEP):
            survey = _Survey.model_validate_json(frame.ask("survey", clip, most))
            if not (survey.suspects and reveal_shadows(frame)):
                break
        return _with_internals(frame, survey) if survey.customs else survey
    except (ScriptError, ValidationError) as error:
        # The page prevents reading, for example on purpose: treat it as a page without operable elements.
        _log.warning("the elements of a frame of %s cannot be read: %s", frame.page.url[:200], error)
        return _Survey(title="", address="", suspects=0, customs=[], entries=[])


def _with_internals(frame: Frame, survey: _Survey) -> _Survey:
    """Return the survey with the ElementInternals of custom elements, which only the browser knows."""
    customs = survey.customs[:_MOST_CUSTOMS]
    said = dict(zip(customs, described(frame, "customsOf", customs), strict=True))

    def more(facts: _Facts) -> _Facts:
        own = said.get(facts.index, {})
        if not facts.name and "name" in own:
            own["row"] = ""  # its name tells it
        # A part of a custom element is what the element says only if that is a control.
        return facts.model_copy(update=own) if "-" in facts.tag or "role" in own else facts

    entries = [more(entry) if isinstance(entry, _Facts) else entry for entry in survey.entries]
    return survey.model_copy(update={"entries": entries})


def _number(number: int, found: _Found) -> Mark:
    x, y, width, height = (float(round(value)) for value in found.box)
    facts = found.facts.model_dump(exclude=_GEOMETRIC)
    return Mark(number=number, box=(x, y, width, height), frame=found.frame, **facts)
