"""A report tells of a fault by its words, and a denial is none."""

from __future__ import annotations

from typing import get_args

from websp_gym.policies.reports import tells_of
from websp_gym.policies.rules.obligations import FaultKind

TELL = [
    ("fails", "The site said that the changes were not saved."),
    ("fails", "Saving failed with an error, so I tried again."),
    ("fails", "I couldn\u2019t save the setting."),
    ("maintenance", "The notifications page is down for maintenance."),
    ("maintenance", "The page is unavailable at the moment"),
    ("missing", "The form needs a comment, which I do not have."),
    ("missing", "A required field is missing."),
]
DO_NOT = [
    "",
    "a",
    "done",
    "The page",
    "Everything is saved.",
    "We saw 500 users; the server was fine.",
    "There was no problem.",
    "It worked without any error.",
    "No required field is missing.",
    "I downloaded the terror list",
]


def test_a_report_of_a_fault() -> None:
    assert [(kind, text) for kind, text in TELL if not tells_of(kind, text)] == []


def test_a_text_that_tells_of_no_fault() -> None:
    kinds: tuple[FaultKind, ...] = get_args(FaultKind)
    assert [(kind, text) for kind in kinds for text in DO_NOT if tells_of(kind, text)] == []
