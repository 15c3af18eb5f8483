"""One parsed computer-use action, and the screen that its points refer to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from websp_gym.actions.keys import MODIFIERS, read_keys, split_keys, window_key
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from websp_gym.actions.calls import Call
    from websp_gym.actions.computer.pages import PageReading, Pages

Point = tuple[float, float]

GRID = 1000
"""Width and height of the grid on which Gemini gives points."""
_AROUND = ("keyboard_down", "keyboard_up", "noop", "tab_focus")
"""Calls that are not what an action is about if it has others."""
_HELD = (*MODIFIERS, "ControlOrMeta", "AltGraph")


@dataclass(frozen=True)
class ComputerAction:
    """One computer-use action.

    Args:
        name: Its name in its vocabulary.
        calls: The calls that carry it out, named like BrowserGym's; points are in CSS pixels of the window.
        free: Whether it does not count against ``max_actions``: it takes a screenshot, moves the pointer, scrolls or
            waits.
        region: The part that the next picture should show enlarged: left, top, right and bottom in CSS pixels; None
            for all.
        told: What the agent is told about it; empty for nothing.
        result: What it returns, in a vocabulary whose actions return something.
        reads: What it returns instead: something that is read once the calls are made.
    """

    name: str
    calls: tuple[Call, ...] = ()
    free: bool = False
    region: tuple[float, float, float, float] | None = None
    told: str = ""
    result: str = ""
    reads: PageReading | None = None

    @property
    def about(self) -> Call | None:
        """The call whose element the action is about; None if it has no calls."""
        return next((call for call in self.calls if call[0] not in _AROUND), next(iter(self.calls), None))


@dataclass
class Screen:
    """The picture that an agent sees.

    Args:
        width: Width of the window in CSS pixels.
        height: Height of the window in CSS pixels.
        scale: Pixels of the picture per CSS pixel.
        pages: What the agent has been told of tabs and elements.

    Attributes:
        pointer: Position of the pointer in CSS pixels; None before it was moved.
    """

    width: int
    height: int
    scale: float = 1.0
    pages: Pages | None = None
    pointer: Point | None = None

    def point(self, x: float, y: float) -> Point:
        """Return the point of the window at a pixel of the picture; raise ActionError if it is outside."""
        across, down = x / self.scale, y / self.scale
        if not (0 <= across < self.width and 0 <= down < self.height):
            size = f"{self.width * self.scale:g} x {self.height * self.scale:g}"
            raise ActionError(f"({x:g}, {y:g}) is outside the picture of {size} pixels; nothing happened")
        return across, down

    def on_grid(self, x: float, y: float) -> Point:
        """Return the point of the window at a point of Gemini's grid; raise ActionError if it is outside."""
        if not (0 <= x < GRID and 0 <= y < GRID):
            raise ActionError(f"({x:g}, {y:g}) is outside the grid of 0 to {GRID - 1}; nothing happened")
        return x * self.width / GRID, y * self.height / GRID

    def here(self) -> Point:
        """Return the position of the pointer; raise ActionError if it is unknown."""
        if self.pointer is None:
            raise ActionError(
                "no coordinate was given, and the pointer has not been moved yet; nothing happened"
            )
        return self.pointer


def call(name: str, *arguments: float | str, **named: float | str) -> Call:
    """Return a call."""
    return name, list(arguments), named


def click(at: Point, button: str = "left", clicks: int = 1) -> Call:
    """Return the call that clicks at a point."""
    if clicks == 2 and button == "left":
        return call("mouse_dblclick", *at)
    named: dict[str, float | str] = {"button": button} if button != "left" else {}
    return call("mouse_click", *at, **named, **({"clicks": clicks} if clicks > 1 else {}))


def drag(path: Iterable[Point]) -> list[Call]:
    """Return the calls that drag along a path of two points or more."""
    start, *rest = path
    return [
        call("mouse_down", *start),
        *(call("mouse_move", *point) for point in rest),
        call("mouse_up", *rest[-1]),
    ]


def press(keys: str, times: int = 1) -> list[Call]:
    """Return the calls that press a key or combination; shortcuts of the browser window do what they do there.

    Raises:
        ActionError: There is no such key.
    """
    calls = []
    for known in _read(keys):
        calls.append(window_key(known) or call("keyboard_press", known))
    return calls * times


def in_turn(keys: Sequence[str]) -> list[str]:
    """Return the combinations of a list of keys: a modifier is held for the next key, other keys are pressed one by
    one."""
    found: list[str] = []
    held: list[str] = []
    for key in keys:
        held.append(key)
        if not _is_held(key):
            found.append("+".join(held))
            held.clear()
    return [*found, "+".join(held)] if held or not found else found


def _is_held(key: str) -> bool:
    try:
        return read_keys(key) in _HELD
    except ActionError:
        return False


def holding(keys: str, calls: Iterable[Call]) -> tuple[Call, ...]:
    """Return calls with modifier keys held down; an empty text holds none.

    Raises:
        ActionError: There is no such key, or it does something by itself, which is a separate action.
    """
    held = split_keys(read_keys(keys)) if keys else []
    for key in held:
        if key not in _HELD:
            raise ActionError(
                f"{key} cannot be held down during an action, only {', '.join(MODIFIERS)} can; nothing was done"
            )
    return _between(held, calls)


def hold(keys: str, milliseconds: float) -> tuple[Call, ...]:
    """Return the calls that hold keys down for some time.

    Raises:
        ActionError: There is no such key.
    """
    return _between(split_keys(read_keys(keys)), [call("noop", milliseconds)])


def _between(held: Sequence[str], calls: Iterable[Call]) -> tuple[Call, ...]:
    down = [call("keyboard_down", key) for key in held]
    return (*down, *calls, *(call("keyboard_up", key) for key in reversed(held)))


def _read(keys: str) -> list[str]:
    """Return combinations in a row, as xdotool takes them; nearly always it is one."""
    try:
        return [read_keys(keys)]
    except ActionError:
        parts = keys.split()
        if len(parts) < 2:
            raise
        return [read_keys(part) for part in parts]
