"""What several commands have in common: options, their values, and where they print."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console

from websp_gym.errors import SetupError

out = Console(highlight=False)

AGENTS = (
    "oracle, noop, random, a model such as openai:gpt-5.2, text:MODEL, flawed:KIND, or module:Class "
    "(docs/agents.md)."
)
Headed = Annotated[bool, typer.Option("--headed", help="Show the browser window.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]


def read_viewport(text: str) -> list[int]:
    """Reads the size of a viewport.

    Args:
        text: Such as ``1280x1024``.

    Returns:
        Width and height.

    Raises:
        SetupError: It is none.
    """
    width, _, height = text.lower().partition("x")
    if not (width.isdecimal() and height.isdecimal()):
        raise SetupError(f'--viewport "{text}": give width and height, e.g. 1280x1024', option="viewport")
    return [int(width), int(height)]


class InitialState(StrEnum):
    """How S0 is reached."""

    REPLAY = "replay"
    SNAPSHOT = "snapshot"


class Reward(StrEnum):
    """Who scores an episode."""

    STATE = "state"
    STRICT = "strict"
    JUDGE = "judge"


class By(StrEnum):
    """Who scores a kept episode again."""

    STATE = "state"
    JUDGE = "judge"


class Instruction(StrEnum):
    """Which wording of a task the agent gets."""

    WITHOUT_NAVIGATION = "without_navigation"
    WITH_NAVIGATION = "with_navigation"


class TargetState(StrEnum):
    """What stateful targets of a trace end in."""

    ON = "on"
    OFF = "off"
    RECORDED = "recorded"
