from __future__ import annotations

import gc
import http.client
import time
import warnings
from contextlib import closing
from pathlib import Path

import pytest

from tests.sandbox_support import Visitor
from websp_gym.sandbox.client import EpisodeHandle, Sandbox, SandboxError


def ask(
    sandbox: Sandbox, method: str = "GET", path: str = "/health", **headers: str
) -> tuple[int, bytes, list[str]]:
    connection = http.client.HTTPConnection("127.0.0.1", sandbox.address.control_port, timeout=150)
    try:
        connection.request(
            method, path, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )
        response = connection.getresponse()
        return response.status, response.read(), [name.lower() for name in response.headers]
    finally:
        connection.close()


def test_the_secret_opens_the_control_app(sandbox: Sandbox) -> None:
    assert ask(sandbox, authorization=f"Bearer {sandbox.address.secret}")[0] == 200


@pytest.mark.parametrize("path", ["/health", "/sites", "/egress", "/lease", "/episodes/x/state", "/nowhere"])
def test_without_the_secret_nothing_is_revealed(sandbox: Sandbox, path: str) -> None:
    assert ask(sandbox, path=path)[:2] == (401, b"")
    assert ask(sandbox, path=path, authorization="Bearer wrong")[:2] == (401, b"")


@pytest.mark.parametrize(
    "header",
    [
        {"origin": "https://shop.example"},
        {"origin": "null"},
        {"host": "shop.example"},
        {"host": "localhost:1"},
        {"sec_fetch_site": "cross-site"},
    ],
)
def test_a_request_from_a_page_is_refused_even_with_the_secret(
    sandbox: Sandbox, header: dict[str, str]
) -> None:
    for method in ("GET", "OPTIONS"):
        good = f"Bearer {sandbox.address.secret}"
        status, body, names = ask(sandbox, method, authorization=good, **header)
        assert (status, body) == (403, b"")
        assert not [name for name in names if name.startswith("access-control")]


def test_the_control_paths_are_not_on_the_sites_ports(sandbox: Sandbox, episode: EpisodeHandle) -> None:
    visitor = Visitor(sandbox.address, episode)
    good = f"Bearer {sandbox.address.secret}"
    for host in ("shop.example", f"127.0.0.1:{sandbox.address.control_port}"):
        assert visitor.get(f"https://{host}/episodes/{episode.id}/state", authorization=good).status == 404


def test_unknown_sites_and_keys_name_the_nearest_right_one(sandbox: Sandbox, episode: EpisodeHandle) -> None:
    with pytest.raises(SandboxError, match='unknown site "shup"; did you mean "shop"'):
        sandbox.open_episode("shup", signed_in=[])
    with pytest.raises(
        SandboxError, match=r'unknown setting "cookies\.add"; did you mean "cookies.ads"'
    ) as caught:
        episode.patch("shop", settings={"chat.filter": "strict", "cookies.add": True})
    assert caught.value.status == 400
    assert episode.state()["sites"] == sandbox.open_episode("shop", signed_in=["shop"]).state()["sites"]


def test_only_a_site_with_a_sign_in_can_be_signed_in(sandbox: Sandbox) -> None:
    assert [cookie["name"] for cookie in sandbox.open_episode("shop", signed_in=["accounts"]).cookies] == [
        "SID"
    ]
    assert sandbox.open_episode("shop", signed_in=[]).cookies == []


def test_initial_state_by_api_is_logged_as_setup(episode: EpisodeHandle) -> None:
    episode.patch(
        "shop", settings={"cookies.ads": False}, collections={"words": [{"text": "one"}], "sessions": []}
    )
    shop = episode.state()["sites"]["shop"]
    assert shop["settings"]["cookies.ads"] is False
    assert [row["text"] for row in shop["collections"]["words"]] == ["one"]
    assert [row["current"] for row in shop["collections"]["sessions"]] == [True]
    assert {event["kind"] for event in episode.state()["events"]} == {"setup"}


def test_defaults_are_what_a_fresh_account_has(sandbox: Sandbox, episode: EpisodeHandle) -> None:
    episode.patch("shop", settings={"cookies.ads": False})
    fresh = sandbox.open_episode("shop", signed_in=[])
    state = fresh.state()
    assert episode.defaults() == {"day": state["day"], "sites": state["sites"]}


def test_a_snapshot_comes_back_in_another_episode(sandbox: Sandbox, episode: EpisodeHandle) -> None:
    episode.patch("shop", settings={"cookies.ads": False})
    key = episode.snapshot()
    other = sandbox.open_episode("shop", signed_in=[])
    other.restore(key)
    assert other.state()["sites"] == episode.state()["sites"]
    assert other.cookies == episode.cookies
    assert Visitor(sandbox.address, other).get("https://shop.example/account").status == 200


