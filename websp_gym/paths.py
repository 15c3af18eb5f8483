"""Where the data folders lie: inside the package in a wheel, beside it in a checkout or ``pip install -e``."""

import os
from pathlib import Path
from typing import Literal

from websp_gym.errors import SetupError

_PACKAGE = Path(__file__).resolve().parent

SITES = "WEBSP_SANDBOX_SITES"
"""Where a user's own sites are named; the sandbox, which imports nothing from here, reads it itself."""

VARIABLES = {"task_configs": "WEBSP_TASK_CONFIGS", "traces": "WEBSP_TRACES"}
"""Where a user's own folders are named, separated like ``PATH``."""


def data_dir(name: Literal["task_configs", "traces", "extension"]) -> Path:
    """Finds one of the top-level data folders.

    Args:
        name: Which folder.

    Returns:
        Its path; the same call works for a wheel, an editable install and a plain checkout.
    """
    inside = _PACKAGE / "data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def data_dirs(name: Literal["task_configs", "traces"]) -> list[Path]:
    """Lists the folders of one kind: the package's own, then those the environment names.

    Args:
        name: Which kind.

    Returns:
        Their paths.

    Raises:
        SetupError: The environment names something that is no folder.
    """
    return [data_dir(name), *named_folders(VARIABLES[name])]


def own_traces() -> Path:
    """Where this user's recordings go: the last folder of ``WEBSP_TRACES``, else ``traces`` of the working folder."""
    return [Path("traces"), *data_dirs("traces")[1:]][-1]


def trace_dirs() -> list[Path]:
    """Lists the folders in which a trace is looked for by name, the user's own first.

    Returns:
        ``traces`` of the working folder, those of ``WEBSP_TRACES``, the package's; each once.
    """
    package, *named = data_dirs("traces")
    places = {folder.resolve(): folder for folder in (package, *named, Path("traces"))}
    ordered = (Path("traces"), *named, package)
    return list(dict.fromkeys(places[folder.resolve()] for folder in ordered))


def named_folders(variable: str) -> list[Path]:
    """Reads a variable that names folders, separated like ``PATH``.

    Args:
        variable: Its name.

    Returns:
        The folders.

    Raises:
        SetupError: One of them is none.
    """
    folders = [Path(folder) for folder in os.environ.get(variable, "").split(os.pathsep) if folder]
    for folder in folders:
        if not folder.is_dir():
            raise SetupError(
                f"{variable} names {folder}, and there is no such folder: make it, or correct the variable",
                variable=variable,
                path=str(folder),
            )
    return folders
