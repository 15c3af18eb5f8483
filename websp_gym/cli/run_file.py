"""Files of options for ``websp run``: ``runs.toml``, or the ``run.json`` of an earlier run.

In TOML, each key is the name of an option of the command. A table ``matrix`` gives options a list of values each;
every combination is a separate run. An option on the command line overrides the file's.
"""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperOption

from websp_gym.agents.registry import OUTSIDE
from websp_gym.cli.environment_options import EnvironmentOptions
from websp_gym.errors import SetupError, nearest
from websp_gym.records.runs import RUN, read_run

ENDINGS = (".toml", RUN)
"""How the name of a file of options ends; no instance's does."""
KEY = "websp_gym.run_file"
MATRIX = "matrix"
MAY_VARY = frozenset(("agent", "seed", *(each.name for each in fields(EnvironmentOptions))))
"""The options that a matrix may have."""


@dataclass(frozen=True)
class RunFile:
    """What a file has.

    Args:
        options: Values of options, by the names of the parameters.
        matrix: Lists of values of options.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    matrix: Mapping[str, list[Any]] = field(default_factory=dict)

    def variants(self) -> Iterator[dict[str, Any]]:
        """Yield each combination of the options in the matrix beside the agent; an empty one if there are none."""
        varied = {name: values for name, values in self.matrix.items() if name != "agent"}
        for combination in itertools.product(*varied.values()):
            yield dict(zip(varied, combination, strict=True))


def without_file(context: typer.Context, args: Sequence[str], given: Sequence[str]) -> list[str]:
    """Take a file of options as the defaults of a command, and return the arguments without it.

    Args:
        context: The context of the command; its ``meta`` gets the file, by :data:`KEY`.
        args: The arguments.
        given: Those that are not options.

    Raises:
        SetupError: There are two files, or the one cannot be used.
    """
    files = [each for each in given if each.endswith(ENDINGS)]
    if not files:
        return [*args]
    if len(files) > 1:
        raise SetupError(f"give one file of options, not {' and '.join(files)}")
    known = {each.name: each.multiple for each in context.command.params if isinstance(each, TyperOption)}
    file = read_run_file(Path(files[0]), {name: several for name, several in known.items() if name})
    options = {option for each in context.command.params for option in each.opts if each.name in file.matrix}
    if twice := next((each for each in args if each.partition("=")[0] in options), None):
        raise SetupError(
            f"{twice} is in the {MATRIX} of {files[0]}; leave it out in one of them", option=twice
        )
    chosen = {"tasks"} if len(given) > 1 else set()
    context.default_map = {name: value for name, value in file.options.items() if name not in chosen}
    context.meta[KEY] = file
    return [each for each in args if each != files[0]]


def read_run_file(path: Path, known: Mapping[str, bool]) -> RunFile:
    """Read a file of options.

    Args:
        path: The file.
        known: By the name of each option, whether it may be given several times.

    Raises:
        SetupError: The file cannot be read, or has something that is not an option.
    """
    if path.name.endswith(RUN):
        run = read_run(path.parent)
        if run is None:
            raise SetupError(f"{path}: there is no such file", path=str(path))
        tasks = {"tasks": [*run.planned], "trials": max(run.trials.values(), default=1), "seed": run.seed}
        # The command of a program may have secrets, so its run has only its name.
        agent = {} if run.agent.partition(":")[0] in OUTSIDE else {"agent": [run.agent]}
        return RunFile({**tasks, **agent, **_as_options(run.options)})
    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise SetupError(f"{path}: there is no such file", path=str(path)) from None
    except (OSError, ValueError) as error:
        raise SetupError(f"{path}: not valid TOML: {error}", path=str(path)) from error
    matrix = data.pop(MATRIX, {})
    if not isinstance(matrix, dict):
        raise SetupError(
            f"{path}: {MATRIX} must be a table, with a list of values for each option", path=str(path)
        )
    options = {_name(path, key, frozenset(known)): value for key, value in data.items()}
    several = {
        name: value if isinstance(value, list) else [value] for name, value in options.items() if known[name]
    }
    return RunFile(
        {**options, **several},
        {_name(path, key, MAY_VARY): _values(path, key, value) for key, value in matrix.items()},
    )


def _name(path: Path, key: str, known: frozenset[str]) -> str:
    name = key.replace("-", "_")
    if name not in known:
        hint = nearest(name, sorted(known))
        raise SetupError(f"{path}: {key} is not an option here{hint}", path=str(path))
    return name


def _values(path: Path, key: str, value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise SetupError(f"{path}: {MATRIX}.{key} needs a list of values", path=str(path))
    return value


def _as_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of an environment as the command has them."""
    given = {name: value for name, value in options.items() if name not in ("viewport", "headless")}
    if viewport := options.get("viewport"):
        given["viewport"] = "x".join(map(str, viewport))
    if options.get("headless") is False:
        given["headed"] = True
    return given
