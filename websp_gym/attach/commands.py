"""What the commands of an outside agent are as actions: where one begins, what belongs to it, when it is over.

One press of the mouse is an action with all its movements, a run of keys into a field is one, any other key is, and
so is each address that is opened and each tab that is closed. Moving, scrolling, looking and waiting are none.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from websp_gym.env.outside import OutsideAction

Arguments = Mapping[str, Any]

_AGAIN = 1.0
"""Seconds within which a second press is part of a double click."""
_PAUSE = 0.5
"""Seconds without a key after which a run of keys is over."""
_EDITING = {
    *("Backspace", "Delete", "Home", "End"),
    *("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"),
    *("Shift", "Control", "Alt", "Meta", "CapsLock"),
}
"""Keys that are part of a run of keys into a field."""
_MODIFIERS = {"Shift", "Control", "Alt", "Meta", "CapsLock"}
_ALT, _CONTROL, _META, _SHIFT = 1, 2, 4, 8
_NAMED = ((_CONTROL, "Control"), (_ALT, "Alt"), (_META, "Meta"), (_SHIFT, "Shift"))
_BUTTONS = ("left", "middle", "right")


class CommandReader:
    """Reads the commands of all connections of an episode.

    Args:
        later: Calls a function after some seconds, on the loop on which commands are read.
    """

    def __init__(self, later: Callable[[float, Callable[[], None]], Any]) -> None:
        self._later = later
        self._open: OutsideAction | None = None
        self._answered_by: tuple[str, int] | None = None
        """Session and id of the command that ends the open action when it is answered."""
        self._keys = 0
        self._pressed = (0.0, "")
        """When the mouse was pressed last, and in which tab."""

    def read(
        self, method: str, arguments: Arguments, target: str, session: str, number: int
    ) -> OutsideAction | None:
        """Return the action that a command begins; ``None`` if it is part of the last one, or of none.

        Args:
            method: Name of the command.
            arguments: Its arguments.
            target: DevTools id of the tab it is for.
            session: Its session.
            number: Its id there.
        """
        begins = _READERS.get(method)
        return begins(self, arguments, target, (session, number)) if begins is not None else None

    def answered(self, session: str, number: int) -> None:
        """Note that the browser has answered a command."""
        if self._answered_by == (session, number) and self._open is not None and not self._open.types:
            self._end()

    def end(self) -> None:
        """End the open action: the connection it came from is gone."""
        self._end()

    def _begin(self, action: OutsideAction, answered_by: tuple[str, int] | None) -> OutsideAction:
        self._end()
        self._open, self._answered_by = action, answered_by
        return action

    def _end(self) -> None:
        if self._open is not None:
            self._open.end()
        self._open = self._answered_by = None

    # ---------------------------------------------------------------- mouse and touch
    def _mouse(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction | None:
        kind = arguments.get("type")
        if kind == "mouseReleased" and self._open is not None:
            self._answered_by = command
        if kind != "mousePressed":
            return None
        pressed, self._pressed = self._pressed, (time.monotonic(), target)
        if _count(arguments) > 1 and pressed[1] == target and time.monotonic() - pressed[0] < _AGAIN:
            return None
        return self._begin(OutsideAction(_press(arguments), target), None)

    def _touch(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction | None:
        kind = arguments.get("type")
        if kind in ("touchEnd", "touchCancel") and self._open is not None:
            self._answered_by = command
        points = arguments.get("touchPoints")
        if kind != "touchStart" or not (isinstance(points, list) and points and isinstance(points[0], dict)):
            return None
        return self._begin(OutsideAction(_press(points[0]), target), None)

    def _tap(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction:
        return self._begin(OutsideAction(_press(arguments), target), command)

    def _drag(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction | None:
        if arguments.get("type") == "drop" and self._open is None:
            return self._begin(OutsideAction(_press(arguments), target), command)
        return None

    # ---------------------------------------------------------------- keys
    def _key(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction | None:
        kind, key = arguments.get("type"), str(arguments.get("key") or arguments.get("text") or "")[:40]
        if kind not in ("keyDown", "rawKeyDown", "char"):
            return None
        if kind == "char" and self._open is not None and not self._open.types:
            return None  # the text of the key that went down before
        modifiers = arguments.get("modifiers")
        held = modifiers if isinstance(modifiers, int) else 0
        text = str(arguments.get("text") or "") if not held & ~_SHIFT else ""
        if len(text) != 1 or not text.isprintable():
            text = ""
        typed = "" if kind == "rawKeyDown" else text  # its text comes with a command of its own
        if self._continues(target, editing=bool(text) or key in _EDITING or held & _CONTROL):
            assert self._open is not None
            self._type(self._open, typed, back=key == "Backspace")
            return None
        if key in _MODIFIERS:
            return None
        if text:
            return self._typing(typed, target, command)
        names = [name for bit, name in _NAMED if held & bit and not (bit == _SHIFT and len(key) == 1)]
        return self._begin(OutsideAction(("keyboard_press", ["+".join([*names, key])], {}), target), command)

    def _insert(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction | None:
        text = str(arguments.get("text") or "")
        if self._continues(target, editing=True):
            assert self._open is not None
            self._type(self._open, text)
            return None
        return self._typing(text, target, command)

    def _typing(self, text: str, target: str, command: tuple[str, int]) -> OutsideAction:
        action = self._begin(OutsideAction(("keyboard_type", [text], {}), target), command)
        self._end_unless_typed()
        return action

    def _continues(self, target: str, *, editing: bool | int) -> bool:
        open_ = self._open
        return bool(
            editing and open_ is not None and open_.types and open_.target == target and not open_.over.done()
        )

    def _type(self, action: OutsideAction, text: str, *, back: bool = False) -> None:
        typed = action.call[1][0]
        action.call = ("keyboard_type", [typed[:-1] if back else typed + text], {})
        self._end_unless_typed()

    def _end_unless_typed(self) -> None:
        self._keys += 1
        keys, action = self._keys, self._open

        def look() -> None:
            if self._open is action and self._keys == keys:
                self._end()

        self._later(_PAUSE, look)

    # ---------------------------------------------------------------- addresses
    def _navigate(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction:
        return self._begin(OutsideAction(("goto", [str(arguments.get("url"))], {}), target), command)

    def _open_tab(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction | None:
        url = arguments.get("url")
        if not isinstance(url, str) or url in ("", "about:blank"):
            return None
        return self._begin(OutsideAction(("goto", [url], {}), target), command)

    def _reload(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction:
        return self._begin(OutsideAction(("keyboard_press", ["F5"], {}), target), command)

    def _history(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction:
        return self._begin(OutsideAction(("go_back", [], {}), target), command)

    def _close_tab(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction:
        which = arguments.get("targetId", target)
        return self._begin(OutsideAction(("tab_close", [], {}), str(which)), command)


def _press(arguments: Arguments) -> tuple[str, list[Any], dict[str, Any]]:
    x, y = (_number(arguments.get(name)) for name in ("x", "y"))
    name = "mouse_dblclick" if _count(arguments) == 2 else "mouse_click"
    button = arguments.get("button")
    named = {"button": button} if button in _BUTTONS[1:] else {}
    return name, [x, y], named


def _number(value: object) -> float | int:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return 0
    return int(value) if value == int(value) else round(value, 1)


def _count(arguments: Arguments) -> int:
    count = arguments.get("clickCount", 1)
    return count if isinstance(count, int) else 1


_READERS: dict[str, Callable[[CommandReader, Arguments, str, tuple[str, int]], OutsideAction | None]] = {
    "Input.dispatchMouseEvent": CommandReader._mouse,
    "Input.dispatchTouchEvent": CommandReader._touch,
    "Input.synthesizeTapGesture": CommandReader._tap,
    "Input.dispatchDragEvent": CommandReader._drag,
    "Input.dispatchKeyEvent": CommandReader._key,
    "Input.insertText": CommandReader._insert,
    "Input.imeSetComposition": CommandReader._insert,
    "Page.navigate": CommandReader._navigate,
    "Page.reload": CommandReader._reload,
    "Page.navigateToHistoryEntry": CommandReader._history,
    "Target.createTarget": CommandReader._open_tab,
    "Target.closeTarget": CommandReader._close_tab,
    "Page.close": CommandReader._close_tab,
}
