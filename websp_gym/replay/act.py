"""Acting on an element that was found, and seeing that it had an effect.

Everything is tried the way a person would do it first: with the pointer. What has a state is verified after
every attempt and tried another way only where the state is still wrong; what has none is acted on once.
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
"""Per site: ``[{"on": css, "off": css}]``, for controls that say their state with a class only."""
_TRIES = 4
_VERIFY_MS = 1_000
_HIDDEN_MS = 500
"""How long an element of which nothing shows is waited for before the menus around it are tried."""
_BARE_MS = 2_000
"""How long something without controls (a spinner, a shade) may cover an element before it is passed by."""
_APPEAR_MS = 400
"""How long a menu may take to open under the pointer."""
_LOOK_SECONDS = 0.1
_GONE_AFTER = 0.5
"""Seconds to look for a menu item before its menu counts as closed."""

_GONE = "websp: gone"
_RESTLESS = "the page replaces it faster than it can be acted on"
_AWAITS = "(el, [x, y]) => __webspReplay.awaits(el, x, y)"
_CALL = f"""(el, [name, rest]) => {{
  if (!el.isConnected) throw new Error("{_GONE}");
  return __webspReplay[name](el, ...rest);
}}"""


class CannotActError(Exception):
    """The element is there, but does not do what was recorded."""


@dataclass(frozen=True)
class Look:
    """State and kind of an element, as the page sees it."""

    connected: bool
    kind: str
    on: bool | None
    mixed: bool
    disabled: bool
    expanded: bool | None

    def is_(self, wanted: bool) -> bool:
        """Whether it plainly is on (or off); a half-checked box is neither."""
        return self.on is wanted and not self.mixed


class Actor:
    """Acts on one found element.

    Args:
        found: The element.
        tabs: The browser's open tabs.
        rules: The site's class rules.
        again: Finds the element anew after the page has replaced it; within so many seconds, if given.
        timeout: Seconds to wait for it to become usable.
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
        """Reads the element's state."""
        return Look(**self._ask("look", self.rules))

    def enabled(self) -> bool:
        """Waits for a disabled element to become usable."""
        end = time.monotonic() + self.timeout
        while True:
            left = max(0.0, end - time.monotonic())
            seen = Look(**self._ask("until", self.rules, {"enabled": True}, left * 1000))
            if seen.connected or not left:
                return not seen.disabled

    def hover(self) -> None:
        """Rests the pointer on it."""
        spot = self._ask("hoverSpot")
        if "error" not in spot:
            spot = self._on_page(spot)
        if "error" in spot:
            raise CannotActError(f"the pointer cannot rest on it: it is {spot['error']}")
        self.tabs.current.mouse.move(spot["x"], spot["y"])
        settle(self.tabs, cap=_VERIFY_MS / 1000)

    def click(self) -> None:
        """Clicks once: with the pointer, or by the DOM where the pointer cannot be brought to it."""
        if not (self._point_at(sure=not self.found.unsure) and self._arrived()):
            self._press()
        settle(self.tabs)

    def unfold(self, wanted: bool) -> bool | None:
        """Opens or closes what the element opens: pointer, then DOM click, then Enter, each verified.

        Args:
            wanted: Open or closed.

        Returns:
            How it was left; None where it is gone.

        Raises:
            CannotActError: It did not get there.
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
        """Brings a control into a state: pointer, then DOM click, then Space, each verified.

        Args:
            wanted: On or off.
            may_go: It stands in a menu that closes with the choice, so it need not be there afterwards.

        Returns:
            How it was left; None where it is gone.

        Raises:
            CannotActError: It did not get there.
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
        """Chooses an option of a ``<select>`` by value or label.

        Args:
            value: The option's value or label.

        Returns:
            Whether anything had to be done.
        """
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
        """Types a text in place of what a field holds, and sees that the field kept it.

        Args:
            text: The text.
            secret: It is a password and goes into password fields only.
        """
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
        """Presses a key while the element has the focus."""
        self._field().press(key, timeout=self.timeout * 1000)
        settle(self.tabs)

    def kind(self) -> str:
        """What the element (or the field it stands for) is: ``select``, ``checkbox``, ``text``, …"""
        return str(self._ask("look", self.rules, of="field")["kind"])

    def _holds(self, text: str) -> bool:
        return bool(self._ask("holds", text, of="field"))

    def _settled(self, want: dict[str, bool], *, patience: float | None) -> Look:
        """State after an attempt; a control that was rendered anew is found again and asked."""
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
            # The document went away: whatever has replaced the element is asked next.
            self._check_alive()
            return None
        return Look(**answer)

    def _point_at(self, *, sure: bool = True) -> bool:
        """Clicks where the element is; False where the pointer cannot be brought to it.

        Args:
            sure: The element is surely the right one, or what becomes of the click can be verified.

        Raises:
            CannotActError: Something that can be operated itself covers it and does not go.
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
                # An iframe may be replaced when the pointer comes, and the guard in it with it.
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
        """Whether the element is still under the pointer; a page may render anew when it comes."""
        try:
            return bool(self.found.handle.evaluate(_AWAITS, [point["x"], point["y"]]))
        except PlaywrightError:
            self._check_alive()
            return False

    def _waits(self) -> dict[str, float]:
        patience = self.timeout * 1000
        return {"hidden": min(_HIDDEN_MS, patience), "bare": min(_BARE_MS, patience), "layer": patience}

    def _on_page(self, point: dict[str, Any]) -> dict[str, Any]:
        """Where a point of the element's frame lies in the page, or what covers the frame there."""
        end = time.monotonic() + self.timeout
        while True:
            there = point_on_page(self.found.frame, point)
            if not there.get("layer") or time.monotonic() > end:
                return there
            wait_for_change(self.tabs.current, min(_LOOK_SECONDS, end - time.monotonic()))

    def _reveal(self) -> bool:
        """Rests the pointer on what may open the menu the element is hidden in; whether it shows now."""
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
        """Whether that click reached the element; what it did to the page in the meantime does not matter."""
        try:
            return bool(self.found.handle.evaluate("() => __webspReplay.arrived()"))
        except PlaywrightError:
            self._check_alive()
            return True  # it led to another document

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
        """Calls one of the functions of ``act.js``; an element that was replaced is found again first."""
        for _ in range(_TRIES):
            handle = self._field() if of == "field" else self.found.handle
            try:
                return handle.evaluate(_CALL, [name, list(arguments)])
            except PlaywrightError as error:
                self._check_alive()
                if _GONE not in str(error) and name == "press":
                    return None  # the click took the document away with it
                self.found = self.again(None)
        raise CannotActError(_RESTLESS)

    def _check_alive(self) -> None:
        if not self.tabs.alive:
            raise WorldError("the browser went away during the replay; call reset() to start a new episode")
