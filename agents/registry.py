"""Make an agent from a string: its name, or its model with options after a question mark."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from websp_gym.errors import SetupError, nearest
from websp_gym.models.spec import hint_of_provider
from websp_gym.plugins import load_plugin, plugins
from websp_gym.project import docs

if TYPE_CHECKING:
    from websp_gym.agents.base import Agent, NamedPlayer

SCRIPTED = ("oracle", "noop", "random", "guardian")
"""Agents without a model."""
_ASKING = {
    "mllm": ("websp_gym.agents.mllm", "MllmAgent"),
    "text": ("websp_gym.agents.text", "TextAgent"),
    "computer": ("websp_gym.agents.computer", "ComputerAgent"),
    "browser": ("websp_gym.agents.browser", "BrowserAgent"),
}
"""Module and name of the agents that ask a model, by what stands before its string."""
OUTSIDE = {"cdp": "websp_gym.attach.players:outside_agent", "mcp": "websp_gym.attach.players:outside_agent"}
"""What makes an agent that drives the browser by itself, by what stands before the colon of its string."""


def make_agent(spec: str) -> Agent:
    """Return the agent that a string names.

    Args:
        spec: ``oracle``, ``noop``, ``random``, ``guardian``; ``flawed:KIND``; a model string such as
            ``openai:gpt-6.2-sol`` or ``mllm:openai:gpt-6.2-sol`` for the agent that sees screenshots;
            ``text:openai:gpt-6.2-sol`` for the one that reads the accessibility tree;
            ``computer:openai:gpt-6.2-sol`` for the one that uses its provider's computer tool;
            ``browser:anthropic:claude-opus-5.5`` for the one that uses Anthropic's browser toolset. Append options of
            the latter four after a question mark:
            ``openai:gpt-6.2-sol?screenshots=1&thinking=high``. ``my_package.my_module:MyAgent`` or
            ``path/to/my_agent.py:MyAgent`` imports a class or a function that returns an agent when called without
            arguments. So does a name that another package registers as ``websp_gym.agents``, alone or before a colon.

    Returns:
        A new agent; no request is sent to a model yet.

    Raises:
        SetupError: There is no such agent, option or model, or the model's key is missing.
    """
    if spec in SCRIPTED:
        return _scripted(spec)
    from websp_gym.models import PROVIDERS

    kind, colon, rest = spec.partition(":")
    if not colon and kind not in plugins("agents"):
        raise _unknown(
            spec, nearest(spec, [*SCRIPTED, "flawed:KIND"]) or _hint_of_file(spec) or hint_of_provider(spec)
        )
    if kind == "flawed":
        return _flawed(rest)
    if kind in OUTSIDE:
        raise SetupError(
            f'agent "{spec}" is a program that acts by itself and takes no observations; play it with `websp run`',
            agent=spec,
        )
    if kind in _ASKING:
        return _asking(spec, kind, rest)
    if kind in (*PROVIDERS, "ollama"):
        return _asking(spec, "mllm", spec)
    if kind in plugins("agents"):
        return _with_parts(_made(load_plugin("agents", kind), spec), spec)
    if rest.isidentifier() and (kind.endswith(".py") or all(part.isidentifier() for part in kind.split("."))):
        return _imported(spec, kind, rest)
    raise _unknown(spec, nearest(kind, _kinds()))


def make_player(spec: str) -> NamedPlayer:
    """Return the agent that a string names; also a program that acts by itself.

    Args:
        spec: As for :func:`make_agent`, or ``cdp:COMMAND`` or ``mcp:COMMAND``, such as ``cdp:python my_agent.py``,
            which starts a program for each episode.

    Raises:
        SetupError: As :func:`make_agent`, or the extra ``attach`` is not installed.
    """
    kind = spec.partition(":")[0]
    if kind not in OUTSIDE:
        return make_agent(spec)
    player: NamedPlayer = resolve_name(OUTSIDE[kind])(spec)
    return player


def model_of(spec: str) -> str:
    """Return the model string in the string of an agent, without options; empty for an agent that asks no model."""
    from websp_gym.models import PROVIDERS

    kind, colon, rest = spec.partition(":")
    asked = rest if kind in _ASKING else spec if colon and kind in PROVIDERS else ""
    return _parted(asked)[0]


def import_named(module: str, name: str) -> Any:
    """Return a name of a user's module, or of a file; raise what it raises.

    The current folder comes last in the search path, and that of the file before it.
    """
    if module.endswith(".py"):
        folder, module = str(Path(module).resolve().parent), Path(module).stem
        if folder not in sys.path:
            sys.path.insert(0, folder)
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    there = importlib.import_module(module)
    if not hasattr(there, name):
        names = [each for each, found in vars(there).items() if callable(found)]
        raise AttributeError(f'module "{module}" has no "{name}"{nearest(name, names)}')
    return getattr(there, name)


def _unknown(spec: str, hint: str, note: str = "") -> SetupError:
    parts = [f'no agent "{spec}"{hint or "."}', note, "" if hint else _choices()]
    return SetupError(" ".join(filter(None, parts)), agent=spec)


def _choices() -> str:
    """Return what an agent's string may be, one kind per line."""
    from websp_gym.models import PROVIDERS

    models = ", ".join(PROVIDERS[each] for each in ("openai", "anthropic", "gemini"))
    kinds = {
        ", ".join(SCRIPTED): "without a model",
        "flawed:KIND": "makes one kind of mistake: `websp run --agent flawed:?` lists them",
        models: "a model, which sees pictures",
        f"{PROVIDERS['http']}, http://127.0.0.1:11434/v1#llama3": "a model on a server, such as vLLM or Ollama",
        "text:MODEL": "reads no pictures",
        "computer:MODEL": "uses its provider's computer tool",
        "browser:anthropic:MODEL": "uses Anthropic's browser toolset",
        "my_module:MyAgent, my_agent.py:MyAgent": "your own",
        "cdp:COMMAND, mcp:COMMAND": "a program that acts by itself",
    }
    return "\n".join(["Agents:", *(f"  {each}  ({what})" for each, what in kinds.items())])


