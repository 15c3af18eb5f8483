"""A site's bookkeeping of a decision is not a side effect; S0 is compared with it nevertheless."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.scoring.test_state_reward import _task
from websp_gym.sandbox.schema.consent import CHOICE, RECEIPTS
from websp_gym.scoring.rewards import state_verdict
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.sites import site_schema
from websp_gym.world.fresh import declared
from websp_gym.world.sandbox import SandboxWorld
from websp_gym.world.state import Declared, SiteState, WorldState, world_state

DECLARED = Declared(bookkeeping=frozenset({CHOICE, RECEIPTS}))
BEFORE = WorldState(
    {
        "steam": SiteState(
            settings={"consent.ads": True, "consent.stats": True, CHOICE: "none"},
            collections={RECEIPTS: [], "tokens": []},
            declared=DECLARED,
        )
    }
)
AFTER = WorldState(
    {
        "steam": SiteState(
            settings={"consent.ads": False, "consent.stats": True, CHOICE: "custom"},
            collections={RECEIPTS: [{"id": "1", "choice": "custom", "groups": ""}], "tokens": [{"id": "1"}]},
            declared=DECLARED,
        )
    }
)
GOAL = {"settings": {"consent.ads": False}}


@pytest.mark.parametrize(
    ("name", "books"),
    [("AllRecipes-task-154", {CHOICE, RECEIPTS}), ("Steam-task-191-ON", {"cookies.state"})],
)
def test_the_kit_and_a_site_declare_what_is_bookkeeping(name: str, books: set[str]) -> None:
    instance = load_instance(name)
    episode = SandboxWorld().open_episode(instance.site, signed_in=True)
    try:
        state = episode.state()
    finally:
        episode.close()
    assert state.sites[instance.site.slug].declared == declared(site_schema(instance.site.slug))
    assert state.sites[instance.site.slug].declared.bookkeeping == books
    assert state.sites["google"].declared.bookkeeping == set()
    recorded = world_state({"sites": state.as_dict()})
    assert recorded.sites[instance.site.slug].declared.bookkeeping == books


def test_bookkeeping_of_one_site_is_none_of_another() -> None:
    undeclared = WorldState({"steam": replace(BEFORE.sites["steam"], declared=Declared())})
    after = WorldState({"steam": replace(AFTER.sites["steam"], declared=Declared())})
    effects = state_verdict(_task(GOAL), undeclared, after, answered=True).side_effects
    assert len(effects) == 3


def test_a_confirmed_choice_has_no_side_effects_of_its_own() -> None:
    verdict = state_verdict(_task(GOAL), BEFORE, AFTER, answered=True)
    assert verdict.status == "pass"
    assert verdict.side_effects == ("steam: added in tokens: {}",)


def test_only_means_the_other_choices_and_not_the_note_that_one_was_made() -> None:
    only = _task(GOAL, {"settings": ["consent.*"]})
    assert state_verdict(only, BEFORE, AFTER, answered=True).status == "pass"
    named = _task(GOAL, {"settings": [CHOICE]})
    assert state_verdict(named, BEFORE, AFTER, answered=True).status == "fail"
    listed = _task(GOAL, {"collections": [RECEIPTS]})
    assert state_verdict(listed, BEFORE, AFTER, answered=True).status == "fail"
