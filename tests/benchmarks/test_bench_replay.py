"""The robustness benchmark itself: pages that change the same way for the same seed, and facts that are facts."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from benchmarks.hostile.measure import REPLAY, Case, cases, measure
from benchmarks.hostile.mutate import MUTATIONS, combination, mutated
from benchmarks.hostile.pages import PAGES, read_page, targets
from benchmarks.hostile.stage import METHODS, Recording, Stage, stage
from benchmarks.hostile.tree import Node, facts, identifiable


@pytest.fixture(scope="module")
def on(browser_thread: None) -> Iterator[Stage]:
    """A browser for the pages."""
    with stage() as made:
        yield made


@pytest.mark.parametrize("page", ["settings", pytest.param("table", marks=pytest.mark.proof)])
def test_every_target_is_recorded_and_found_by_every_tool_on_the_untouched_page(on: Stage, page: str) -> None:
    on.show(read_page(page))
    for key in targets(page):
        recording = Recording(on, key)
        for method in ("cascade", "devtools", "codegen"):
            assert recording.find(method, on) == key, (key, method)


def test_a_single_rung_finds_what_it_is_for(on: Stage) -> None:
    on.show(read_page("settings"))
    recording = Recording(on, "ads")
    found = {method: recording.find(method, on) for method in METHODS}
    assert found.pop("text") is None, "no text but its label stands around it"
    assert set(found.values()) == {"ads"}


def test_the_same_seed_changes_a_page_the_same_way_and_leaves_the_original_alone() -> None:
    page = read_page("table")
    before = page.plain()
    names = tuple(MUTATIONS)
    assert mutated(page, "device-1", names, 7) == mutated(page, "device-1", names, 7)
    assert mutated(page, "device-1", ("ids",), 7) != mutated(page, "device-1", ("ids",), 8)
    assert page.plain() == before


def test_every_mutation_changes_pages_and_loses_only_what_it_declares() -> None:
    for name in MUTATIONS:
        changes = 0
        for kind in PAGES:
            page, key = read_page(kind), targets(kind)[0]
            changed, _ = mutated(page, key, (name,), 3)
            lost = facts(page).keys() - facts(changed).keys()
            assert lost == ({key} if name == "gone" else set()), name
            changes += changed != page
        assert changes >= (1 if name == "virtual" else len(PAGES) // 2), name


def test_an_element_known_only_by_position_is_not_identifiable() -> None:
    page = read_page("settings")
    known = facts(page)["comments-email"]
    assert identifiable(known, page, "comments-email")
    translated, _ = mutated(page, "comments-email", ("translate",), 1)
    assert not identifiable(known, translated, "comments-email")
    assert identifiable(facts(page)["ads"], mutated(page, "ads", ("translate",), 1)[0], "ads"), "it has an id"
    assert not identifiable(known, mutated(page, "comments-email", ("gone",), 1)[0], "comments-email")
    twins = Node("div", {}, [Node("button", {}, ["Mute"], key, {"label": "Mute"}) for key in ("a", "b")])
    assert not identifiable(facts(twins)["a"], twins, "a")


@pytest.mark.parametrize(
    ("page", "cases"),
    [
        (
            "settings",
            {
                Case("settings", "comments-email", ("shuffle",), 1, full=True): True,
                Case("settings", "comments-email", ("gone",), 1, full=True): False,
            },
        ),
        *(
            pytest.param(case.page, {case: True}, marks=pytest.mark.proof)
            for case in (
                Case("table", "device-1", ("far-frame", "late"), 1, full=True),
                Case("form", "website", ("ids", "rerender", "shadow"), 1, full=True),
                Case("people", "mute-31", ("virtual",), 1, full=True),
            )
        ),
    ],
)
def test_replay_operates_the_right_element_or_none(page: str, cases: dict[Case, bool]) -> None:
    results = measure(page, cases)
    assert [result.identifiable for result in results] == [*cases.values()]
    wanted = ["found" if can else "raised" for can in cases.values()]
    assert [result.outcomes[REPLAY] for result in results] == wanted


def test_the_held_out_seeds_were_not_used_for_tuning() -> None:
    todo = list(cases(2))
    assert min(case.seed for case in todo) > 1_000
    assert sum(case.full for case in todo) >= 500
    assert len({case.mutations for case in todo}) > len(MUTATIONS)


def test_combinations_never_put_one_page_into_two_languages() -> None:
    random = Random(1)
    for _ in range(200):
        names = combination(random)
        assert 2 <= len(names) <= 4
        assert len({"relabel", "reword", "translate"} & set(names)) <= 1
