"""Acting on an element that was found, and seeing that it had an effect.

Everything is tried the way a person would do it first: with the pointer. What has a state is verified after
every attempt and tried another way only where the state is still wrong; what has none is acted on once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import ReplayError, WorldError
from websp_gym.observation.marks import to_page

if TYPE_CHECKING:
    from playwright.sync_api import ElementHandle

    from websp_gym.browser.tabs import Tabs
    from websp_gym.replay.locate import Found

ClassRules = Sequence[Mapping[str, str]]
"""Per site: ``[{"on": css, "off": css}]``, for controls that say their state with a class only."""
_TRIES = 4
_REACH_MS = 500
_VERIFY_MS = 1_000
_GONE_AFTER = 0.5
"""Seconds to look for a menu item before its menu counts as closed."""
_TIMEOUT_MS = 2_000

_GONE = "websp: gone"
_RESTLESS = "the page replaces it faster than it can be acted on"
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
    """

    def __init__(
        self, found: Found, tabs: Tabs, rules: ClassRules, again: Callable[[float | None], Found]
    ) -> None:
        self.found = found
        self.tabs = tabs
        self.rules = [dict(rule) for rule in rules]
        self.again = again

    def look(self) -> Look:
        """Reads the element's state."""
        return Look(**self._ask("look", self.rules))

    def enabled(self) -> bool:
        """Waits a moment for a disabled element to become usable."""
        return not Look(**self._ask("until", self.rules, {"enabled": True}, _VERIFY_MS)).disabled

    def click(self) -> None:
        """Clicks once: with the pointer, or by the DOM where the pointer cannot be brought to it."""
        if not (self._point_at() and self._arrived()):
            self._press()
        settle(self.tabs)

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
                seen = self._settled(wanted, patience=_GONE_AFTER if may_go else None)
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
        self._field().select_option(index=reply["index"], timeout=_TIMEOUT_MS, force=True)
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
        self._field().fill(text, timeout=_TIMEOUT_MS)
        if not self._holds(text):
            self._field().press("Control+a")
            self.tabs.current.keyboard.type(text)
            if not self._holds(text):
                raise CannotActError("the field did not keep the text")
        settle(self.tabs)

    def press_key(self, key: str) -> None:
        """Presses a key while the element has the focus."""
        self._field().press(key, timeout=_TIMEOUT_MS)
        settle(self.tabs)

    def kind(self) -> str:
        """What the element (or the field it stands for) is: ``select``, ``checkbox``, ``text``, …"""
        return str(self._ask("look", self.rules, of="field")["kind"])

    def _holds(self, text: str) -> bool:
        return bool(self._ask("holds", text, of="field"))

    def _settled(self, wanted: bool, *, patience: float | None) -> Look:
        """State after an attempt; a control that was rendered anew is found again and asked."""
        for _ in range(_TRIES):
            seen = self._until({"on": wanted})
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

    def _point_at(self) -> bool:
        """Clicks where the element is; False where the pointer cannot be brought to it."""
        point = self._ask("reach", self.rules, _REACH_MS)
        if "error" in point:
            return False
        frame = self.found.frame
        frame.page.mouse.click(*to_page(frame, point["x"], point["y"]))
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
