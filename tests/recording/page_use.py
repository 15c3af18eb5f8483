"""Random but realistic use of a changing page, with real mouse and keyboard events."""

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
    """One operation of one control.

    Args:
        key: The control.
        kind: ``press`` (buttons, links, boxes, switches, radio buttons), ``choose`` from a list, ``write`` a
            text.
        value: First letter of the option, or the text.
        keys: Key to press: on the focused control instead of a click, or after the text. Empty for none.
    """

    key: str
    kind: Kind
    value: str = ""
    keys: str = ""


def sequence(page: Node, random: Random, *, least: int = 5, most: int = 12) -> tuple[Step, ...]:
    """Return a random sequence of steps on a page.

    Args:
        page: The page.
        random: Random generator.
        least: Fewest steps.
        most: Most steps.
    """
    controls = {node.key: node for node in page.walk() if node.key}
    steps: list[Step] = []
    for _ in range(random.randint(least, most)):
        # Prefer controls used before: switched on and off again, text written and overwritten.
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
    """Perform one step as a person would; raise TimeoutError if the control does not appear or keeps moving."""
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
        frame.evaluate(_TWO_FRAMES)  # the page may render again when the pointer enters
        if el.bounding_box() != box:
            raise PlaywrightError("it has moved")
        on.page.mouse.click(x, y)

    _handle(on, key, click)


def _handle(on: Stage, key: str, act: Callable[[Frame, ElementHandle], Any]) -> None:
    """Act on a control as soon as it is there, and again if the page replaces it meanwhile."""
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
