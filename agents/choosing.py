"""An agent by one string: its name, or the model it asks with options behind a question mark."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from websp_gym.errors import SetupError, nearest

if TYPE_CHECKING:
    from websp_gym.agents.base import Agent

SCRIPTED = ("oracle", "noop", "random")
"""Agents without a model."""

EXAMPLES = ("openai:gpt-5.2", "text:openai:gpt-5.2")


def choose(spec: str) -> Agent:
    """Makes the agent a string names; see :func:`websp_gym.agents.make_agent`."""
    if spec in SCRIPTED:
        return _scripted(spec)
    kind, colon, rest = spec.partition(":")
    if not colon:
        raise SetupError(
            f'no agent "{spec}"{nearest(spec, list(_known()))} (agents: {", ".join(_known())})', agent=spec
        )
    if kind == "flawed":
        return _flawed(rest)
    from websp_gym.models import PROVIDERS

    if kind in ("mllm", "text"):
        return _asking(spec, kind, rest)
    if kind in PROVIDERS:
        return _asking(spec, "mllm", spec)
    known = ["flawed", "mllm", "text", *PROVIDERS]
    raise SetupError(f'no agent "{spec}"{nearest(kind, known)} (agents: {", ".join(_known())})', agent=spec)


def _known() -> tuple[str, ...]:
    from websp_gym.agents.flawed import FLAWS

    return (*SCRIPTED, *(f"flawed:{kind}" for kind in FLAWS), *EXAMPLES)


def _scripted(name: str) -> Agent:
    from websp_gym.agents.oracle import OracleAgent
    from websp_gym.agents.simple import NoopAgent, RandomAgent

    known: dict[str, Callable[[], Agent]] = {"oracle": OracleAgent, "noop": NoopAgent, "random": RandomAgent}
    return known[name]()


def _flawed(kind: str) -> Agent:
    from websp_gym.agents.flawed import FlawedAgent

    return FlawedAgent(kind)


def _asking(spec: str, kind: str, rest: str) -> Agent:
    from websp_gym.agents.mllm import MllmAgent
    from websp_gym.agents.text import TextAgent
    from websp_gym.models import make_model

    model, _, query = rest.rpartition("?") if "?" in rest else (rest, "", "")
    options = read_options(spec, query)
    mine = {name: options.pop(name) for name in ("screenshots", "repairs") if name in options}
    if kind == "text" and "screenshots" in mine:
        raise SetupError(f'"{spec}": a text-only agent takes no screenshots=', agent=spec)
    asked = make_model(model, **options)
    return MllmAgent(asked, name=spec, **mine) if kind == "mllm" else TextAgent(asked, name=spec, **mine)


def _whole(text: str) -> int:
    return int(text)


def _thinking(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


_OPTIONS: dict[str, Callable[[str], Any]] = {
    "screenshots": _whole,
    "repairs": _whole,
    "temperature": float,
    "thinking": _thinking,
    "max_tokens": _whole,
    "timeout": float,
    "retries": _whole,
    "concurrency": _whole,
}
"""What may stand behind the question mark, and how it is read; all but the first two are the model's."""


def read_options(spec: str, query: str) -> dict[str, Any]:
    """Reads the options behind the question mark.

    Args:
        spec: The whole string, for messages.
        query: ``name=value`` pairs joined by ``&``, or nothing.

    Returns:
        Options by name.

    Raises:
        SetupError: An unknown one, or no number where one is wanted.
    """
    found: dict[str, Any] = {}
    for pair in query.split("&") if query else ():
        name, _, value = pair.partition("=")
        if name not in _OPTIONS:
            known = list(_OPTIONS)
            raise SetupError(
                f'"{spec}": no option "{name}"{nearest(name, known)} (options: {", ".join(known)})',
                agent=spec,
            )
        try:
            found[name] = _OPTIONS[name](value)
        except ValueError:
            raise SetupError(f'"{spec}": {name}={value!r} is no number', agent=spec) from None
    return found
