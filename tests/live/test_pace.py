"""The pace of requests: an action waits where there were more than an account may send, at nobody's cost."""

from __future__ import annotations

import time
from contextlib import closing

import pytest

from tests.live.small_site import Author, author, home, press, site
from tests.live_support import live_env
from websp_gym.live.accounts import Account, save_accounts

__all__ = ["author", "home", "site"]

MINUTE = 20.0
"""A shorter one, so that the test does not wait for a whole one, and by far longer than an action takes."""


def test_a_pause_for_the_pace_is_no_time_of_the_agent_and_ends_nothing(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("websp_gym.live.pace._MINUTE", MINUTE)
    author.write(press("link", "Privacy", f"{author.site.url}/", "/privacy"), expect={})
    save_accounts({"small-1": Account(site="small", requests_per_minute=1)})
    limits = {"max_seconds": MINUTE - 1, "step_timeout": MINUTE - 1}
    with closing(live_env("Small-task-1", account="small-1", **limits)) as env:
        before = env.reset(seed=0)[0]["seconds_left"]
        assert env.task is not None
        began, pause = time.monotonic(), env.task.world_episode.to_wait()
        observation, _, terminated, truncated, _ = env.step("Scroll_to_end")
        took = time.monotonic() - began
    assert 0 < pause <= took
    assert (terminated, truncated) == (False, False)
    assert before - observation["seconds_left"] <= took - pause / 2
