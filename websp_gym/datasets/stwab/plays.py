"""How tasks of ST-WebAgentBench are played on our replicas: the objects that they name, and the steps that do them.

Both follow from the parameters of a task and from what its checks expect; nothing here is from the benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from websp_gym.datasets.stwab.clone import PublishedTask

Row = dict[str, Any]
Step = dict[str, Any]


class CannotBePlayedError(Exception):
    """Raised if a task cannot be played on our replica; the message says why."""


@dataclass(frozen=True)
class Play:
    """What a task needs, and how it is done.

    Args:
        steps: The steps, as in a file of tasks.
        rows: Records that it names, by module; they are added to the company.
        answer: The answer that is right.
        unsolved: Why its own checks cannot hold, if they cannot.
    """

    steps: tuple[Step, ...]
    rows: Mapping[str, list[Row]] = field(default_factory=dict)
    answer: str = "done"
    unsolved: str = ""


Player = Callable[[PublishedTask], Play]


def click(role: str, name: str, **more: Any) -> Step:
    """Return a step that clicks."""
    return {"click": {"role": role, "name": name, **more}}


def submit(role: str, name: str, **more: Any) -> Step:
    """Return a step that clicks and thereby changes state."""
    return {"submit": {"role": role, "name": name, **more}}


def type_into(name: str, value: str, role: str = "textbox", **more: Any) -> Step:
    """Return a step that types."""
    return {"type": {"role": role, "name": name}, "value": value, **more}


def select(name: str, value: str, **more: Any) -> Step:
    """Return a step that selects a choice."""
    return {"select": {"role": "combobox", "name": name, **more}, "value": value}


def turn(name: str, state: str = "on", role: str = "checkbox") -> Step:
    """Return a step that turns a control on or off."""
    return {"turn": {"role": role, "name": name}, "state": state}


def holds(role: str, name: str) -> Step:
    """Return a step that only looks for something."""
    return {"holds": {"role": role, "name": name}}


def choose(name: str, typed: str, option: str = "") -> tuple[Step, Step]:
    """Return the steps that choose a record in a field that offers some."""
    return type_into(name, typed, "combobox"), submit("option", option or typed)


def slug(text: str) -> str:
    """Return a text as an id."""
    return "-".join(re.findall(r"\w+", text.lower()))
