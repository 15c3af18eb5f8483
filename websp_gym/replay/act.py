"""Perform an action on a located element, and verify its effect.

The pointer is always tried first, as a person would use it. For an element with a state, the state is
verified after every attempt, and another method is tried only where it is still wrong. Other elements are
acted on once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import ReplayError, WorldError
from websp_gym.replay.occlusion import point_on_page
from websp_gym.replay.wait_for_target import wait_for_change

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle

    from websp_gym.browser.tabs import Tabs
    from websp_gym.replay.locate import Found

ClassRules = Sequence[Mapping[str, str]]
"""A site's rules ``[{"on": css, "off": css}]``, for controls that show their state only by a class."""
_TRIES = 4
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

_GONE = "websp: gone"
_RESTLESS = "the page replaces it faster than it can be acted on"
_AWAITS = "(el, [x, y]) => __webspReplay.awaits(el, x, y)"
_CALL = f"""(el, [name, rest]) => {{
  if (!el.isConnected) throw new Error("{_GONE}");
  return __webspReplay[name](el, ...rest);
}}"""


class CannotActError(Exception):
    """The element was found, but the recorded action has no effect or is not possible."""


@dataclass(frozen=True)
class Look:
    """The state and kind of an element on the page."""

    connected: bool
    kind: str
    on: bool | None
    mixed: bool
    disabled: bool
    expanded: bool | None

    def is_(self, wanted: bool) -> bool:
        """Whether the element is clearly on (or off); a half-checked box is neither."""
        return self.on is wanted and not self.mixed


