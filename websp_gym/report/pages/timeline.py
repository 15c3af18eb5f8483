"""Timeline data for the trajectory page: each observation with the actions before and after it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, TypedDict

from websp_gym.browser import VIEWPORT
from websp_gym.observation.draw import mark_seed
from websp_gym.records.trajectory import Step, Trajectory, View
from websp_gym.report.pages.pictures import Album, layer_uri

_LARGEST = 1e9
"""Coordinates in pixels must be smaller than this."""

_MOST = 100_000
"""Numbers of marks must be smaller than this."""

_FLAGS = {
    "expanded": ("expanded", "collapsed"),
    "selected": ("selected", None),
    "disabled": ("disabled", None),
}


class MarkData(TypedDict):
    """One marked element."""

    number: int
    role: str
    name: str
    state: str
    value: str
    href: str
    box: list[float]


class ActionData(TypedDict):
    """One action of the agent."""

    number: int
    action: str
    reply: str
    thought: str
    error: str
    counted: bool
    seconds: float
    target: str


class FrameData(TypedDict):
    """One observation, with the action that led to it and the one that follows."""

    number: int
    url: str
    title: str
    tabs: list[str]
    picture: int | None
    missing: str
    width: float
    height: float
    marks: list[MarkData]
    layer: str
    done: ActionData | None
    next: ActionData | None
    target: int | None


def frames(trajectory: Trajectory, album: Album) -> list[FrameData]:
    """Return one entry per recorded observation, the initial one (number 0) first; screenshots go into `album`."""
    seen = ([(0, trajectory.initial)] if trajectory.initial else []) + [
        (step.number, step.view) for step in trajectory.steps
    ]
    before = {step.number: step for step in trajectory.steps}
    marks = {number: _marks(view) for number, view in seen}
    targets = {number: _target(before.get(number + 1), marks[number]) for number, _ in seen}

    def action(number: int) -> ActionData | None:
        step = before.get(number)
        return _action(step, targets.get(number - 1)) if step else None

    viewport = _viewport(trajectory.options)
    film = []
    for number, view in seen:
        picture, missing = album.add(view.screenshot)
        width, height = viewport or _natural(album, picture)
        size = (int(width), int(height)) if picture is None else _natural(album, picture)
        target = targets[number]
        film.append(
            FrameData(
                number=number,
                url=view.url,
                title=view.title,
                tabs=view.tabs,
                picture=picture,
                missing=missing,
                width=width,
                height=height,
                marks=marks[number],
                layer=layer_uri(
                    size,
                    _boxes(marks[number]),
                    mark_seed(trajectory.seed, number),
                    1.0 if picture is None else trajectory.picture_scale,
                ),
                done=action(number),
                next=action(number + 1),
                target=target["number"] if target else None,
            )
        )
    return film


def describe(mark: MarkData) -> str:
    """Return a short description of a marked element, such as ``button “Save” (disabled)``."""
    name = f" “{mark['name']}”" if mark["name"] else ""
    state = f" ({mark['state']})" if mark["state"] else ""
    return f"{mark['role']}{name}{state}"


def _action(step: Step, target: MarkData | None) -> ActionData:
    shown = step.act.text if step.act else step.action.strip()
    return ActionData(
        number=step.number,
        action=shown,
        reply=step.action if _squash(step.action) != _squash(shown) else "",
        thought=step.thought,
        error=step.error,
        counted=step.counted > 0,
        seconds=step.seconds if math.isfinite(step.seconds) else 0.0,
        target=describe(target) if target else _met(step),
    )


def _met(step: Step) -> str:
    """Return role and name of the element that an action without a number met."""
    act = step.act
    if act is None or act.number is not None or act.role is None:
        return ""
    return f"{act.role} “{act.name}”" if act.name else act.role


def _target(step: Step | None, marks: list[MarkData]) -> MarkData | None:
    wanted = step.act.number if step is not None and step.act else None
    return next((mark for mark in marks if mark["number"] == wanted), None) if wanted is not None else None


def _marks(view: View) -> list[MarkData]:
    return [mark for number, data in enumerate(view.marks) if (mark := _mark(data, number)) is not None]


def _boxes(marks: list[MarkData]) -> list[tuple[int, list[float]]]:
    return [(mark["number"], mark["box"]) for mark in marks]


def _mark(data: Mapping[str, Any], position: int) -> MarkData | None:
    box = data.get("box")
    if not isinstance(box, list | tuple) or len(box) != 4 or not all(_finite(part) for part in box):
        return None
    number = data.get("number")
    return MarkData(
        number=number if isinstance(number, int) and 0 <= number < _MOST else position,
        role=str(data.get("role") or data.get("tag") or "element"),
        name=str(data.get("name") or data.get("text") or ""),
        state=_state(data),
        value=str(data.get("value") or ""),
        href=str(data.get("href") or ""),
        box=[round(float(part), 1) for part in box],
    )


def _state(data: Mapping[str, Any]) -> str:
    """Return the state in the same words as the agent read (:meth:`websp_gym.observation.marks.Mark.line`)."""
    on = "pressed" if data.get("role") == "button" else "checked"
    checked = ("partly checked",) * 2 if data.get("mixed") is True else (on, f"not {on}")
    words = [
        words[0] if data[flag] else words[1]
        for flag, words in {"checked": checked, **_FLAGS}.items()
        if isinstance(data.get(flag), bool)
    ]
    return ", ".join(word for word in words if word)


def _finite(value: object) -> bool:
    # A comparison, because math.isfinite fails on integers too large for a float.
    return isinstance(value, int | float) and abs(value) < _LARGEST


def _viewport(options: Mapping[str, Any]) -> tuple[float, float] | None:
    size = options.get("viewport")
    if isinstance(size, list | tuple) and len(size) == 2 and all(_finite(part) and part > 0 for part in size):
        return float(size[0]), float(size[1])
    return None


def _natural(album: Album, picture: int | None) -> tuple[int, int]:
    if picture is None:
        return VIEWPORT
    return album.pictures[picture].width, album.pictures[picture].height


def _squash(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
