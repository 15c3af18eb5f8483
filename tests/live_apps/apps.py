"""The applications by name. ``python -m tests.live_apps.apps [NAME ...]`` installs them."""

from __future__ import annotations

import sys

from tests.live_apps.application import Application
from tests.live_apps.calibreweb import CalibreWeb
from tests.live_apps.pgadmin import PgAdmin
from tests.live_apps.roundup import Roundup

APPS: dict[str, Application] = {app.slug: app for app in (Roundup(), CalibreWeb(), PgAdmin())}

if __name__ == "__main__":
    for name in sys.argv[1:] or APPS:
        APPS[name].install()
