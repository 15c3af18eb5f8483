"""API keys and addresses from the environment and ``.env``."""

from __future__ import annotations

import os
from collections.abc import Mapping
from io import StringIO
from pathlib import Path

from websp_gym.errors import MissingKeyError, SetupError
from websp_gym.texts import decoded


class Settings:
    """Variables by name; an empty variable counts as missing.

    Args:
        env: The variables; None for the environment and the nearest ``.env`` in or above the working
            directory. The environment takes precedence.
    """

    def __init__(self, env: Mapping[str, str] | None = None) -> None:
        found = _found() if env is None else env
        self._values = {name: value.strip() for name, value in found.items() if value.strip()}

    def __repr__(self) -> str:
        return f"<{len(self._values)} settings>"

    def get(self, *names: str, default: str | None = None) -> str | None:
        """Return the first of several variables that is set, else ``default``."""
        return next((self._values[name] for name in names if name in self._values), default)

    def need(self, *names: str, spec: str) -> str:
        """Return a required variable, given by its name and alternative names.

        Args:
            *names: Its name, then alternative names.
            spec: The model string, for the message.

        Raises:
            MissingKeyError: It is not set.
            SetupError: It cannot be sent in a request.
        """
        value = self.key(*names, spec=spec)
        if value is None:
            raise MissingKeyError(
                f"{spec} needs {' or '.join(names)}: set it in the environment or in a .env file",
                variable=names[0],
                model=spec,
            )
        return value

    def key(self, *names: str, spec: str) -> str | None:
        """Return an optional variable that is sent in requests; None where it is not set. See ``need``."""
        name = next((name for name in names if name in self._values), None)
        if name is None:
            return None
        value = self._values[name]
        if not value.isascii() or not value.isprintable() or " " in value:
            # An HTTP library would raise too, but with the key in its message.
            raise SetupError(
                f"{name} contains a space or another character that keys never have: copy it again",
                variable=name,
                model=spec,
            )
        return value


def _found() -> dict[str, str]:
    from dotenv import dotenv_values, find_dotenv

    path = find_dotenv(usecwd=True)
    try:
        text = decoded(Path(path).read_bytes()) if path else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"{path} cannot be read: {error}; save it as UTF-8", path=path) from error
    written = dotenv_values(stream=StringIO(text), interpolate=False)
    return {**{name: value for name, value in written.items() if value}, **os.environ}
