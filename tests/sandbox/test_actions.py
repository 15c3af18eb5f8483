"""Actions of a ``site.yaml``: who may send a request, and a text whose words are kept as items."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.sandbox_support import Visitor, items_of, write_site
from websp_gym.sandbox.client import Sandbox
from websp_gym.sandbox.schema.site_files import SiteError, load_site

SITE: dict[str, Any] = {
    "name": "Inn",
    "hosts": ["inn.example"],
    "settings": {
        "notes.who": {"type": "choice", "choices": ["all", "friends", "few", "none"], "default": "all"},
        "filter.words": {"type": "text", "lower": True, "max_length": 30, "split_into": "words"},
        "filter.on": {
            "type": "bool",
            "default": True,
            "label": "Filter",
            "implies": {False: {"filter.words": ""}},
        },
    },
    "collections": {
        "friends": {"key": "name", "fields": {"name": {"type": "text", "lower": True}}},
        "blocked": {"key": "name", "fields": {"name": {"type": "text"}}},
        "words": {"key": "text", "most": 3, "fields": {"text": {"type": "text"}}},
        "notes": {"fields": {"sender": {"type": "text"}}},
    },
    "actions": [
        {
            "path": "/notes",
            "unless": {"notes.who": ["few", "none"]},
            "unless_listed": {"blocked.name": "from"},
            "only_listed": {"friends.name": "from"},
            "only_listed_when": {"notes.who": "friends"},
            "add": {"collection": "notes", "fields": {"sender": "from"}},
        },
        {"path": "/save", "set": {"filter.words": "typed", "filter.on": "on"}},
    ],
}
NOTES, SAVE = "https://inn.example/notes", "https://inn.example/save"


def write(folder: Path, **changes: Any) -> Path:
    return write_site(folder / "inn", yaml.safe_dump(SITE | changes, sort_keys=False), {})


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    folder = tmp_path_factory.mktemp("sites")
    write(folder)
    sandbox = Sandbox.start(sites=[folder], only=True)
    yield sandbox
    sandbox.close()


@pytest.fixture
def visitor(sandbox: Sandbox) -> Iterator[Visitor]:
    episode = sandbox.open_episode("inn", signed_in=[])
    yield Visitor(sandbox.address, episode)
    episode.close()


def words(visitor: Visitor) -> list[tuple[str, str]]:
    """The ids and texts of the words."""
    return [(row["id"], row["text"]) for row in items_of(visitor, "inn", "words")]


@pytest.mark.parametrize(
    ("who", "sender", "status"),
    [
        ("all", "stranger", 200),
        ("all", "pest", 403),
        ("all", "", 400),
        ("friends", "stranger", 403),
        ("friends", "Friend", 200),
        ("friends", "pest", 403),
        ("friends", "", 400),
        ("few", "friend", 403),
        ("none", "friend", 403),
    ],
)
def test_settings_and_lists_decide_whose_request_is_refused(
    visitor: Visitor, who: str, sender: str, status: int
) -> None:
    assert visitor.episode is not None
    people = {"friends": [{"name": "friend"}, {"name": "pest"}], "blocked": [{"name": "pest"}]}
    visitor.episode.patch("inn", settings={"notes.who": who}, collections=people)
    assert visitor.post(NOTES, {"from": sender}).status == status
    assert len(items_of(visitor, "inn", "notes")) == (status == 200)


def test_a_text_that_is_split_becomes_items_and_a_word_that_stays_keeps_its_item(visitor: Visitor) -> None:
    assert visitor.post(SAVE, {"typed": "B, a  c;\nb,,"}).status == 200
    assert words(visitor) == [("1", "b"), ("2", "a c")]
    assert visitor.episode is not None
    assert visitor.episode.state()["sites"]["inn"]["settings"]["filter.words"] == "b, a c"
    assert visitor.post(SAVE, {"typed": "d, a c"}).status == 200
    assert words(visitor) == [("2", "a c"), ("3", "d")]


def test_a_text_that_is_split_is_refused_as_others_are(visitor: Visitor) -> None:
    assert visitor.post(SAVE, {"typed": "a, b, c, d"}).status == 409
    refused = visitor.post(SAVE, {"typed": "x" * 31})
    assert (refused.status, "typed: 31 characters are more than 30" in refused.body) == (400, True)
    assert words(visitor) == []


def test_a_setting_that_implies_a_text_changes_its_items(visitor: Visitor) -> None:
    assert visitor.post(SAVE, {"typed": "a, b"}).status == 200
    assert visitor.post(SAVE, {"on": "off"}).status == 200
    assert words(visitor) == []


ACTION = SITE["actions"][0]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        (
            {"actions": [ACTION | {"only_listed": {"friend.name": "from"}}]},
            'only_listed: "friend.name" is not a field of a collection; did you mean "friends.name"?',
        ),
        (
            {"actions": [ACTION | {"unless_listed": {"blocked.who": "from"}}]},
            'unless_listed: "blocked.who" is not a field of a collection',
        ),
        (
            {"actions": [ACTION | {"only_listed_when": {"note.who": "all"}}]},
            'only_listed_when: unknown setting "note.who"; did you mean "notes.who"?',
        ),
        (
            {"actions": [ACTION | {"unless": {"notes.who": ["few", "nonee"]}}]},
            "unless: notes.who: 'nonee' is not one of",
        ),
        ({"actions": [ACTION | {"only_listed": {}}]}, "only_listed_when: needs only_listed"),
        (
            {"settings": SITE["settings"] | {"filter.words": {"type": "text", "split_into": "word"}}},
            'settings filter.words: split_into: unknown collection "word"; did you mean "words"?',
        ),
        (
            {"settings": SITE["settings"] | {"filter.words": {"type": "text", "split_into": "notes"}}},
            "split_into: notes needs a key that is one of its fields",
        ),
        (
            {
                "settings": SITE["settings"]
                | {"words": {"type": "text", "split_into": "words", "default": "a"}}
            },
            "split_into: the items of words are not the words of the default",
        ),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, changes: dict[str, Any], says: str) -> None:
    with pytest.raises(SiteError) as caught:
        load_site(write(tmp_path, **changes))
    assert says in "\n".join(caught.value.problems)
