"""The live element that an action refers to by its mark, wherever it has moved since the observation.

An element is identified by its role, name and place, not by its node: if it has become another element, it is
refused, and if the page has re-rendered it, it is found again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions.element_facts import WITH_ELEMENT_FACTS
from websp_gym.browser.isolated import is_gone, is_replaced
from websp_gym.errors import ActionError, WorldError
from websp_gym.observation.marks import collect_marks

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.isolated import Frame
    from websp_gym.observation.marks import Mark, Marks

_MOST_ALIKE = 200
"""Maximum number of elements compared with a re-rendered one, about 1 ms each."""
_MOST_MOVES = 4
"""Maximum number of times that the pointer follows an element that moves away from it."""
_GONE = "is no longer on the page"
_THROUGH = """function (number, at) {
  const iframe = this.iframe(number);
  return iframe ? this.through(iframe, at) : { error: 'is no longer on the page' };
}"""


class Target:
    """A marked element on the live page.

    Args:
        marks: Marks of the observation that the action refers to.
        mark: One of them.
    """

    def __init__(self, marks: Marks, mark: Mark) -> None:
        self.mark = mark
        self.frame: Frame = marks.frames[mark.frame]
        self._live = mark
        self._observed = marks
        self._noting = marks.noting

    @property
    def page(self) -> Page:
        """The tab of the element."""
        return self.frame.page

    def ask(self, function: str, *arguments: Any) -> Any:
        """Call a page script function about the element and return its answer.

        Args:
            function: Name of the function.
            *arguments: Arguments after the element's index.

        Raises:
            ActionError: The element is gone, or the answer is ``{error: ...}``.
        """
        try:
            answer = self._asked(function, *arguments)
            if isinstance(answer, dict) and answer.get("error") == _GONE and self._find_again():
                answer = self._asked(function, *arguments)
        except PlaywrightError as error:
            raise self._gone(error) from error
        if isinstance(answer, dict) and "error" in answer:
            raise self.refused(answer["error"])
        return answer

    def _asked(self, function: str, *arguments: Any) -> Any:
        try:
            if self._noting is None:
                return self.frame.ask(function, self._live.index, *arguments)
            found = self.frame.run(WITH_ELEMENT_FACTS, function, self._live.index, *arguments)
            if found["facts"] is not None:
                self._noting(found["facts"])
                self._noting = None
            return found.get("answer")
        except PlaywrightError as error:
            if self.page.is_closed() or not is_replaced(error):
                raise
            return {"error": _GONE}

    def _find_again(self) -> bool:
        """Look for the element that the page has rendered in place of this one; return whether there is just one."""
        if self.page.url != self._observed.url:
            return False
        try:
            now = collect_marks(self.page)
        except WorldError:
            return False
        kind = (self.mark.tag, self.mark.type, self.mark.role)
        same_kind = [
            mark
            for mark in now
            if (mark.tag, mark.type, mark.role) == kind
            and now.identity_of(mark)["address"] == self._observed.identity_of(self.mark)["address"]
        ][:_MOST_ALIKE]
        ask, passed = now.frames[0].ask, time.monotonic() - self._observed.seen
        was = self._observed.identity_of(self.mark)
        alike = [mark for mark in same_kind if not ask("compare", was, now.identity_of(mark), passed)]
        if len(alike) != 1:
            return False
        self._live, self.frame = alike[0], now.frames[alike[0].frame]
        return True

    def on_page(self, point: dict[str, Any]) -> tuple[float, float]:
        """Return x and y in page pixels of a point (``x``, ``y``) of the element's frame, scrolled into view.

        Raises ActionError if the iframe is covered or gone.
        """
        frame = self.frame
        try:
            while frame.parent is not None:
                point = frame.parent.run(_THROUGH, frame.number, [point["x"], point["y"]])
                if "error" in point:
                    raise self.refused(point["error"])
                frame = frame.parent
        except PlaywrightError as error:
            raise self._gone(error) from error
        x, y = point["x"], point["y"]
        if not (_is_finite(x) and _is_finite(y)):
            raise self.refused("is drawn where the pointer cannot go")
        return x, y

    def hover(self) -> None:
        """Move the pointer over the element; raise ActionError if it is gone, another one or covered."""
        self.page.mouse.move(*self.on_page(self.ask("reach")))

    def click(self, how: str = "press") -> dict[str, Any]:
        """Click the element, and nothing else; follow it if it moves away when the pointer comes.

        Args:
            how: ``press``, or ``touch`` for a click that only puts the cursor into a field.

        Returns:
            The answer of that page script function.

        Raises:
            ActionError: The element is gone, has become another one, is covered, or moves away each time.
        """
        for _ in range(_MOST_MOVES):
            point: dict[str, Any] = self.ask(how)
            # In a multiple-choice list a plain click would deselect the other options.
            self._click_at(self.on_page(point), holding="Control" if point.get("toggles") else None)
            result = self._pressed()
            if "error" in result:
                raise self.refused(result["error"])
            if "inFrame" in result:
                raise ActionError(
                    f"[{self.mark.number}] was not pressed: {result['inFrame']} came under the pointer instead",
                    mark=self.mark.number,
                )
            if "missed" not in result:
                return point
        raise self.refused("moves away from the pointer")

    def _click_at(self, at: tuple[float, float], *, holding: str | None) -> None:
        mouse = self.page.mouse
        if self.frame.parent is not None:
            # How a page draws a frame, in perspective or along a path, only the browser knows.
            mouse.move(*at)
            if not self.ask("isPointedAt"):
                raise self.refused("is drawn where the pointer does not reach it")
        try:
            with _held(self.page, holding) if holding else nullcontext():
                mouse.click(*at)
        except PlaywrightError:
            # The click may close the tab, as a popup's "Close" button does.
            if not self.page.is_closed():
                raise

    def _pressed(self) -> dict[str, Any]:
        """Return what has come of a press; empty if it has led to another document."""
        try:
            return self.frame.ask("pressed") or {}
        except PlaywrightError as error:
            if not (self.page.is_closed() or is_replaced(error) or is_gone(error)):
                raise
            return {}

    def cursor_lost(self) -> str:
        """Return where the cursor is, if no longer in the field that it was given to; empty if it is there."""
        try:
            return str(self.frame.ask("cursorLost"))
        except PlaywrightError as error:
            if not (self.page.is_closed() or is_replaced(error)):
                raise
            return "the page has gone on to another one"

    def refused(self, why: str) -> ActionError:
        """Return an ActionError that gives the reason ``why``, a predicate such as ``is disabled``."""
        return ActionError(f"[{self.mark.number}] {why}; nothing was changed", mark=self.mark.number)

    def _gone(self, error: PlaywrightError) -> Exception:
        if self.page.is_closed():
            return self.refused("is in a tab that has closed")
        if is_replaced(error):
            return self.refused(_GONE)
        return error


@contextmanager
def _held(page: Page, key: str) -> Iterator[None]:
    page.keyboard.down(key)
    try:
        yield
    finally:
        page.keyboard.up(key)


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)
