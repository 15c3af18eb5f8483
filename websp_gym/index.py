"""The ids of all instances, read without loading what they say.

The ids live in ``task_configs/`` only. Importing :mod:`websp_gym` registers them, so reading them must be quick:
this scans for the ``- instance: ID`` lines, and loading a file checks that the scan missed nothing.
"""

import re
from pathlib import Path

from websp_gym._paths import data_dirs

_INSTANCE_LINE = re.compile(r"^\s*- instance: (?P<id>[\w.-]+)\s*$", re.MULTILINE)


def instance_ids() -> list[str]:
    """Lists every instance id, in file order.

    Returns:
        Ids such as ``Steam-task-191-ON``.
    """
    return [name for path in config_files() for name in ids_in(path.read_text("utf-8"))]


def ids_in(text: str) -> list[str]:
    """The instance ids in the text of one configuration file, in order."""
    return [match["id"] for match in _INSTANCE_LINE.finditer(text)]


def config_files() -> list[Path]:
    """The files of ``task_configs/``, one per site, and those of the user's own folders behind them."""
    return [path for folder in data_dirs("task_configs") for path in sorted(folder.glob("*.yaml"))]


def canonical_id(instance_id: str) -> str:
    """Strips the name space and maps the published underscore form to ours.

    Args:
        instance_id: Any accepted spelling of an id.

    Returns:
        The bare id, e.g. ``Steam-task-191-ON``.
    """
    return instance_id.rsplit("/", 1)[-1].removeprefix("websp.").replace("_", "-")
