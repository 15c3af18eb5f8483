"""Effects outside of the account: tokens, sessions of other browsers, strangers, mail, trackers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.forge_support import BEHAVIOUR, FORGE, write_forge
from tests.sandbox_support import Visitor
from websp_gym.errors import WorldError
from websp_gym.sandbox.client import Sandbox
from websp_gym.tasks.goals import Goal
from websp_gym.tasks.instances import load_instance
from websp_gym.world.effects import EffectResult
from websp_gym.world.http_probe import HttpProbe
from websp_gym.world.sandbox import SandboxEpisode

API = "https://api.forge.example/repositories"
OTHERS = [
    {"device": "Chrome on Windows", "place": "Oslo, Norway", "ip": "192.0.2.7"},
    {"device": "Firefox on macOS"},
]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A server with the site beside the built-in ones."""
    server = Sandbox.start(sites=[write_forge(tmp_path_factory.mktemp("sites"))])
    yield server
    server.close()


class Account:
    """An episode, its agent's browser, and requests from elsewhere."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox
        self.control = sandbox.open_episode("forge", signed_in=["forge"])
        self.episode = SandboxEpisode(sandbox, self.control)
        self.visitor = Visitor(sandbox.address, self.control)
        self.start = self.episode.state()

    def rows(self, collection: str) -> list[dict[str, Any]]:
        """The items of a collection."""
        return list(self.episode.state().sites["forge"].collections[collection])

    def create(self, *scopes: str, days: str = "30") -> str:
        """Creates a token as the page does and returns its text, which is shown once."""
        form = {"note": "mine", "scopes": list(scopes), "days": days}
        assert self.visitor.post("https://forge.example/tokens", form).status == 303
        shown = self.visitor.get("https://forge.example/tokens").body
        (text,) = re.findall(r"<b>(frg_\w{36})</b>", shown)
        assert "no token" in self.visitor.get("https://forge.example/tokens").body
        return str(text)

    def use(self, token: str, method: str = "GET", url: str = API, body: Any = None) -> int:
        """Sends a request to the API and returns its status."""
        probe = HttpProbe(self.sandbox, self.control.id, device={})
        status = probe.request(method, url, token=token, body=body).status
        probe.close()
        return status

    def effects(self, **goal: Any) -> tuple[EffectResult, ...]:
        """The effects of what has happened since the start, for a goal."""
        return self.episode.effects("forge", Goal.model_validate(goal), self.start, self.episode.state())


@pytest.fixture
def account(sandbox: Sandbox) -> Iterator[Account]:
    """A fresh account."""
    made = Account(sandbox)
    yield made
    made.episode.close()


def test_a_token_works_for_its_scopes_until_it_is_revoked(account: Account) -> None:
    change: dict[str, Any] = {"method": "PATCH", "url": f"{API}/anvil", "body": {"private": False}}
    reads = account.create("read")
    writes = account.create("repo")
    assert [account.use(reads), account.use(writes)] == [200, 200]
    assert [account.use(reads, **change), account.use(writes, **change)] == [403, 200]
    assert not account.rows("repositories")[0]["private"]
    (row,) = [row for row in account.rows("tokens") if row["scopes"] == ["repo"] and row["note"] == "mine"]
    assert row["created"] == datetime.now(UTC).date().isoformat()
    account.visitor.post(f"https://forge.example/tokens/{row['id']}/delete")
    assert "True <b>no token</b>" in account.visitor.get("https://forge.example/tokens").body
    assert [account.use(reads), account.use(writes), account.use("frg_" + "0" * 36), account.use("")] == [
        200, 401, 401, 401,
    ]  # fmt: skip


def test_the_text_of_a_token_is_not_part_of_the_state(account: Account) -> None:
    text = account.create("read")
    assert text not in str(account.control.state())
    assert account.sandbox.credentials("forge", tokens=["3"])["tokens"] == {"3": text}


@pytest.mark.parametrize(("age", "status"), [(29, 200), (30, 401)])
def test_a_token_expires_after_its_days(account: Account, age: int, status: int) -> None:
    created = (datetime.now(UTC) - timedelta(days=age)).date().isoformat()
    rows = [{"id": "x", "note": "", "scopes": ["read"], "days": "30", "created": created}]
    account.episode.prepare("forge", {}, {"tokens": rows})
    assert account.use(account.sandbox.credentials("forge", tokens=["x"])["tokens"]["x"]) == status


@pytest.mark.parametrize("header", ["Basic ####", "Basic", "Bearer", "nonsense", "token", "Basic 8J+Yig=="])
def test_an_odd_authorization_header_is_refused(account: Account, header: str) -> None:
    assert account.visitor.get(API, authorization=header).status == 401


def test_a_token_is_also_taken_as_a_password(account: Account) -> None:
    import base64

    text = base64.b64encode(f"alexrivers:{account.create('read')}".encode()).decode()
    assert account.visitor.get(API, authorization=f"Basic {text}").status == 200
    assert account.visitor.get(API, authorization=f"token {account.create('read')}").status == 200


def test_other_browsers_sign_in_through_the_login_and_an_ended_session_is_worth_nothing(
    account: Account,
) -> None:
    account.episode.sign_in("forge", OTHERS)
    own, first, second = account.rows("sessions")
    assert [own["current"], first["current"], second["current"]] == [True, False, False]
    assert (first["device"], first["place"], first["ip"]) == (
        "Chrome on Windows",
        "Oslo, Norway",
        "192.0.2.7",
    )
    logins = [event for event in account.episode.state().events if event.kind == "login"]
    assert [event.data["by"] for event in logins] == ["password", "password"]
    account.start = account.episode.state()
    account.visitor.post("https://forge.example/sessions/end", {"id": first["id"]})
    (effect,) = account.effects(
        removed=[{"collection": "sessions", "where": {"device": "Chrome on Windows"}}]
    )
    assert effect.holds
    assert effect.evidence.endswith("1 ended, 2 open")
    assert account.visitor.get("https://forge.example/tokens").status == 200


def test_a_header_of_another_browser_that_is_not_json_is_refused(account: Account) -> None:
    header = {"x-websp-episode": f"{account.control.id} nonsense"}
    assert account.visitor.send("GET", "https://forge.example/", None, header).status == 400


def test_the_initial_state_is_set_through_the_api(account: Account) -> None:
    def publish(name: str, *, missing: bool = False) -> None:
        body, url = {"private": False}, f"{API}/{name}"
        account.episode.call_api("forge", "PATCH", url, token="setup", body=body, missing=missing)

    publish("anvil")
    assert not account.rows("repositories")[0]["private"]
    with pytest.raises(WorldError, match="answered with 404"):
        publish("none")
    publish("none", missing=True)
    for token in ("old", "unknown"):
        with pytest.raises(WorldError, match=r"answered with 401: .*Bad credentials"):
            account.episode.call_api("forge", "GET", API, token=token, body=None, missing=True)


def test_private_pages_are_404_for_strangers_only(account: Account) -> None:
    stranger = Visitor(account.sandbox.address, account.control)
    stranger.cookies.clear()
    statuses = {
        name: [
            each.get(f"https://forge.example/alexrivers/{name}").status
            for each in (account.visitor, stranger)
        ]
        for name in ("anvil", "bellows", "nothing")
    }
    assert statuses == {"anvil": [200, 404], "bellows": [200, 200], "nothing": [404, 404]}


def test_a_page_with_a_parameter_shows_once_that_it_is_done(account: Account) -> None:
    page = "https://forge.example/people/Ann%20%26%20Co"
    reply = account.visitor.post("https://forge.example/flip", {"who": "Ann & Co"})
    assert reply.headers["location"] == "/people/Ann%20%26%20Co"
    assert ["True" in account.visitor.get(page).body for _ in range(2)] == [True, False]


def test_blocked_or_disallowed_people_cannot_write(account: Account) -> None:
    url = "https://forge.example/messages"
    assert account.visitor.post(url, {"from": "mallory"}).status == 403
    assert account.visitor.post(url, {"from": "trudy"}).status == 200
    account.episode.prepare("forge", {"chat.open": False}, {})
    assert account.visitor.post(url, {"from": "trudy"}).status == 403
    assert [row["sender"] for row in account.rows("inbox")] == ["trudy"]


def test_every_effect_of_what_a_goal_names_is_tried_and_nothing_changes(account: Account) -> None:
    account.create("read")
    account.episode.prepare("forge", {"mail.news": False, "chat.open": False, "profile.private": True}, {})
    before = account.control.state()
    found = account.effects(
        settings={"mail.news": False, "mail.digest": "daily", "chat.open": False, "profile.private": True},
        created=[{"collection": "tokens"}],
        kept=[{"collection": "repositories"}],
    )
    assert [effect.name for effect in found] == [
        "no mail of a disabled kind arrives",
        "strangers do not find a private repository",
        "strangers cannot write",
        "the profile says nothing to strangers",
        "the token may do what its scopes say, and nothing else",
        "a revoked token is refused",
    ]
    assert [effect.evidence for effect in found if not effect.holds] == []
    assert account.control.state() == before


def test_effects_of_what_a_goal_does_not_name_are_not_tried(account: Account) -> None:
    assert account.effects(created=[{"collection": "inbox"}]) == ()


def test_mail_that_comes_although_a_goal_turns_it_off_is_found(account: Account) -> None:
    (effect,) = account.effects(settings={"mail.news": False})
    assert (effect.name, effect.holds) == ("no mail of a disabled kind arrives", False)


BROKEN: tuple[tuple[tuple[str, str, dict[str, Any], str], ...], ...] = (
    (
        (
            "{private: false}\n    url",
            "{private: true}\n    url",
            {"kept": [{"collection": "repositories"}]},
            "private",
        ),
        ('authorize("repo")', 'authorize("read")', {"created": [{"collection": "tokens"}]}, "may do"),
        ("    unless: {chat.open: false}\n", "", {"settings": {"chat.open": False}}, "cannot write"),
    ),
    (
        ("request.authorize", "(lambda *scopes: 1)", {"created": [{"collection": "tokens"}]}, "revoked"),
        ("form: {from: trudy}", "form: {from: mallory}", {"settings": {"chat.open": False}}, "cannot write"),
    ),
)
"""What is changed in the site, the goal that is about it, and the effect that is then missing; those of a group stand apart."""


@pytest.mark.parametrize("group", BROKEN)
def test_an_effect_that_a_site_does_not_have_is_found(
    tmp_path: Path, group: tuple[tuple[str, str, dict[str, Any], str], ...]
) -> None:
    yaml, behaviour = FORGE, BEHAVIOUR
    for old, new, *_ in group:
        assert (old in yaml) != (old in behaviour)
        yaml, behaviour = yaml.replace(old, new), behaviour.replace(old, new)
    server = Sandbox.start(sites=[write_forge(tmp_path, yaml=yaml, behaviour=behaviour)])
    try:
        for _old, _new, goal, broken in group:
            account = Account(server)
            account.create("read")
            account.episode.prepare("forge", {"chat.open": False, "mail.news": False}, {})
            failed = [effect.name for effect in account.effects(**goal) if not effect.holds]
            assert broken in failed[-1]
    finally:
        server.close()


def test_pages_that_are_visited_make_the_history_of_the_ad_centre() -> None:
    from websp_gym.browser.launch import BrowserOptions, open_context
    from websp_gym.browser.owner import call
    from websp_gym.browser.settle import settle
    from websp_gym.browser.tabs import Tabs
    from websp_gym.world.sandbox import SandboxWorld

    world = SandboxWorld()
    episode = world.open_episode(load_instance("Docker-task-142").site, signed_in=False)

    def visit() -> None:
        context = open_context(BrowserOptions(args=world.browser_args()), viewport=(800, 600))
        with closing(context):
            episode.attach(context)
            tabs = Tabs(context)
            for url in (
                "https://www.docker.com/",
                "https://www.docker.com/pricing/",
                "https://www.ikea.com/",
            ):
                tabs.current.goto(url, wait_until="commit")
                settle(tabs)

    with closing(episode):
        call(visit)
        history = episode.state().sites["googleadcenter"].collections["history"]
    assert {row["site"]: row["visits"] for row in history} == {"docker": 2, "ikea": 1}
