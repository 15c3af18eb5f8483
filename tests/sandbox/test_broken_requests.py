"""A broken request changes nothing, is tried twice, and its event has what it would have changed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox_support import Visitor, write_site
from websp_gym.sandbox.client import EpisodeHandle, Sandbox

SITE = """
name: Frail
hosts: [frail.example]
search: false
settings:
  ads: {type: bool, default: true, implies: {false: {tracking: false}}}
  tracking: {type: bool, default: true}
  note: {type: text, default: ""}
  filter: {type: text, split_into: filtered}
collections: {words: {fields: {text: {type: text}}}, filtered: {key: text, fields: {text: {type: text}}}}
pages: [{path: /, template: home.html}, {path: /page, template: page.html}]
actions:
  - {path: /save, set: {ads: ads, note: note, filter: filter}, add: {collection: words, fields: {text: word}}, redirect: "/{ads.name}"}
"""
BEHAVIOUR = """
from starlette.responses import JSONResponse
from starlette.routing import Route

calls = []


async def write(request):
    episode = request.episode
    episode.set("note", "half")
    calls.append(1)
    if "text" in (await request.body()).decode():
        raise KeyError("broken")
    return JSONResponse({})


async def once(request):
    calls.append(2)
    if calls.count(2) % 2:
        raise KeyError("this time only")
    request.episode.set("note", "second try")
    return JSONResponse({})


def routes(site):
    return [Route("/write", write, methods=["GET", "POST"]), Route("/once", once, methods=["POST"])]
"""
HOME = "<html><body>home</body></html>"
PAGE = "<html><body>{{ missing }}</body></html>"
FRAIL = "https://frail.example"


@pytest.fixture(scope="module")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sites")
    return write_site(root / "frail", SITE, {"home.html": HOME, "page.html": PAGE}, BEHAVIOUR).parent


@pytest.fixture
def episode(sandbox: Sandbox) -> Iterator[EpisodeHandle]:
    episode = sandbox.open_episode("frail", signed_in=[])
    yield episode
    episode.close()


def events(episode: EpisodeHandle, kind: str = "error") -> list[dict[str, Any]]:
    return [event["data"] for event in episode.state()["events"] if event["kind"] == kind]


def test_a_page_that_breaks_would_have_changed_nothing(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert visitor.get(f"{FRAIL}/page").status == 500
    (event,) = events(episode)
    assert event["error"].startswith("UndefinedError")
    assert (event["method"], event["settings"], event["collections"]) == ("GET", {}, [])


def test_a_broken_action_changes_nothing_and_logs_what_it_would_have_changed(
    visitor: Visitor, episode: EpisodeHandle
) -> None:
    fields = {"ads": "off", "note": "mine", "word": "kiwi"}
    assert visitor.post(f"{FRAIL}/save", fields).status == 500
    (event,) = events(episode)
    assert event["settings"] == {"ads": False, "note": "mine", "tracking": False}
    assert (event["collections"], event["sent"].split("\n")) == (["words"], ["off", "mine", "kiwi"])
    site = episode.state()["sites"]["frail"]
    assert (site["settings"]["ads"], site["collections"]["words"]) == (True, [])
    assert not events(episode, "set")


def test_a_text_that_is_split_would_have_changed_its_collection(
    visitor: Visitor, episode: EpisodeHandle
) -> None:
    assert visitor.post(f"{FRAIL}/save", {"filter": "a, b"}).status == 500
    (event,) = events(episode)
    assert (event["settings"], event["collections"]) == ({"filter": "a, b"}, ["filtered", "words"])


def test_a_behaviour_that_breaks_changes_nothing_and_could_have_changed_anything(
    visitor: Visitor, episode: EpisodeHandle
) -> None:
    assert visitor.post(f"{FRAIL}/write", {"content": "text"}).status == 500
    (event,) = events(episode)
    assert (event["settings"], event["collections"], event["sent"]) == (None, None, "text")
    assert episode.state()["sites"]["frail"]["settings"]["note"] == ""
    assert visitor.post(f"{FRAIL}/write", {"content": "x"}).status == 200
    assert episode.state()["sites"]["frail"]["settings"]["note"] == "half"


def test_values_that_a_site_refuses_would_have_changed_nothing(
    visitor: Visitor, episode: EpisodeHandle
) -> None:
    fields = {"ads": "sideways", "note": "mine", "word": "kiwi"}
    assert visitor.post(f"{FRAIL}/save", fields).status == 400
    assert events(episode) == []


def test_a_request_that_breaks_only_once_is_answered(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert visitor.post(f"{FRAIL}/once").status == 200
    assert episode.state()["sites"]["frail"]["settings"]["note"] == "second try"
    assert events(episode) == []
