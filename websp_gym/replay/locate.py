"""Locating a recorded element on a page.

Seven ways to find an element (rungs) are tried, from what redesigns rarely change to what they change first:
stable attributes, role and name, label, text or nearby text, CSS path, XPath, ``data-websp-index``
(WebSP-Eval, section 3.2.1). The rungs give candidates; weighing all recorded facts decides which of them is the
element, with the weights in ``evidence.yaml``. This module searches the frames and compares their results.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.scripts import page_scripts
from websp_gym.paths import data_dir
from websp_gym.replay import evidence
from websp_gym.replay.evidence import Candidate, EvidenceFinding
from websp_gym.replay.filled import NamedAfterAccount
from websp_gym.replay.trace import Fingerprint

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle, Frame, Page

RUNGS = ("attributes", "role+name", "label", "text", "css", "xpath", "index")
"""The rungs in order; ``locate.js`` implements them."""
_SCRIPTS = (
    "similarity.js",
    "candidates.js",
    "mark_evidence.js",
    "row_evidence.js",
    "evidence.js",
    "locate.js",
    "places.js",
    "act.js",
    "refusals.js",
    "occlusion.js",
    "hover.js",
    "virtual_lists.js",
)
"""The last script defines ``roll``, which shows that a document has all of them."""
_SECRET_SCRIPTS = ("secret_rules.js", "secret_texts.js", "secrets.js")
"""Scripts of ``extension/`` that remove secrets from texts and addresses."""
_COUNT = re.compile(r":nth-last-of-type\(\d+\)")
_LOCATE = "query => globalThis.__webspReplay?.roll ? __webspReplay.locate(query) : null"


@dataclass(frozen=True)
class RungReport:
    """The result of one rung."""

    rung: str
    candidates: int
    best: float
    why: str
    """Why its best candidate was not chosen; empty if it was."""

    def __str__(self) -> str:
        if not self.candidates:
            return f"{self.rung}: none"
        return f"{self.rung}: {self.candidates} (best {self.best:.2f}{', ' + self.why if self.why else ''})"


@dataclass(frozen=True)
class Found:
    """The located element, and how certain the match is."""

    handle: ElementHandle
    frame: Frame
    rung: str
    score: float
    candidates: int
    weak: bool
    """Found on a low rung or with little evidence."""
    moved: bool = False
    """Found in a different frame than recorded."""
    doubtful: bool = False
    """Found under another heading or with another name than recorded; the page may still be loading."""

    @property
    def unsure(self) -> bool:
        """Whether to look again when the page has settled."""
        return self.weak or self.moved


@dataclass(frozen=True)
class NotFound:
    """No element was found; has the reports of the rungs in the frame that came closest."""

    rungs: tuple[RungReport, ...] = ()


@dataclass(frozen=True)
class _Answer:
    frame: Frame
    found: dict[str, Any] | None
    rungs: tuple[RungReport, ...] = field(default=())
    known: dict[str, Any] = field(default_factory=dict)

    @property
    def evidence(self) -> float:
        """The evidence for the element found; 0 if none was."""
        return float(self.found["evidence"]) if self.found else 0.0


def locate(page: Page, target: Fingerprint, *, loose: bool = False, hidden: bool = False) -> Found | NotFound:
    """Look once for a recorded element, without waiting.

    Args:
        page: The tab to search.
        target: The fingerprint, with its placeholders filled in.
        loose: Whether to treat "on" and "off" as the same word, for targets whose text shows their state.
        hidden: Whether to include elements that are not rendered.

    Returns:
        The element, or a report of each rung.
    """
    query = query_of(target, loose=loose, hidden=hidden)
    home = frame_of(page, target.frame_path)
    first = _ask(home, query) if home else None
    if first is not None and first.found and not first.found["weak"] and len(page.frames) == 1:
        return _take([first], home, sure=lambda: True)
    frames = [home, *(frame for frame in page.frames if frame is not home and frame.url)]
    answers = [first] if first else []
    answers += [_ask(frame, query) for frame in frames if frame is not None and frame is not home]
    # A recorded fact that is elsewhere on the page counts against a candidate, in whatever frame it is.
    known = {
        "name": sum(answer.known.get("name", 0) for answer in answers),
        "section": any(answer.known.get("section") for answer in answers),
    }
    answers = [
        _ask(answer.frame, query | {"known": known}) if answer.found and answer.known != known else answer
        for answer in answers
    ]
    return _take(answers, home, sure=lambda: _is_exact(page, target.frame_path))


def explain(page: Page, target: Fingerprint, *, loose: bool = False) -> list[Candidate]:
    """Weigh the candidates for a recorded element, in all frames.

    Args:
        page: The tab to search.
        target: The fingerprint, with its placeholders filled in.
        loose: As for :func:`locate`.

    Returns:
        The candidates with the evidence for and against each, the best first.
    """
    query = query_of(target, loose=loose, hidden=False) | {"explain": True}
    found = [
        Candidate(
            **{key: value for key, value in one.items() if key != "items"},
            findings=tuple(EvidenceFinding(**item) for item in one["items"]),
        )
        for frame in page.frames
        for one in _reply(frame, query)["explained"]
    ]
    return sorted(found, key=lambda one: (not one.taken, not one.eligible, -one.evidence))


def query_of(target: Fingerprint, *, loose: bool = False, hidden: bool = False) -> dict[str, Any]:
    """Return a fingerprint in the form that the page scripts expect."""
    print_ = target.model_dump(by_alias=True, exclude_none=True, exclude={"frame_path", "named_after"})
    named_after = list(target.named_after) if isinstance(target, NamedAfterAccount) else []
    return {"print": print_, "loose": loose, "hidden": hidden, "namedAfter": named_after}


def _take(answers: list[_Answer], home: Frame | None, *, sure: Callable[[], bool]) -> Found | NotFound:
    """Choose among frames; of equal elements the one in the recorded frame, if that is ``sure`` to be the same."""
    winners = sorted(
        (answer for answer in answers if answer.found),
        key=lambda answer: (answer.evidence, answer.frame is home),
        reverse=True,
    )
    if not winners:
        return _nothing(answers)
    best = winners[0]
    assert best.found is not None
    close = len(winners) > 1 and winners[1].evidence > best.evidence - evidence.rules()["lead"]
    if close and not (best.frame is home and sure()):
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
    """Return the report of the frame with the best candidate; it says most about what is missing."""
    closest = max(answers, key=lambda a: max((r.best for r in a.rungs), default=0.0), default=None)
    return NotFound(closest.rungs if closest else ())


def _ask(frame: Frame, query: dict[str, Any]) -> _Answer:
    reply = _reply(frame, query)
    rungs = tuple(RungReport(**rung) for rung in reply["rungs"])
    return _Answer(frame, reply["found"], rungs, reply["known"])


def _reply(frame: Frame, query: dict[str, Any]) -> dict[str, Any]:
    try:
        reply: dict[str, Any] | None = frame.evaluate(_LOCATE, query)
        if reply is None:
            frame.evaluate(_scripts())
            reply = frame.evaluate(_LOCATE, query)
    except PlaywrightError:
        reply = None  # the frame is being replaced; the next look searches the new one
    return reply or {"found": None, "rungs": [], "known": {}, "explained": []}


def _fetch(frame: Frame) -> ElementHandle | None:
    try:
        return frame.evaluate_handle("() => __webspReplay.element()").as_element()
    except PlaywrightError:
        return None


def _is_exact(page: Page, path: tuple[str, ...]) -> bool:
    """Whether no frame has come or gone beside those of a path, as far as the recording tells."""
    return all(css.count(":nth-of-type(") == css.count(":nth-last-of-type(") for css in path) and (
        _follow(page, path) is not None
    )


def frame_of(page: Page, path: tuple[str, ...]) -> Frame | None:
    """Return the frame at a path of iframe selectors, whatever has come after it; None if one of them matches no
    iframe."""
    return _follow(page, tuple(_COUNT.sub("", css) for css in path))


def _follow(page: Page, path: tuple[str, ...]) -> Frame | None:
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
    """Add the replay scripts to a frame's document, unless it already has them."""
    if not frame.evaluate("() => Boolean(globalThis.__webspReplay?.roll)"):
        frame.evaluate(_scripts())


@cache
def _scripts() -> str:
    here = files("websp_gym.replay")
    own = [(here / name).read_text(encoding="utf-8") for name in _SCRIPTS]
    shared = [(data_dir("extension") / name).read_text(encoding="utf-8") for name in _SECRET_SCRIPTS]
    return "\n".join([page_scripts(), evidence.script(), *shared, *own])
