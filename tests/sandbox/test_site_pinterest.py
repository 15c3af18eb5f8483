"""The Pinterest replica: social permissions, and what they allow other people."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.fuzz_support import CATALOG
from tests.sandbox_support import Visitor, account, items_of
from websp_gym.sandbox.schema.panels import opaque

__all__ = ["account"]

HOST = "https://www.pinterest.com"
SAVE = f"{HOST}/settings/permissions/"


def words(visitor: Visitor) -> list[str]:
    """The words whose comments are hidden."""
    return [row["text"] for row in items_of(visitor, "pinterest", "blocked_words")]


def test_blocked_words_are_saved_each_once_in_lower_case(account: Callable[[str], Visitor]) -> None:
    here = account("pinterest")
    typed = " Bad;wrong  WAY,\nbad ,, ugly"
    assert here.json(SAVE, json.dumps({"creator_blocked_words": typed})).status == 200
    assert words(here) == ["bad", "wrong way", "ugly"]
    assert here.episode is not None
    site = here.episode.state()["sites"]["pinterest"]
    assert site["settings"]["comments.words_own"] == "bad, wrong way, ugly"
    assert here.json(SAVE, json.dumps({"creator_blocked_words": "ugly, new"})).status == 200
    assert words(here) == ["ugly", "new"]
    assert items_of(here, "pinterest", "blocked_words_others") == []


def test_the_words_of_a_filter_that_is_off_cannot_be_changed(account: Callable[[str], Visitor]) -> None:
    here = account("pinterest")
    off = {opaque("comments.filter_own"): False}
    refused = here.json(SAVE, json.dumps(off | {"creator_blocked_words": "bad"}))
    assert (refused.status, "depends on Filter comments on my Pins" in refused.body) == (409, True)
    assert words(here) == []
    assert here.json(SAVE, json.dumps({"creator_blocked_words": "bad"})).status == 200


@pytest.mark.parametrize(
    ("who", "sender", "status"),
    [
        ("everyone", "paper_heron", 200),
        ("everyone", "bargain_bot_77", 403),
        ("everyone", "", 400),
        ("followees", "paper_heron", 403),
        ("followees", "Rosa bakes", 200),
        ("none", "Rosa bakes", 403),
    ],
)
def test_the_setting_of_mentions_decides_who_may_mention(
    account: Callable[[str], Visitor], who: str, sender: str, status: int
) -> None:
    here = account("pinterest")
    assert here.json(SAVE, json.dumps({"allow_mentions": who})).status == 200
    assert here.post(f"{HOST}/api/v1/mentions", {"from": sender, "text": "look"}).status == status
    assert len(items_of(here, "pinterest", "received")) == (status == 200)


@pytest.mark.parametrize(
    ("settings", "sender", "status", "shown"),
    [
        ({}, "paper_heron", 200, False),
        ({"comments.filter_own": False}, "paper_heron", 200, True),
        ({"comments.allowed": False}, "paper_heron", 403, None),
        ({}, "bargain_bot_77", 403, None),
        ({}, "", 400, None),
    ],
)
def test_a_comment_with_a_blocked_word_is_hidden(
    account: Callable[[str], Visitor],
    settings: dict[str, object],
    sender: str,
    status: int,
    shown: bool | None,
) -> None:
    here = account("pinterest")
    assert here.episode is not None
    here.episode.patch("pinterest", settings=settings, collections={"blocked_words": [{"text": "bad"}]})
    reply = here.post(f"{HOST}/api/v1/comments", {"from": sender, "text": "That is BAD."})
    assert (reply.status, json.loads(reply.body).get("shown")) == (status, shown)
    received = [row["shown"] for row in items_of(here, "pinterest", "received")]
    assert received == ([] if shown is None else [shown])


def test_the_people_that_are_followed_are_those_of_the_recommendations() -> None:
    site = CATALOG["pinterest"]
    labels = [setting.label for key, setting in site.settings.items() if key.startswith("following.")]
    assert [row["name"] for row in site.collections["followed"].items] == labels
