"""What other packages add, by entry points: worlds, agents, commands, readers of traces and rewards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Literal

from websp_gym.errors import SetupError

Group = Literal["worlds", "agents", "commands", "importers", "rewards"]


@cache
def plugins(group: Group) -> Mapping[str, EntryPoint]:
    """Return the entry points that other packages declare in a group, by name; none of them is imported.

    Args:
        group: ``worlds`` for ``websp_gym.worlds``, and so on.
    """
    return {each.name: each for each in entry_points(group=f"websp_gym.{group}")}


def load_plugin(group: Group, name: str) -> Any:
    """Return the object of another package's entry point, imported.

    Raises:
        SetupError: Its package cannot be imported, or has no such object.
    """
    found = plugins(group)[name]
    try:
        return found.load()
    except Exception as error:
        # The package is not ours and may raise anything; report it as a problem of that package.
        package = found.dist.name if found.dist is not None else found.value
        raise SetupError(
            f'"{name}" of the package {package} ({found.value}) cannot be used: {type(error).__name__}: {error}'
        ) from error
