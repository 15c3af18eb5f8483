"""Answers by value: a number or a set of names, and nothing else."""

import pytest

from websp_gym.scoring.seen_and_said import answer_checks
from websp_gym.tasks.goals import Goal, Named, Number

ASKED = "How many commits did Lea Haddad make on 2022-04-14?"


def goal(*answer: Named | Number) -> Goal:
    return Goal.model_validate({"answer": answer})


def holds(goal: Goal, answer: str, asked: str = ASKED) -> bool:
    return all(check.passed for check in answer_checks(goal, answer, asked))


@pytest.mark.parametrize(
    ("number", "answer", "right"),
    [
        (4, "4", True),
        (4, "Lea made 4 commits on 2022-04-14.", True),
        (4, "She made four commits.", True),
        (4, "3 or 4", False),
        (4, "1, 2, 3, 4, 5", False),
        (4, "There were 14 of them.", False),
        (4, "done", False),
        (0, "None: there are no commits of that day.", True),
        (0, "0", True),
        (0, "No, she made 2.", False),
        (1150000, "The amount is 1,150,000.00 EUR.", True),
        (2.5, "2.5", True),
        (2.5, "25", False),
    ],
)
def test_a_number(number: float, answer: str, right: bool) -> None:
    assert holds(goal(Number(number=number)), answer) is right


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("quiet-pager and runbook-linter", True),
        ("runbook-linter, quiet-pager", True),
        ("quiet-pager", False),
        ("quiet-pager, runbook-linter, hourglass", False),
        ("none of them", False),
    ],
)
def test_a_set_of_names(answer: str, right: bool) -> None:
    wanted = goal(Named(names=("quiet-pager", "runbook-linter"), among=("hourglass", "dotfiles")))
    assert holds(wanted, answer) is right


def test_a_thing_may_have_several_names() -> None:
    wanted = goal(Named(names=(("closed", "yes"),), among=(("open", "not closed", "no"),)))
    assert holds(wanted, "Yes, it is closed.")
    assert not holds(wanted, "It is not closed.")
    assert not holds(wanted, "It is open.")
