"""Import traces from other tools.

These are published WebSP-Eval traces, flows of Chrome's Recorder, scripts of Playwright's code generator, and
projects of Selenium IDE. Another package adds a format by an entry point of the group ``websp_gym.importers``: a
function that gets the text of a file and returns our trace as a dictionary, or ``None`` if it is not of its format.

Importing runs nothing and writes nothing. Events that cannot be replayed are left out and counted; secrets
(passwords, codes, tokens) are removed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from websp_gym.errors import SetupError, nearest
from websp_gym.plugins import load_plugin, plugins
from websp_gym.replay.importers import devtools, playwright, selenium, webspeval
from websp_gym.replay.importers.import_log import ImportLog, LeftOut, kind_of
from websp_gym.replay.importers.secret_texts import shown_secrets
from websp_gym.replay.library import site_slug
from websp_gym.replay.trace import Trace
from websp_gym.replay.trace_files import parse_json, parse_trace, read_text

__all__ = ["Imported", "import_trace"]


_MAX_FILES = 200
_STEP = re.compile(r"(?:^|[_-])(?:step|state)[_-]?(\d{1,4})(?=$|[_/.-])", re.IGNORECASE)
_STATE = re.compile(r"(?:^|[_-])(on|off)(?=$|[_/.-])", re.IGNORECASE)
_KNOWN = (
    'a trace of ours ("schema"), of WebSP-Eval ("startUrl" and "events") or of Chrome\'s Recorder ("steps"), '
    'a project of Selenium IDE ("tests"), or a Python script of Playwright'
)
_SCRIPTS = (".py", ".js", ".ts", ".mjs")
_PATTERNS = ("*.json", "*.side", *(f"*{suffix}" for suffix in _SCRIPTS))
_ANY_OF_OURS = ("schema", "events", "steps", "title", "startUrl", "start_url")


@dataclass(frozen=True)
class Imported:
    """An imported trace, with details of its file and of what was left out."""

    trace: Trace
    path: Path
    format: str
    """``websp-trace``, ``webspeval``, ``devtools``, ``playwright``, ``selenium``, or the name of an entry point."""
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Number of items left out, by kind."""
    left_out: tuple[LeftOut, ...] = ()
    """The steps left out, with their places and reasons; echoes and pictures are only counted."""
    notes: tuple[str, ...] = ()
    """Remarks to read before replaying the trace, most with a place in the file."""
    step: int | None = None
    """Its number in a sequence of files to replay in order; None if the file name has none."""
    state: Literal["on", "off"] | None = None
    """The state it leads to, for files that are alternatives; None if the file name has none."""


def import_trace(
    path: str | Path, *, site: str | None = None, sites: Mapping[str, str] | None = None
) -> list[Imported]:
    """Read traces of any supported format.

    Args:
        path: A file, or a folder of files that belong together (``…_step1``, ``…_step2``), each optionally in its own
            folder.
        site: Slug of the site; None for the site whose start URL has the domain of the trace's start URL.
        sites: The known sites, slug to start URL. The slug of any other site is made from its domain.

    Returns:
        One trace per file, in the order in which to replay them.

    Raises:
        SetupError: A file has an unknown format, is damaged, or is a trace of another site.
    """
    path = Path(path)
    files = _files(path) if path.is_dir() else [path]
    return [one for file in files for one in _import(file, site, sites or {}, _name(file, path))]


def _import(path: Path, site: str | None, sites: Mapping[str, str], name: str) -> list[Imported]:
    text = read_text(path)
    try:
        return _import_ours(text, path, site, sites, name)
    except SetupError:
        for other in plugins("importers"):
            found = load_plugin("importers", other)(text)
            if found is not None:
                return [_imported(parse_trace(found, path), {}, other, ImportLog(path), site, sites, name)]
        raise


def _import_ours(
    text: str, path: Path, site: str | None, sites: Mapping[str, str], name: str
) -> list[Imported]:
    try:
        if text.lstrip()[:1] not in ("{", "[") and playwright.is_script(text):
            log = ImportLog(path)
            log.secrets |= shown_secrets(re.findall(r"""["'`]([^"'`\n]{1,500})["'`]""", text))
            return [_imported(playwright.read(text, log), {}, "playwright", log, site, sites, name)]
        data = _object(text, path)
        format_ = _format(data, path)
        if format_ != "selenium":
            log = ImportLog(path)
            log.secrets |= shown_secrets(data) if format_ != "websp-trace" else set()
            return [_imported(_READERS[format_](data, log), data, format_, log, site, sites, name)]
        found = []
        for test in selenium.tests(data, ImportLog(path)):
            log = ImportLog(path)
            log.secrets |= shown_secrets(test)
            found.append(_imported(selenium.read(data, test, log), {}, format_, log, site, sites, name))
        return found
    except RecursionError as error:
        raise SetupError(f"{path}: nested too deeply to be a trace", path=str(path)) from error


