"""Find trace files by name in the data folders."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from websp_gym.errors import SetupError, nearest
from websp_gym.paths import data_dirs, trace_dirs
from websp_gym.replay.trace import Trace, load_trace


def trace_path(name: str) -> Path:
    """Return the path of a trace named in a configuration, relative to the data folders ``traces/``.

    Raise SetupError where there is no such file. Example of a name: ``steam/accept_all_cookies.json``.
    """
    folders = data_dirs("traces")
    found = _first(folder / name for folder in folders)
    if found is None:
        path = folders[-1] / name
        hint = nearest(name, [each.relative_to(root).as_posix() for root, each in _files(folders)])
        raise SetupError(f"no trace {path}{hint}; record it with `websp record`", path=str(path))
    return found


def find_trace(name: str) -> Path:
    """Return the path of a trace named by a user: a path, or a name in one of the folders :func:`trace_dirs`.

    Raise SetupError where there is no such file. Examples: ``recordings/mine.json``, ``steam/login``.
    """
    folders = trace_dirs()
    found = _first([Path(name), *(folder / each for folder in folders for each in (name, f"{name}.json"))])
    if found is None:
        where = " or ".join(str(folder) for folder in folders)
        names = [each.relative_to(root).with_suffix("").as_posix() for root, each in _files(folders)]
        hint = nearest(name.removesuffix(".json"), names)
        raise SetupError(f"no trace {name}, neither as a file nor below {where}{hint}", path=name)
    return found


def all_traces() -> list[Path]:
    """Return the paths of all traces in the folders of :func:`trace_dirs`."""
    return [path for _, path in _files(trace_dirs())]


def read_trace(name: str) -> Trace:
    """Read a trace named in a configuration. It is cached until its file changes.

    Raise SetupError where there is no such trace, or it is not valid.
    """
    path = trace_path(name)
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=512)
def _read(path: Path, _modified: int) -> Trace:
    return load_trace(path)


def _first(places: Iterable[Path]) -> Path | None:
    return next((path for path in places if path.is_file()), None)


def _files(folders: Iterable[Path]) -> list[tuple[Path, Path]]:
    return [(folder, path) for folder in folders for path in sorted(folder.rglob("*.json"))]
