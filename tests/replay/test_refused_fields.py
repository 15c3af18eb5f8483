"""Fields that a page or the browser refuses, in the words of the page alone."""

from __future__ import annotations

import pytest

from tests.replay_support import Bench, bench
from websp_gym.replay.locate import install
from websp_gym.replay.refusals import Pressed, errors

__all__ = ["bench"]


def test_a_field_that_the_page_marks_as_not_valid_is_an_error_where_it_has_a_value(bench: Bench) -> None:
    page = bench.show(
        "<input aria-label=Town value=Nowhere aria-invalid=true><input aria-label=Street aria-invalid=true>"
    )
    install(page.main_frame)
    assert errors(page) == {"Town is not valid": True}


@pytest.mark.parametrize(
    ("form", "button", "unsent"), [("", "", "E-mail"), ("novalidate", "", None), ("", "formnovalidate", None)]
)
def test_a_form_is_held_back_by_a_wrong_field_unless_it_is_sent_unchecked(
    bench: Bench, form: str, button: str, unsent: str | None
) -> None:
    page = bench.show(
        f"<form method=post onsubmit='return false' {form}><input type=email aria-label=E-mail><button {button}>Save</button></form>"
    )
    install(page.main_frame)
    page.locator("input").press_sequentially("no address")
    page.locator("button").click()
    assert Pressed(page.query_selector("button")).unsent() == unsent
