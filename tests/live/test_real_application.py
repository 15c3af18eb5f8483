"""The live world on Roundup, the quickest of the applications of `make test-live`; a proof, as all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.endpoint_support import Endpoint, endpoint, server
from tests.live_apps.checks import check_judged_episode
from tests.live_apps.roundup import Roundup
from tests.live_apps.support import User, home, serving, user

__all__ = ["endpoint", "home", "server", "user"]
pytestmark = [pytest.mark.proof, pytest.mark.timeout(600)]  # the first one installs it


def test_a_task_on_a_real_tracker_is_done_and_judged(user: User, endpoint: Endpoint, tmp_path: Path) -> None:
    with serving(Roundup(), tmp_path) as site:
        check_judged_episode("Roundup-task-1-ON", site, user, endpoint, tmp_path / "runs")
