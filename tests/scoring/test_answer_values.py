"""Answers by value: a number or a set of names, and nothing else."""

import pytest

from websp_gym.scoring.seen_and_said import answer_checks
from websp_gym.tasks.goals import Goal, Named, Number

ASKED = "How many commits did Lea Haddad make on 2022-04-14?"


def goal(*answer: Named | Number | str) -> Goal:
    return Goal.model_validate({"answer": answer})


def holds(goal: Goal, answer: str, asked: str = ASKED) -> bool:
    return all(check.passed for check in answer_checks(goal, answer, asked))


@pytest.mark.parametrize(
    ("number", "answer", "right"),
    [
        (4, "4", True),
        (4, "Lea made 4 commits on 2022-04-14.", True),
        (4, "She made four commits.", True),
        (4, "On April 14, 2022, Lea made 4 commits.", True),
        (4, "4 commits in 2022-04, the last at 18:40", True),
        (4, "Lea made commits on 2022-04-04.", False),
        (4, "14/4/2022: 3", False),
        (4, "On 14 April she made 4.", True),
        (4, "In April 2022: 4", True),
        (4, "4, 14", False),
        (4, "3 or 4", False),
        (4, "1, 2, 3, 4, 5", False),
        (4, "There were 14 of them.", False),
        (4, "done", False),
        (0, "None: there are no commits of that day.", True),
        (0, "0", True),
        (0, "On April 14, 2022 she did not make any commits.", True),
        (0, "She didn't make any.", True),
        (0, "She did not make two.", False),
        (0, "Nothing needs to be done.", False),
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


@pytest.mark.parametrize(
    ("answer", "right"),
    [
        ("It isn’t closed.", True),
        ("Not closed, still open", True),
        ("No", True),
        ("closed, open", False),
        ("It is closed.", False),
    ],
)
def test_a_name_within_a_longer_one_is_not_named(answer: str, right: bool) -> None:
    wanted = goal(Named(names=(("open", "not closed", "isn't closed", "no"),), among=(("closed", "yes"),)))
    assert holds(wanted, answer) is right
