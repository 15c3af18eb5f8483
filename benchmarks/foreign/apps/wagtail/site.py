"""Wagtail with a small site, behind one address; its database is the truth."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from benchmarks.foreign.app import OTHER, RECORDED, App, Version
from benchmarks.foreign.apps.wagtail.targets import TARGETS, Aim
from benchmarks.foreign.behind import changes, serve_in_front
from benchmarks.foreign.build import folder
from benchmarks.foreign.drift import Drift
from benchmarks.foreign.person import Gesture

PROJECT = Path(__file__).resolve().parent / "project"


class Backend:
    """A process that serves the site in one version and order, with a database of its own.

    Args:
        app: The application, built.
        version: The version of Wagtail.
        order: ``plain`` or ``other``.
    """

    def __init__(self, app: App, version: Version, order: str) -> None:
        python = folder(app, version) / "venv" / "bin" / "python"
        self._process = subprocess.Popen(
            [str(python), "-B", str(PROJECT / "serve.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={"FOREIGN_ORDER": order, "PATH": "/usr/bin:/bin", "TMPDIR": tempfile.gettempdir()},
        )
        self.port = int(self._line())

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Return the process's answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._line())
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(20)
        self._process.stdout.close()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the site's process has ended")
        return line


class Wagtail:
    """The application.

    Args:
        app: What is known about it.
        stack: Ends what it starts.
    """

    def __init__(self, app: App, stack: ExitStack) -> None:
        self._app = app
        self._stack = stack
        self._backends: dict[tuple[Version, str], Backend] = {}
        self._before: dict[str, Any] = {}
        self.current: Backend | None = None
        self.home = ""

    def targets(self) -> Sequence[Aim]:
        """Return what a person operates."""
        return TARGETS

    def offer(self, drift: Drift, aim: Any) -> str:
        """Put the database into its state after a drift."""
        version, order = (
            (OTHER if drift == "version" else RECORDED),
            ("other" if drift == "order" else "plain"),
        )
        if (version, order) not in self._backends:
            backend = Backend(self._app, version, order)
            self._stack.callback(backend.close)
            self._backends[version, order] = backend
        self.current = self._backends[version, order]
        self.current.ask({"offer": drift, "keep": list(aim.keep)})
        self._before = self.current.ask({"held": True})
        return f"{self.home}{aim.path}"

    def gestures(self, aim: Any) -> list[Gesture]:
        """Return what a person does."""
        return list(aim.gestures)

    def effects(self, page: Page, aim: Any) -> dict[str, Any]:
        """Return what the database holds now and did not before; None for what is gone."""
        assert self.current is not None
        return changes(self._before, self.current.ask({"held": True}))

    @property
    def port(self) -> int:
        """Port of the process that is current."""
        assert self.current is not None
        return self.current.port

    def headers(self, method: str, given: Iterator[tuple[str, str]]) -> dict[str, str]:
        """Return the headers of a request as they are passed on."""
        return {name: value for name, value in given if name.lower() != "connection"}


@contextmanager
def running(app: App) -> Iterator[Wagtail]:
    """Yield the application, behind one address."""
    with ExitStack() as stack:
        site = Wagtail(app, stack)
        site.home = serve_in_front(app, site, stack)
        yield site
