"""The runs of one ``websp run``: each agent under each combination of options, with a folder of its own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from websp_gym.attach.players import named_run
from websp_gym.cli.environment_options import EnvironmentOptions
from websp_gym.cli.run_file import RunFile
from websp_gym.errors import SetupError
from websp_gym.records.runs import RUN, Run


@dataclass(frozen=True)
class PlannedRun:
    """One run.

    Args:
        run: Its agent and options.
        folder: Its folder; ``None`` if nothing is kept.
        name: Its name among the runs of the command.
    """

    run: Run
    folder: Path | None
    name: str


def planned_runs(
    agents: Sequence[str],
    environment: EnvironmentOptions,
    seed: int,
    file: RunFile,
    *,
    out: Path | None,
    name: str | None,
) -> list[PlannedRun]:
    """Return the runs of a command.

    Args:
        agents: The agents.
        environment: Options of the environments.
        seed: Seed of the first trial.
        file: The file of options, whose matrix comes before agents, options and seed.
        out: Folder of the only run, or of the folders of several.
        name: Name of a program.

    Raises:
        SetupError: There is no agent, one is given twice, or it cannot have the name.
    """
    agents = file.matrix.get("agent", agents)
    if not agents:
        raise SetupError(
            "--agent: say who plays, such as openai:gpt-6.2-sol; without a key noop, random, or oracle, which knows "
            "the solutions and shows that the set-up works",
            option="agent",
        )
    if name is not None and len(agents) > 1:
        raise SetupError("--name names one program; leave it out with several agents", option="name")
    made = []
    for agent in agents:
        for varied in file.variants():
            run = named_run(_run(agent, environment, seed, varied), name)
            made.append((run, " ".join([run.agent, *(f"{key}={_in_words(varied[key])}" for key in varied)])))
    names = [each for _, each in made]
    if twice := next((each for each in names if names.count(each) > 1), None):
        raise SetupError(f"--agent: {twice} is given twice", option="agent")
    single = len(made) == 1
    if not single and out is not None and (out / RUN).exists():
        raise SetupError(
            f"{out} is the folder of one run; several runs go into folders below --out: choose another one",
            path=str(out),
        )
    return [
        PlannedRun(
            run, out if single or out is None else out / _folder_of(each), run.agent if single else each
        )
        for run, each in made
    ]


def _run(agent: str, environment: EnvironmentOptions, seed: int, varied: Mapping[str, Any]) -> Run:
    """Return the run of an agent with some options varied."""
    options = {key: _listed(key, value) for key, value in varied.items() if key != "seed"}
    return Run(agent=agent, options=replace(environment, **options).given(), seed=varied.get("seed", seed))


def _listed(key: str, value: Any) -> Any:
    """Return a value as the command has it: of an option that may be repeated, a list; ``None`` for an empty one."""
    if key not in ("judge", "policies"):
        return value
    return ([value] if isinstance(value, str) else value) or None


def _in_words(value: Any) -> str:
    return "+".join(map(str, value)) or "none" if isinstance(value, list) else str(value)


def _folder_of(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._=+-]+", "-", name).strip("-.")
