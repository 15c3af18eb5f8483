"""The folder from which NeMo Gym starts :mod:`~websp_gym.trainers.nemo`: program, YAML file and data sets."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

import yaml

from websp_gym.agents.prompt import list_actions
from websp_gym.env.options import Options
from websp_gym.errors import SetupError, unwritable
from websp_gym.project import install
from websp_gym.rollouts.page import SITUATION
from websp_gym.tasks.instances import InstructionVariant, load_instance

CONFIG = "resources_servers/websp/configs/websp.yaml"
"""The YAML file, below the folder."""
AGENT = "websp_simple_agent"
"""The agent that plays the rows."""
_SERVER = "websp_resources_server"
_PROGRAM = '''\
"""The resources server of websp-gym; NeMo Gym starts it."""

# Not at the top: every process of an environment imports this file again.
if __name__ == "__main__":
    from websp_gym.trainers.nemo import WebspServer

    WebspServer.run_webserver()
'''
_PROMPT = f"""\
{SITUATION}

Act with the tools, one call in each reply. Begin with look, which shows the first page. act carries out one action \
and returns the page after it.

Actions:
{list_actions()}

Actions marked (free) do not count against the actions you have left. Use ANSWER when all parts of the task are done.\
"""
_TOOLS = [
    {
        "type": "function",
        "name": name,
        "description": description,
        "parameters": {
            "type": "object",
            "properties": {each: {"type": "string", "description": what} for each, what in given.items()},
            "required": list(given),
            "additionalProperties": False,
        },
        "strict": True,
    }
    for name, description, given in (
        ("look", "Show the current page.", {}),
        ("act", "Carry out one action and show the page after it.", {"action": "One action of the list."}),
    )
]
_TURNS = 3
"""Calls of the model for each action: some actions are free, and the last call only ends the rollout."""
_BESIDE = (
    "resources_servers/websp",
    "responses_api_agents/simple_agent",
    "responses_api_models/openai_model",
)
"""Servers that need nothing but the extra."""


def make_rows(
    episodes: Iterable[tuple[str, int]], *, instruction: InstructionVariant = Options.instruction
) -> list[dict[str, Any]]:
    """Return the rows of a data set for NeMo Gym.

    Args:
        episodes: Instance and seed of each row, for example of :func:`~websp_gym.rollouts.episodes.choose_episodes`.
        instruction: Variant of the instruction.

    Returns:
        Rows with ``responses_create_params`` (what the policy is shown: prompt and tools), ``agent_ref``,
        ``instance``, ``seed`` and ``key``, a secret.

    Raises:
        SetupError: There is no such instance.
    """
    return [
        {
            "responses_create_params": {
                "input": [
                    {"role": "system", "content": _PROMPT},
                    {"role": "user", "content": f"Task: {load_instance(name).instruction(instruction)}"},
                ],
                "tools": _TOOLS,
                "parallel_tool_calls": False,
            },
            "agent_ref": {"type": "responses_api_agents", "name": AGENT},
            "instance": name,
            "seed": seed,
            "key": token_hex(16),
        }
        for name, seed in episodes
    ]


def write_folder(
    datasets: Mapping[str, Sequence[tuple[str, int]]],
    folder: Path | str,
    *,
    processes: int = 1,
    instruction: InstructionVariant = Options.instruction,
    max_actions: int = Options.max_actions,
) -> None:
    """Write what NeMo Gym needs: all of it, or nothing.

    The environment of this process serves NeMo Gym's agent and its model server as well, which need nothing else. If
    it is no virtual environment, NeMo Gym makes one for each server.

    Args:
        datasets: The episodes (instance and seed) of the data sets ``train`` and ``validation``.
        folder: A new or empty folder.
        processes: Number of environments.
        instruction: Variant of the instruction.
        max_actions: Action limit.

    Raises:
        SetupError: The folder is not empty or cannot be written, or there is no such instance.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SetupError(f"{folder} is not an empty folder; give a new one", path=str(folder))
    data = "resources_servers/websp/data"
    options = {"instruction": instruction, "max_actions": max_actions}
    files = {
        "resources_servers/websp/app.py": _PROGRAM,
        "resources_servers/websp/requirements.txt": " ".join(shlex.split(install("nemo"))[2:]) + "\n",
        CONFIG: yaml.safe_dump(_config(datasets, data, processes, options), sort_keys=False),
    }
    for name, episodes in datasets.items():
        rows = make_rows(episodes, instruction=instruction)
        files[f"{data}/{name}.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as part:
            made = Path(part) / "made"
            for name, text in files.items():
                (made / name).parent.mkdir(parents=True, exist_ok=True)
                (made / name).write_text(text, "utf-8")
            if (Path(sys.prefix) / "bin" / "activate").is_file():
                for name in _BESIDE:
                    (made / name).mkdir(parents=True, exist_ok=True)
                    (made / name / ".venv").symlink_to(sys.prefix)
            made.replace(folder)
    except OSError as error:
        raise unwritable(folder, error) from error


def _config(datasets: Iterable[str], data: str, processes: int, options: Mapping[str, Any]) -> dict[str, Any]:
    server = {
        "entrypoint": "app.py",
        "domain": "agent",
        "description": "Web agents on website security and privacy tasks, on replica sites",
        "processes": processes,
        "idle_seconds": 1800,
        "on_unscored": "raise",
        "options": dict(options),
    }
    agent = {
        "entrypoint": "app.py",
        "max_steps": _TURNS * options["max_actions"],
        "resources_server": {"type": "resources_servers", "name": _SERVER},
        "model_server": {"type": "responses_api_models", "name": "policy_model"},
        "datasets": [
            {"name": name, "type": name, "jsonl_fpath": f"{data}/{name}.jsonl", "license": "Apache 2.0"}
            for name in datasets
        ],
    }
    return {
        "skip_venv_if_present": True,
        _SERVER: {"resources_servers": {"websp": server}},
        AGENT: {"responses_api_agents": {"simple_agent": agent}},
    }
