"""What a page offers is what it shows: no hidden link or form, and no label that is only a part of a text."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Page

from tests.pages_support import blank_page
from websp_gym.policies.in_view import InView, look_at

__all__ = ["blank_page"]


def seen(page: Page, html: str) -> InView:
    page.goto(f"data:text/html,{quote(f'<!doctype html><body>{html}')}")
    return look_at(page)


FORM = '<form method="post" action="https://a.example/save">{}</form>'
SHADOW = (
    '<div><template shadowrootmode="open"><slot></slot></template><a href="https://a.example/x">x</a></div>'
)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<button>Save</button>", True),
        ("<button hidden>Save</button>", False),
        ('<button style="visibility: hidden">Save</button>', False),
        ("<input type=hidden name=a><button hidden>Save</button><input>", True),
        ("<input type=hidden name=a>", False),
        ("<input type=checkbox style='opacity: 0'>", True),
        ("<div role=switch tabindex=0>Dark</div>", True),
    ],
)
def test_a_form_is_in_view_if_a_control_of_it_is(blank_page: Page, html: str, shown: bool) -> None:
    paths = [re.compile("^/save$")]
    assert seen(blank_page, FORM.format(html)).sends(paths) is shown
    assert not seen(blank_page, f"<div hidden>{FORM.format(html)}</div>").sends(paths)
    closed = f"<details><summary>More</summary>{FORM.format(html)}</details>"
    assert not seen(blank_page, closed).sends(paths)


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ('<a href="https://a.example/x">x</a>', True),
        ('<a href="https://a.example/x" hidden>x</a>', False),
        ('<ul style="opacity: 0"><a href="https://a.example/x">x</a></ul>', False),
        ('<menu style="display: none"><a href="https://a.example/x">x</a></menu>', False),
        (SHADOW, True),
    ],
)
def test_a_link_is_in_view_if_it_is_shown(blank_page: Page, html: str, shown: bool) -> None:
    assert ("https://a.example/x" in seen(blank_page, html).links) is shown


@pytest.mark.parametrize(
    ("html", "shown"),
    [
        ("<label>Email <input></label>", True),
        ("<label> email:\n<input></label>", True),
        ("<label>Email <b>new</b></label>", True),
        ("<p>Email preferences</p>", False),
        ("<p>We send no Email to you.</p>", False),
        ("<p hidden>Email</p>", False),
        ("<script>Email</script>", False),
    ],
)
def test_a_label_is_said_as_a_whole_text(blank_page: Page, html: str, shown: bool) -> None:
    assert seen(blank_page, html).says("Email") is shown
