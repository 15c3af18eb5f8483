"""S0 by a trace of presses alone that asks for nothing but pages: shown by the site, or no episode starts."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live.small_site import Author, author, home, press, site
from websp_gym.errors import InitialStateError, SetupError

__all__ = ["author", "home", "site"]


def proof(*case: object) -> Any:
    """A case that `make prove` tries; `make test` tries the other one of the same press."""
    return pytest.param(*case, marks=pytest.mark.proof)


@pytest.mark.parametrize(
    ("role", "name", "forgets"),
    [
        ("button", "Hide my profile", False),
        ("link", "Turn off", True),
        ("button", "Dark theme", False),
        ("button", "Reject all", True),
        ("button", "All mails", True),
        proof("button", "Hide my profile", True),
        proof("link", "Turn off", False),
        proof("button", "Dark theme", True),
        proof("button", "Reject all", False),
        proof("button", "All mails", False),
    ],
)
def test_what_a_press_sets_without_sending_a_form_must_show(
    author: Author, role: str, name: str, forgets: bool
) -> None:
    author.site.forgets = forgets
    event = press(role, name, f"{author.site.url}/", "/set?off" if role == "link" else None)
    if not forgets:
        assert author.reset(event, expect={"mails": True})["events"] == 1
    else:
        with pytest.raises(InitialStateError, match=f'"{name}" is still there after reloading the page'):
            author.reset(event, expect={"mails": True})


@pytest.mark.parametrize(
    "names", [["Details", "Menu"], ["Menu", "Help"], ["More", "About"], ["Details", "Privacy"]], ids=" ".join
)
def test_what_only_opens_a_page_or_a_part_of_one_sets_nothing(author: Author, names: list[str]) -> None:
    links = {"Privacy": "/privacy", "Help": "/help", "About": "/about"}
    url = f"{author.site.url}/"
    events = [press("link" if name in links else "button", name, url, links.get(name)) for name in names]
    assert author.reset(*events, expect={})["events"] == len(names)


def test_a_link_to_the_page_of_a_setting_may_stay(author: Author) -> None:
    url = author.site.url
    events = [press("link", "Settings", f"{url}/start", "/"), press("button", "Hide my profile", f"{url}/")]
    assert author.reset(*events, expect={"hidden": True})["events"] == 2
    assert author.site.on == {"hidden"}


def test_a_page_that_is_turned_away_is_not_one_without_the_button(author: Author) -> None:
    author.site.turned_away["/"] = (503, 2)  # before the trace, and by it
    with pytest.raises(SetupError, match="answered with 503"):
        author.reset(press("button", "Hide my profile", f"{author.site.url}/"), expect={"hidden": True})
