"""The vote: a quorum of the models, never a guess."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from websp_gym.errors import SetupError
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


C: Result = "CORRECT"
X: Result = "INCORRECT"

CASES: list[tuple[list[Result | None], int | None, Result | None]] = [
    ([C], None, C),
    ([X], None, X),
    ([None], None, None),
    ([C, C], None, C),
    ([C, X], None, None),
    ([C, None], None, None),
    ([None, None], None, None),
    ([C, None], 1, C),
    ([C, X], 1, None),
    ([C, C, X], None, C),
    ([X, X, X], None, X),
    ([C, C, None], None, C),
    ([C, X, None], None, None),
    ([C, None, None], None, None),
    ([None, None, None], None, None),
    ([C, None, None], 1, C),
    ([X, C, X], 1, X),
    ([C, X, None], 1, None),
    ([C, C, X], 3, None),
    ([C, C, C], 3, C),
    ([C, C, C, X, X], None, C),
    ([C, C, C, None, None], None, C),
    ([C, C, X, None, None], None, None),
    ([C, C, None, None, None], None, None),
    ([C, C, X, None, None], 2, C),
    ([C, C, X, X, None], 2, None),
    ([C, C, X, X, X], 2, X),
    ([X, X, X, X, C], 5, None),
]
"""Opinions, quorum, and what follows."""


@pytest.mark.parametrize(("results", "quorum", "expected"), CASES)
def test_a_quorum_of_the_models_decides(
    results: list[Result | None], quorum: int | None, expected: Result | None
) -> None:
    assert majority(results, quorum) == expected
    assert decide([vote(result) for result in results], quorum).status == STATUS[expected]


@settings(deadline=None)
@given(ballots, st.integers(0, 7))
def test_a_model_that_falls_silent_never_makes_or_turns_a_verdict(
    results: list[Result | None], place: int
) -> None:
    place = min(place, len(results) - 1)
    found = majority([*results[:place], None, *results[place + 1 :]])
    assert found in (None, majority(results))


@settings(deadline=None)
@given(ballots)
def test_the_result_needs_more_than_half_of_the_models(
    results: list[Result | None],
) -> None:
    found = majority(results)
    halves = [name for name in (C, X) if results.count(name) * 2 > len(results)]
    assert ([found] if found else []) == halves


@settings(deadline=None)
@given(ballots, st.integers(1, 7))
def test_a_higher_quorum_only_takes_verdicts_away(results: list[Result | None], quorum: int) -> None:
    quorum = min(quorum, len(results))
    found = majority(results, quorum)
    assert found in (None, majority(results, 1))
    assert found is None or results.count(found) >= quorum


@pytest.mark.parametrize("quorum", [0, -1, 3])
def test_a_quorum_that_the_models_cannot_reach_is_refused(quorum: int) -> None:
    with pytest.raises(SetupError, match=f"quorum={quorum}: give a number from 1 to 2, the number of models"):
        majority([C, C], quorum)


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
def test_the_verdict_follows_the_vote(results: list[Result | None]) -> None:
    verdict = decide([vote(result, number) for number, result in enumerate(results)])
    assert verdict.status == STATUS[majority(results)]
    assert verdict.score == {"pass": 1.0, "fail": 0.0, "unscored": None}[verdict.status]
    assert [line["result"] for line in verdict.details["votes"]] == results
    assert verdict.source == "judge"


def test_a_missing_verdict_counts_answers_failures_and_unreadable_votes() -> None:
    failed = Vote(model="m1", result=None, error="m1: an error of the provider (503: busy)", failed="server")
    garbled = Vote(model="m2", result=None, error="the answer is not JSON", unreadable=3)
    assert decide([vote(C), failed, garbled]).reason == (
        "2 of 3 models must agree; answers: 1 CORRECT, 1 failed, 1 unreadable; "
        "m1: an error of the provider (503: busy); m2: the answer is not JSON"
    )
    assert decide([vote(C), vote(X, 1)]).reason == "2 of 2 models must agree; answers: 1 CORRECT, 1 INCORRECT"
    assert (
        decide([vote(C), failed, vote(C, 2)]).reason == "2 of 3 judges: CORRECT, 1 without an opinion. Why."
    )


def test_votes_of_older_versions_are_read_and_distinguished() -> None:
    new = {"failed", "unreadable"}
    opinion, silent = vote(C).as_dict(), vote(None).as_dict()
    refused = {"answer": "", "problem": "m0: an error of the provider (503: busy) (5 attempts); try later"}
    prose = {"answer": "Sure!", "problem": "the answer is not JSON"}
    for data, lines, expected in (
        (opinion, [], ("", 0)),
        (opinion, [prose, prose], ("", 2)),
        (silent, [prose, prose, prose], ("", 3)),
        (silent, [prose, refused], ("unknown", 1)),
    ):
        older = {name: value for name, value in {**data, "transcript": lines}.items() if name not in new}
        found = Vote.of(json.loads(json.dumps(older)))
        assert (found.failed, found.unreadable) == expected
        assert found.result == data["result"]


def test_an_unknown_cost_is_not_nothing() -> None:
    assert decide([vote("CORRECT"), vote("CORRECT", 1, cost=None)]).details["cost"] is None
    assert decide([vote("CORRECT"), vote("CORRECT", 1)]).details["cost"] == pytest.approx(0.02)
    assert sum_known([]) == 0.0
