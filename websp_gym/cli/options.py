"""What several commands have in common: options, their values, and where they print."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console

out = Console(highlight=False)

AGENTS = "oracle, noop, random, a model such as openai:gpt-5.2, text:MODEL, or flawed:KIND (docs/agents.md)."
Headed = Annotated[bool, typer.Option("--headed", help="Show the browser window.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a program to read.")]


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
