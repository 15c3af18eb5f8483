"""The log tells of a form that a set of policies watches: the fields that it names, and no others."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox_support import Visitor
from websp_gym.sandbox.client import EpisodeHandle

SHOP = "https://shop.example"
FORMS = {
    "shop.example/save": ["filter", "note"],
    "shop.example/save/**": [],
    "shop.example/api/words": ["text"],
}


def sent(episode: EpisodeHandle) -> list[tuple[str, Any]]:
    found = [event["data"] for event in episode.state()["events"] if event["kind"] == "sent"]
    return [(each["form"], each["fields"]) for each in found]


def test_a_watched_form_is_told_with_the_fields_that_are_named(
    visitor: Visitor, episode: EpisodeHandle
) -> None:
    episode.stage({}, [], None, FORMS)
    assert (
        visitor.post(f"{SHOP}/save", {"filter": "strict", "note": "n" * 20, "topics": "news"}).status == 200
    )
    assert visitor.post(f"{SHOP}/save-form", {"analytics": "on"}).status in (200, 303)
    assert visitor.get(f"{SHOP}/").status == 200
    assert sent(episode) == [
        ("shop.example/save", {"filter": "strict", "note": "n" * 20}),
        ("shop.example/save/**", {}),
    ]


def test_what_a_script_or_a_behaviour_takes_is_told_too(visitor: Visitor, episode: EpisodeHandle) -> None:
    episode.stage({}, [], None, FORMS)
    assert visitor.json(f"{SHOP}/save", '{"filter": "loose", "token": "abc"}').status == 200
    assert visitor.json(f"{SHOP}/api/words", '{"text": "gamma"}').status == 200
    assert sent(episode) == [
        ("shop.example/save", {"filter": "loose"}),
        ("shop.example/save/**", {}),
        ("shop.example/api/words", {"text": "gamma"}),
    ]


@pytest.mark.parametrize("form", [{"filter": "neither"}, {"note": "x" * 21}])
def test_a_form_that_is_refused_is_not_told(
    visitor: Visitor, episode: EpisodeHandle, form: dict[str, str]
) -> None:
    episode.stage({}, [], None, FORMS)
    assert visitor.post(f"{SHOP}/save", form).status == 400
    assert sent(episode) == []


def test_without_policies_no_form_is_told(visitor: Visitor, episode: EpisodeHandle) -> None:
    assert visitor.post(f"{SHOP}/save", {"filter": "strict"}).status == 200
    assert sent(episode) == []
