"""What the commands of an agent are as actions, as the usual programs send them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from websp_gym.attach.commands import CommandReader

Command = tuple[str, dict[str, Any]]


def mouse(kind: str, x: float = 10, y: float = 20, **more: Any) -> Command:
    return "Input.dispatchMouseEvent", {
        "type": kind,
        "x": x,
        "y": y,
        "button": "left",
        "clickCount": 1,
        **more,
    }


def key(kind: str, name: str, text: str = "", **more: Any) -> Command:
    return "Input.dispatchKeyEvent", {"type": kind, "key": name, **({"text": text} if text else {}), **more}


def typed(text: str, down: str = "keyDown") -> list[Command]:
    """Keys as Playwright and Puppeteer (``keyDown``) or chromedriver (``rawKeyDown`` and ``char``) send them."""
    found: list[Command] = []
    for each in text:
        found.append(key(down, each, each))
        if down == "rawKeyDown":
            found.append(key("char", each, each))
        found.append(key("keyUp", each))
    return found


PRESS = [mouse("mouseMoved"), mouse("mousePressed"), mouse("mouseReleased")]
SECOND = [mouse("mousePressed", clickCount=2), mouse("mouseReleased", clickCount=2)]


@pytest.mark.parametrize(
    ("commands", "actions"),
    [
        (PRESS, ["mouse_click(10, 20)"]),
        ([*PRESS, *SECOND], ["mouse_click(10, 20)"]),
        ([mouse("mousePressed", clickCount=2), mouse("mouseReleased", clickCount=2)], ["mouse_dblclick(10, 20)"]),
        ([mouse("mousePressed", button="right")], ["mouse_click(10, 20, button='right')"]),
        ([*PRESS, mouse("mousePressed", 1, 2)], ["mouse_click(10, 20)", "mouse_click(1, 2)"]),
        ([mouse("mousePressed", 10.26, 20.04)], ["mouse_click(10.3, 20.0)"]),
        ([("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": 1, "y": 2}]}), ("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})], ["mouse_click(1, 2)"]),
        ([mouse("mouseWheel", deltaY=100), mouse("mouseMoved")], []),
        (typed("hi you"), ["keyboard_type('hi you')"]),
        (typed("hi", "rawKeyDown"), ["keyboard_type('hi')"]),
        ([("Input.insertText", {"text": "hello"})], ["keyboard_type('hello')"]),
        ([*typed("ab"), key("keyDown", "Backspace"), *typed("c")], ["keyboard_type('ac')"]),
        ([*typed("a"), key("keyDown", "Enter", "\r")], ["keyboard_type('a')", "keyboard_press('Enter')"]),
        ([key("keyDown", "Shift"), key("keyDown", "A", "A", modifiers=8), key("keyUp", "A")], ["keyboard_type('A')"]),
        ([key("keyDown", "Control"), key("rawKeyDown", "a", modifiers=2)], ["keyboard_press('Control+a')"]),
        ([key("keyDown", "Tab"), key("keyDown", "Tab")], ["keyboard_press('Tab')", "keyboard_press('Tab')"]),
        ([("Page.navigate", {"url": "https://a.example/"})], ["goto('https://a.example/')"]),
        ([("Page.reload", {})], ["keyboard_press('F5')"]),
        ([("Page.navigateToHistoryEntry", {"entryId": 3})], ["go_back()"]),
        ([("Target.createTarget", {"url": "about:blank"})], []),
        ([("Target.createTarget", {"url": "https://a.example/"})], ["goto('https://a.example/')"]),
        ([("Target.closeTarget", {"targetId": "x"})], ["tab_close()"]),
        ([("Runtime.evaluate", {"expression": "1"}), ("Page.captureScreenshot", {})], []),
        ([mouse("mousePressed", x="a", y=None)], ["mouse_click(0, 0)"]),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_commands_are_read_as_actions(commands: list[Command], actions: list[str]) -> None:
    later: list[Callable[[], None]] = []
    reader = CommandReader(lambda seconds, function: later.append(function))
    found = []
    for number, (method, arguments) in enumerate(commands):
        action = reader.read(method, arguments, "tab", "session", number)
        if action is not None:
            action.types = action.call[0] == "keyboard_type"  # as the environment finds out
            found.append(action)
        reader.answered("session", number)
    assert [str(action) for action in found] == actions
    for function in later:
        function()
    reader.end()
    assert all(action.over.done() for action in found)
