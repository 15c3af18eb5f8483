"""What a site notes about a decision is no side effect of it; S0 is compared with it all the same."""

from __future__ import annotations

from tests.test_state_reward import _task
from websp_gym.sandbox.consent import CHOICE, RECEIPTS
from websp_gym.scoring.rewards import state_verdict
from websp_gym.world.state import BOOKKEEPING, SiteState, WorldState

BEFORE = WorldState(
    {
        "steam": SiteState(
            settings={"consent.ads": True, "consent.stats": True, CHOICE: "none"},
            collections={RECEIPTS: [], "tokens": []},
        )
    }
)
AFTER = WorldState(
    {
        "steam": SiteState(
            settings={"consent.ads": False, "consent.stats": True, CHOICE: "custom"},
            collections={RECEIPTS: [{"id": "1", "choice": "custom", "groups": ""}], "tokens": [{"id": "1"}]},
        )
    }
)
GOAL = {"settings": {"consent.ads": False}}


def test_the_names_are_those_of_the_kit() -> None:
    assert {CHOICE, RECEIPTS} <= BOOKKEEPING


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
