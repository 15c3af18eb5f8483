"""Reading and writing trace files, and describing what is wrong with a damaged one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from websp_gym.errors import SetupError, nearest
from websp_gym.files import read_file
from websp_gym.replay.trace import (
    MAX_BYTES,
    MAX_EVENTS,
    OLDER_SCHEMAS,
    SCHEMA,
    ElementState,
    Fingerprint,
    Trace,
    TraceEvent,
    Viewport,
)
from websp_gym.texts import decoded


def load_trace(path: str | Path) -> Trace:
    """Read a trace from a JSON file and validate it.

    Args:
        path: The JSON file.

    Returns:
        The trace.

    Raises:
        SetupError: The file cannot be read or is not a valid trace; names the file and the place in it.
    """
    path = Path(path)
    return parse_trace(read_json(path), path)


def parse_trace(data: Any, path: Path) -> Trace:
    """Validate the data of a trace file. Raise SetupError with file and place if it is not valid."""
    if not isinstance(data, dict):
        raise SetupError(
            f"{path}: a trace is a JSON object, but this is a {type(data).__name__}", path=str(path)
        )
    version = data.get("schema")
    if version not in (SCHEMA, *OLDER_SCHEMAS):
        named = isinstance(version, str) and version
        found = f'its schema is "{str(version)[:60]}"' if named else 'it has no "schema" key'
        raise SetupError(
            f'{path}: {found}; this version of websp-gym reads "{SCHEMA}" and "{OLDER_SCHEMAS[0]}"',
            path=str(path),
        )
    events = data.get("events")
    if isinstance(events, list) and len(events) > MAX_EVENTS:
        raise SetupError(f"{path}: {len(events)} events; a trace has at most {MAX_EVENTS}", path=str(path))
    try:
        return Trace.model_validate(data)
    except ValidationError as error:
        raise SetupError(explain(path, error), path=str(path)) from error


def save_trace(trace: Trace, path: str | Path) -> None:
    """Write a trace as indented JSON, without default values.

    Args:
        trace: The trace.
        path: The file; missing folders are created.

    Raises:
        SetupError: The file cannot be written.
    """
    data = trace.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    text = json.dumps({"schema": SCHEMA, **data}, indent=1, ensure_ascii=False)
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes((text + "\n").encode("utf-8", "replace"))
    except OSError as error:
        raise SetupError(f"cannot write {path}: {error.strerror}", path=str(path)) from error


def read_text(path: Path) -> str:
    """Return the text of a recording. Raise SetupError if it cannot be read, is too large, or is not text."""
    try:
        return decoded(read_file(path, MAX_BYTES, anywhere=True))
    except OSError as error:
        raise SetupError(f"{path}: cannot be read: {error.strerror or error}", path=str(path)) from error
    except UnicodeDecodeError as error:
        what = "" if error.reason.startswith("a binary") else "; save it as UTF-8"
        reason = f"not UTF-8 text at byte {error.start}{what}" if what else error.reason
        raise SetupError(f"{path}: {reason}", path=str(path)) from error


def read_json(path: Path) -> Any:
    """Return the data of a JSON file.

    Raise SetupError with file, line and column if it cannot be read, is too large, incomplete or invalid.
    """
    return parse_json(read_text(path), path)


def parse_json(text: str, path: Path) -> Any:
    """Return the data in the text of a JSON file. Raise SetupError as :func:`read_json` does."""
    try:
        data = json.loads(text)
        if "\\ud" in text.lower():  # a lone surrogate (half of a cut emoji) cannot be encoded again
            data = json.loads(json.dumps(data, ensure_ascii=False).encode("utf-8", "replace"))
        return data
    except RecursionError as error:
        raise SetupError(f"{path}: nested too deeply to be a trace", path=str(path)) from error
    except json.JSONDecodeError as error:
        cut = error.pos >= len(error.doc.rstrip()) or error.msg.startswith("Unterminated")
        what = "the file ends too early; it was cut off" if cut else f"not valid JSON: {error.msg}"
        raise SetupError(f"{path}:{error.lineno}:{error.colno}: {what}", path=str(path)) from error
    except ValueError as error:  # a number with thousands of digits
        raise SetupError(f"{path}: not valid JSON: {error}", path=str(path)) from error


def explain(path: Path, error: ValidationError, *, at: str = "") -> str:
    """Describe what is wrong with a trace, one line for each of the first ten problems.

    Args:
        path: The file.
        error: The validation error.
        at: Place of the validated part in the file, such as ``steps[3].websp``; empty for the whole file.

    Returns:
        Lines with file, place, problem, and the key that was probably meant.
    """
    lines = []
    for problem in error.errors(include_input=False)[:10]:
        place = problem["loc"]
        hint = ""
        if problem["type"] == "extra_forbidden" and not at:
            hint = nearest(str(place[-1])[:100], _keys_at(place))
        message = problem["msg"].removeprefix("Value error, ")
        where = ".".join(part for part in (at, _json_location(place) if place else "") if part)
        lines.append(f"{path}: {where or 'the trace'}: {message}{hint}")
    return "\n".join(lines)


def _json_location(location: tuple[int | str, ...]) -> str:
    """Format a location as in JavaScript: ``events[3].target.rol``."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part[:100]}" for part in location]
    return "".join(parts).lstrip(".")


def _keys_at(location: tuple[int | str, ...]) -> list[str]:
    owners: dict[str, type[BaseModel]] = {
        "events": TraceEvent,
        "target": Fingerprint,
        "hover": Fingerprint,
        "before": ElementState,
        "after": ElementState,
        "viewport": Viewport,
    }
    keys = [part for part in location[:-1] if isinstance(part, str)]
    owner = owners.get(keys[-1], TraceEvent) if keys else Trace
    return [field.alias or name for name, field in owner.model_fields.items()]
