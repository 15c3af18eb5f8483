"""Instance ids: listing them, and converting between their spellings.

The ids are defined in ``task_configs/`` only. Importing :mod:`websp_gym` registers them, so reading them must
be fast: this module scans for keys ``instance: ID``, in block and in flow style, without parsing the YAML. Loading a
file later checks that the scan missed nothing.
"""

import re
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path

from websp_gym.errors import SetupError
from websp_gym.paths import data_dir, data_dirs
from websp_gym.texts import decoded

_PREFIX = re.compile(r"^(.*/)?(websp\.)?", re.IGNORECASE)
_STATE = re.compile(r"-(ON|OFF)$")
# It begins with letters, for which Python looks without trying each place of the text.
_INSTANCE = re.compile(
    r"""instance["']?[ ]*:[ \n]+(?P<quote>["']?)(?P<id>[\w.-]+)(?P=quote)(?=\s*$|\s*[,}]|\s+\#)""", re.M
)
_BEFORE = re.compile(r"""\s*(?:-\s+)*(?:[^\s#].*[{,]\s*|[{,]\s*)?["']?""")
"""What may stand before a key in its line."""


FLOWS = "flows"
"""Folder of ``task_configs`` with the everyday tasks, one file per site."""


WORK = "work"
"""Folder of ``task_configs`` with the tasks of enterprise applications, one file per application."""


def instance_ids(*, own: bool = False) -> list[str]:
    """Return the ids of all instances, in the order of the files, without everyday tasks and work.

    Args:
        own: Whether to return only the package's own, without those in the user's folders.

    Returns:
        Ids such as ``Steam-task-191-ON``.

    Raises:
        SetupError: A folder or file cannot be read.
    """
    files = _yaml_files(data_dir("task_configs")) if own else config_files()
    return [name for path in files for name in ids_in(read_config(path))]


def flow_ids() -> list[str]:
    """Return the ids of all everyday tasks, such as ``BBC-flow-1``, in the order of the files."""
    return [name for path in flow_files() for name in ids_in(read_config(path))]


def work_ids() -> list[str]:
    """Return the ids of all tasks of enterprise applications, such as ``SuiteCRM-stwab-47``, in the order of the
    files."""
    return [name for path in work_files() for name in ids_in(read_config(path))]


def all_ids() -> list[str]:
    """Return the ids of everything that can be played: instances, everyday tasks and work."""
    return [*instance_ids(), *flow_ids(), *work_ids()]


def read_config(path: Path) -> str:
    """Return the text of a configuration file. Raise ``SetupError`` if it is unreadable or not UTF-8."""
    try:
        return decoded(path.read_bytes())
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = f"{path}:{line}: not UTF-8 text (byte 0x{error.object[error.start]:02x}): save it as UTF-8"
        raise SetupError(message, path=str(path)) from None
    except OSError as error:
        raise SetupError(f"{path}: {error.strerror}", path=str(path)) from error


def ids_in(text: str) -> list[str]:
    """Return the instance ids in the text of one configuration file, in order."""
    return [
        match["id"]
        for match in _INSTANCE.finditer(text)
        if _BEFORE.fullmatch(text, text.rfind("\n", 0, match.start()) + 1, match.start())
    ]


def config_files() -> list[Path]:
    """Return the files of ``task_configs/``, one per site, followed by those in the user's folders."""
    return [path for folder in data_dirs("task_configs") for path in _yaml_files(folder)]


def flow_files() -> list[Path]:
    """Return the files of everyday tasks, followed by those in the user's folders."""
    return [path for folder in data_dirs("task_configs") for path in _yaml_files(folder / FLOWS)]


def work_files() -> list[Path]:
    """Return the files of enterprise applications, followed by those in the user's folders."""
    return [path for folder in data_dirs("task_configs") for path in _yaml_files(folder / WORK)]


def _yaml_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.yaml"))


def published_id(instance_id: str) -> str:
    """Return the spelling of the WebSP-Eval publication, e.g. ``Steam_task-191_ON``."""
    return _STATE.sub(r"_\1", instance_id.replace("-task-", "_task-"))


def known_ids(given: Iterable[str]) -> list[str]:
    """Return ids as the files spell them. They may be given in any spelling and case; unknown ones stay as they
    are."""
    known = {name.casefold(): name for name in all_ids()}
    plain = [canonical_id(name) for name in given]
    return [known.get(name.casefold(), name) for name in plain]


def matches(instance_id: str, pattern: str) -> bool:
    """Whether a glob selects an instance.

    One without ``-flow-`` selects no everyday task. One selects work only if it contains ``-stwab-`` or begins with
    the name of the application, as in ``SuiteCRM-*``.
    """
    name, glob = instance_id.casefold(), pattern.casefold()
    if not fnmatchcase(name, glob):
        return False
    if is_work(name):
        return is_work(glob) or name.partition("-")[0] == glob.partition("-")[0]
    return is_everyday(glob) or not is_everyday(name)


def is_everyday(instance_id: str) -> bool:
    """Whether an id is that of an everyday task."""
    return "-flow-" in instance_id


def is_work(instance_id: str) -> bool:
    """Whether an id is that of a task of an enterprise application."""
    return "-stwab-" in instance_id


def canonical_id(instance_id: str) -> str:
    """Return the canonical form of an id in any accepted spelling, e.g. ``Steam-task-191-ON``; the case is kept."""
    return _PREFIX.sub("", instance_id).replace("_", "-")
