"""Scroll the window, the box around an element, or a popup, in any frame.

Boxes are moved by script, exactly and at once. Where none moves, the wheel is turned: slides, maps and virtual lists
listen to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from websp_gym.browser import VIEWPORT
from websp_gym.browser.isolated import worlds_of
from websp_gym.browser.settle import settle
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.actions.grammar import Direction
    from websp_gym.actions.target import Target
    from websp_gym.browser.isolated import Frame
    from websp_gym.browser.tabs import Tabs

FRACTION = 2 / 3
"""Distance of one scroll, as a fraction of the window or box (paper, appendix E.1)."""
_ELSEWHERE = ((0.5, 0.25), (0.5, 0.75), (0.25, 0.5), (0.75, 0.5))
"""Further points to try when nothing at the centre scrolls, as fractions of the window size."""


class _Result(TypedDict, total=False):
    """Result of a function of ``scroll.js``."""

    moved: bool
    what: str
    end: bool
    iframe: int
    inside: tuple[float, float]
    popup: bool


def scroll_window(tabs: Tabs, direction: Direction) -> None:
    """Scroll the topmost box at the centre of the window; raise ActionError with the reason if nothing moved."""
    page = tabs.current
    width, height = _size_of(page)
    result: _Result = {}
    for across, down in ((0.5, 0.5), *_ELSEWHERE):
        result = _at(worlds_of(page).main, width * across, height * down, direction)
        if result["moved"] or result.get("end"):
            break
    _check(_or_by_wheel(result, tabs, (width / 2, height / 2), direction), direction)


def scroll_around(tabs: Tabs, target: Target, direction: Direction) -> None:
    """Scroll the box around an element, or an outer box if that one is at its end.

    Raises ActionError with the reason if nothing moved.
    """
    result: _Result = target.ask("scrollElement", direction, FRACTION)
    frame = target.frame
    while not result["moved"] and frame.parent is not None:
        # The element's iframe may itself be inside a scrollable box.
        outer = _call(frame.parent, "scrollOut", direction, FRACTION, frame.number)
        result = outer if outer["moved"] else result
        frame = frame.parent
    if not result["moved"] and not result.get("end"):
        result = _or_by_wheel(result, tabs, target.on_page(target.ask("reach")), direction)
    _check(result, direction)


def scroll_popup(page: Page, direction: Direction) -> None:
    """Scroll the topmost dialog or popup; raise ActionError with the reason if nothing moved."""
    _check(_popup(worlds_of(page).main, direction), direction)


def scroll_to_end(page: Page) -> None:
    """Scroll to the current bottom of the page; content that it then loads needs another call.

    Raises ActionError if the page is already there.
    """
    _check(_to_end(worlds_of(page).main), "down")


def _size_of(page: Page) -> tuple[float, float]:
    size = page.viewport_size
    return (size["width"], size["height"]) if size else VIEWPORT


_WHEEL = {"down": (0, 1), "up": (0, -1), "right": (1, 0), "left": (-1, 0)}


def _or_by_wheel(result: _Result, tabs: Tabs, at: tuple[float, float], direction: Direction) -> _Result:
    """Turn the wheel at a point of the window if nothing has moved, and return whether the page reacts to that."""
    if result["moved"] or result.get("end"):
        return result
    page = tabs.current
    width, height = _size_of(page)
    across, down = _WHEEL[direction]
    main = worlds_of(page).main
    before = main.ask("stirred")
    page.mouse.move(*at)
    page.mouse.wheel(across * width * FRACTION, down * height * FRACTION)
    settle(tabs)
    return {**result, "moved": main.ask("stirred") > before}


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
    # The iframe itself is the popup: scroll all of its content.
    return _at(child, *result["inside"], direction)


def _to_end(frame: Frame) -> _Result:
    result = _call(frame, "scrollToEnd")
    child = _entered(frame, result)
    return result if child is None else _to_end(child)


def _call(frame: Frame, function: str, *arguments: Any) -> _Result:
    result: _Result = frame.ask(function, *arguments)
    return result


def _entered(frame: Frame, result: _Result) -> Frame | None:
    """Return the child frame in which scrolling continues, or None."""
    return frame.child(result["iframe"]) if "inside" in result else None


def _check(result: _Result, direction: str) -> None:
    if not result["moved"]:
        raise ActionError(f"nothing scrolled {direction}: {result['what']}")
