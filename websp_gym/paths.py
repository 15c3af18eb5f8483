"""Finding the data folders: inside the package in a wheel, next to it in a checkout or `pip install -e`."""

import os
from pathlib import Path
from typing import Literal

from websp_gym.errors import SetupError

_PACKAGE = Path(__file__).resolve().parent

SITES = "WEBSP_SANDBOX_SITES"
"""Variable for a user's own sites. The sandbox reads it itself, because it imports nothing from here."""

VARIABLES = {"task_configs": "WEBSP_TASK_CONFIGS", "traces": "WEBSP_TRACES"}
"""Variables for a user's own folders, separated like ``PATH``."""


def data_dir(name: Literal["task_configs", "traces", "extension"]) -> Path:
    """Return the path of a data folder of the package.

    It works for a wheel, an editable install and a plain checkout.
    """
    inside = _PACKAGE / "data" / name
    return inside if inside.is_dir() else _PACKAGE.parent / name


def data_dirs(name: Literal["task_configs", "traces"]) -> list[Path]:
    """Return the folders of one kind: the package's own first, then those named by the environment variable.

    Raises:
        SetupError: The variable names something that is not a folder.
    """
    return [data_dir(name), *named_folders(VARIABLES[name])]


def own_traces() -> Path:
    """Return the folder for this user's recordings: the last one of ``WEBSP_TRACES``, else ``./traces``."""
    return [Path("traces"), *data_dirs("traces")[1:]][-1]


def trace_dirs() -> list[Path]:
    """Return the folders to search for a trace by name, without duplicates.

    The order is ``./traces``, the folders of ``WEBSP_TRACES``, the package's own.
    """
    package, *named = data_dirs("traces")
    places = {folder.resolve(): folder for folder in (package, *named, Path("traces"))}
    ordered = (Path("traces"), *named, package)
    return list(dict.fromkeys(places[folder.resolve()] for folder in ordered))


def named_folders(variable: str) -> list[Path]:
    """Return the folders that an environment variable names, separated like ``PATH``.

    Raises:
        SetupError: One of them is not a folder.
    """
    folders = [Path(folder) for folder in os.environ.get(variable, "").split(os.pathsep) if folder]
    for folder in folders:
        if not folder.is_dir():
            raise SetupError(
                f"{variable} names {folder}, which is not a folder: create it, or correct the variable",
                variable=variable,
                path=str(folder),
            )
    return folders
