"""The round trip as a property, on the benchmark's hostile pages: recorded on one, replayed on what has become of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.hostile.pages import PAGES
from benchmarks.hostile.stage import stage
from tests.recorder_support import facts
from tests.recording.round_trips import OTHER_WORDS, Traveller, plan
from websp_gym.recording import RecorderBrowser

SOME = (
    "feed",
    *(
        pytest.param(name, marks=pytest.mark.proof)
        for name in ("menus", "form", "settings", "consent", "team")
    ),
)


@pytest.fixture(scope="module")
def traveller(browser_thread: None) -> Iterator[Traveller]:
    """A browser that records and one that replays."""
    with RecorderBrowser() as studio, stage() as there:
        yield Traveller(studio, there)


@pytest.mark.parametrize("page", SOME)
def test_what_was_recorded_on_a_hostile_page_leads_to_the_same_state_on_a_changed_one(
    page: str, traveller: Traveller
) -> None:
    trip = traveller.go(plan(page, 0))
    assert trip.outcome == "same", (trip.plan, trip.detail, facts(trip.trace))


@pytest.mark.proof
@pytest.mark.parametrize("page", ["table", "people"])
def test_where_targets_are_gone_or_reworded_replay_stops_before_it_does_anything_else(
    page: str, traveller: Traveller
) -> None:
    trip = traveller.go(plan(page, 3, words=True))
    assert trip.outcome in ("same", "raised"), (trip.plan, trip.detail, facts(trip.trace))


def test_plans_are_the_same_for_the_same_seed_and_do_all_that_can_be_done() -> None:
    plans = [plan(page, seed, words=seed % 2 == 1) for page in PAGES for seed in range(8)]
    assert plans == [plan(page, seed, words=seed % 2 == 1) for page in PAGES for seed in range(8)]
    assert all(5 <= len(each.steps) <= 12 for each in plans)
    assert {step.kind for each in plans for step in each.steps} == {"press", "choose", "write"}
    done = {name for each in plans for name in (*each.recorded, *each.replayed)}
    assert done >= {"shadow", "frame", "far-frame", "virtual", "late", "rerender", "ids", "duplicates"}
    assert done & set(OTHER_WORDS)
    assert all(each.sure for each in plans[::2]), "what is no more identifiable is only reloaded"