def _hint_of_file(spec: str) -> str:
    """Return a hint for the path of a file, or for a class without its module."""
    return f"; name its class, as in {spec}:MyAgent" if spec.endswith(".py") else ""


def _imported(spec: str, module: str, name: str) -> Agent:
    """Import a user's agent, ``package.module:Class`` or ``file.py:Class``."""
    if module.endswith(".py") and not Path(module).is_file():
        raise SetupError(f'agent "{spec}": there is no file {module}', agent=spec)
    try:
        agent = import_named(module, name)()
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module}.".startswith(f"{error.name}."):
            raise _unusable(spec, error) from error
        note = f'There is no module "{module}" here or on PYTHONPATH.'
        raise _unknown(spec, nearest(module, _kinds()), note) from error
    except Exception as error:
        # The user's code may raise anything; report it as a problem of that agent.
        raise _unusable(spec, error) from error
    return _with_parts(agent, spec)


def _made(make: Callable[[str], Any], spec: str) -> Any:
    try:
        return make(spec)
    except SetupError:
        raise
    except Exception as error:
        raise _unusable(spec, error) from error


def _with_parts(agent: Any, spec: str) -> Agent:
    """Return an agent of others; raise ``SetupError`` if it lacks a part of the protocol."""
    lacking = [part for part in ("name", "observation", "turns", "begin", "act") if not hasattr(agent, part)]
    if lacking:
        how = docs("reference/agents#an-agent-of-your-own")
        raise SetupError(f'agent "{spec}" has no {", ".join(lacking)} ({how})', agent=spec)
    return agent  # type: ignore[no-any-return]


def _unusable(spec: str, error: Exception) -> SetupError:
    return SetupError(f'agent "{spec}" cannot be made: {type(error).__name__}: {error}', agent=spec)


def _kinds() -> list[str]:
    """Return what may come before the colon."""
    from websp_gym.models import PROVIDERS

    return [*OUTSIDE, *_ASKING, *sorted(plugins("agents")), "flawed", *PROVIDERS]


def _scripted(name: str) -> Agent:
    from websp_gym.agents.guardian import GuardianAgent
    from websp_gym.agents.oracle import OracleAgent
    from websp_gym.agents.simple import NoopAgent, RandomAgent

    known: dict[str, Callable[[], Agent]] = {
        "oracle": OracleAgent,
        "noop": NoopAgent,
        "random": RandomAgent,
        "guardian": GuardianAgent,
    }
    return known[name]()


def _flawed(kind: str) -> Agent:
    from websp_gym.agents.flawed import FLAWS, FlawedAgent
    from websp_gym.agents.flawed_guardian import POLICY_FLAWS, flawed_guardian

    if kind not in FLAWS and kind not in POLICY_FLAWS:
        known = [*FLAWS, *POLICY_FLAWS]
        raise SetupError(f'no flaw "{kind}"{nearest(kind, known)} (flaws: {", ".join(known)})', agent=kind)
    return flawed_guardian(kind) if kind in POLICY_FLAWS else FlawedAgent(kind)


def _asking(spec: str, kind: str, rest: str) -> Agent:
    from websp_gym.models import make_model

    model, _, query = _parted(rest)
    options = read_query(spec, query)
    mine = {name: options.pop(name) for name in ("screenshots", "repairs", "checks") if name in options}
    if kind == "text" and "screenshots" in mine:
        raise SetupError(f'"{spec}": a text-only agent takes no screenshots=', agent=spec)
    if kind != "computer" and "checks" in mine:
        raise SetupError(f'"{spec}": checks= is an option of computer:MODEL', agent=spec)
    module, name = _ASKING[kind]
    make = getattr(importlib.import_module(module), name)
    agent: Agent = make(make_model(model, **options, tool=getattr(make, "tool", None)), name=spec, **mine)
    return agent


def _parted(text: str) -> tuple[str, str, str]:
    """Return a model string, the question mark after it, and what follows; two are empty where there is none."""
    return text.rpartition("?") if "?" in text else (text, "", "")


def _whole(text: str) -> int:
    return int(text)


def _thinking(text: str) -> int | str:
    return int(text) if text.isdecimal() else text


_OPTIONS: dict[str, Callable[[str], Any]] = {
    "screenshots": _whole,
    "repairs": _whole,
    "checks": str,
    "temperature": float,
    "thinking": _thinking,
    "max_tokens": _whole,
    "timeout": float,
    "retries": _whole,
    "concurrency": _whole,
}
"""Options after the question mark and their parsers; all but the first three are options of the model."""


def read_query(spec: str, query: str) -> dict[str, Any]:
    """Parse the options after the question mark, ``name=value`` joined by ``&``; `spec` is for error messages."""
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
            raise SetupError(f'"{spec}": {name}={value!r} is not a number', agent=spec) from None
    return found
