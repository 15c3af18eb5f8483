"""Settings pages made by chance: nothing else is taken for a control, also where it is gone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from benchmarks.foreign.gallery import shown
from benchmarks.generated.describe import PATH, describe
from benchmarks.generated.html import render
from benchmarks.generated.measure import CHANGES, Result, changed, is_alike, keys, measure
from benchmarks.generated.report import section
from tests.pages_support import blank_page

__all__ = ["blank_page"]

SEEDS = range(200, 230)


def test_a_page_shows_every_control_once_and_the_same_seed_is_the_same_page() -> None:
    for seed in SEEDS:
        of = describe(seed)
        html = render(shown(of, "en")[PATH], seed)
        assert html == render(shown(describe(seed), "en")[PATH], seed)
        assert keys(of)
        for key in keys(of):
            assert html.count(f'data-key="{key}"') == 1, (seed, key)


@pytest.mark.parametrize(
    "seeds", [SEEDS[:5], pytest.param(SEEDS, marks=pytest.mark.proof)], ids=["few", "all"]
)
def test_a_change_keeps_the_target_unless_it_takes_the_target_away(seeds: range) -> None:
    for seed in seeds:
        of = describe(seed)
        for key, target in keys(of).items():
            for change in CHANGES:
                html = render(changed(of, change, key, target), seed)
                assert (f'data-key="{key}"' in html) == (change != "gone"), (seed, key, change)


def test_a_control_of_a_group_without_a_title_may_have_its_like() -> None:
    found = [is_alike(of, target) for of in map(describe, SEEDS) for target in keys(of).values()]
    assert 0 < sum(found) < len(found) / 10


@pytest.mark.parametrize(
    ("seed", "every"),
    [(201, 6), *(pytest.param(seed, 3, marks=pytest.mark.proof) for seed in (201, 204, 211))],
)
def test_replay_finds_every_target_of_a_page_and_no_other_element(
    blank_page: Page, seed: int, every: int
) -> None:
    results = list(measure(seed, blank_page, methods=("websp",), every=every))
    assert len(results) == len(CHANGES) * len(list(keys(describe(seed)))[::every])
    for result in results:
        allowed = {"raised"} if result.change == "gone" else {"found"}
        if result.alike and result.change != "unchanged":
            allowed = {"found", "raised"}
        assert result.outcome in allowed, result


def test_the_section_counts_each_outcome_of_each_tool() -> None:
    results = [
        Result(1001, "a", False, "rows", "websp", "found"),
        Result(1001, "b", False, "rows", "websp", "raised"),
        Result(1002, "c", True, "rows", "websp", "wrong"),
    ]
    text = section(results, 60)
    assert "2 pages made by chance (seeds 1001 to 1002), 3 targets" in text
    assert "| rows | 1 / 1 / 0 |" in text
    assert "| rows | 0 / 0 / 1 |" in text
