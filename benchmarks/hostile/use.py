"""What a person might do on a hostile page: random sequences, carried out with a real mouse and keyboard."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from playwright.sync_api import ElementHandle, Frame
from playwright.sync_api import Error as PlaywrightError

from benchmarks.hostile.stage import Stage
from benchmarks.hostile.tree import Node, kind_of

Kind = Literal["press", "choose", "write"]
_WRITING = "abcdefgh äöüß'\"<>{}&\\"
_PATIENCE = 6.0
_TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


@dataclass(frozen=True)
class Step:
    """One thing done to one control.

    Args:
        key: The control.
        kind: ``press`` (buttons, links, boxes, switches, radio buttons), ``choose`` from a list, ``write`` a text.
        value: The first letter of the option, or the text.
        keys: With the keyboard instead of the mouse: the key pressed on a control that has the focus, or the one
            pressed when the text stands there.
    """

    key: str
    kind: Kind
    value: str = ""
    keys: str = ""


def sequence(page: Node, random: Random, *, least: int = 5, most: int = 12) -> tuple[Step, ...]:
    """A random use of a page.

    Args:
        page: The page.
        random: Decides.
        least: Fewest steps.
        most: Most steps.
    """
    controls = {node.key: node for node in page.walk() if node.key}
    steps: list[Step] = []
    for _ in range(random.randint(least, most)):
        # What was done once is likelier to be done again: on and off, written and written over.
        before = [step.key for step in steps]
        key = random.choice(before) if before and random.random() < 0.25 else random.choice(list(controls))
        steps.append(_step(key, kind_of(controls[key]), random))
    return tuple(steps)


def _step(key: str, kind: str, random: Random) -> Step:
    if kind.startswith("select"):
        return Step(key, "choose", random.choice("edf"))
    if kind in ("input text", "input email"):
        text = "".join(random.choices(_WRITING, k=random.randint(1, 8)))
        return Step(key, "write", text, random.choice(("", "", "Tab", "Backspace")))
    by_keys = {"a": "Enter", "button button": random.choice(("Enter", "Space")), "input radio": "ArrowDown"}
    return Step(key, "press", keys=by_keys.get(kind, "Space") if random.random() < 0.3 else "")


def carry_out(on: Stage, step: Step) -> None:
    """Does one thing as a person would.

    Args:
        on: The stage with the page.
        step: What to do.

    Raises:
        TimeoutError: The control does not come, or does not stand still.
    """
    if step.kind == "press" and not step.keys:
        _click(on, step.key)
    elif step.kind == "write":
        _click(on, step.key)
        on.page.keyboard.press("End")
        on.page.keyboard.type(step.value)
        if step.keys:
            on.page.keyboard.press(step.keys)
    else:
        _handle(on, step.key, lambda _, el: el.focus())
        on.page.keyboard.press(step.keys or step.value)
    on.page.evaluate(_TWO_FRAMES)


def _click(on: Stage, key: str) -> None:
    def click(frame: Frame, el: ElementHandle) -> None:
        el.scroll_into_view_if_needed(timeout=1_000)
        frame.evaluate(_TWO_FRAMES)
        box = el.bounding_box()
        if box is None:
            raise PlaywrightError("it is not rendered any more")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        on.page.mouse.move(x, y)
        frame.evaluate(_TWO_FRAMES)  # the page may render anew when the pointer comes
        if el.bounding_box() != box:
            raise PlaywrightError("it has moved")
        on.page.mouse.click(x, y)

    _handle(on, key, click)


def _handle(on: Stage, key: str, act: Callable[[Frame, ElementHandle], Any]) -> None:
    """Acts on a control as soon as it is there, and again where the page takes it away meanwhile."""
    end = time.monotonic() + _PATIENCE
    problem = "it never came"
    while time.monotonic() < end:
        try:
            for frame in on.page.frames:
                el = frame.evaluate_handle("key => globalThis.__hostile?.find(key)", key).as_element()
                if el is not None:
                    act(frame, el)
                    return
                frame.evaluate("key => globalThis.__hostile?.seek(key)", key)
        except PlaywrightError as error:
            problem = error.message
        on.page.evaluate(_TWO_FRAMES)
    raise TimeoutError(f"{key}: {problem}")
