"""Traces of an old version of an application on that version and on a new one; the database is the truth."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.live_apps.apps import APPS, UPGRADES
from tests.live_apps.support import User, expected, home, ids_of, reach, serving, user
from websp_gym.errors import InitialStateError, ReplayError

__all__ = ["home", "user"]
pytestmark = pytest.mark.timeout(600)

REACHED = {"rdiffweb-task-3", "rdiffweb-task-4", "rdiffweb-task-5"}
"""Instances whose S0 is reached on the new version too.

Refused are the reports, by page and by menu: of two buttons "Save changes" one is left, under another heading; the menu
of the account is no button anymore, and its entry is "Notifications & Report".
"""
INSTANCES = {instance: slug for slug in UPGRADES for instance in ids_of(APPS[slug])}


@pytest.mark.parametrize("version", ["old", "new"])
@pytest.mark.parametrize("instance", INSTANCES)
def test_a_trace_signs_in_and_reaches_its_state_or_says_that_it_does_not(
    instance: str, version: str, user: User, tmp_path: Path
) -> None:
    """A login that fails is another error, a `SetupError`, and fails the test."""
    app = (APPS if version == "old" else UPGRADES)[INSTANCES[instance]]
    person = app.people[1]
    with serving(app, tmp_path) as site:
        before, reached = site.truth(person), True
        try:
            reach(instance, user.account(site, person), site, person)
        except (InitialStateError, ReplayError):
            reached = False
        after = site.truth(person)
    assert reached == (version == "old" or instance in REACHED)
    assert after == ({**before, **expected(instance, person)} if reached else before)
