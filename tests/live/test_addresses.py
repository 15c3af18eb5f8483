"""A site that is elsewhere than its tasks say: a staging copy, or one's own installation."""

from __future__ import annotations

import pytest

from websp_gym.errors import SetupError
from websp_gym.replay import Trace
from websp_gym.replay.moved import address_on, on_site

THERE = "https://shop.example"
HERE = "http://127.0.0.1:8080/shop/"


@pytest.mark.parametrize(
    ("address", "moved"),
    [
        (f"{THERE}", "http://127.0.0.1:8080/shop"),
        (f"{THERE}/", "http://127.0.0.1:8080/shop/"),
        (f"{THERE}/settings?tab=2#mail", "http://127.0.0.1:8080/shop/settings?tab=2#mail"),
    ],
)
def test_the_path_of_the_site_comes_before_that_of_the_page(address: str, moved: str) -> None:
    assert address_on(address, HERE) == moved


def test_what_is_no_web_address_is_refused() -> None:
    with pytest.raises(SetupError, match="is not a web address"):
        address_on(THERE, "staging")


def test_all_own_addresses_of_a_trace_are_moved_and_no_other() -> None:
    target = {"tag": "button", "role": "button", "form": f"{THERE}/save", "href": "https://other.example/"}
    trace = Trace.model_validate(
        {
            "schema": "websp-trace/2",
            "name": "save",
            "site": "shop",
            "start_url": f"{THERE}/settings",
            "events": [{"type": "click", "url": f"{THERE}/settings", "target": target}],
        }
    )
    moved = on_site(trace, HERE)
    (event,) = moved.events
    assert event.target is not None
    assert moved.start_url == event.url == "http://127.0.0.1:8080/shop/settings"
    assert event.target.form == "http://127.0.0.1:8080/shop/save"
    assert event.target.href == "https://other.example/"
