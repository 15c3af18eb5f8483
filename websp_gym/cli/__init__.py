"""The ``websp`` command."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main() -> None:
    """Run the command line; exit code 0, 1 (something failed) or 2 (bad arguments or set-up).

    It is 130 after Ctrl-C, 143 after SIGTERM, and 141 if nobody reads the output any more, as after ``| head``.
    """
    from websp_gym.cli.signals import INTERRUPTED, TERMINATED, UNREAD, flushed, stopped_cleanly

    _open_missing()
    _write_anything()
    with stopped_cleanly() as signals:
        try:
            from websp_gym.cli.app import app
            from websp_gym.env.registration import require_docstrings

            require_docstrings()
            app()
            code = 0
        except BaseException as error:
            code = _code(error, signals)
        if code == INTERRUPTED and signal.SIGTERM in signals:
            code = TERMINATED
        if not flushed():
            code = UNREAD
    sys.exit(code)


def _code(error: BaseException, signals: Sequence[int]) -> int:
    """Report what ended the command, unless that was done, and return the exit code."""
    from websp_gym.cli.signals import INTERRUPTED, UNREAD, caused_by
    from websp_gym.errors import SetupError, StorageError, WebspError

    ended = isinstance(error, SystemExit)
    if ended and caused_by(error, BrokenPipeError):
        return UNREAD
    if signals and not (ended and not caused_by(error, KeyboardInterrupt)):
        # Whatever failed, failed because of the signal: it ends the browser as well.
        _complain("interrupted")
        return INTERRUPTED
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, WebspError):
        kind = "" if isinstance(error, SetupError) else f"{type(error).__name__}: "
        _complain(f"{kind}{error}")
        return 2 if isinstance(error, SetupError) and not isinstance(error, StorageError) else 1
    raise error


def _open_missing() -> None:
    """Open the standard streams that the command was started without, as under some daemons."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (for the whole process)


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
    from rich.markup import escape

    from websp_gym.cli.output import Console

    Console(stderr=True).print(f"[bold red]websp:[/] {escape(message)}", soft_wrap=True)
