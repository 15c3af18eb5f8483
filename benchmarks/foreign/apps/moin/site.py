"""MoinMoin with one person's settings; the wiki's store is the truth."""

from __future__ import annotations

from contextlib import AbstractContextManager

from benchmarks.foreign.app import App
from benchmarks.foreign.apps.moin.targets import TARGETS
from benchmarks.foreign.behind import ServerApplication, behind_one_address


def running(app: App) -> AbstractContextManager[ServerApplication]:
    """Return the application, behind one address."""
    return behind_one_address(app, TARGETS)
