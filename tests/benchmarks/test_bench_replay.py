"""The robustness benchmark itself: pages that change the same way for the same seed, and facts that are facts."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from benchmarks.hostile.measure import REPLAY, Case, cases, measure
from benchmarks.hostile.mutate import MUTATIONS, combination, mutated
from benchmarks.hostile.pages import PAGES, TARGETS
from benchmarks.hostile.stage import METHODS, Recording, Stage, stage
from benchmarks.hostile.tree import Node, facts, identifiable


@pytest.fixture(scope="module")
def on(browser_thread: None) -> Iterator[Stage]:
    """A browser for the pages."""
    with stage() as made:
        yield made


def test_every_target_is_recorded_and_found_by_every_tool_on_the_untouched_page(on: Stage) -> None:
    for page in ("settings", "table"):
        on.show(PAGES[page]())
        for key in TARGETS[page]:
            recording = Recording(on, key)
            for method in ("cascade", "devtools", "codegen"):
                assert recording.find(method, on) == key, (page, key, method)


def test_a_single_rung_finds_what_it_is_for(on: Stage) -> None:
    on.show(PAGES["settings"]())
    recording = Recording(on, "ads")
    found = {method: recording.find(method, on) for method in METHODS}
    assert found.pop("text") is None, "no text but its label stands around it"
    assert set(found.values()) == {"ads"}


def test_the_same_seed_changes_a_page_the_same_way_and_leaves_the_original_alone() -> None:
    page = PAGES["table"]()
    before = page.plain()
    names = tuple(MUTATIONS)
    assert mutated(page, "device-1", names, 7) == mutated(page, "device-1", names, 7)
    assert mutated(page, "device-1", ("ids",), 7) != mutated(page, "device-1", ("ids",), 8)
    assert page.plain() == before


@pytest.mark.parametrize("name", list(MUTATIONS))
def test_every_mutation_changes_pages_and_loses_only_what_it_declares(name: str) -> None:
    changes = 0
    for kind, keys in TARGETS.items():
        page = PAGES[kind]()
        changed, _ = mutated(page, keys[0], (name,), 3)
        lost = facts(page).keys() - facts(changed).keys()
        assert lost == ({keys[0]} if name == "gone" else set())
        changes += changed != page
    assert changes >= (1 if name == "virtual" else len(TARGETS) // 2)


def test_an_element_known_only_by_position_is_not_identifiable() -> None:
    page = PAGES["settings"]()
    known = facts(page)["comments-email"]
    assert identifiable(known, page, "comments-email")
    translated, _ = mutated(page, "comments-email", ("translate",), 1)
    assert not identifiable(known, translated, "comments-email")
    assert identifiable(facts(page)["ads"], mutated(page, "ads", ("translate",), 1)[0], "ads"), "it has an id"
    assert not identifiable(known, mutated(page, "comments-email", ("gone",), 1)[0], "comments-email")
    twins = Node("div", {}, [Node("button", {}, ["Mute"], key, {"label": "Mute"}) for key in ("a", "b")])
    assert not identifiable(facts(twins)["a"], twins, "a")


@pytest.mark.parametrize(
    ("case", "can"),
    [
        (Case("settings", "comments-email", ("shuffle",), 1, full=True), True),
        (Case("table", "device-1", ("far-frame", "late"), 1, full=True), True),
        (Case("table", "device-1", ("gone",), 1, full=True), False),
        (Case("form", "website", ("ids", "rerender", "shadow"), 1, full=True), True),
        (Case("people", "mute-31", ("virtual",), 1, full=True), True),
    ],
)
def test_replay_operates_the_right_element_or_none(case: Case, can: bool) -> None:
    (result,) = measure(case.page, [case])
    assert result.identifiable is can
    assert result.outcomes[REPLAY] == ("found" if can else "raised")


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
