"""A keyring in a file, for tests: a backend of the library keyring, named by ``PYTHON_KEYRING_BACKEND``."""

from __future__ import annotations

import json
import os
from pathlib import Path

from keyring.backend import KeyringBackend

BACKEND = "tests.keyring_support.FileKeyring"
FILE = "TEST_KEYRING"


class FileKeyring(KeyringBackend):
    """Keeps passwords in the file that ``TEST_KEYRING`` names."""

    priority = 0.1

    def get_password(self, service: str, username: str) -> str | None:
        """Return a password."""
        return self._read().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a password."""
        self._file.write_text(json.dumps({**self._read(), f"{service} {username}": password}))

    def delete_password(self, service: str, username: str) -> None:
        """Forget a password."""
        kept = self._read()
        del kept[f"{service} {username}"]
        self._file.write_text(json.dumps(kept))

    @property
    def _file(self) -> Path:
        return Path(os.environ[FILE])

    def _read(self) -> dict[str, str]:
        return dict(json.loads(self._file.read_text())) if self._file.exists() else {}
