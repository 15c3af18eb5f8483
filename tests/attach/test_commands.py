"""What the commands of an agent are as actions, as the usual programs send them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from websp_gym.attach.commands import READERS, CommandReader
from websp_gym.attach.rules import PASSED
from websp_gym.env.outside import OutsideAction

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


def drag(kind: str) -> Command:
    return "Input.dispatchDragEvent", {"type": kind, "x": 1, "y": 2, "data": {"items": []}}


class Agent:
    """Commands as an agent sends them, and a clock that stands still in between.

    Attributes:
        actions: The actions that they are.
    """

    def __init__(self) -> None:
        self._now = 0.0
        self._later: list[tuple[float, Callable[[], None]]] = []
        self._number = 0
        self.reader = CommandReader(
            lambda seconds, function: self._later.append((self._now + seconds, function)), lambda: self._now
        )
        self.actions: list[OutsideAction] = []

    @property
    def told(self) -> list[str]:
        """The actions in words."""
        return [str(action) for action in self.actions]

    def send(
        self, *commands: Command, tab: str = "tab", session: str = "session", passes: bool = True
    ) -> None:
        """Send commands, each of which is answered; ``passes``: whether the actions are let pass."""
        for method, arguments in commands:
            self._number += 1
            action = self.reader.read(method, arguments, tab, session, self._number)
            if action is not None:
                action.types = action.call[0] == "keyboard_type"  # as the environment finds out
                if passes:
                    action.let_pass()
                self.actions.append(action)
            self.reader.answered(session, self._number)

    def wait(self, seconds: float) -> None:
        """Let time go on, with what is to happen in it."""
        end = self._now + seconds
        while due := [each for each in self._later if each[0] <= end]:
            first = min(due, key=lambda each: each[0])
            self._later.remove(first)
            self._now = first[0]
            first[1]()
        self._now = end


PRESS = [mouse("mouseMoved"), mouse("mousePressed"), mouse("mouseReleased")]
SECOND = [mouse("mousePressed", clickCount=2), mouse("mouseReleased", clickCount=2)]


@pytest.mark.parametrize(
    ("commands", "actions"),
    [
        (PRESS, ["mouse_click(10, 20)"]),
        ([*PRESS, *SECOND], ["mouse_click(10, 20)"]),
        ([*PRESS, *SECOND, mouse("mousePressed", 14, 17, clickCount=3)], ["mouse_click(10, 20)"]),
        ([*PRESS, *SECOND, mouse("mousePressed", 16, 20, clickCount=3)], ["mouse_click(10, 20)", "mouse_click(16, 20)"]),
        ([*PRESS, mouse("mousePressed", 99, 20, clickCount=2)], ["mouse_click(10, 20)", "mouse_dblclick(99, 20)"]),
        ([*PRESS, *SECOND, *SECOND], ["mouse_click(10, 20)", "mouse_dblclick(10, 20)"]),
        ([mouse("mousePressed", clickCount=count) for count in (1, 2, 3, 4, 5)], ["mouse_click(10, 20)"] * 3),
        ([*PRESS, mouse("mousePressed", clickCount=2, button="right")], ["mouse_click(10, 20)", "mouse_dblclick(10, 20, button='right')"]),
        ([*PRESS, key("keyDown", "Enter", "\r"), *SECOND], ["mouse_click(10, 20)", "keyboard_press('Enter')", "mouse_dblclick(10, 20)"]),
        ([*PRESS[:2], drag("dragEnter"), drag("drop"), PRESS[2]], ["mouse_click(10, 20)"]),
        ([*PRESS[:2], drag("drop"), drag("drop"), drag("drop")], ["mouse_click(10, 20)", "mouse_click(1, 2)", "mouse_click(1, 2)"]),
        ([*PRESS, drag("drop")], ["mouse_click(10, 20)", "mouse_click(1, 2)"]),
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
        # One that is called like a modifier and does something else, or is Enter by another of its names.
        ([key("keyDown", "Shift", "\r")], ["keyboard_press('Enter')"]),
        ([key("keyDown", "Shift", windowsVirtualKeyCode=13)], ["keyboard_press('Enter')"]),
        ([key("rawKeyDown", "Shift", code="NumpadEnter")], ["keyboard_press('Enter')"]),
        ([key("keyDown", "Shift", windowsVirtualKeyCode=65)], ["keyboard_press('Shift')"]),
        ([key("keyDown", "Shift", commands=["insertNewline"])], ["keyboard_press('Shift')"]),
        ([key("keyDown", "Shift", code="ShiftLeft", windowsVirtualKeyCode=16, commands=[], isKeypad=False)], []),
        ([*typed("a"), key("keyDown", "a", "a", windowsVirtualKeyCode=13)], ["keyboard_type('a')", "keyboard_press('Enter')"]),
        ([*typed("a"), key("keyDown", "b", "b", code="Enter", autoRepeat=True)], ["keyboard_type('a')", "keyboard_press('Enter')"]),
        ([*typed("a"), key("keyDown", "Delete", "\r", isKeypad=True)], ["keyboard_type('a')", "keyboard_press('Enter')"]),
        ([*typed("a"), key("rawKeyDown", "Enter", modifiers=2)], ["keyboard_type('a')", "keyboard_press('Control+Enter')"]),
        ([*typed("a"), key("rawKeyDown", "m", "\r", modifiers=2)], ["keyboard_type('a')", "keyboard_press('Control+Enter')"]),
        ([*typed("a"), key("rawKeyDown", "v", modifiers=2), *typed("b")], ["keyboard_type('ab')"]),
        # The text of a key comes directly after it, once.
        ([mouse("mousePressed"), key("char", "", "\r")], ["mouse_click(10, 20)", "keyboard_press('Enter')"]),
        ([mouse("mousePressed"), key("char", "", "a"), key("char", "", "b")], ["mouse_click(10, 20)", "keyboard_type('ab')"]),
        ([key("rawKeyDown", "Enter"), key("char", "", "\r"), key("keyUp", "Enter")], ["keyboard_press('Enter')"]),
        ([key("rawKeyDown", "", "\r", windowsVirtualKeyCode=13), key("char", "", "\r", windowsVirtualKeyCode=13), key("keyUp", "", "\r", windowsVirtualKeyCode=13)], ["keyboard_press('Enter')"]),
        ([key("rawKeyDown", "Enter"), key("char", "", "\r"), key("char", "", "\r")], ["keyboard_press('Enter')"] * 2),
        ([key("rawKeyDown", "Enter"), key("keyUp", "Enter"), key("char", "", "\r")], ["keyboard_press('Enter')"] * 2),
        ([key("keyDown", "Enter", "\r"), key("char", "", "\r")], ["keyboard_press('Enter')"] * 2),
        ([*typed("a"), key("rawKeyDown", "b"), key("char", "", "\r")], ["keyboard_type('ab')", "keyboard_press('Enter')"]),
        ([key("rawKeyDown", "a", modifiers=2), key("char", "a", "\x01", modifiers=2)], ["keyboard_press('Control+a')"]),
        # As browser-use types: the key in its small form, the character after it.
        ([key("keyDown", "h", modifiers=8), key("char", "H", "H"), key("keyUp", "h", modifiers=8), key("keyDown", "i"), key("char", "i", "i"), key("keyUp", "i")], ["keyboard_type('Hi')"]),
        ([key("keyUp", "Enter")], ["keyboard_press('Enter')"]),
        ([*typed("a"), ("DOM.focus", {}), *typed(" b")], ["keyboard_type('a')", "keyboard_type(' b')"]),
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
    agent = Agent()
    agent.send(*commands)
    assert agent.told == actions
    agent.wait(10)
    assert all(action.over.done() for action in agent.actions if action.types)


@pytest.mark.parametrize(("seconds", "actions"), [(0.9, 1), (1.1, 2)])
def test_presses_that_follow_slowly_are_no_double_one(seconds: float, actions: int) -> None:
    agent = Agent()
    agent.send(*PRESS)
    agent.wait(seconds)
    agent.send(*SECOND)
    assert len(agent.actions) == actions


def test_a_press_that_waits_for_its_turn_is_still_followed_by_the_second_one() -> None:
    agent = Agent()
    agent.send(PRESS[1], passes=False)
    agent.wait(5)
    agent.actions[0].let_pass()
    agent.wait(0.5)
    agent.send(PRESS[2], *SECOND)
    assert agent.told == ["mouse_click(10, 20)"]


def test_presses_in_two_tabs_are_two() -> None:
    agent = Agent()
    agent.send(*PRESS)
    agent.send(*SECOND, tab="other")
    assert agent.told == ["mouse_click(10, 20)", "mouse_dblclick(10, 20)"]


@pytest.mark.parametrize(("seconds", "told"), [(0.4, ["ab"]), (0.6, ["a", "b"])])
def test_a_run_of_keys_is_over_after_a_pause(seconds: float, told: list[str]) -> None:
    agent = Agent()
    agent.send(*typed("a"))
    agent.wait(seconds)
    agent.send(*typed("b"))
    assert agent.told == [f"keyboard_type('{each}')" for each in told]


def test_a_run_of_keys_does_not_end_while_its_first_key_is_held_back() -> None:
    """As after a press whose step takes longer than a run may pause."""
    agent = Agent()
    agent.send(("Input.insertText", {"text": "half"}), passes=False)
    agent.wait(0.6)
    agent.actions[0].let_pass()
    agent.send(("Input.insertText", {"text": " life"}))
    assert agent.told == ["keyboard_type('half life')"]
    agent.wait(0.6)
    assert agent.actions[0].over.done()


@pytest.mark.parametrize(
    ("before", "tab", "over"),
    [
        ([], "tab", False),
        ([("Runtime.evaluate", {})], "tab", True),
        ([("Runtime.evaluate", {})], "other", False),
    ],
    ids=["moved by the page", "moved by the agent", "moved in another tab"],
)
def test_a_run_of_keys_is_over_where_the_agent_moves_the_focus(
    before: list[Command], tab: str, over: bool
) -> None:
    agent = Agent()
    agent.send(*typed("1"), *before)
    agent.reader.focus_moved(tab)
    assert agent.actions[0].over.done() is over
    agent.send(*typed("2"))
    assert agent.told == (["keyboard_type('1')", "keyboard_type('2')"] if over else ["keyboard_type('12')"])


def test_a_press_is_over_once_the_browser_has_answered_its_release() -> None:
    agent = Agent()
    agent.send(*PRESS[:2])
    assert not agent.actions[0].over.done()
    agent.send(PRESS[2])
    assert agent.actions[0].over.done()


def test_the_texts_of_keys_belong_to_their_sessions() -> None:
    agent = Agent()
    agent.send(key("rawKeyDown", "Enter"), session="one")
    agent.send(key("char", "", "\r"), session="other")
    assert agent.told == ["keyboard_press('Enter')"] * 2


def test_every_command_of_the_mouse_and_the_keys_is_read_or_presses_nothing() -> None:
    scrolls_or_ends = {"Input.synthesizeScrollGesture", "Input.cancelDragging", "Input.setInterceptDrags"}
    passed = {method for method in PASSED if method.startswith("Input.")}
    assert passed - READERS.keys() == scrolls_or_ends
    assert READERS.keys() <= PASSED
