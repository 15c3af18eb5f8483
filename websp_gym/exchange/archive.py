"""Zip files that others made: entries are checked before anything is written, and none is larger than declared."""

from __future__ import annotations

import hashlib
import stat
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from websp_gym.errors import SetupError
from websp_gym.files import MAX_PICTURE, check_file, read_file

MOST_FILES = 100_000
MOST_BYTES = 20_000_000_000
"""Bytes of all files together; 600 ordinary episodes with pictures have a fifth of it."""
MOST_RATIO = 200
"""Bytes per byte of the archive; records shrink to a twentieth at most."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


@contextmanager
def opened(path: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield a folder with the files of a zip file, or the folder itself, and the SHA-256 of each file in it.

    Pictures of a zip file are digested and not written.

    Raises:
        SetupError: It cannot be read, is damaged, or has an entry that is not a plain file inside its folder.
    """
    if path.is_dir():
        yield path, _digests(path)
        return
    with TemporaryDirectory(prefix="websp-") as scratch:
        try:
            check_file(path, anywhere=True)
            with ZipFile(path) as archive:
                _check(path, archive.infolist())
                digests = {
                    entry.filename: _extract(archive, entry, Path(scratch))
                    for entry in archive.infolist()
                    if not entry.is_dir()
                }
        except (BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as error:
            # A version or a flag that zipfile does not know is not implemented, and a name that is not UTF-8 a value.
            raise SetupError(f"{path} is not a zip file, or is damaged: {error}", path=str(path)) from error
        except OSError as error:
            raise SetupError(f"cannot read {path}: {error.strerror or error}", path=str(path)) from error
        yield Path(scratch), digests


def add(archive: ZipFile, name: str, data: bytes) -> str:
    """Add a file to an archive, always in the same way, and return its SHA-256."""
    packed = name.endswith(".png")
    entry = ZipInfo(name, _EPOCH)
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    archive.writestr(entry, data, ZIP_STORED if packed else ZIP_DEFLATED)
    return hashlib.sha256(data).hexdigest()


def _digests(folder: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            raise SetupError(f"{name} is a link; a submission has plain files only", path=str(path))
        if path.is_dir():
            continue
        try:
            found[name] = hashlib.sha256(read_file(path, MAX_PICTURE)).hexdigest()
        except OSError as error:
            raise SetupError(f"{name}: {error.strerror}", path=str(path)) from error
    return found


def _check(path: Path, entries: list[ZipInfo]) -> None:
    total, size = sum(entry.file_size for entry in entries), path.stat().st_size
    counts = Counter(entry.filename for entry in entries)
    wrong = [f"{name!r} is in it {number} times" for name, number in counts.items() if number > 1]
    wrong += [f"{entry.filename!r} {why}" for entry in entries if (why := _unfit(entry))]
    if len(entries) > MOST_FILES:
        wrong = [f"it has {len(entries):,} files; at most {MOST_FILES:,} are allowed"]
    elif total > min(MOST_BYTES, MOST_RATIO * size):
        wrong = [f"its {size:,} bytes would become {total:,}"]
    if wrong:
        raise SetupError(f"{path} is refused: {wrong[0]}", path=str(path))


def _unfit(entry: ZipInfo) -> str:
    """Return why an entry is refused; empty if it is not."""
    name = entry.filename.removesuffix("/")
    mode = entry.external_attr >> 16
    if name.startswith("/") or "\\" in name or ":" in name or {"", ".", ".."} & set(name.split("/")):
        return "leads out of its folder"
    if not name.isprintable():
        return "has a name that cannot be printed"
    if stat.S_IFMT(mode) not in (0, stat.S_IFDIR if entry.is_dir() else stat.S_IFREG):
        return "is a link or a device and not a file"
    if entry.flag_bits & 1:
        return "is encrypted"
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        return "is not compressed with deflate"
    return f"has {entry.file_size:,} bytes" if entry.file_size > MAX_PICTURE else ""


def _extract(archive: ZipFile, entry: ZipInfo, folder: Path) -> str:
    """Write an entry, unless it is a picture, and return its SHA-256."""
    data = archive.read(entry)
    if not entry.filename.endswith(".png"):
        target = folder / entry.filename
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("xb") as file:
            file.write(data)
    return hashlib.sha256(data).hexdigest()
