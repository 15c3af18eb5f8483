"""Permission to act on live websites, which the user gives with an environment variable."""

from __future__ import annotations

import os

from websp_gym.errors import SetupError

PERMISSION = "WEBSP_LIVE"
"""Environment variable that permits acting on live websites if it is ``1``."""


def require_live(what: str) -> None:
    """Raise SetupError unless WEBSP_LIVE=1 permits acting on live websites.

    Args:
        what: What would act on one, such as an option.
    """
    if os.environ.get(PERMISSION) != "1":
        raise SetupError(
            f"{what} acts on a live website, with a real account; set WEBSP_LIVE=1 if you want that",
            option=PERMISSION,
            variable=PERMISSION,
        )
