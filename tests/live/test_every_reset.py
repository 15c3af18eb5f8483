"""Every S0 on the live web: what is accepted is true, and what is not put back is said."""

from __future__ import annotations

import logging
import socket
from contextlib import closing
from typing import Any

import pytest
import requests
import urllib3

from tests.live_internet import TOKEN, Internet
from tests.live_support import home, internet, live_env, server
from websp_gym.errors import WebspError
from websp_gym.sandbox.client import Sandbox
from websp_gym.tasks.initial_steps import ApiStep
from websp_gym.tasks.instances import Instance, all_instances, load_instance
from websp_gym.world.initial_state import differences_of
from websp_gym.world.state import SESSIONS

__all__ = ["home", "internet", "server"]
pytestmark = [pytest.mark.proof, pytest.mark.usefixtures("official_clients")]

EVERY = [instance.id for instance in all_instances() if instance.config.initial_state]
UNSHOWN = {"GitHub-task-135-ON", "GitHub-task-135-OFF"}
"""Nothing on the page shows what its buttons have set."""


@pytest.fixture
def official_clients(server: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lead the official clients of the APIs to the sandbox, as a name server and a certificate would do."""
    look_up, send = socket.getaddrinfo, requests.Session.send

    def found(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        if host in ("api.github.com", "huggingface.co"):
            host, port = "127.0.0.1", server.address.https_port
        return look_up(host, port, *rest, **more)

    def sent(self: requests.Session, request: Any, **options: Any) -> requests.Response:
        return send(self, request, **options | {"verify": False})

    urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
    monkeypatch.setattr("socket.getaddrinfo", found)
    monkeypatch.setattr(requests.Session, "send", sent)


def visit(internet: Internet, instance: Instance, monkeypatch: pytest.MonkeyPatch) -> str:
    """Let a new account exist, with what the calls of APIs in S0 need."""
    calls = [step.api for step in instance.config.initial_state if isinstance(step, ApiStep)]
    account = internet.visit(instance.id, tokens={call.token: f"env:{TOKEN}" for call in calls})
    if calls:
        monkeypatch.setenv(TOKEN, internet.token(instance.site.slug, calls[0].token))
    return account


def false_settings(internet: Internet, instance: Instance) -> dict[str, Any]:
    """What the server has and S0 has not; the live world signs in as a person does, so sessions may differ."""
    differences = dict(differences_of(instance, internet.truth(), internet.defaults()))
    differences.pop(SESSIONS, None)
    return differences


@pytest.mark.parametrize("name", EVERY)
def test_an_s0_that_is_accepted_is_true(
    internet: Internet, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    instance = load_instance(name)
    with closing(live_env(name, account=visit(internet, instance, monkeypatch))) as env:
        if name in UNSHOWN:
            with pytest.raises(WebspError):
                env.reset(seed=0)
        else:
            env.reset(seed=0)
            assert false_settings(internet, instance) == {}


@pytest.mark.parametrize("name", EVERY)
def test_an_account_that_had_the_opposite_is_put_back_or_the_log_says_what_is_not(
    internet: Internet, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    instance = load_instance(name)
    slug, wanted = instance.site.slug, instance.config.expect.settings
    account = visit(internet, instance, monkeypatch)
    assert internet.visitor is not None
    internet.visitor.patch(slug, settings={key: not on for key, on in wanted.items() if isinstance(on, bool)})
    found = dict(internet.truth().sites[slug].settings)
    caplog.clear()
    with (
        caplog.at_level(logging.WARNING, "websp_gym.live.world"),
        closing(live_env(name, account=account, restore=True)) as env,
    ):
        try:
            env.reset(seed=0)
        except WebspError:
            accepted = False
        else:
            accepted = True
        false = false_settings(internet, instance)
    # What no step sets is as the account was found.
    assert not accepted or all(found.get(key) == has for key, (_, has) in false.items())
    now = internet.truth().sites[slug].settings
    assert {key: now[key] for key in found} == found or caplog.records
