"""Anthropic's vocabulary: the actions of its computer toolset, and ``goto``, because it cannot open an address."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from websp_gym.actions.computer.action import ComputerAction, Screen, call, click, drag, hold, holding, press
from websp_gym.actions.computer.fields import Fields
from websp_gym.actions.grammar import DIRECTIONS
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from collections.abc import Callable

    from websp_gym.actions.computer.action import Point

WHEEL = 100
"""CSS pixels per click of the wheel."""
MOST_REPEATS = 100
ENLARGED = "the picture shows the region enlarged; points still refer to the whole picture"


def _click(fields: Fields, screen: Screen, *, button: str = "left", clicks: int = 1) -> ComputerAction:
    met = click(_point(fields, screen), button, clicks)
    return ComputerAction(fields.name, holding(fields.keys("text"), [met]))


def _drag(fields: Fields, screen: Screen) -> ComputerAction:
    path = [screen.point(*fields.numbers(key, 2)) for key in ("start_coordinate", "coordinate")]
    return ComputerAction(fields.name, holding(fields.keys("text"), drag(path)))


def _mouse(fields: Fields, screen: Screen, *, way: str) -> ComputerAction:
    return ComputerAction(fields.name, (call(way, *_point(fields, screen)),))


def _move(fields: Fields, screen: Screen) -> ComputerAction:
    at = screen.point(*fields.numbers("coordinate", 2))
    return ComputerAction(fields.name, (call("mouse_move", *at),), free=True)


def _key(fields: Fields, screen: Screen) -> ComputerAction:
    calls = press(fields.keys("text"), fields.count("repeat", 1, MOST_REPEATS))
    return ComputerAction(fields.name, tuple(calls))


def _hold_key(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, hold(fields.keys("text"), milliseconds(fields)))


def _type(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, (call("keyboard_type", fields.text("text")),))


def _scroll(fields: Fields, screen: Screen) -> ComputerAction:
    distance = fields.number("scroll_amount") * WHEEL
    met = call(
        "scroll_at",
        *_point(fields, screen),
        *along(fields.choice("scroll_direction", DIRECTIONS), distance),
    )
    return ComputerAction(fields.name, holding(fields.keys("text"), [met]), free=True)


def _wait(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, (call("noop", milliseconds(fields)),), free=True)


def _screenshot(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, free=True)


def _cursor_position(fields: Fields, screen: Screen) -> ComputerAction:
    x, y = screen.here()
    told = f"the pointer is at ({x * screen.scale:g}, {y * screen.scale:g})"
    return ComputerAction(fields.name, free=True, told=told)


def _zoom(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, free=True, region=region(fields, screen), told=ENLARGED)


def region(fields: Fields, screen: Screen) -> tuple[float, float, float, float]:
    """Return the part of the window that an action wants to be shown enlarged."""
    left, top, right, bottom = (side / screen.scale for side in fields.numbers("region", 4))
    if not (0 <= left < right <= screen.width and 0 <= top < bottom <= screen.height):
        raise ActionError(
            f"{fields.name}: region should be left, top, right and bottom of a part of the picture; nothing was done"
        )
    return left, top, right, bottom


def _goto(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, (call("goto", fields.text("url")),))


def along(direction: str, distance: float) -> tuple[float, float]:
    """Return how far to scroll across and down."""
    across, down = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}[direction]
    return across * distance, down * distance


def _point(fields: Fields, screen: Screen) -> Point:
    if fields.has("target"):
        raise ActionError(
            f'{fields.name}: a target is of the browser toolset: give "toolset_name": "browser" too; nothing was done'
        )
    return screen.point(*fields.numbers("coordinate", 2)) if fields.has("coordinate") else screen.here()


def milliseconds(fields: Fields) -> float:
    """Return how long an action is to last."""
    return fields.duration("duration") * 1000


ANTHROPIC: dict[str, Callable[[Fields, Screen], ComputerAction]] = {
    "key": _key,
    "hold_key": _hold_key,
    "type": _type,
    "cursor_position": _cursor_position,
    "mouse_move": _move,
    "left_mouse_down": partial(_mouse, way="mouse_down"),
    "left_mouse_up": partial(_mouse, way="mouse_up"),
    "left_click": _click,
    "left_click_drag": _drag,
    "right_click": partial(_click, button="right"),
    "middle_click": partial(_click, button="middle"),
    "double_click": partial(_click, clicks=2),
    "triple_click": partial(_click, clicks=3),
    "scroll": _scroll,
    "wait": _wait,
    "screenshot": _screenshot,
    "zoom": _zoom,
    "goto": _goto,
}
"""Reads each action from its fields."""
