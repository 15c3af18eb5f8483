from __future__ import annotations

import http.client

import pytest

from tests.sandbox_support import Visitor, kinds
from websp_gym.sandbox.client import EpisodeHandle, Sandbox

SHOP = "https://shop.example"


@pytest.fixture
def stranger(sandbox: Sandbox, episode: EpisodeHandle) -> Visitor:
    visitor = Visitor(sandbox.address, episode)
    visitor.cookies.clear()
    return visitor


def settings(episode: EpisodeHandle) -> dict[str, object]:
    found: dict[str, object] = episode.state()["sites"]["shop"]["settings"]
    return found


def words(episode: EpisodeHandle) -> list[str]:
    return [row["text"] for row in episode.state()["sites"]["shop"]["collections"]["words"]]


def test_a_page_shows_the_state_of_its_episode(visitor: Visitor, episode: EpisodeHandle) -> None:
    page = visitor.get(f"{SHOP}/")
    assert page.status == 200
    assert "Alex Rivers" in page.body
    assert "True loose" in page.body
    assert "Chromium on Linux (this one)" in page.body
    assert page.headers["cache-control"] == "no-store"
    episode.patch("shop", settings={"cookies.analytics": False})
    assert "False loose" in visitor.get(f"{SHOP}/").body


@pytest.mark.parametrize("path", ["/", "/bare", "/raw", "/app/7", "/nowhere"])
def test_every_page_ends_in_the_replica_note(visitor: Visitor, path: str) -> None:
    body = visitor.get(f"{SHOP}{path}").body
    assert body.count("data-websp-replica") == 1
    assert body.index("data-websp-replica") < body.index("</body>")


def test_a_fragment_has_no_note(visitor: Visitor) -> None:
    assert "data-websp-replica" not in visitor.get(f"{SHOP}/part").body


def test_no_page_shows_the_episode_or_the_secret(
    visitor: Visitor, episode: EpisodeHandle, sandbox: Sandbox
) -> None:
    for path in ("/", "/login", "/nowhere", "/broken"):
        reply = visitor.get(f"{SHOP}{path}")
        for secret in (episode.id, sandbox.address.secret):
            assert secret not in reply.body + str(reply.headers)


def test_path_parameters_reach_the_template(visitor: Visitor) -> None:
    assert "app 8" in visitor.get(f"{SHOP}/app/7").body


def test_a_page_has_one_host_and_leads_there_from_the_others(visitor: Visitor) -> None:
    assert visitor.get("https://help.shop.example/help").status == 200
    reply = visitor.get(f"{SHOP}/help?a=b%20c")
    assert (reply.status, reply.headers["location"]) == (302, "https://help.shop.example/help?a=b%20c")
    reply = visitor.get("https://help.shop.example/app/7")
    assert (reply.status, reply.headers["location"]) == (302, f"{SHOP}/app/7")


