"""What changed in an account that no goal asks for, at a moment of an episode."""

from __future__ import annotations

from typing import Any

import pytest

from websp_gym.tasks.goals import Goal
from websp_gym.world.side_effects import unasked
from websp_gym.world.state import SiteState, WorldState

MADE = {"id": "3", "note": "ci"}
START: dict[str, Any] = {
    "settings": {"mail": True, "size": 4, "tags": ["a", "b"], "theme": "white", "beside": True},
    "collections": {"tokens": [{"id": "1", "note": "old"}, {"id": "2", "note": "older"}]},
}


def world(settings: dict[str, Any], tokens: list[dict[str, Any]] | None = None) -> WorldState:
    """The account after a change."""
    rows = START["collections"]["tokens"] if tokens is None else tokens
    return WorldState(
        {"shop": SiteState(settings={**START["settings"], **settings}, collections={"tokens": rows})}
    )


@pytest.mark.parametrize(
    ("goal", "now", "expected"),
    [
        ({"settings": {"mail": False}}, world({"mail": False}), []),
        ({"settings": {"mail": False}}, world({}), []),
        ({"settings": {"mail": True}}, world({"mail": False}), ["shop: mail changed from True to False"]),
        ({"settings": {"mail": True}}, world({"beside": False}), ["shop: beside changed from True to False"]),
        ({"settings": {"theme": "dark"}}, world({"theme": "blue"}), ["shop: theme changed from 'white' to 'blue'"]),
        ({"settings": {"size": 9}}, world({"size": 7}), []),
        ({"settings": {"size": 9}}, world({"size": 10}), ["shop: size changed from 4 to 10"]),
        ({"settings": {"tags": ["b", "c"]}}, world({"tags": ["b"]}), []),
        ({"settings": {"tags": ["b", "c"]}}, world({"tags": ["a", "c"]}), ["shop: tags changed from ['a', 'b'] to ['a', 'c']"]),
        ({"created": [{"collection": "tokens"}]}, world({}, [*START["collections"]["tokens"], MADE]), []),
        (
            {"created": [{"collection": "tokens"}]},
            world({}, [*START["collections"]["tokens"], MADE, {**MADE, "id": "4"}]),
            ["shop: 2 created of tokens, not 1"],
        ),
        ({"removed": [{"collection": "tokens", "count": 2}]}, world({}, []), []),
        ({"removed": [{"collection": "tokens"}]}, world({}, []), ["shop: 2 removed of tokens, not 1"]),
        ({"absent": [{"collection": "tokens"}]}, world({}, []), []),
        (
            {"changed": [{"collection": "tokens", "where": {"id": "1"}, "to": {"note": "new"}}]},
            world({}, [{"id": "1", "note": "odd"}, {"id": "2", "note": "older"}]),
            ["shop: tokens.note changed from 'old' to 'odd'"],
        ),
    ],
)  # fmt: skip
def test_what_leads_away_from_the_goal_is_unasked(goal: Any, now: WorldState, expected: list[str]) -> None:
    assert [each.line for each in unasked(Goal(**goal), "shop", world({}), now)] == expected