def test_a_snapshot_with_a_name_is_there_for_every_process(sandbox: Sandbox, episode: EpisodeHandle) -> None:
    other = sandbox.open_episode("shop", signed_in=[])
    assert other.restore_if_saved("S0 of one") is None
    episode.patch("shop", settings={"cookies.ads": False})
    cookies = [{"name": "theme", "value": "dark"}]
    assert episode.snapshot("S0 of one", cookies) == "S0 of one"
    assert other.restore_if_saved("S0 of one") == cookies
    assert other.state()["sites"] == episode.state()["sites"]
    # The last one that was saved counts.
    episode.patch("shop", settings={"cookies.ads": True})
    episode.snapshot("S0 of one")
    assert other.restore_if_saved("S0 of one") == []
    assert other.state()["sites"] == episode.state()["sites"]


def test_an_expired_session_is_refused_and_only_that_one(sandbox: Sandbox, episode: EpisodeHandle) -> None:
    account = "https://shop.example/account"
    visitor, other = Visitor(sandbox.address, episode), sandbox.open_episode("shop", signed_in=["shop"])
    assert visitor.get(account).status == 200
    assert episode.expire_session("shop")
    assert visitor.get(account).status != 200
    assert not episode.expire_session("shop")
    assert Visitor(sandbox.address, other).get(account).status == 200


def test_requests_that_could_change_state_are_kept_once_asked_for(
    sandbox: Sandbox, episode: EpisodeHandle
) -> None:
    visitor = Visitor(sandbox.address, episode)
    visitor.post("https://shop.example/flip")
    assert episode.requests() == []
    episode.keep_requests()
    visitor.get("https://shop.example/account")
    visitor.post("https://shop.example/save?a=1", {"analytics": "off", "note": "ö"})
    visitor.json("https://shop.example/nowhere", "{}")
    saved, lost = episode.requests()
    assert (saved["method"], saved["host"], saved["path"]) == ("POST", "shop.example", "/save?a=1")
    assert (saved["body"], saved["status"], saved["kinds"]) == (
        "analytics=off&note=%C3%B6",
        200,
        ["submit", "set", "set"],
    )
    assert saved["headers"]["content-type"] == "application/x-www-form-urlencoded"
    assert "cookie" in saved["headers"]
    assert (lost["path"], lost["status"], lost["kinds"]) == ("/nowhere", 404, [])


def test_a_closed_episode_is_gone(sandbox: Sandbox) -> None:
    episode = sandbox.open_episode("shop", signed_in=["shop"])
    visitor = Visitor(sandbox.address, episode)
    episode.close()
    assert visitor.get("https://shop.example/").status == 403
    with pytest.raises(SandboxError, match="unknown episode") as caught:
        episode.state()
    assert caught.value.status == 404


def test_the_episodes_of_a_user_end_when_it_leaves(sandbox: Sandbox) -> None:
    other = Sandbox.connect(sandbox.address)
    visitor = Visitor(sandbox.address, other.open_episode("shop", signed_in=[]))
    assert visitor.get("https://shop.example/").status == 200
    other.close()
    deadline = time.monotonic() + 150
    while sandbox.call("GET", "/health")["leases"] > 1 and time.monotonic() < deadline:
        pass
    assert visitor.get("https://shop.example/").status == 403


def test_only_a_browsing_server_has_a_default_episode(sandbox: Sandbox, site_folder: Path) -> None:
    with pytest.raises(SandboxError, match="browsing"):
        sandbox.open_episode("shop", signed_in=[], default=True)
    with closing(Sandbox.start(sites=[site_folder], only=True, browse=True)) as browsing:
        browsing.open_episode("shop", signed_in=["shop"], default=True)
        nobody = Visitor(browsing.address)
        assert nobody.get("https://shop.example/account").status == 200
        nobody.post("https://shop.example/logout")
        assert nobody.get("https://shop.example/account").status == 302


def test_answers_that_are_read_later_and_in_any_order_belong_to_their_requests(sandbox: Sandbox) -> None:
    answers = [sandbox.ask("GET", path) for path in ("/sites", "/egress", "/sites")]
    in_between = sandbox.sites()
    assert [answer() for answer in reversed(answers)] == [in_between, sandbox.egress(), in_between]


def test_an_answer_that_nobody_reads_is_dropped_with_its_connection(sandbox: Sandbox) -> None:
    with warnings.catch_warnings(record=True) as unclosed:
        warnings.simplefilter("always", ResourceWarning)
        sandbox.ask("GET", "/egress")
        gc.collect()
    assert not unclosed
    assert sandbox.sites()
