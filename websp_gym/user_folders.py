"""The user's folders for accounts, stored sign-ins and imported datasets."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from websp_gym.errors import missing_extra, unwritable

_APP = "websp-gym"


def config_folder() -> Path:
    """Return the user's settings folder, such as ``~/.config/websp-gym``."""
    return _folder("user_config_path")


def state_folder() -> Path:
    """Return the user's state folder, such as ``~/.local/state/websp-gym``."""
    return _folder("user_state_path")


def datasets_folder() -> Path:
    """Return the user's folder for imported datasets, such as ``~/.local/share/websp-gym/datasets``."""
    return _folder("user_data_path") / "datasets"


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its owner can read, in a folder that only its owner can open; all or nothing.

    Raises:
        SetupError: It cannot be written.
    """
    part = path.with_name(path.name + ".part")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        part.unlink(missing_ok=True)
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        os.replace(part, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise unwritable(path, error) from error


def _folder(function: str) -> Path:
    try:
        import platformdirs
    except ImportError as error:
        raise missing_extra(
            "finding the user's folders for accounts and datasets needs platformdirs", "live"
        ) from error
    return Path(getattr(platformdirs, function)(_APP))
