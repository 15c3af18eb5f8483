"""The ``websp`` command in a test: in the test's own process, or in one of its own.

A process of its own costs a second of CPU time, and with a browser three. It is for what is about processes: signals,
terminals, pipes that nobody reads, variables that Python reads when it starts, the end of the interpreter.
"""

from __future__ import annotations

import io
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from websp_gym.browser.owner import _state
from websp_gym.cli import main
from websp_gym.sandbox.client import VARIABLE

MAIN = "from websp_gym.cli import main; main()"
LONGEST = 600.0
"""Seconds after which a process is given up. Only one that hangs takes as long, on the slowest machine too."""


def websp(
    *arguments: str,
    timeout: float = LONGEST,
    cwd: Path | None = None,
    variables: Mapping[str, str] | None = None,
    input: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, with some variables set differently."""
    return subprocess.run(
        [sys.executable, "-c", MAIN, *arguments],
        capture_output=True,
        encoding="utf-8",
        timeout=timeout,
        check=False,
        cwd=cwd,
        input=input,
        env={**os.environ, **(variables or {})},
    )


def websp_here(
    *arguments: str | Path,
    cwd: Path | None = None,
    variables: Mapping[str, str] | None = None,
    encoding: str = "utf-8",
) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, and undo what it leaves to the end of its process.

    The browsers that it would close then stay: environments and tabs of the test's file are in them.

    Args:
        *arguments: What follows ``websp``.
        cwd: The working folder.
        variables: Variables that are set differently.
        encoding: What the standard streams are encoded in before the command decides on it.
    """
    given = list(map(str, arguments))
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding=encoding, newline="\n") for _ in range(2))
    code = 0
    with _undone(variables or {}), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["websp", *given])
        patch.setattr(sys, "stdin", io.StringIO())
        patch.setattr(_state, "close", [])
        if cwd is not None:
            patch.chdir(cwd)
        with redirect_stdout(out), redirect_stderr(err):
            try:
                main()
            except SystemExit as ended:
                code = int(ended.code or 0)
    return subprocess.CompletedProcess(given, code, _written(out), _written(err))


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    data = stream.buffer
    assert isinstance(data, io.BytesIO)
    return data.getvalue().decode("utf-8")


@contextmanager
def _undone(variables: Mapping[str, str]) -> Iterator[None]:
    """Set variables; afterwards put back variables, signal handlers, the log and the hook for lost errors.

    The sandbox's variable stays: the server may have been replaced, and this process goes on with the new one.
    """
    before = dict(os.environ)
    hook, disabled = sys.unraisablehook, logging.root.manager.disable
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    os.environ.update(variables)
    try:
        yield
    finally:
        if VARIABLE not in variables and VARIABLE in os.environ:
            before[VARIABLE] = os.environ[VARIABLE]
        for name in set(os.environ) - set(before):
            del os.environ[name]
        os.environ.update(before)
        sys.unraisablehook = hook
        logging.disable(disabled)
        if threading.current_thread() is threading.main_thread():
            for number, handler in handlers.items():
                signal.signal(number, handler)
