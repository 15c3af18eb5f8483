"""Finding trace files by name in the data folders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from websp_gym.errors import SetupError, nearest
from websp_gym.paths import data_dirs, trace_dirs
from websp_gym.replay.trace import Trace
from websp_gym.replay.trace_files import load_trace
from websp_gym.tasks.datasets import IN_DATASET


def trace_path(name: str) -> Path:
    """Return the path of a trace named in a configuration, relative to the data folders ``traces/``.

    A name such as ``@official/steam/cookies.json`` belongs to an imported dataset. Raise SetupError if there is no
    such file. Example of a name: ``steam/accept_all_cookies.json``.
    """
    if name.startswith(IN_DATASET):
        return _path_in_dataset(name)
    folders = data_dirs("traces")
    found = _first(folder / name for folder in folders)
    if found is None:
        path = folders[-1] / name
        hint = _hint(name, [each.relative_to(root).as_posix() for root, each in _files(folders)])
        raise SetupError(f"no trace {path}{hint}; record it with `websp record`", path=str(path))
    return found


def find_trace(name: str) -> Path:
    """Return the path of a trace named by a user: a path, or a name in one of the folders :func:`trace_dirs`.

    Raise SetupError if there is no such file. Examples: ``recordings/mine.json``, ``steam/login``,
    ``@official/steam/cookies``.
    """
    if name.startswith(IN_DATASET) and not Path(name).is_file():
        return _path_in_dataset(name)
    folders = trace_dirs()
    found = _first([Path(name), *(folder / each for folder in folders for each in (name, f"{name}.json"))])
    if found is None:
        where = " or ".join(str(folder) for folder in folders)
        names = [each.relative_to(root).with_suffix("").as_posix() for root, each in _files(folders)]
        hint = _hint(name.removesuffix(".json"), names)
        raise SetupError(f"no trace {name}, neither as a file nor in {where}{hint}", path=name)
    return found


def _path_in_dataset(name: str) -> Path:
    # Imported here because only imported datasets need it.
    from websp_gym.user_folders import datasets_folder

    dataset, _, rest = name.removeprefix(IN_DATASET).partition("/")
    folder = datasets_folder() / dataset / "traces"
    found = _first([folder / rest, folder / f"{rest}.json"])
    if not dataset or not rest or found is None or not found.resolve().is_relative_to(folder.resolve()):
        known = [each.relative_to(folder).as_posix() for _, each in _files([folder])] if dataset else []
        raise SetupError(
            f'no trace "{rest}" in the dataset "{dataset}"{nearest(rest, known)}; `websp dataset list` shows what is '
            "imported",
            path=name,
        )
    return found


def _hint(name: str, known: list[str]) -> str:
    """Return a hint at a trace in the same folder, or of the same name in another one."""
    folder, _, file = name.rpartition("/")
    likely = [each for each in known if folder in ("", each.rpartition("/")[0]) or each.endswith(f"/{file}")]
    return nearest(name, likely)


def all_traces() -> list[Path]:
    """Return the paths of all traces in the folders of :func:`trace_dirs`."""
    return [path for _, path in _files(trace_dirs())]


def read_trace(name: str) -> Trace:
    """Read a trace named in a configuration. It is cached until its file changes.

    Raise SetupError if there is no such trace, or it is not valid.
    """
    path = trace_path(name)
    return _read(path, path.stat().st_mtime_ns)


def site_slug(url: str, known: Mapping[str, str]) -> str:
    """Return the slug of the site that a URL belongs to.

    Args:
        url: The URL of a page.
        known: Start URLs of the configured sites, by slug. The same host takes precedence over the same domain.

    Returns:
        The slug of a configured site, else one derived from the domain: ``bbc`` for ``www.bbc.co.uk``.

    Raises:
        SetupError: The URL has no host.
    """
    host = _host(url)
    if not host:
        raise SetupError(f"{url} is not an http or https URL", option="url")
    domain = _domain(host)
    for part in (lambda other: other == host, lambda other: _domain(other) == domain):
        for slug, start in known.items():
            if part(_host(start)):
                return slug
    name = host if _is_address(host) else domain.partition(".")[0]
    return re.sub(r"[^a-z0-9]+", "_", name).strip("_") or "site"


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _domain(host: str) -> str:
    if _is_address(host):
        return host
    parts = host.split(".")
    short = len(parts) > 2 and len(parts[-1]) == 2 and parts[-2] in ("co", "com", "org", "net", "ac", "gov")
    return ".".join(parts[-3:] if short else parts[-2:])


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=512)
def _read(path: Path, _modified: int) -> Trace:
    return load_trace(path)


def _first(places: Iterable[Path]) -> Path | None:
    return next((path for path in places if path.is_file()), None)


def _files(folders: Iterable[Path]) -> list[tuple[Path, Path]]:
    return [(folder, path) for folder in folders for path in sorted(folder.rglob("*.json"))]
