"""Finding a recorded element again.

The cascade goes from what redesigns leave alone to what they change first: stable attributes, role and name,
label, text or nearby text, CSS path, XPath, ``data-websp-index`` (WebSP-Eval, section 3.2.1). The rungs offer
candidates; which of them it is, is decided by weighing all that was recorded, for and against: the tables at the
top of ``locate.js``. This half looks into the right frames and decides between them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.scripts import page_scripts
from websp_gym.replay.trace import Fingerprint

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle, Frame, Page

RUNGS = ("attributes", "role+name", "label", "text", "css", "xpath", "index")
"""The rungs of the cascade, in order; ``locate.js`` climbs them."""
_SCRIPTS = ("similarity.js", "locate.js", "act.js", "occlusion.js", "hover.js", "virtual_lists.js")
"""The last one brings ``roll``, by which a document that has them all is known."""
_FRAME_LEAD = 1.2
_LOCATE = "query => globalThis.__webspReplay?.roll ? __webspReplay.locate(query) : null"


@dataclass(frozen=True)
class RungReport:
    """What one rung came to."""

    rung: str
    candidates: int
    best: float
    why: str
    """Why its best candidate was not taken; empty where it was."""

    def __str__(self) -> str:
        if not self.candidates:
            return f"{self.rung}: none"
        return f"{self.rung}: {self.candidates} (best {self.best:.2f}{', ' + self.why if self.why else ''})"


@dataclass(frozen=True)
class Found:
    """The element, and how sure that is."""

    handle: ElementHandle
    frame: Frame
    rung: str
    score: float
    candidates: int
    weak: bool
    """Found on a low rung or with little evidence."""
    moved: bool = False
    """Found in another frame than recorded."""
    doubtful: bool = False
    """Under another heading or another name than recorded: the right one may still be to come."""

    @property
    def unsure(self) -> bool:
        """Whether it is worth a second look when the page is at rest."""
        return self.weak or self.moved


@dataclass(frozen=True)
class NotFound:
    """Why there is no such element, rung by rung (of the frame that came closest)."""

    rungs: tuple[RungReport, ...] = ()


@dataclass(frozen=True)
class _Answer:
    frame: Frame
    found: dict[str, Any] | None
    rungs: tuple[RungReport, ...] = field(default=())
    known: dict[str, Any] = field(default_factory=dict)

    @property
    def evidence(self) -> float:
        """The evidence for what was found."""
        return float(self.found["evidence"]) if self.found else 0.0


def locate(page: Page, target: Fingerprint, *, loose: bool = False, hidden: bool = False) -> Found | NotFound:
    """Looks once for a recorded element; waiting is the player's business.

    Args:
        page: The tab to look in.
        target: The fingerprint, placeholders filled in.
        loose: The target tells its state in its own text, so "on" and "off" count as one word.
        hidden: Elements that are not rendered count too.

    Returns:
        The element, or what each rung found instead.
    """
    query = {
        "print": target.model_dump(by_alias=True, exclude_none=True, exclude={"frame_path"}),
        "loose": loose,
        "hidden": hidden,
    }
    home = _frame_at(page, target.frame_path)
    first = _ask(home, query) if home else None
    if first is not None and first.found and not first.found["weak"] and len(page.frames) == 1:
        return _take([first], home)
    frames = [home, *(frame for frame in page.frames if frame is not home and frame.url)]
    answers = [first] if first else []
    answers += [_ask(frame, query) for frame in frames if frame is not None and frame is not home]
    # What is elsewhere on the page counts against a candidate, in whatever frame it is.
    known = {
        "name": sum(answer.known.get("name", 0) for answer in answers),
        "section": any(answer.known.get("section") for answer in answers),
    }
    answers = [
        _ask(answer.frame, query | {"known": known}) if answer.found and answer.known != known else answer
        for answer in answers
    ]
    return _take(answers, home)


def _take(answers: list[_Answer], home: Frame | None) -> Found | NotFound:
    winners = sorted(
        (answer for answer in answers if answer.found), key=lambda answer: answer.evidence, reverse=True
    )
    if not winners:
        return _nothing(answers)
    best = winners[0]
    assert best.found is not None
    if len(winners) > 1 and winners[1].evidence > best.evidence - _FRAME_LEAD:
        reports = [
            RungReport(best.found["rung"], len(winners), best.found["score"], "alike in several frames")
        ]
        return NotFound(tuple(reports))
    handle = _fetch(best.frame)
    if handle is None:
        return _nothing(answers)
    found = best.found
    return Found(
        handle,
        best.frame,
        found["rung"],
        found["score"],
        found["candidates"],
        weak=found["weak"],
        moved=best.frame is not home,
        doubtful=found["doubtful"],
    )


def _nothing(answers: list[_Answer]) -> NotFound:
    """The report of the frame that came closest says most about what is missing."""
    closest = max(answers, key=lambda a: max((r.best for r in a.rungs), default=0.0), default=None)
    return NotFound(closest.rungs if closest else ())


def _ask(frame: Frame, query: dict[str, Any]) -> _Answer:
    try:
        reply = frame.evaluate(_LOCATE, query)
        if reply is None:
            frame.evaluate(_scripts())
            reply = frame.evaluate(_LOCATE, query)
    except PlaywrightError:
        reply = None  # the frame is being replaced; the next look finds its successor
    if reply is None:
        return _Answer(frame, None)
    rungs = tuple(RungReport(**rung) for rung in reply["rungs"])
    return _Answer(frame, reply["found"], rungs, reply["known"])


def _fetch(frame: Frame) -> ElementHandle | None:
    try:
        return frame.evaluate_handle("() => __webspReplay.element()").as_element()
    except PlaywrightError:
        return None


def _frame_at(page: Page, path: tuple[str, ...]) -> Frame | None:
    """Follows the CSS paths of iframes down; None where one of them leads nowhere."""
    frame: Frame | None = page.main_frame
    for css in path:
        try:
            assert frame is not None
            install(frame)
            element = frame.evaluate_handle("css => __websp.allByCss(css)[0]", css).as_element()
            frame = element.content_frame() if element else None
        except PlaywrightError:
            return None
        if frame is None:
            return None
    return frame


def install(frame: Frame) -> None:
    """Gives a document the scripts replay needs; does nothing where it has them.

    Args:
        frame: The frame whose document gets them.
    """
    if not frame.evaluate("() => Boolean(globalThis.__webspReplay?.roll)"):
        frame.evaluate(_scripts())


@cache
def _scripts() -> str:
    here = files("websp_gym.replay")
    own = [(here / name).read_text(encoding="utf-8") for name in _SCRIPTS]
    return "\n".join([page_scripts(), *own])
