from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox_support import write_sites
from websp_gym.sandbox.schema.catalog import Catalog
from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.sandbox.server.episode import EpisodeState
from websp_gym.sandbox.server.sessions import Keyring, browser_cookies, open_session, seen_by
from websp_gym.sandbox.server.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(Catalog([write_sites(tmp_path)]))


@pytest.fixture
def episode(store: Store) -> Iterator[EpisodeState]:
    episode = store.open()
    yield episode
    asyncio.run(store.close(episode))


@pytest.fixture
def shop(store: Store) -> SiteSchema:
    return store.catalog["shop"]


def state(episode: EpisodeState) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(episode.state_json())
    return read


def test_a_fresh_account_has_the_defaults(store: Store, episode: EpisodeState, shop: SiteSchema) -> None:
    fresh = state(episode)
    assert fresh["sites"]["shop"] == store.catalog.default_state(shop)
    assert fresh["sites"]["shop"]["settings"]["cookies.ads"] is True
    assert [row["text"] for row in fresh["sites"]["shop"]["collections"]["words"]] == ["alpha", "beta"]
    assert fresh["events"] == []


def test_a_change_is_stored_and_logged_once(episode: EpisodeState, shop: SiteSchema) -> None:
    assert episode.put(shop, "cookies.ads", False)
    assert not episode.put(shop, "cookies.ads", False)
    assert state(episode)["sites"]["shop"]["settings"]["cookies.ads"] is False
    (event,) = episode.events()
    assert (event["kind"], event["site"]) == ("set", "shop")
    assert event["data"] == {"key": "cookies.ads", "old": True, "new": False}


def test_a_wrong_value_changes_nothing(episode: EpisodeState, shop: SiteSchema) -> None:
    with pytest.raises(ValueError, match=r'unknown setting "cookies.add"; did you mean "cookies.ads"'):
        episode.put(shop, "cookies.add", False)
    with pytest.raises(ValueError, match="not true or false"):
        episode.put(shop, "cookies.ads", "no")
    assert episode.events() == []


def test_items_are_added_changed_and_removed(episode: EpisodeState, shop: SiteSchema) -> None:
    added = episode.add(shop, "words", {"text": "gamma"})
    assert added == {"text": "gamma", "strong": False, "id": "3"}
    assert episode.remove(shop, "words", {"text": "alpha"}) == 1
    assert episode.remove(shop, "words", {"text": "alpha"}) == 0
    assert episode.update(shop, "words", {"id": "2"}, {"strong": True}) == 1
    rows = episode.rows(shop, "words")
    assert [(row["id"], row["text"], row["strong"]) for row in rows] == [
        ("2", "beta", True),
        ("3", "gamma", False),
    ]
    assert [event["kind"] for event in episode.events()] == ["add", "remove", "set"]


def test_the_id_of_a_removed_item_is_not_given_again(episode: EpisodeState, shop: SiteSchema) -> None:
    first = episode.add(shop, "words", {"text": "gamma"})["id"]
    episode.remove(shop, "words", {"id": first})
    assert episode.add(shop, "words", {"text": "delta"})["id"] != first


def test_a_unique_field_is_unique(episode: EpisodeState, shop: SiteSchema) -> None:
    with pytest.raises(ValueError, match='"alpha" already exists'):
        episode.add(shop, "words", {"text": "alpha"})


def test_a_transaction_is_all_or_nothing(episode: EpisodeState, shop: SiteSchema) -> None:
    def fail_halfway() -> None:
        with episode.transaction():
            episode.put(shop, "cookies.ads", False)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert state(episode)["sites"]["shop"]["settings"]["cookies.ads"] is True
    assert episode.events() == []


def test_episodes_do_not_see_each_other(store: Store, episode: EpisodeState, shop: SiteSchema) -> None:
    other = store.open()
    episode.put(shop, "cookies.ads", False)
    assert state(other)["sites"]["shop"]["settings"]["cookies.ads"] is True
    assert other.id != episode.id


def test_a_snapshot_restores_in_the_same_and_in_another_episode(
    store: Store, episode: EpisodeState, shop: SiteSchema
) -> None:
    episode.put(shop, "cookies.ads", False)
    episode.add(shop, "words", {"text": "gamma"})
    key = store.snapshot(episode)
    kept = state(episode)["sites"]
    episode.put(shop, "cookies.ads", True)
    store.restore(episode, key)
    assert state(episode)["sites"] == kept
    other = store.open()
    store.restore(other, key)
    assert state(other)["sites"] == kept
    other.put(shop, "chat.filter", "strict")
    assert state(episode)["sites"] == kept
    with pytest.raises(ValueError, match="unknown snapshot key"):
        store.restore(other, "nonsense")


def test_session_cookies_outlive_a_restore_into_another_episode(
    store: Store, episode: EpisodeState, shop: SiteSchema
) -> None:
    keys = Keyring(b"k" * 32)
    session = open_session(episode, shop, by="setup")
    (cookie,) = browser_cookies(episode, keys)
    assert cookie["domain"] == ".shop.example"
    given = {cookie["name"]: cookie["value"]}
    assert seen_by(episode, shop, keys, given).session == session
    other = store.open()
    seen = seen_by(other, shop, keys, given)
    assert seen.session is None
    assert seen.session_ended
    store.restore(other, store.snapshot(episode))
    assert seen_by(other, shop, keys, given).session == session
    forged = seen_by(other, shop, keys, {cookie["name"]: f"{session}.forged"})
    assert forged.session is None
    assert not forged.session_ended


def test_replacing_a_collection_is_one_initial_state(episode: EpisodeState, shop: SiteSchema) -> None:
    episode.replace(shop, "words", [{"text": "only"}])
    assert [row["text"] for row in episode.rows(shop, "words")] == ["only"]
    assert {event["kind"] for event in episode.events()} == {"setup"}


def test_the_episodes_of_a_lease_end_with_it(store: Store) -> None:
    mine, other = store.open("lease"), store.open("other")
    asyncio.run(store.end_lease("lease"))
    assert store.find(mine.id) is None
    assert store.find(other.id) is other
