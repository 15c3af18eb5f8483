"""Calibre-Web with a small library; its database is the truth."""

from __future__ import annotations

from contextlib import AbstractContextManager

from benchmarks.foreign.app import App
from benchmarks.foreign.apps.calibreweb.targets import TARGETS
from benchmarks.foreign.behind import ServerApplication, behind_one_address


def running(app: App) -> AbstractContextManager[ServerApplication]:
    """Return the application, behind one address."""
    # The first start writes the database of the settings, and ends.
    return behind_one_address(app, TARGETS, starts=2)
