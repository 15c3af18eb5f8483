"""Cache of judge opinions by model, settings and prompt: a small SQLite file that several processes may share.

Rows are JSON. Only opinions are stored: if an answer could not be read, the model is asked again next time.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
import threading
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError

_TABLE = "CREATE TABLE IF NOT EXISTS opinions (key TEXT PRIMARY KEY, opinion TEXT NOT NULL)"


class Cache:
    """A store of opinions.

    Args:
        path: The SQLite file, created if missing.

    Raises:
        SetupError: The file cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
            self._db.execute(_TABLE)
        except (OSError, sqlite3.Error) as error:
            raise SetupError(f"cannot use the judge's cache {path}: {error}", path=str(path)) from error

    def get(self, key: str) -> dict[str, Any] | None:
        """Return the opinion stored under a key of :func:`cache_key`; None if there is no readable one."""
        with self._lock:
            row = self._db.execute("SELECT opinion FROM opinions WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        with contextlib.suppress(ValueError):
            found = json.loads(row[0])
            return found if isinstance(found, dict) else None
        return None

    def put(self, key: str, opinion: dict[str, Any]) -> None:
        """Store an opinion (JSON data) under a key of :func:`cache_key`."""
        # As ASCII: an answer may hold half a surrogate pair, which UTF-8 cannot encode.
        text = json.dumps(opinion)
        with self._lock:
            self._db.execute("INSERT OR REPLACE INTO opinions VALUES (?, ?)", (key, text))

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()


def cache_key(*, model: str, settings: str, prompt: str, copy: int) -> str:
    """Return the key of an opinion, a digest of all it depends on.

    Args:
        model: The model string.
        settings: Temperature and the like.
        prompt: Digest of everything the model sees.
        copy: Number from 0 among equal models of an ensemble.
    """
    return hashlib.sha256(json.dumps([model, settings, prompt, copy]).encode()).hexdigest()