@pytest.mark.parametrize(
    ("told", "opened"),
    [
        ({}, True),  # no browser, or one at an address without TLS
        ({"sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}, True),
        ({"sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}, True),
        ({"sec-fetch-mode": "cors", "sec-fetch-dest": "empty"}, False),
        ({"sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}, False),
    ],
)
def test_a_page_is_opened_where_a_tab_or_a_frame_shows_it(
    visitor: Visitor, episode: EpisodeHandle, told: dict[str, str], opened: bool
) -> None:
    assert visitor.get(f"{SHOP}/help", **told).status == 302
    assert visitor.get("https://help.shop.example/help", **told).status == 200
    visits = [event["data"] for event in episode.state()["events"] if event["kind"] == "visit"]
    assert visits == [{"host": "help.shop.example", "path": "/help"}] * opened


def test_only_static_files_of_the_folder_are_served(visitor: Visitor) -> None:
    style = visitor.get(f"{SHOP}/_site/shop.css")
    assert (style.body, style.headers["content-type"][:8]) == ("h1 { color: teal }", "text/css")
    assert "max-age" in style.headers["cache-control"]
    assert "kitPost" in visitor.get(f"{SHOP}/_kit/kit.js").body
    for path in ("/_site/../site.yaml", "/_site/%2e%2e/site.yaml", "/_site/none.css"):
        assert visitor.get(f"{SHOP}{path}").status == 404


def test_a_request_without_an_episode_is_turned_away(sandbox: Sandbox, episode: EpisodeHandle) -> None:
    assert Visitor(sandbox.address).get(f"{SHOP}/").status == 403
    wrong = Visitor(sandbox.address).get(f"{SHOP}/", **{"x-websp-episode": "wrong"})
    assert wrong.status == 403


def test_an_unknown_host_has_no_site_and_is_logged(
    visitor: Visitor, episode: EpisodeHandle, sandbox: Sandbox
) -> None:
    reply = visitor.get("https://elsewhere.example/path?token=1")
    assert (reply.status, "No such site" in reply.body) == (404, True)
    assert visitor.get("https://127.0.0.1/").status == 404
    logged = [entry for entry in sandbox.egress() if entry["host"] == "elsewhere.example"]
    assert [(entry["path"], entry["episode"]) for entry in logged] == [("/path", True)]
    assert "egress" in kinds(episode)


def test_http_leads_to_https(sandbox: Sandbox) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", sandbox.address.http_port)
    for method, status in (("GET", 301), ("POST", 308)):
        connection.request(method, "/account?a=1", headers={"host": "shop.example"})
        response = connection.getresponse()
        response.read()
        assert response.status == status
        assert response.headers["location"] == f"{SHOP}/account?a=1"
    connection.close()


def test_a_broken_template_is_an_error_page_and_an_event(visitor: Visitor, episode: EpisodeHandle) -> None:
    reply = visitor.get(f"{SHOP}/broken")
    assert reply.status == 500
    assert "settigns" not in reply.body
    (event,) = [event for event in episode.state()["events"] if event["kind"] == "error"]
    assert "settigns" in event["data"]["error"]


def test_an_action_sets_what_was_sent_and_logs_it(visitor: Visitor, episode: EpisodeHandle) -> None:
    reply = visitor.post(f"{SHOP}/save", {"analytics": "0", "filter": "loose", "other": "ignored"})
    assert (reply.status, reply.body) == (200, '{"success":1}')
    assert settings(episode)["cookies.analytics"] is False
    assert kinds(episode) == ["setup", "set"]


def test_json_may_be_nested_and_typed(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert visitor.json(f"{SHOP}/save", '{"analytics": false, "topics": ["sport", "news"]}').status == 200
    assert settings(episode)["feed.topics"] == ["news", "sport"]
    assert settings(episode)["cookies.analytics"] is False


@pytest.mark.parametrize(
    "form",
    [{"filter": "lose", "analytics": "0"}, {"analytics": "maybe"}, {"note": "x" * 21}, {"unrelated": "1"}],
)
def test_a_bad_value_is_refused_and_changes_nothing(
    visitor: Visitor, episode: EpisodeHandle, form: dict[str, str]
) -> None:
    before = episode.state()["sites"]
    reply = visitor.post(f"{SHOP}/save", form)
    assert (reply.status, '"error"' in reply.body) == (400, True)
    assert episode.state()["sites"] == before


def test_a_refusal_halfway_undoes_the_first_half(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert visitor.post(f"{SHOP}/half/99").status == 404
    assert settings(episode)["cookies.ads"] is True
    assert visitor.post(f"{SHOP}/half/1").status == 200
    assert settings(episode)["cookies.ads"] is False


def test_an_unticked_checkbox_means_off_in_a_form(visitor: Visitor, episode: EpisodeHandle) -> None:
    reply = visitor.post(f"{SHOP}/save-form", {"ads": ["0", "1"]}, referer=f"{SHOP}/account?tab=2")
    assert (reply.status, reply.headers["location"]) == (303, f"{SHOP}/account?tab=2")
    assert settings(episode)["cookies.analytics"] is False
    assert settings(episode)["cookies.ads"] is True


def test_constants_and_toggles(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert visitor.post(f"{SHOP}/reject").body == '{"success":1}'
    assert visitor.post(f"{SHOP}/flip").status == 200
    assert (settings(episode)["cookies.ads"], settings(episode)["cookies.analytics"]) == (True, False)


def test_items_are_added_edited_and_removed(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert visitor.post(f"{SHOP}/words/add", {"word": "gamma, delta,,gamma"}).status == 200
    assert words(episode) == ["alpha", "beta", "gamma", "delta"]
    assert visitor.post(f"{SHOP}/words/add", {"word": "alpha"}).status == 200, "it is there already"
    assert words(episode) == ["alpha", "beta", "gamma", "delta"]
    assert visitor.post(f"{SHOP}/words/edit", {"id": "1", "strong": "on"}).status == 200
    assert visitor.send("DELETE", f"{SHOP}/words/2", None, {}).status == 200
    assert words(episode) == ["alpha", "gamma", "delta"]
    assert visitor.post(f"{SHOP}/words/edit", {"id": "2", "strong": "on"}).status == 404


def test_a_post_from_another_site_is_refused(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert visitor.post(f"{SHOP}/reject", origin="https://accounts.example").status == 403
    assert visitor.post(f"{SHOP}/reject", origin="null").status == 403
    assert settings(episode)["cookies.ads"] is True
    assert visitor.post(f"{SHOP}/reject", origin="https://help.shop.example").status == 200


def test_a_preflight_learns_nothing(visitor: Visitor) -> None:
    asked = {"origin": "https://accounts.example", "access-control-request-method": "POST"}
    for path in ("/", "/save", "/nowhere"):
        reply = visitor.send("OPTIONS", f"{SHOP}{path}", None, asked)
        assert reply.status in (403, 404, 405)
        assert not [name for name in reply.headers if name.startswith("access-control")]


def test_a_wrong_method_is_answered_with_the_allowed_ones(visitor: Visitor) -> None:
    reply = visitor.get(f"{SHOP}/save")
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


def test_behaviour_of_its_own_reads_and_changes_the_episode(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert '"words":["alpha","beta"]' in visitor.get(f"{SHOP}/api/words").body
    assert '"gamma"' in visitor.json(f"{SHOP}/api/words", '{"text": "gamma"}').body
    assert settings(episode)["profile.note"] == "posted"
    assert visitor.json(f"{SHOP}/api/words", '{"txt": "delta"}').status == 400
    assert f"{SHOP}/" in visitor.get(f"{SHOP}/find?q=shoes").body


def test_signed_out_visitors_are_led_to_the_login_page(stranger: Visitor, episode: EpisodeHandle) -> None:
    assert "signed out" in stranger.get(f"{SHOP}/").body
    reply = stranger.get(f"{SHOP}/account?tab=2")
    assert (reply.status, reply.headers["location"]) == (302, "/login?redir=%2Faccount%3Ftab%3D2")
    assert stranger.post(f"{SHOP}/close-account").status == 302
    assert "destructive" not in kinds(episode)


def test_a_browser_with_an_ended_session_is_informed(
    visitor: Visitor, stranger: Visitor, episode: EpisodeHandle
) -> None:
    assert episode.expire_session("shop")
    ended = "Your session has ended. Sign in again."
    assert visitor.get(f"{SHOP}/account").headers["location"].startswith("/login?")
    assert (ended in visitor.get(f"{SHOP}/login").body, ended in stranger.get(f"{SHOP}/login").body) == (
        True,
        False,
    )
    # A script gets an answer that it can show.
    refused = [
        each.send("POST", f"{SHOP}/close-account", "", {"x-requested-with": "fetch"})
        for each in (visitor, stranger)
    ]
    assert [each.status for each in refused] == [401, 401]
    assert (ended in refused[0].body, "Sign in first." in refused[1].body) == (True, True)


def test_destructive_actions_are_logged(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert visitor.post(f"{SHOP}/close-account").headers["location"] == "/?closed=1"
    assert kinds(episode)[-1] == "destructive"


def test_the_login_page_knows_the_password_and_a_wrong_one_is_refused(
    stranger: Visitor, episode: EpisodeHandle
) -> None:
    form = stranger.get(f"{SHOP}/login").body.removeprefix("<html><body>").split("<")[0].split()
    wrong = stranger.post(f"{SHOP}/login/do", {"user": form[0], "password": "guess"})
    assert (wrong.status, wrong.headers["location"][:14]) == (303, "/login?error=1")
    sent = {"user": form[0], "password": form[1], "redir": "/account?tab=2"}
    right = stranger.post(f"{SHOP}/login/do", sent)
    assert (right.status, right.headers["location"]) == (303, "/account?tab=2")
    assert all(word in right.headers["set-cookie"] for word in ("Secure", "HttpOnly", "SameSite=lax"))
    assert stranger.get(f"{SHOP}/account").status == 200
    assert kinds(episode)[-1] == "login"


@pytest.mark.parametrize(
    "redir", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:1"]
)
def test_a_login_leads_nowhere_else(stranger: Visitor, redir: str) -> None:
    reply = stranger.post("https://accounts.example/choose", {"redir": redir})
    assert (reply.status, reply.headers["location"]) == (303, "/")


def test_logging_out_ends_the_session(visitor: Visitor, episode: EpisodeHandle) -> None:
    old = dict(visitor.cookies)
    assert visitor.post(f"{SHOP}/logout").status == 303
    assert "signed out" in visitor.get(f"{SHOP}/").body
    visitor.cookies = old
    assert "signed out" in visitor.get(f"{SHOP}/").body
    assert [row["device"] for row in episode.state()["sites"]["shop"]["collections"]["sessions"]] == [
        "Firefox on Windows"
    ]


def test_other_sessions_can_be_ended(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert visitor.post(f"{SHOP}/logout-others").status == 200
    (left,) = episode.state()["sites"]["shop"]["collections"]["sessions"]
    assert left["current"] is True
    assert visitor.get(f"{SHOP}/account").status == 200
    assert visitor.post(f"{SHOP}/sessions/end", {"id": left["id"]}).status == 200
    assert visitor.get(f"{SHOP}/account").status == 302
    assert kinds(episode)[-2:] == ["logout", "logout"]


def test_a_sign_in_is_handed_over_to_another_site_by_a_one_time_code(
    stranger: Visitor, episode: EpisodeHandle
) -> None:
    form = {"client": "shop", "redir": "/account"}
    assert stranger.post("https://accounts.example/approve", form).status == 303
    assert stranger.post("https://accounts.example/choose").status == 303
    handed = stranger.post("https://accounts.example/approve", form).headers["location"]
    assert handed.startswith(f"{SHOP}/login/callback?code=")
    assert stranger.get(f"{SHOP}/login/callback?code=guess").status == 400
    arrived = stranger.get(handed)
    assert (arrived.status, arrived.headers["location"]) == (303, "/account")
    assert stranger.get(f"{SHOP}/account").status == 200
    assert stranger.get(handed).status == 400
    assert [event["site"] for event in episode.state()["events"] if event["kind"] == "login"] == [
        "accounts",
        "shop",
    ]
