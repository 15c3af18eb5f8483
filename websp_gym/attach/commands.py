"""Read the commands of an outside agent as actions: where one begins, what belongs to it, when it is over.

One press of the mouse is an action with all its movements, a run of keys into a field is one, any other key is, and
so is each address that is opened and each tab that is closed. Moving, scrolling, looking and waiting do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from websp_gym.attach.keys import Key, read_key
from websp_gym.attach.rules import RUNS_A_SCRIPT
from websp_gym.env.outside import OutsideAction

Arguments = Mapping[str, Any]

_AGAIN, _NEAR, _MOST = 1.0, 5.0, 3
"""Seconds since the last press and CSS pixels from the first within which a press is part of it; how many may be."""
_PAUSE = 0.5
"""Seconds without a key after which a run of keys is over."""
_ALT, _CONTROL, _META, _SHIFT = 1, 2, 4, 8
_NAMED = ((_CONTROL, "Control"), (_ALT, "Alt"), (_META, "Meta"), (_SHIFT, "Shift"))
_MOVES_FOCUS = ("DOM.focus", *RUNS_A_SCRIPT)
_BUTTONS = ("left", "middle", "right")


class CommandReader:
    """Reads the commands of all connections of an episode.

    Args:
        later: Calls a function after some seconds, on the loop on which commands are read.
        clock: Tells the time in seconds, from any thread.
    """

    def __init__(self, later: Callable[[float, Callable[[], None]], Any], clock: Callable[[], float]) -> None:
        self._later = later
        self._clock = clock
        self._open: OutsideAction | None = None
        self._answered_by: tuple[str, int] | None = None
        """Session and id of the command that ends the open action when it is answered."""
        self._keys = 0
        self._moved = False
        """Whether something else may have the focus since the last key."""
        self._pressed: _Pressed | None = None
        """The press that the next one may be part of; ``None`` after another action."""
        self._held = False
        """Whether the mouse is down since it was pressed, and has dropped nothing."""
        self._owed: tuple[str, Key] | None = None
        """Session and key of the last key event, if its text is to come with a command of its own."""
        self._down: set[tuple[str, str]] = set()
        """Sessions and names of the keys that were pressed and are down."""

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
        self._moved = self._moved or method in _MOVES_FOCUS
        begins = READERS.get(method)
        return begins(self, arguments, target, (session, number)) if begins is not None else None

    def answered(self, session: str, number: int) -> None:
        """Note that the browser has answered a command."""
        if self._answered_by == (session, number) and self._open is not None and not self._open.types:
            self._end()

    def focus_moved(self, target: str) -> None:
        """Note that another element of a tab has the focus: a run of keys is over if the agent moved it.

        A page may move it by itself, as where each field takes one digit.

        Args:
            target: DevTools id of the tab.
        """
        if self._moved and self._open is not None and self._open.types and self._open.target == target:
            self._end()

    def _begin(self, action: OutsideAction, answered_by: tuple[str, int] | None) -> OutsideAction:
        self._end()
        self._open, self._answered_by = action, answered_by
        self._pressed, self._held = None, False
        return action

    def _end(self) -> None:
        if self._open is not None:
            self._open.end()
        self._open = self._answered_by = None

    # ---------------------------------------------------------------- mouse and touch
    def _mouse(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction | None:
        kind = arguments.get("type")
        if kind == "mouseReleased" and self._open is not None:
            self._answered_by, self._held = command, False
        if kind != "mousePressed":
            return None
        press = _Pressed(target, arguments, self._clock())
        if self._pressed is not None and press.continues(self._pressed):
            self._pressed.count, self._pressed.when = press.count, press.when
            return None
        action = self._begin(OutsideAction(_press(arguments), target), None)
        # It may have waited for its turn: what counts is when it is let pass.
        action.decided.add_done_callback(lambda _: setattr(press, "when", self._clock()))
        self._pressed, self._held = press, True
        return action

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
        if arguments.get("type") != "drop":
            return None
        if self._held:  # the end of what began with the press
            self._held = False
            return None
        return self._begin(OutsideAction(_press(arguments), target), command)

    # ---------------------------------------------------------------- keys
    def _key(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction | None:
        kind, key, session = arguments.get("type"), read_key(arguments), command[0]
        owed, self._owed = self._owed, None
        presses = key.effect == "presses"
        if kind == "keyUp":
            # A page may act on a key that goes up alone.
            if not presses or not key.name or (session, key.name) in self._down:
                self._down.discard((session, key.name))
                return None
        elif kind in ("keyDown", "rawKeyDown"):
            if not key.produces and key.effect in ("types", "presses"):
                self._owed = session, key
            if presses:
                self._down.add((session, key.name))
        elif kind != "char":
            return None
        elif owed is not None and owed[0] == session and (not presses or key.name in ("", owed[1].name)):
            if owed[1].text and self._continues(target, key.text):
                self._type(key.text, back=True)
            return None
        modifiers = arguments.get("modifiers")
        held = modifiers if isinstance(modifiers, int) else 0
        text = key.text if not held & ~_SHIFT else ""
        with_control = key.effect == "types" and held & _CONTROL and key.text != " "
        edits = key.effect in ("edits", "modifies")
        if (text or edits or with_control) and self._continues(target, text):
            self._type(text, back=key.name == "Backspace")
            return None
        if key.effect == "modifies":
            return None
        if text:
            return self._typing(text, target, command)
        names = [name for bit, name in _NAMED if held & bit and not (bit == _SHIFT and len(key.name) == 1)]
        pressed = "+".join([*names, key.name])
        return self._begin(OutsideAction(("keyboard_press", [pressed], {}), target), command)

    def _insert(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction | None:
        text = str(arguments.get("text") or "")
        if self._continues(target):
            self._type(text)
            return None
        return self._typing(text, target, command)

    def _typing(self, text: str, target: str, command: tuple[str, int]) -> OutsideAction:
        action = self._begin(OutsideAction(("keyboard_type", [text], {}), target), command)
        self._end_unless_typed()
        return action

    def _continues(self, target: str, text: str = "") -> bool:
        """Whether a run of keys goes on with a text. A space that meets another element may press it."""
        run = self._open
        if text == " " and self._moved:
            return False
        return run is not None and run.types and run.target == target and not run.over.done()

    def _type(self, text: str, *, back: bool = False) -> None:
        """Add a text to the run of keys; ``back`` takes its last character away before."""
        assert self._open is not None
        typed = self._open.call[1][0]
        self._open.call = ("keyboard_type", [(typed[:-1] if back else typed) + text], {})
        self._end_unless_typed()

    def _end_unless_typed(self) -> None:
        self._moved = False
        self._keys += 1
        keys, action = self._keys, self._open

        def look() -> None:
            if action is None or self._open is not action or self._keys != keys:
                return
            if action.decided.done():
                self._end()
            else:  # it is held back until the one before it is recorded
                self._later(_PAUSE, look)

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
        return self._begin(OutsideAction(("keyboard_press", ["F5"], {}), target, met={}), command)

    def _history(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction:
        return self._begin(OutsideAction(("go_back", [], {}), target, met={}), command)

    def _close_tab(self, arguments: Arguments, target: str, command: tuple[str, int]) -> OutsideAction:
        which = arguments.get("targetId", target)
        return self._begin(OutsideAction(("tab_close", [], {}), str(which)), command)


class _Pressed:
    """A press of the mouse that others may be part of: a double or triple one."""

    def __init__(self, target: str, arguments: Arguments, when: float) -> None:
        self.when = when
        self.place = target, arguments.get("button")
        self.x, self.y = (_number(arguments.get(name)) for name in ("x", "y"))
        self.count = _count(arguments)

    def continues(self, first: _Pressed) -> bool:
        """Whether it is the next press of what another one began."""
        return (
            self.place == first.place
            and first.count + 1 == self.count <= _MOST
            and self.when - first.when < _AGAIN
            and max(abs(self.x - first.x), abs(self.y - first.y)) <= _NEAR
        )


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


READERS: dict[str, Callable[[CommandReader, Arguments, str, tuple[str, int]], OutsideAction | None]] = {
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
