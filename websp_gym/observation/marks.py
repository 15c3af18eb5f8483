"""Set-of-marks: what a person could operate in the viewport right now, numbered."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.frames import give_documents
from websp_gym.browser.scripts import page_scripts
from websp_gym.errors import ActionError, WorldError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from playwright.sync_api import Frame, Page

Box = tuple[float, float, float, float]

_SURVEY = "clip => globalThis.__websp?.survey ? __websp.survey(clip) : null"
_IFRAME = "el => __websp.iframeIndex(el)"
_UNCOVERED = "([iframe, points]) => __websp.uncovered(iframe, points)"
_ATTEMPTS = 5
# The ends of lines that JSON leaves as they are.
_LINE_ENDS = re.compile("[\x7f-\x9f\u2028\u2029]")
_NAVIGATED = re.compile("context was destroyed|navigat|Cannot find context|was detached", re.IGNORECASE)


@dataclass(frozen=True)
class Mark:
    """One operable element in view.

    Args:
        number: What the agent calls it; from 0, in reading order.
        tag: HTML tag name.
        role: ARIA role, explicit or implied by the tag; ``generic`` without one.
        name: Accessible name.
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
        index: What the frame's ``__websp`` functions call it.
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
    """

    marks: tuple[Mark, ...]
    frames: tuple[Frame, ...]

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
        raise ActionError(f"there is no element [{number}]: {valid}", number=number, count=len(self.marks))

    def __len__(self) -> int:
        return len(self.marks)

    def __iter__(self) -> Iterator[Mark]:
        return iter(self.marks)

    def text(self) -> str:
        """All marks, one line each."""
        return "\n".join(mark.line() for mark in self.marks)


@dataclass(frozen=True)
class _Found:
    """A mark before it is numbered: facts as the frame gave them, geometry in the frame that holds it."""

    facts: dict[str, Any]
    frame: int
    box: Box
    at: tuple[float, float]


def collect_marks(page: Page) -> Marks:
    """Finds what can be operated in the viewport, in all frames of a page.

    Hidden, covered and clipped elements get no mark; a visually hidden checkbox gets the box of its label.

    Args:
        page: The page as it stands; call after it has settled.

    Returns:
        The marks, numbered in reading order from 0.

    Raises:
        WorldError: The page kept navigating away while it was read.
    """
    for _ in range(_ATTEMPTS):
        frames: list[Frame] = []
        try:
            give_documents(page)
            found = _look(page.main_frame, frames, None)
        except PlaywrightError as error:
            if page.is_closed() or not _NAVIGATED.search(str(error)):
                reason = str(error).splitlines()[0]
                raise WorldError(
                    f"the elements of {page.url} cannot be read: {reason}", url=page.url
                ) from error
            # A navigation replaced the document under the question: ask its successor.
            page.wait_for_load_state("domcontentloaded")
            continue
        return Marks(tuple(_number(n, each) for n, each in enumerate(found)), tuple(frames))
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
        frame: A frame of the page.

    Returns:
        Left and top in page pixels.
    """
    return to_page(frame, 0, 0)


def to_page(frame: Frame, x: float, y: float) -> tuple[float, float]:
    """Where a point of a frame's viewport lies in the page's, iframes drawn larger or smaller included.

    Args:
        frame: A frame of the page.
        x: Pixels from the left of the frame's viewport.
        y: Pixels from its top.

    Returns:
        The same point in page pixels.
    """
    while (parent := frame.parent_frame) is not None:
        left, top, across, down = frame.frame_element().evaluate("el => __websp.frameGeometry(el)")
        x, y = left + x * across, top + y * down
        frame = parent
    return x, y


def _look(frame: Frame, frames: list[Frame], clip: dict[str, float] | None) -> list[_Found]:
    """Reads one frame and those shown inside it; boxes are relative to its viewport."""
    number = len(frames)
    frames.append(frame)
    text = frame.evaluate(_SURVEY, clip)
    if text is None:
        # A page opened before the init script was added, or a document written by script.
        frame.evaluate(page_scripts())
        text = frame.evaluate(_SURVEY, clip)
    entries: list[dict[str, Any]] = json.loads(text)
    shown = [entry["iframe"] for entry in entries if "iframe" in entry]
    children = _children(frame) if shown else {}
    found: list[_Found] = []
    for entry in entries:
        if "iframe" not in entry:
            found.append(_Found(entry, number, tuple(entry["box"]), tuple(entry["at"])))
        elif child := children.get(entry["iframe"]):
            found.extend(_look_inside(frame, child, entry, frames))
    return found


def _children(frame: Frame) -> dict[int, Frame]:
    """The child frames whose iframe is in view, by the number the survey gave it."""
    children = {}
    for child in frame.child_frames:
        try:
            index = child.frame_element().evaluate(_IFRAME)
        except PlaywrightError:
            continue  # removed meanwhile: no longer in view
        if index >= 0:
            children[index] = child
    return children


def _look_inside(frame: Frame, child: Frame, where: dict[str, Any], frames: list[Frame]) -> list[_Found]:
    (left, top), (across, down) = where["origin"], where["scale"]
    x, y, width, height = where["box"]
    clip = {"x": (x - left) / across, "y": (y - top) / down, "w": width / across, "h": height / down}
    before = len(frames)
    try:
        inner = _look(child, frames, clip)
    except PlaywrightError:
        # The frame went away or is being replaced; a later observation will have it.
        del frames[before:]
        return []
    moved = [
        _Found(
            each.facts,
            each.frame,
            (left + each.box[0] * across, top + each.box[1] * down, each.box[2] * across, each.box[3] * down),
            (left + each.at[0] * across, top + each.at[1] * down),
        )
        for each in inner
    ]
    if not moved:
        return []
    # What lies over the iframe is known to its parent only.
    points = [coordinate for each in moved for coordinate in each.at]
    clear: str = frame.evaluate(_UNCOVERED, [where["iframe"], points])
    return [each for each, free in zip(moved, clear, strict=True) if free == "1"]


def _number(number: int, found: _Found) -> Mark:
    facts = found.facts
    x, y, width, height = (float(round(value)) for value in found.box)
    return Mark(
        number=number,
        tag=facts["tag"],
        role=facts["role"],
        name=facts["name"],
        text=facts["text"],
        type=facts["type"],
        box=(x, y, width, height),
        checked=facts["checked"],
        expanded=facts["expanded"],
        disabled=facts["disabled"],
        selected=facts["selected"],
        value=facts["value"],
        href=facts["href"],
        frame=found.frame,
        index=facts["index"],
        mixed=facts["mixed"],
    )
