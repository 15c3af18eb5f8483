"""The vote: a majority of the opinions, never a guess."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from websp_gym.models.usage import sum_known
from websp_gym.scoring.judge.judge import decide
from websp_gym.scoring.judge.opinion import Result
from websp_gym.scoring.judge.vote import Vote, majority

ballots = st.lists(st.sampled_from(["CORRECT", "INCORRECT", None]), min_size=1, max_size=7)
STATUS = {"CORRECT": "pass", "INCORRECT": "fail", None: "unscored"}


def vote(result: Result | None, number: int = 0, cost: float | None = 0.01) -> Vote:
    return Vote(
        model=f"m{number}",
        result=result,
        reason="Why." if result else "",
        error="" if result else "none",
        cost=cost,
    )


@settings(deadline=None)
@given(ballots, st.randoms(use_true_random=False))
def test_the_order_of_the_votes_does_not_matter(results: list[Result | None], rng: random.Random) -> None:
    shuffled = rng.sample(results, len(results))
    assert majority(shuffled) == majority(results)


@settings(deadline=None)
@given(ballots, st.integers(0, 7))
def test_a_vote_without_an_opinion_changes_nothing(results: list[Result | None], place: int) -> None:
    place = min(place, len(results))
    assert majority([*results[:place], None, *results[place:]]) == majority(results)


@settings(deadline=None)
@given(ballots)
def test_the_result_is_what_more_than_half_of_the_opinions_say_and_otherwise_there_is_none(
    results: list[Result | None],
) -> None:
    opinions = [result for result in results if result]
    found = majority(results)
    if found is None:
        assert opinions.count("CORRECT") == opinions.count("INCORRECT")
    else:
        assert opinions.count(found) * 2 > len(opinions)


@settings(deadline=None)
@given(ballots)
def test_the_other_way_round_gives_the_other_result(results: list[Result | None]) -> None:
    other: dict[Result | None, Result | None] = {"CORRECT": "INCORRECT", "INCORRECT": "CORRECT", None: None}
    assert majority([other[result] for result in results]) == other[majority(results)]


@settings(deadline=None)
@given(ballots, st.integers(0, 6))
def test_one_more_vote_for_it_never_turns_a_result_round(results: list[Result | None], place: int) -> None:
    found = majority(results)
    if found is not None:
        assert majority([*results, found]) == found


@settings(deadline=None)
@given(ballots)
def test_the_verdict_says_what_the_vote_says(results: list[Result | None]) -> None:
    verdict = decide([vote(result, number) for number, result in enumerate(results)])
    assert verdict.status == STATUS[majority(results)]
    assert verdict.score == {"pass": 1.0, "fail": 0.0, "unscored": None}[verdict.status]
    assert [line["result"] for line in verdict.details["votes"]] == results
    assert verdict.source == "judge"


def test_nobody_and_a_tie_are_told_apart() -> None:
    assert "no judge gave an opinion: m0: none" in decide([vote(None)]).reason
    assert "tie" in decide([vote("CORRECT"), vote("INCORRECT", 1)]).reason


def test_an_unknown_cost_is_not_nothing() -> None:
    assert decide([vote("CORRECT"), vote("CORRECT", 1, cost=None)]).details["cost"] is None
    assert decide([vote("CORRECT"), vote("CORRECT", 1)]).details["cost"] == pytest.approx(0.02)
    assert sum_known([]) == 0.0
