"""Files in folders from elsewhere: regular files only, of bounded size, inside their folder."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

MAX_RECORD = 50_000_000
"""Maximum bytes of a JSON file of a record; an ordinary one has a hundredth of this."""
MAX_PICTURE = 50_000_000
"""Maximum bytes of a screenshot."""
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe (FIFO)"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


class UnfitFileError(OSError):
    """Raised for a file that is not regular, is too large, or is a link out of its folder.

    ``strerror`` says what it is.
    """

    def __init__(self, reason: str, path: Path) -> None:
        super().__init__(errno.EINVAL, reason, str(path))


def read_file(path: Path, most: int, *, anywhere: bool = False) -> bytes:
    """Return the content of a file. Whatever is at the path, this neither waits nor reads forever.

    Args:
        path: The file.
        most: Largest accepted size in bytes.
        anywhere: Whether a link may lead out of the file's folder.

    Raises:
        UnfitFileError: It is not a regular file, it is larger, or it is a link that leads out of its folder.
        OSError: It cannot be read.
    """
    check_file(path, anywhere=anywhere)
    # Should it have been replaced by a pipe meanwhile, this does not wait for a writer.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        status = os.fstat(file.fileno())
        _check_kind(path, status)
        _check_size(path, status.st_size, most)
        data = file.read(most + 1)
    _check_size(path, len(data), most)
    return data


def check_file(path: Path, *, anywhere: bool = False) -> None:
    """Check that a path leads to a regular file in its folder, without opening it.

    Raises:
        UnfitFileError: It leads to something else. FileNotFoundError: There is nothing. OSError: It cannot be
            examined.
    """
    _check_kind(path, path.stat())
    if not anywhere and path.is_symlink() and not path.resolve().is_relative_to(path.parent.resolve()):
        raise UnfitFileError("it is a link that leads out of its folder; put the file itself there", path)


def check_writable_file(path: Path) -> None:
    """Check that a path is free or leads to a regular file in its folder, before something is appended to it.

    Raises:
        UnfitFileError: It leads to something else.
        OSError: It cannot be looked at.
    """
    if os.path.lexists(path):
        check_file(path)


def open_new(path: Path) -> BinaryIO:
    """Open a new file for writing, replacing whatever is at the path; a link there is not followed.

    Raises:
        OSError: The file cannot be created.
    """
    path.unlink(missing_ok=True)
    return path.open("xb")


def _check_kind(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(status.st_mode)), "something else")
        raise UnfitFileError(f"it is {kind} and not a file", path)


def _check_size(path: Path, size: int, most: int) -> None:
    if size > most:
        raise UnfitFileError(f"it has {size:,} bytes; at most {most:,} are allowed", path)