class Actor:
    """Performs actions on a located element.

    Args:
        found: The element.
        tabs: The browser's open tabs.
        rules: The site's class rules.
        again: Locates the element again after the page has replaced it. Takes the seconds to wait, or None
            for the default.
        timeout: Seconds to wait for the element to become usable.
    """

    def __init__(
        self,
        found: Found,
        tabs: Tabs,
        rules: ClassRules,
        again: Callable[[float | None], Found],
        timeout: float = 10.0,
    ) -> None:
        self.found = found
        self.tabs = tabs
        self.rules = [dict(rule) for rule in rules]
        self.again = again
        self.timeout = timeout

    def look(self) -> Look:
        """Return the element's current state."""
        return Look(**self._ask("look", self.rules))

    def enabled(self) -> bool:
        """Wait for a disabled element to become enabled, and return whether it did."""
        end = time.monotonic() + self.timeout
        while True:
            left = max(0.0, end - time.monotonic())
            seen = Look(**self._ask("until", self.rules, {"enabled": True}, left * 1000))
            if seen.connected or not left:
                return not seen.disabled

    def hover(self) -> None:
        """Move the pointer onto the element."""
        spot = self._ask("hoverSpot")
        if "error" not in spot:
            spot = self._on_page(spot)
        if "error" in spot:
            raise CannotActError(f"the pointer cannot rest on it: it is {spot['error']}")
        self.tabs.current.mouse.move(spot["x"], spot["y"])
        settle(self.tabs, cap=_VERIFY_MS / 1000)

    def click(self) -> None:
        """Click once: with the pointer, or with the DOM method where the pointer cannot reach the element."""
        if not (self._point_at(sure=not self.found.unsure) and self._arrived()):
            self._press()
        settle(self.tabs)

    def unfold(self, wanted: bool) -> bool | None:
        """Open or close what the element controls: try pointer, DOM click and Enter, and verify after each.

        Args:
            wanted: True to open, False to close.

        Returns:
            The final state; None where the element is gone or has no such state any more.

        Raises:
            CannotActError: The wanted state was not reached.
        """
        seen = None
        for attempt in (self._point_at, self._press, self._enter):
            if not attempt():
                continue
            settle(self.tabs)
            try:
                seen = self._settled({"expanded": wanted}, patience=_GONE_AFTER)
            except ReplayError:
                return None
            if seen.expanded in (wanted, None):
                return seen.expanded
        raise CannotActError(f"it should {'open' if wanted else 'close'}, but does not")

    def turn(self, wanted: bool, *, may_go: bool) -> bool | None:
        """Turn a control on or off: try pointer, DOM click and Space, and verify after each.

        Args:
            wanted: True for on, False for off.
            may_go: Whether the control may disappear, because it is in a menu that closes with the choice.

        Returns:
            The final state; None where the element is gone.

        Raises:
            CannotActError: The wanted state was not reached.
        """
        seen = None
        for attempt in (self._point_at, self._press, self._space):
            if not attempt():
                continue
            settle(self.tabs)
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

    def choose(self, value: str) -> bool:
        """Choose an option of a ``<select>`` by value or label; return False if it was already chosen."""
        reply = self._ask("choice", value, of="field")
        if "labels" in reply:
            raise CannotActError(f"it has no option {value!r}; it has {', '.join(reply['labels'][:20])}")
        if reply["already"]:
            return False
        self._field().select_option(index=reply["index"], timeout=self.timeout * 1000, force=True)
        settle(self.tabs)
        if not self._ask("choice", value, of="field").get("already"):
            raise CannotActError(f"the page did not keep the option {value!r}")
        return True

    def fill(self, text: str, *, secret: bool) -> None:
        """Replace a field's text and verify it. A ``secret`` is typed into password fields only."""
        if secret and (kind := self.kind()) != "password":
            raise CannotActError(f"a password is typed into password fields only, and this is a {kind} field")
        self._field().fill(text, timeout=self.timeout * 1000)
        if not self._holds(text):
            self._field().press("Control+a")
            self.tabs.current.keyboard.type(text)
            if not self._holds(text):
                raise CannotActError("the field did not keep the text")
        settle(self.tabs)

    def press_key(self, key: str) -> None:
        """Press a key while the element has the focus."""
        self._field().press(key, timeout=self.timeout * 1000)
        settle(self.tabs)

    def kind(self) -> str:
        """Return the kind of the element, or of the field it belongs to: ``select``, ``text``, …"""
        return str(self._ask("look", self.rules, of="field")["kind"])

    def _holds(self, text: str) -> bool:
        return bool(self._ask("holds", text, of="field"))

    def _settled(self, want: dict[str, bool], *, patience: float | None) -> Look:
        """Return the state after an attempt; an element that the page replaced is located again."""
        for _ in range(_TRIES):
            seen = self._until(want)
            if seen is not None and seen.connected:
                return seen
            self.found = self.again(patience)
        return self.look()

    def _until(self, want: dict[str, bool]) -> Look | None:
        try:
            answer = self.found.handle.evaluate(
                "(el, [rules, want, ms]) => __webspReplay.until(el, rules, want, ms)",
                [self.rules, want, _VERIFY_MS],
            )
        except PlaywrightError:
            # The document was replaced: the caller locates the element again.
            self._check_alive()
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
        for _ in range(_TRIES):
            there = self._ask("reach", self.rules, self._waits())
            if there.get("hidden") and self._reveal():
                there = self._ask("reach", self.rules, self._waits())
            point = there if "error" in there else self._on_page(there)
            if "error" in point:
                self._refuse(point, sure=sure)
                return False
            frame = self.found.frame
            if frame.parent_frame is not None:
                # A page may replace an iframe on hover, and the click guard installed in it is then lost.
                frame.page.mouse.move(point["x"], point["y"])
                if not self._awaits(there):
                    continue
            frame.page.mouse.click(point["x"], point["y"])
            return True
        return False

    def _refuse(self, point: dict[str, Any], *, sure: bool) -> None:
        if point.get("layer"):
            raise CannotActError(f"it is {point['error']}, which was not so when it was recorded")
        if not sure:
            raise CannotActError(f"it is {point['error']}, and not certainly the recorded element")

    def _awaits(self, point: dict[str, Any]) -> bool:
        """Whether the element is still under the pointer; a page may replace it on hover."""
        try:
            return bool(self.found.handle.evaluate(_AWAITS, [point["x"], point["y"]]))
        except PlaywrightError:
            self._check_alive()
            return False

    def _waits(self) -> dict[str, float]:
        patience = self.timeout * 1000
        return {"hidden": min(_HIDDEN_MS, patience), "bare": min(_BARE_MS, patience), "layer": patience}

    def _on_page(self, point: dict[str, Any]) -> dict[str, Any]:
        """Return a point of the element's frame in page coordinates, or what covers the frame there."""
        end = time.monotonic() + self.timeout
        while True:
            there = point_on_page(self.found.frame, point)
            if not there.get("layer") or time.monotonic() > end:
                return there
            wait_for_change(self.tabs.current, min(_LOOK_SECONDS, end - time.monotonic()))

    def _reveal(self) -> bool:
        """Hover over what may open the menu that hides the element; return whether it is now visible."""
        depth = tried = 0
        while (menu := self._ask("openers"))["depth"]:
            if menu["depth"] != depth:
                depth, tried = menu["depth"], 0
            if tried >= min(menu["count"], _TRIES):
                return False
            spot = self.found.frame.evaluate("i => __webspReplay.openerSpot(i)", tried)
            tried += 1
            if "error" in spot or "error" in (spot := point_on_page(self.found.frame, spot)):
                continue
            self.found.frame.page.mouse.move(spot["x"], spot["y"])
            self._ask("appears", depth, _APPEAR_MS)
        return True

    def _arrived(self) -> bool:
        """Whether the click reached the element, or led to another document."""
        try:
            return bool(self.found.handle.evaluate("() => __webspReplay.arrived()"))
        except PlaywrightError:
            self._check_alive()
            return True  # the click led to another document

    def _press(self) -> bool:
        self._ask("press", self.rules)
        return True

    def _space(self) -> bool:
        self._ask("focus", self.rules)
        self.found.frame.page.keyboard.press("Space")
        return True

    def _enter(self) -> bool:
        self._ask("focus", self.rules)
        self.found.frame.page.keyboard.press("Enter")
        return True

    def _field(self) -> ElementHandle:
        for _ in range(_TRIES):
            try:
                element = self.found.handle.evaluate_handle(_CALL, ["field", []]).as_element()
            except PlaywrightError:
                element = None
            if element is not None:
                return element
            self._check_alive()
            self.found = self.again(None)
        raise CannotActError(_RESTLESS)

    def _ask(self, name: str, *arguments: Any, of: str = "element") -> Any:
        """Call a function of ``act.js``; locate the element again first where the page has replaced it."""
        for _ in range(_TRIES):
            handle = self._field() if of == "field" else self.found.handle
            try:
                return handle.evaluate(_CALL, [name, list(arguments)])
            except PlaywrightError as error:
                self._check_alive()
                if _GONE not in str(error) and name == "press":
                    return None  # the click led to another document
                self.found = self.again(None)
        raise CannotActError(_RESTLESS)

    def _check_alive(self) -> None:
        if not self.tabs.alive:
            raise WorldError("the browser went away during the replay; call reset() to start a new episode")
