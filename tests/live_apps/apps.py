"""The applications by name. ``python -m tests.live_apps.apps [NAME ...]`` installs them, in each version."""

from __future__ import annotations

import sys

from tests.live_apps.application import Application
from tests.live_apps.calibreweb import CalibreWeb
from tests.live_apps.pgadmin import PgAdmin
from tests.live_apps.rdiffweb import NEW, Rdiffweb
from tests.live_apps.roundup import Roundup

APPS: dict[str, Application] = {app.slug: app for app in (Roundup(), CalibreWeb(), PgAdmin(), Rdiffweb())}
UPGRADES: dict[str, Application] = {"rdiffweb": Rdiffweb(NEW)}
"""Newer versions, on which the traces of the one above are replayed."""

if __name__ == "__main__":
    for name in sys.argv[1:] or APPS:
        for each in (APPS, UPGRADES):
            if name in each:
                each[name].install()
