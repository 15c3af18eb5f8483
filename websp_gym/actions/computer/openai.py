"""OpenAI's vocabulary: the actions of a ``computer_call``, and ``goto``, because its tool cannot open an address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.actions.computer.action import (
    ComputerAction,
    Screen,
    call,
    click,
    drag,
    holding,
    in_turn,
    press,
)
from websp_gym.actions.computer.fields import Fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from websp_gym.actions.computer.action import Point

_BUTTONS = {"left": "left", "right": "right", "wheel": "middle", "middle": "middle"}
_BACK = {"back": "go_back", "forward": "go_forward"}
_WAIT_MS = 2_000
"""Duration of a ``wait`` that gives none, as is the case for all of them today."""


def _click(fields: Fields, screen: Screen) -> ComputerAction:
    button = fields.choice("button", (*_BUTTONS, *_BACK), "left")
    at = _point(fields, screen)
    met = call(_BACK[button]) if button in _BACK else click(at, _BUTTONS[button])
    return ComputerAction(fields.name, holding(fields.keys("keys"), [met]))


def _double_click(fields: Fields, screen: Screen) -> ComputerAction:
    met = click(_point(fields, screen), clicks=2)
    return ComputerAction(fields.name, holding(fields.keys("keys"), [met]))


def _drag(fields: Fields, screen: Screen) -> ComputerAction:
    path = [screen.point(x, y) for x, y in fields.pairs("path")]
    return ComputerAction(fields.name, holding(fields.keys("keys"), drag(path)))


def _keypress(fields: Fields, screen: Screen) -> ComputerAction:
    fields.keys("keys")  # how they are given
    given = fields.listed("keys")
    return ComputerAction(fields.name, tuple(each for keys in in_turn(given) for each in press(keys)))


def _move(fields: Fields, screen: Screen) -> ComputerAction:
    met = call("mouse_move", *_point(fields, screen))
    return ComputerAction(fields.name, holding(fields.keys("keys"), [met]), free=True)


def _screenshot(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, free=True)


def _scroll(fields: Fields, screen: Screen) -> ComputerAction:
    across, down = (fields.number(key, 0.0) / screen.scale for key in ("scroll_x", "scroll_y"))
    met = call("scroll_at", *_point(fields, screen), across, down)
    return ComputerAction(fields.name, holding(fields.keys("keys"), [met]), free=True)


def _type(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, (call("keyboard_type", fields.text("text")),))


def _wait(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, (call("noop", fields.duration("ms", _WAIT_MS)),), free=True)


def _goto(fields: Fields, screen: Screen) -> ComputerAction:
    return ComputerAction(fields.name, (call("goto", fields.text("url")),))


def _point(fields: Fields, screen: Screen) -> Point:
    return screen.point(fields.number("x"), fields.number("y"))


OPENAI: dict[str, Callable[[Fields, Screen], ComputerAction]] = {
    "click": _click,
    "double_click": _double_click,
    "drag": _drag,
    "keypress": _keypress,
    "move": _move,
    "screenshot": _screenshot,
    "scroll": _scroll,
    "type": _type,
    "wait": _wait,
    "goto": _goto,
}
"""Reads each action from its fields."""
