"""The Quora replica: who may comment on what the account has written."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.fuzz_support import CATALOG
from tests.sandbox_support import Visitor, account, items_of

__all__ = ["account"]

FOLLOWED, STRANGER = "Marta Oyelaran", "Wilma Sandoval"


@pytest.mark.parametrize(
    ("who", "sender", "status"),
    [
        ("anyone", STRANGER, 200),
        ("followed", STRANGER, 403),
        ("followed", FOLLOWED, 200),
        ("nobody", FOLLOWED, 403),
        ("anyone", "", 400),
    ],
)
def test_comment_preferences_decide_who_may_comment(
    account: Callable[[str], Visitor], who: str, sender: str, status: int
) -> None:
    here = account("quora")
    assert here.episode is not None
    here.episode.patch("quora", settings={"privacy.comments": who})
    sent = here.post("https://www.quora.com/api/v1/comments", {"from": sender, "text": "Indeed."})
    assert sent.status == status
    comments = [(row["sender"], row["text"]) for row in items_of(here, "quora", "comments")]
    assert comments == ([(sender, "Indeed.")] if status == 200 else [])


def test_the_people_that_are_followed_are_those_of_the_feed() -> None:
    site = CATALOG["quora"]
    writers = {row["writer"] for row in site.data["answers"] if row["feed"] == "following"}
    assert {row["name"] for row in site.collections["followed"].items} == writers
