"""Type into a located field or choose from a list, and read back what it holds."""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.keyboard import type_over
from websp_gym.browser.settle import settle
from websp_gym.errors import ReplayError
from websp_gym.replay.located_element import CannotActError, LocatedElement

if TYPE_CHECKING:
    from playwright.sync_api import Frame

_GONE_AFTER = 0.5
"""Seconds to look for a field that its own change may have removed."""
_NAMED = 20
"""Maximum number of options named in an error."""
_OF_LINES = frozenset({"textarea", "editable"})
"""Kinds of fields that may have several lines."""
_PICKED = frozenset({"date", "time", "month", "week", "datetime-local", "color", "range"})
"""Kinds of fields that take a value as a whole."""


class Field:
    """The field that a located element is, belongs to or contains."""

    def __init__(self, element: LocatedElement) -> None:
        self.element = element

    def choose(self, value: str) -> bool:
        """Choose an option of a ``<select>`` by value or label; return False if it was already chosen."""
        reply = self.element.ask("choice", value, of="field")
        if "labels" in reply:
            labels = reply["labels"]
            more = f", and {len(labels) - _NAMED} more" if len(labels) > _NAMED else ""
            raise CannotActError(f"it has no option {value!r}; it has {', '.join(labels[:_NAMED])}{more}")
        if reply["already"]:
            return False
        select = self.element.field()
        select.focus()  # so that it can be left
        select.select_option(index=[reply["index"]], timeout=self.element.timeout * 1000, force=True)
        settle(self.element.tabs)
        kept = self._read_back("choice", value)
        if kept is not None and not kept.get("already"):
            raise CannotActError(f"the page did not keep the option {value!r}")
        return True

    def has_option(self, value: str) -> bool:
        """Whether an option of a ``<select>`` is chosen, by value or label."""
        return bool(self.element.ask("choice", value, of="field").get("already"))

    def fill(self, text: str, *, only: Collection[str] = ()) -> None:
        """Replace a field's text by keyboard, and read it back.

        Args:
            text: The text.
            only: Kinds of fields to type a password into; empty for any field.
        """
        kind = self.kind()
        if only and kind not in only:
            raise CannotActError(f"a password is typed into password fields only, but this is a {kind} field")
        if kind in _PICKED:
            self.element.field().fill(text, timeout=self.element.timeout * 1000)
        else:
            self._type(text, lines=kind in _OF_LINES)
        if self._read_back("holds", text) is False:
            # The page completes or corrects what is typed: put it in as a whole.
            self.element.field().fill(text, timeout=self.element.timeout * 1000)
        settle(self.element.tabs)
        if self._read_back("holds", text) is False:
            raise CannotActError("the field did not keep the text")

    def _type(self, text: str, *, lines: bool) -> None:
        """Select what is in the field and type over it, with key events that the page can listen to."""
        field = self.element.field()
        field.wait_for_element_state("editable", timeout=self.element.timeout * 1000)
        field.select_text(timeout=self.element.timeout * 1000)
        frame = self.element.found.frame
        frame.evaluate("() => __websp.keepCursor()")
        type_over(frame.page, text, lines=lines, lost=lambda: self._cursor_lost(frame))

    def _cursor_lost(self, frame: Frame) -> str:
        try:
            return str(frame.evaluate("() => __websp.cursorLost()"))
        except PlaywrightError:
            self.element.check_alive()
            return "the page has gone on to another one"

    def press_key(self, key: str) -> None:
        """Press a key while the element has the focus."""
        with self.element.window_may_close():
            self.element.field().press(key, timeout=self.element.timeout * 1000)
        settle(self.element.tabs)

    def leave(self) -> None:
        """Take the focus off the field if it still has it, as a person does who goes on."""
        with contextlib.suppress(CannotActError, PlaywrightError):
            handle = self.element.found.handle
            if handle.evaluate("el => el.isConnected && __webspReplay.leave(__webspReplay.field(el))"):
                settle(self.element.tabs)

    def kind(self) -> str:
        """Return the kind of the element, or of the field it belongs to: ``select``, ``text``, …"""
        return str(self.element.ask("look", self.element.rules, of="field")["kind"])

    def _read_back(self, name: str, value: str) -> Any:
        """Call a function of ``act.js`` on the field after an action; None where the action made it disappear."""
        try:
            return self.element.ask(name, value, of="field", patience=_GONE_AFTER)
        except ReplayError:
            return None
