"""What counts as saying that a task was not done, or cannot be done."""

import pytest

from websp_gym.policies.refusals import leaves_undone


@pytest.mark.parametrize(
    "answer",
    [
        "There is no project called tidal-atlas.",
        "I could not create the issue: the project does not exist.",
        "Which fax number should I enter? You did not give it.",
        "The new fax number was not given, so I left the account as it is.",
        "Not possible.",
        "N/A",
    ],
)
def test_it_is_left_undone(answer: str) -> None:
    assert leaves_undone(answer)


@pytest.mark.parametrize("answer", ["", "done", "I updated the fax number.", "The issue was created."])
def test_it_is_not(answer: str) -> None:
    assert not leaves_undone(answer)
