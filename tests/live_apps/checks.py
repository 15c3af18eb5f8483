"""What holds on every application, for the tests of all and for the quick one."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.endpoint_support import CHAT, Endpoint, chat
from tests.judge_support import says
from tests.live_apps.application import Running
from tests.live_apps.support import User, files_with, ids_of, live_env, reach, secrets_of
from tests.paths import ROOT
from tests.process_support import UNMEASURED
from websp_gym.agents import Briefing, make_agent
from websp_gym.env.play import play
from websp_gym.errors import SetupError
from websp_gym.replay.library import read_trace
from websp_gym.tasks.initial_steps import ReplayStep
from websp_gym.tasks.instances import load_instance


def check_kept_sign_in(site: Running, user: User) -> None:
    """`websp login` keeps a sign-in, and an episode uses it: it could not sign in itself."""
    person = site.app.people[1]
    account = user.account(site, person)
    assert "signed in" in _websp("login", account)
    user.set_password(account, "Not-the-password-1")
    instance = ids_of(site.app)[0]
    found = reach(instance, account, site, person)
    assert found["events"] == events_of_s0(instance)
    assert found["read_back"]
    assert account in _websp("login", account, "--check")


def check_sign_in_again(site: Running, user: User) -> None:
    """Where the site has ended a kept sign-in, the login trace signs in again."""
    person = site.app.people[0]
    account = user.account(site, person)
    _websp("login", account)
    site.end_sessions()
    instance = ids_of(site.app)[0]
    found = reach(instance, account, site, person)
    assert found["events"] > events_of_s0(instance)
    assert found["read_back"]


def check_wrong_password(site: Running, user: User) -> None:
    """A wrong password is an error of the setup, and changes nothing."""
    person = site.app.people[0]
    account = user.account(site, person)
    user.set_password(account, "Not-the-password-1")
    before = site.truth(person)
    with (
        closing(live_env(ids_of(site.app)[0], account)) as env,
        pytest.raises(SetupError, match=f"account {account} is not signed in") as caught,
    ):
        env.reset(seed=1)
    assert "Not-the-password-1" not in str(caught.value)
    assert site.truth(person) == before


def check_judged_episode(instance: str, site: Running, user: User, endpoint: Endpoint, records: Path) -> None:
    """The oracle does a task, a judge is asked for the verdict, and no file of the record has a secret."""
    person = site.app.people[0]
    account = user.account(site, person)
    for name, value in CHAT.env(endpoint.url).items():
        user.patch.setenv(name, value)
    endpoint.plan(chat(says("CORRECT")))
    judged = {"reward": "judge", "judge": CHAT.spec, "observation": "marks", "record_to": records}
    with closing(live_env(instance, account, **judged)) as env:
        observation, _ = env.reset(seed=1)
        assert env.task is not None
        agent = make_agent("oracle")
        agent.begin(Briefing(env.instance, env.task.world_episode.account, 0))
        secrets = secrets_of(env, person)
        *_, last = play(agent.act, observation, env.step)
    assert last.info["verdict"]["status"] == "pass"
    assert last.reward == 1.0
    wanted = load_instance(instance).task.goal.settings
    held = site.truth(person)
    assert {key: held[key] for key in wanted} == wanted
    assert files_with(secrets, records) == []
    assert not any(secret in str(asked.body) for secret in secrets for asked in endpoint.asked)


def events_of_s0(instance: str) -> int:
    """The number of events of the traces that set S0."""
    steps = load_instance(instance).config.initial_state
    return sum(len(read_trace(step.replay).events) for step in steps if isinstance(step, ReplayStep))


def _websp(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "websp_gym", *words],
        cwd=ROOT,
        env={**os.environ, **UNMEASURED},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
