"""The law for an action that ends its episode with an error twice, the same for every way of playing."""

from __future__ import annotations

import pytest

from websp_gym.records.results import Stage, Try
from websp_gym.scoring.blame import is_own_failure, own_failure


def ended(stage: Stage, step: int, error: str = "WorldError: gone") -> Try:
    return Try(error=error, stage=stage, step=step)


@pytest.mark.parametrize(
    ("first", "last", "own", "of_outside"),
    [
        (("action", 2), ("action", 2), True, True),
        (("action", 2), ("action", 3), False, True),
        (("action", 2), ("process", 2), False, True),
        (("process", 2), ("process", 2), False, True),
        (("process", 0), ("process", 2), False, False),
        (("scoring", 2), ("scoring", 2), False, True),
        (("agent", 1), ("action", 2), False, True),
        (("reset", 0), ("reset", 0), False, False),
    ],
)
def test_a_second_error_at_the_same_action_is_the_agents_failure(
    first: tuple[Stage, int], last: tuple[Stage, int], own: bool, of_outside: bool
) -> None:
    tries = [ended(*first), ended(*last)]
    assert is_own_failure(tries) == own
    assert is_own_failure(tries, outside=True) == of_outside
    assert not is_own_failure(tries[:1])


def test_the_model_of_a_judge_is_out_of_the_agents_reach() -> None:
    tries = [ended("scoring", 2, "ModelError: no answer")] * 2
    assert not is_own_failure(tries, outside=True)


def test_the_reason_names_the_action_and_its_error() -> None:
    said = own_failure(ended("action", 2))
    assert said == "action 2 ended the episode with an error, and did so again: WorldError: gone"
