"""An account's secrets reach neither an agent nor a record, also where a page shows them."""

from __future__ import annotations

from contextlib import closing
from html import escape
from pathlib import Path
from typing import Any

import pytest

from tests.live_internet import Internet
from tests.live_support import home, internet, live_env, server
from tests.pages_support import ShowHtml, blank_page, show
from websp_gym.observation.camera import Camera
from websp_gym.observation.veil import MASK, Veil

__all__ = ["blank_page", "home", "internet", "server", "show"]
ONE, OTHER = "Zk3Q9xPm2LrT", "Wq8N5vBc7JyD"
PLACES = {
    "text": "<p>Your token: <code>{0}</code></p>",
    "in a sentence": "<p>Write down {0} now, it is not shown again.</p>",
    "in parts": "<p><code>{1}<b>{2}</b></code></p>",
    "field": "<input value='{0}' size=40>",
    "text area": "<textarea>{0}</textarea>",
    "shadow root": "<div><template shadowrootmode=open><code>{0}</code></template></div>",
    "large": "<h1 style='font-size:80px'>{0}</h1>",
    "twice": "<p><code>{0}</code><p><code>{0}</code>",
}
STYLE = "<!doctype html><style>* {{ font-family: monospace }}</style>"


def page_with(place: str, secret: str) -> str:
    return (STYLE + PLACES[place]).format(secret, secret[:6], secret[6:])


@pytest.mark.parametrize("place", PLACES)
def test_a_picture_is_the_same_whatever_the_secret_is(show: ShowHtml, place: str) -> None:
    camera, veil = Camera(), Veil([ONE, OTHER])
    pictures = []
    for secret in (ONE, OTHER):
        page = show(page_with(place, secret))
        plain = camera.png(page)
        pictures.append(veil.over_picture(plain, page, 1.0))
        assert pictures[-1] != plain
    assert (Camera.decode(pictures[0]) == Camera.decode(pictures[1])).all()


def test_a_picture_without_a_secret_stays_as_it_is(show: ShowHtml) -> None:
    page = show(page_with("text", "nothing here"))
    png = Camera().png(page)
    assert Veil([ONE]).over_picture(png, page, 1.0) is png


def test_a_secret_in_a_frame_hides_the_whole_picture(show: ShowHtml) -> None:
    page = show(f"<p>Outside</p><iframe srcdoc='{escape(page_with('text', ONE))}'></iframe>")
    page.frame_locator("iframe").get_by_text(ONE).wait_for()
    picture = Camera.decode(Veil([ONE]).over_picture(Camera().png(page), page, 1.0))
    assert (picture == picture[0, 0]).all()


def test_texts_of_an_observation_have_no_secret() -> None:
    seen: dict[str, Any] = {
        "url": f"https://x.example/?key={ONE}",
        "elements": ({"name": f"Copy {ONE}", "box": (1.0, 2.0), "checked": None},),
        "tabs": [{"title": ONE}],
        "actions_left": 3,
    }
    veiled = Veil([ONE, ""]).over(seen)
    assert ONE not in repr(veiled)
    assert veiled["elements"] == ({"name": f"Copy {MASK}", "box": (1.0, 2.0), "checked": None},)
    assert veiled["actions_left"] == 3


def test_neither_the_agent_nor_a_file_gets_what_the_account_keeps_secret(
    internet: Internet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    heading = "Third Party Media Sharing"  # the account's password, which this page happens to show
    monkeypatch.setenv("STEAM_PASSWORD", heading)
    account = internet.visit("Steam-task-192-ON", password="env:STEAM_PASSWORD")
    with closing(
        live_env("Steam-task-192-ON", account=account, observation="marks", record_to=tmp_path / "record")
    ) as env:
        env.reset(seed=0)
        env.page.goto("https://store.steampowered.com/account/cookiepreferences")
        assert heading in env.page.content()
        seen, *_, info = env.step(f"Type [0]; {heading}")
        env.step(f"ANSWER; the cookies of {heading} are off")
    assert heading not in repr({**seen, "screenshot": None}) + repr(info)
    written = [path for path in (tmp_path / "record").rglob("*") if path.is_file()]
    assert any(path.suffix == ".png" for path in written)
    assert not [path for path in written if heading.encode() in path.read_bytes()]
