"""The ids of all instances, read without loading what they say.

The ids live in ``task_configs/`` only. Importing :mod:`websp_gym` registers them, so reading them must be quick:
this scans for the ``- instance: ID`` lines, and loading a file checks that the scan missed nothing.
"""

import re
from pathlib import Path

from websp_gym.errors import SetupError
from websp_gym.paths import data_dir, data_dirs

_STATE = re.compile(r"-(ON|OFF)$")
_INSTANCE_LINE = re.compile(r"^\s*- instance: (?P<id>[\w.-]+)\s*$", re.MULTILINE)


def instance_ids(*, own: bool = False) -> list[str]:
    """Lists every instance id, in file order.

    Args:
        own: Leave out those of the folders the environment names.

    Returns:
        Ids such as ``Steam-task-191-ON``.

    Raises:
        SetupError: A folder or a file cannot be read.
    """
    files = _yaml_files(data_dir("task_configs")) if own else config_files()
    return [name for path in files for name in ids_in(read_config(path))]


def read_config(path: Path) -> str:
    """The text of a configuration file.

    Args:
        path: The file.

    Returns:
        Its text.

    Raises:
        SetupError: It cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = f"{path}:{line}: not UTF-8 text (byte 0x{error.object[error.start]:02x}): save it as UTF-8"
        raise SetupError(message, path=str(path)) from None
    except OSError as error:
        raise SetupError(f"{path}: {error.strerror}", path=str(path)) from error


def ids_in(text: str) -> list[str]:
    """The instance ids in the text of one configuration file, in order."""
    return [match["id"] for match in _INSTANCE_LINE.finditer(text)]


def config_files() -> list[Path]:
    """The files of ``task_configs/``, one per site, and those of the user's own folders behind them."""
    return [path for folder in data_dirs("task_configs") for path in _yaml_files(folder)]


def _yaml_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"))


def published_id(instance_id: str) -> str:
    """The spelling of the publication, e.g. ``Steam_task-191_ON``."""
    return _STATE.sub(r"_\1", instance_id.replace("-task-", "_task-"))


def canonical_id(instance_id: str) -> str:
    """Strips the name space and maps the published underscore form to ours.

    Args:
        instance_id: Any accepted spelling of an id.

    Returns:
        The bare id, e.g. ``Steam-task-191-ON``.
    """
    return instance_id.rsplit("/", 1)[-1].removeprefix("websp.").replace("_", "-")