def _object(text: str, path: Path) -> dict[str, Any]:
    if path.suffix in _SCRIPTS:
        raise SetupError(f"{path}: not {_KNOWN}; it is another script", path=str(path))
    data = parse_json(text, path)
    if not isinstance(data, dict):
        raise SetupError(f"{path}: a trace is a JSON object, but this is {kind_of(data)}", path=str(path))
    return data


def _imported(
    found: Any,
    data: Mapping[str, Any],
    format_: str,
    log: ImportLog,
    site: str | None,
    sites: Mapping[str, str],
    name: str,
) -> Imported:
    path = log.path
    if isinstance(found, Trace):
        trace = found
    else:
        if "site" not in found:
            found["site"] = site or site_slug(found["start_url"], sites)
        trace = _complete(found, data, path)
    if site is not None and trace.site != site:
        raise SetupError(
            f'{path}: this is a trace of the site "{trace.site}", not of "{site}"; give that site, or none',
            path=str(path),
            site=trace.site,
        )
    step, state = _STEP.search(name), _STATE.search(name)
    return Imported(
        trace,
        path,
        format_,
        dict(log.dropped),
        tuple(log.left_out),
        tuple(log.notes),
        int(step[1]) if step else None,
        ("on" if state[1].lower() == "on" else "off") if state else None,
    )


def _complete(found: dict[str, Any], data: Mapping[str, Any], path: Path) -> Trace:
    """Add a name (the task id, or else the file's name) and validate the trace."""
    if found.get("name") is None:
        task = data.get("taskId")
        found["name"] = task if isinstance(task, str) and re.fullmatch(r"[\w. -]{1,80}", task) else path.stem
    return parse_trace({**found, "events": [event.model_dump() for event in found["events"]]}, path)


def _format(data: Mapping[str, Any], path: Path) -> str:
    if "schema" in data:
        return "websp-trace"
    if selenium.is_one(data):
        return "selenium"
    if devtools.is_one(data):
        return "devtools"
    if webspeval.is_one(data):
        return "webspeval"
    keys = ", ".join(f'"{key[:30]}"' for key in list(data)[:6]) or "nothing"
    hint = next((hint for key in list(data)[:20] if (hint := nearest(key[:30], _ANY_OF_OURS))), "")
    raise SetupError(f"{path}: not {_KNOWN}; it has {keys}{hint}", path=str(path))


def _files(folder: Path) -> list[Path]:
    """Return the recordings of a folder and its direct subfolders, sorted by the numbers in their names."""
    found = [
        file
        for pattern in _PATTERNS
        for place in (pattern, f"*/{pattern}")
        for file in folder.glob(place)
        if file.is_file() and (file.suffix in (".json", ".side") or playwright.is_script(read_text(file)))
    ]
    if not found:
        raise SetupError(
            f"{folder}: there are no recordings in this folder, neither .json nor others", path=str(folder)
        )
    if len(found) > _MAX_FILES:
        raise SetupError(
            f"{folder}: {len(found):,} recordings, but at most {_MAX_FILES} belong together; name the file",
            path=str(folder),
        )
    return sorted(found, key=lambda file: _natural(str(file.relative_to(folder))))


def _name(file: Path, path: Path) -> str:
    """Return the file's name, or its path relative to the imported folder, without the suffix."""
    return file.with_suffix("").name if file == path else str(file.relative_to(path).with_suffix(""))


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key that orders step 2 before step 10."""
    parts = re.findall(r"[0-9]{1,9}|[^\W\d_]+", name.lower())
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def _ours(data: dict[str, Any], log: ImportLog) -> Trace:
    return parse_trace(data, log.path)


_READERS: dict[str, Callable[[dict[str, Any], ImportLog], Any]] = {
    "websp-trace": _ours,
    "webspeval": webspeval.read,
    "devtools": devtools.read,
}
