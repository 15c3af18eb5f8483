"""Gemini's vocabulary for a browser, of Gemini 3.5 and later and of 2.5 and 3, on a grid of 0 to 999."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

from websp_gym.actions.computer.action import GRID, ComputerAction, Screen, call, click, drag, press
from websp_gym.actions.computer.anthropic import along
from websp_gym.actions.computer.fields import Fields
from websp_gym.actions.grammar import DIRECTIONS
from websp_gym.actions.keys import read_keys
from websp_gym.actions.webvoyager import GOOGLE

if TYPE_CHECKING:
    from collections.abc import Callable

    from websp_gym.actions.calls import Call
    from websp_gym.actions.computer.action import Point

_SCROLL, _SCROLL_AT = 300, 800
"""Default distance of ``scroll`` in pixels and of ``scroll_at`` on the grid."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def _click(fields: Fields, screen: Screen, *, button: str = "left", clicks: int = 1) -> ComputerAction:
    return ComputerAction(fields.name, (click(_point(fields, screen), button, clicks),))


def _mouse(fields: Fields, screen: Screen, *, way: str, free: bool = False) -> ComputerAction:
    return ComputerAction(fields.name, (call(way, *_point(fields, screen)),), free=free)


def _type(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, tuple(_typed(fields, enter=False)))


def _type_text_at(fields: Fields, screen: Screen) -> ComputerAction:
    clearing = [*press("Control+a"), *press("Delete")] if fields.flag("clear_before_typing", True) else []
    return ComputerAction(
        fields.name, (click(_point(fields, screen)), *clearing, *_typed(fields, enter=True))
    )


def _typed(fields: Fields, *, enter: bool) -> list[Call]:
    more = press("Enter") if fields.flag("press_enter", enter) else []
    return [call("keyboard_type", fields.text("text")), *more]


def _keys(fields: Fields, screen: Screen, *, key: str) -> ComputerAction:
    return ComputerAction(fields.name, tuple(press(fields.keys(key))))


def _hold(fields: Fields, screen: Screen, *, way: str) -> ComputerAction:
    return ComputerAction(fields.name, (call(way, read_keys(fields.keys("key"))),))


def _drag(fields: Fields, screen: Screen) -> ComputerAction:
    new = fields.has("start_x")
    names = (
        (("start_x", "start_y"), ("end_x", "end_y"))
        if new
        else (("x", "y"), ("destination_x", "destination_y"))
    )
    return ComputerAction(fields.name, tuple(drag(_point(fields, screen, *pair) for pair in names)))


def _scroll(fields: Fields, screen: Screen) -> ComputerAction:
    direction = fields.choice("direction", DIRECTIONS)
    if fields.has("magnitude") or fields.name == "scroll_at":
        side = screen.height if direction in ("up", "down") else screen.width
        distance = fields.number("magnitude", _SCROLL_AT) * side / GRID
    else:
        distance = fields.number("magnitude_in_pixels", _SCROLL) / screen.scale
    met = call("scroll_at", *_point(fields, screen), *along(direction, distance))
    return ComputerAction(fields.name, (met,), free=True)


def _scroll_document(fields: Fields, screen: Screen) -> ComputerAction:
    met = call("scroll_window", fields.choice("direction", DIRECTIONS))
    return ComputerAction(fields.name, (met,), free=True)


def _wait(fields: Fields, screen: Screen, *, seconds: float = 1.0) -> ComputerAction:
    return ComputerAction(fields.name, (call("noop", fields.duration("seconds", seconds) * 1000),), free=True)


def _look(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, free=True)


def _navigate(fields: Fields, screen: Screen) -> ComputerAction:
    url = fields.text("url").strip()
    return ComputerAction(fields.name, (call("goto", url if _SCHEME.match(url) else f"https://{url}"),))


def _go(fields: Fields, screen: Screen, *, way: str) -> ComputerAction:
    return ComputerAction(fields.name, (call(way),))


def _search(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, (call("goto", GOOGLE),))


def _point(fields: Fields, screen: Screen, x: str = "x", y: str = "y") -> Point:
    return screen.on_grid(fields.number(x), fields.number(y))


GEMINI: dict[str, Callable[[Fields, Screen], ComputerAction]] = {
    "click": _click,
    "double_click": partial(_click, clicks=2),
    "triple_click": partial(_click, clicks=3),
    "middle_click": partial(_click, button="middle"),
    "right_click": partial(_click, button="right"),
    "mouse_down": partial(_mouse, way="mouse_down"),
    "mouse_up": partial(_mouse, way="mouse_up"),
    "move": partial(_mouse, way="mouse_move", free=True),
    "type": _type,
    "drag_and_drop": _drag,
    "wait": _wait,
    "press_key": partial(_keys, key="key"),
    "key_down": partial(_hold, way="keyboard_down"),
    "key_up": partial(_hold, way="keyboard_up"),
    "hotkey": partial(_keys, key="keys"),
    "take_screenshot": _look,
    "scroll": _scroll,
    "go_back": partial(_go, way="go_back"),
    "go_forward": partial(_go, way="go_forward"),
    "navigate": _navigate,
    "open_web_browser": _look,
    "wait_5_seconds": partial(_wait, seconds=5.0),
    "search": _search,
    "click_at": _click,
    "hover_at": partial(_mouse, way="mouse_move", free=True),
    "type_text_at": _type_text_at,
    "key_combination": partial(_keys, key="keys"),
    "scroll_document": _scroll_document,
    "scroll_at": _scroll,
}
"""Reads each action from its fields."""
