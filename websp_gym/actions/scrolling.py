"""Scrolling the window, the box around an element, or a popup, in whichever frame it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from websp_gym.browser import VIEWPORT
from websp_gym.browser.isolated import worlds_of
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.actions.grammar import Direction
    from websp_gym.actions.target import Target
    from websp_gym.browser.isolated import Frame

FRACTION = 2 / 3
"""How far one scroll goes, as a share of the window or box (paper, appendix E.1)."""
_ELSEWHERE = ((0.5, 0.25), (0.5, 0.75), (0.25, 0.5), (0.75, 0.5))
"""Where else a person would turn the wheel when nothing at the centre scrolls, as shares of the window."""


class _Result(TypedDict, total=False):
    """What ``scroll.js`` answers."""

    moved: bool
    what: str
    end: bool
    iframe: int
    inside: tuple[float, float]
    popup: bool


def scroll_window(page: Page, direction: Direction) -> None:
    """Scrolls the topmost box at the centre of the window.

    Args:
        page: The tab.
        direction: Where to.

    Raises:
        ActionError: Nothing moved; the message says why.
    """
    size = page.viewport_size
    width, height = (size["width"], size["height"]) if size else VIEWPORT
    result: _Result = {}
    for across, down in ((0.5, 0.5), *_ELSEWHERE):
        result = _at(worlds_of(page).main, width * across, height * down, direction)
        if result["moved"] or result.get("end"):
            break
    _check(result, direction)


def scroll_around(target: Target, direction: Direction) -> None:
    """Scrolls the box around an element, or what is around that where it is at its end.

    Args:
        target: The element.
        direction: Where to.

    Raises:
        ActionError: Nothing moved; the message says why.
    """
    result: _Result = target.ask("scrollElement", direction, FRACTION)
    frame = target.frame
    while not result["moved"] and frame.parent is not None:
        # The iframe the element is in may itself stand in a box that scrolls.
        outer = _call(frame.parent, "scrollOut", direction, FRACTION, frame.number)
        result = outer if outer["moved"] else result
        frame = frame.parent
    _check(result, direction)


def scroll_popup(page: Page, direction: Direction) -> None:
    """Scrolls the topmost dialog or popup.

    Args:
        page: The tab.
        direction: Where to.

    Raises:
        ActionError: Nothing moved; the message says why.
    """
    _check(_popup(worlds_of(page).main, direction), direction)


def scroll_to_end(page: Page) -> None:
    """Scrolls to the bottom of the page as it is now; what it then loads is for the next time.

    Args:
        page: The tab.

    Raises:
        ActionError: It is there already.
    """
    _check(_to_end(worlds_of(page).main), "down")


def _at(frame: Frame, x: float, y: float, direction: Direction) -> _Result:
    result = _call(frame, "scrollAt", x, y, direction, FRACTION)
    child = _entered(frame, result)
    if child is None:
        return result
    inner = _at(child, *result["inside"], direction)
    if inner["moved"]:
        return inner
    outer = _call(frame, "scrollOut", direction, FRACTION, child.number)
    return inner if inner.get("end") and not outer["moved"] else outer


def _popup(frame: Frame, direction: Direction) -> _Result:
    result = _call(frame, "scrollPopup", direction, FRACTION)
    child = _entered(frame, result)
    if child is None:
        return result
    inner = _popup(child, direction)
    if inner["moved"] or not result.get("popup"):
        return inner
    # The popup is the iframe itself: all of its content scrolls.
    return _at(child, *result["inside"], direction)


def _to_end(frame: Frame) -> _Result:
    result = _call(frame, "scrollToEnd")
    child = _entered(frame, result)
    return result if child is None else _to_end(child)


def _call(frame: Frame, function: str, *arguments: Any) -> _Result:
    result: _Result = frame.ask(function, *arguments)
    return result


def _entered(frame: Frame, result: _Result) -> Frame | None:
    """The child frame an answer sends on to."""
    return frame.child(result["iframe"]) if "inside" in result else None


def _check(result: _Result, direction: str) -> None:
    if not result["moved"]:
        raise ActionError(f"nothing scrolled {direction}: {result['what']}")
