"""The ``websp`` command."""

from __future__ import annotations

import io
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; exit code 0, 1 (something failed) or 2 (bad arguments or set-up)."""
    from websp_gym.cli.app import app
    from websp_gym.env.registration import require_docstrings
    from websp_gym.errors import SetupError, StorageError, WebspError

    _write_anything()
    try:
        require_docstrings()
        app()
    except StorageError as error:
        _complain(str(error))
        sys.exit(1)
    except SetupError as error:
        _complain(str(error))
        sys.exit(2)
    except WebspError as error:
        _complain(f"{type(error).__name__}: {error}")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _write_anything() -> None:
    """Make output work with any character in any locale.

    Files and pipes get UTF-8, as JSON and Markdown require; a terminal shows a question mark for a missing character.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def _complain(message: str) -> None:
    from rich.console import Console

    Console(stderr=True, highlight=False).print(f"[bold red]websp:[/] {_escape(message)}", soft_wrap=True)


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape(text)
