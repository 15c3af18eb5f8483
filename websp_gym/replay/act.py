"""Performing an action on a located element, and verifying its effect.

The pointer is always tried first, as a person would use it. For an element with a state, the state is
verified after every attempt, and another method is tried only if it is still wrong. Other elements are
acted on once.
"""

from __future__ import annotations

import time
from typing import Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import ReplayError
from websp_gym.patience import slowness
from websp_gym.replay.located_element import TRIES, CannotActError, LocatedElement, Look
from websp_gym.replay.occlusion import point_on_page
from websp_gym.replay.wait_for_target import wait_for_change

_VERIFY_MS = 1_000
_HIDDEN_MS = 500
"""Milliseconds to wait for an invisible element before opening the menus around it."""
_BARE_MS = 2_000
"""Milliseconds to wait while something without controls (a spinner, a backdrop) covers an element."""
_APPEAR_MS = 400
"""Milliseconds to wait for a menu to open under the pointer."""
_LOOK_SECONDS = 0.1
_GONE_AFTER = 0.5
"""Seconds to look for a menu item before its menu is considered closed."""

_AWAITS = "(el, [x, y]) => __webspReplay.awaits(el, x, y)"


class Actor:
    """Performs actions on a located element."""

    def __init__(self, element: LocatedElement) -> None:
        self.element = element

    def enabled(self) -> bool:
        """Wait for a disabled element to become enabled, and return whether it did."""
        end = time.monotonic() + self.element.timeout
        while True:
            left = max(0.0, end - time.monotonic())
            seen = Look(**self.element.ask("until", self.element.rules, {"enabled": True}, left * 1000))
            if seen.connected or not left:
                return not seen.disabled

    def hover(self) -> None:
        """Move the pointer onto the element."""
        spot = self.element.ask("hoverSpot")
        if "error" not in spot:
            spot = self._on_page(spot)
        if "error" in spot:
            raise CannotActError(f"the pointer cannot reach it: it is {spot['error']}")
        self.element.tabs.current.mouse.move(spot["x"], spot["y"])
        settle(self.element.tabs, cap=_VERIFY_MS / 1000)

    def click(self) -> None:
        """Click once: with the pointer, or with the DOM method if the pointer cannot reach the element."""
        if not (self._point_at(sure=not self.element.found.unsure) and self._arrived()):
            self._press()
        settle(self.element.tabs)

    def unfold(self, wanted: bool) -> bool | None:
        """Open or close what the element controls: try pointer, DOM click and Enter, and verify after each.

        Args:
            wanted: True to open, False to close.

        Returns:
            The final state; None if the element is gone or no longer has such a state.

        Raises:
            CannotActError: The wanted state was not reached.
        """
        seen = None
        for attempt in (self._point_at, self._press, self._enter):
            if not attempt():
                continue
            settle(self.element.tabs)
            try:
                seen = self._settled({"expanded": wanted}, patience=_GONE_AFTER)
            except ReplayError:
                return None
            if seen.expanded in (wanted, None):
                return seen.expanded
        raise CannotActError(f"it did not {'open' if wanted else 'close'}")

    def turn(self, wanted: bool, *, may_go: bool) -> bool | None:
        """Turn a control on or off: try pointer, DOM click and Space, and verify after each.

        Args:
            wanted: True for on, False for off.
            may_go: Whether the control may disappear, because it is in a menu that closes with the choice.

        Returns:
            The final state; None if the element is gone.

        Raises:
            CannotActError: The wanted state was not reached.
        """
        seen = None
        for attempt in (self._point_at, self._press, self._space):
            if not attempt():
                continue
            settle(self.element.tabs)
            try:
                seen = self._settled({"on": wanted}, patience=_GONE_AFTER if may_go else None)
            except ReplayError:
                if not may_go:
                    raise
                return None
            if seen.is_(wanted):
                return seen.on
        state = "unreadable" if seen is None or seen.on is None else "on" if seen.on else "off"
        raise CannotActError(
            f"it should be {'on' if wanted else 'off'}, but is {state} "
            "after a pointer click, a DOM click and the space key"
        )

    def _settled(self, want: dict[str, bool], *, patience: float | None) -> Look:
        """Return the state after an attempt; an element that the page replaced is located again."""
        for _ in range(TRIES):
            seen = self._until(want)
            if seen is not None and seen.connected:
                return seen
            self.element.locate_again(patience)
        return self.element.look()

    def _until(self, want: dict[str, bool]) -> Look | None:
        try:
            answer = self.element.found.handle.evaluate(
                "(el, [rules, want, ms]) => __webspReplay.until(el, rules, want, ms)",
                [self.element.rules, want, _VERIFY_MS * slowness()],
            )
        except PlaywrightError:
            # The document was replaced: the caller locates the element again.
            self.element.check_alive()
            return None
        return Look(**answer)

    def _point_at(self, *, sure: bool = True) -> bool:
        """Click the element with the pointer; return False where the pointer cannot reach it.

        Args:
            sure: Whether the element is certainly the right one, or the effect of the click can be verified.

        Raises:
            CannotActError: The element stays covered by something with controls of its own (or, where not
                ``sure``, by anything).
        """
        for _ in range(TRIES):
            there = self.element.ask("reach", self.element.rules, self._waits())
            if there.get("hidden") and self._reveal():
                there = self.element.ask("reach", self.element.rules, self._waits())
            point = there if "error" in there else self._on_page(there)
            if "error" in point:
                self._refuse(point, sure=sure)
                return False
            frame = self.element.found.frame
            if frame.parent_frame is not None:
                # A page may replace an iframe on hover, and the click guard installed in it is then lost.
                frame.page.mouse.move(point["x"], point["y"])
                if not self._awaits(there):
                    continue
            with self.element.window_may_close():
                frame.page.mouse.click(point["x"], point["y"])
            return True
        return False

    def _refuse(self, point: dict[str, Any], *, sure: bool) -> None:
        if point.get("layer"):
            raise CannotActError(f"it is {point['error']}, which it was not when it was recorded")
        if not sure:
            raise CannotActError(f"it is {point['error']}, and it may not be the recorded element")

    def _awaits(self, point: dict[str, Any]) -> bool:
        """Whether the element is still under the pointer; a page may replace it on hover."""
        try:
            return bool(self.element.found.handle.evaluate(_AWAITS, [point["x"], point["y"]]))
        except PlaywrightError:
            self.element.check_alive()
            return False

    def _waits(self) -> dict[str, float]:
        pace, patience = slowness(), self.element.timeout * 1000
        return {
            "hidden": min(_HIDDEN_MS * pace, patience),
            "bare": min(_BARE_MS * pace, patience),
            "layer": patience,
        }

    def _on_page(self, point: dict[str, Any]) -> dict[str, Any]:
        """Return a point of the element's frame in page coordinates, or what covers the frame there."""
        end = time.monotonic() + self.element.timeout
        while True:
            there = point_on_page(self.element.found.frame, point)
            if not there.get("layer") or time.monotonic() > end:
                return there
            wait_for_change(self.element.tabs.current, min(_LOOK_SECONDS, end - time.monotonic()))

    def _reveal(self) -> bool:
        """Open the menu that hides the element, by hovering or else by a click; return whether it is now visible."""
        return self._open_by("openers", click=False) or self._open_by("togglers", click=True)

    def _open_by(self, controls: str, *, click: bool) -> bool:
        depth = tried = 0
        while (menu := self.element.ask(controls))["depth"]:
            if menu["depth"] != depth:
                depth, tried = menu["depth"], 0
            if tried >= min(menu["count"], TRIES):
                return False
            spot = self.element.found.frame.evaluate("i => __webspReplay.openerSpot(i)", tried)
            tried += 1
            if "error" in spot or "error" in (spot := point_on_page(self.element.found.frame, spot)):
                continue
            mouse = self.element.found.frame.page.mouse
            (mouse.click if click else mouse.move)(spot["x"], spot["y"])
            self.element.ask("appears", depth, _APPEAR_MS * slowness())
        return True

    def _arrived(self) -> bool:
        """Whether the click reached the element, or led to another document."""
        try:
            return bool(self.element.found.handle.evaluate("() => __webspReplay.arrived()"))
        except PlaywrightError:
            self.element.check_alive()
            return True  # the click led to another document

    def _press(self) -> bool:
        self.element.ask("press", self.element.rules)
        return True

    def _space(self) -> bool:
        self.element.ask("focus", self.element.rules)
        with self.element.window_may_close():
            self.element.found.frame.page.keyboard.press("Space")
        return True

    def _enter(self) -> bool:
        self.element.ask("focus", self.element.rules)
        with self.element.window_may_close():
            self.element.found.frame.page.keyboard.press("Enter")
        return True
