"""Opinions already paid for, by what was asked and whom: a small SQLite file that several processes may share.

Rows are JSON. Only opinions are kept: an answer that could not be read is asked for again the next time.
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
        path: The file; made where there is none.

    Raises:
        SetupError: It cannot be opened.
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
        """Looks an opinion up.

        Args:
            key: As :func:`cache_key` gives it.

        Returns:
            What was put there; None where there is nothing, or nothing that can be read.
        """
        with self._lock:
            row = self._db.execute("SELECT opinion FROM opinions WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        with contextlib.suppress(ValueError):
            found = json.loads(row[0])
            return found if isinstance(found, dict) else None
        return None

    def put(self, key: str, opinion: dict[str, Any]) -> None:
        """Keeps an opinion.

        Args:
            key: As :func:`cache_key` gives it.
            opinion: JSON data.
        """
        # As ASCII: an answer may hold half an emoji, which is no UTF-8.
        text = json.dumps(opinion)
        with self._lock:
            self._db.execute("INSERT OR REPLACE INTO opinions VALUES (?, ?)", (key, text))

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._db.close()


def cache_key(*, model: str, settings: str, prompt: str, copy: int) -> str:
    """Names an opinion.

    Args:
        model: The string that chose the model.
        settings: Temperature and the like.
        prompt: Digest of all that it sees.
        copy: Which of several equal models of an ensemble it is, from 0.

    Returns:
        A digest.
    """
    return hashlib.sha256(json.dumps([model, settings, prompt, copy]).encode()).hexdigest()
