"""Programs that play an episode by themselves, by the string that names them."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING

from websp_gym.agents.registry import OUTSIDE
from websp_gym.errors import SetupError, missing_extra
from websp_gym.redaction import masked

if TYPE_CHECKING:
    from websp_gym.attach.agent import OutsideAgent
    from websp_gym.records.runs import Run

_NAME = re.compile(r"[A-Za-z][\w .+-]{0,59}", re.ASCII)


def outside_agent(spec: str) -> OutsideAgent:
    """Return the agent of a program, ``cdp:COMMAND`` or ``mcp:COMMAND``.

    Raises:
        SetupError: There is no command, or the extra ``attach`` is not installed.
    """
    kind, _, command = spec.partition(":")
    if not command.strip():
        raise SetupError(f'"{spec}" needs a command, for example: {kind}:python my_agent.py', agent=spec)
    check_extra(f'agent "{spec}"')
    from websp_gym.attach.agent import CommandAgent

    return CommandAgent(command, f"{kind}:{masked(command)}", for_tools=kind == "mcp")


def named_run(run: Run, name: str | None) -> Run:
    """Return a run whose agent has a name: a given one, or for a program its command without secrets.

    Args:
        run: The run; its agent is the string that makes it.
        name: The name; ``None`` for none.

    Raises:
        SetupError: The agent is not a program, or the name could be another agent's.
    """
    kind, _, command = run.agent.partition(":")
    if kind not in OUTSIDE:
        if name is not None:
            raise SetupError(
                f"--name works only with {' and '.join(f'{each}:COMMAND' for each in OUTSIDE)}", option="name"
            )
        return run
    if name is not None and not _NAME.fullmatch(name):
        raise SetupError(
            f"--name {name!r}: use up to 60 letters, digits, spaces and . _ - +, beginning with a letter",
            option="name",
        )
    return replace(run, agent=f"{kind}:{masked(command) if name is None else name}", spec=run.agent)


def check_extra(what: str) -> None:
    """Raise ``MissingExtraError`` if the extra ``attach`` is not installed; ``what`` needs it."""
    if any(find_spec(needed) is None for needed in ("websockets", "mcp", "psutil")):
        raise missing_extra(f"{what} needs WebSockets, the Model Context Protocol and psutil", "attach")
