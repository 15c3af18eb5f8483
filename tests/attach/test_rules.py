"""Which commands of the protocol pass, and with which arguments."""

from __future__ import annotations

from typing import Any

import pytest

from websp_gym.attach.rules import IGNORED, PASSED, RefusedCommandError, check, rule_of

WIDE = {"x": 0, "y": 0, "width": 20_000, "height": 10}


@pytest.mark.parametrize(
    "clip",
    [
        WIDE,
        {**WIDE, "width": 10, "height": 20_000},
        {**WIDE, "width": 1_000, "scale": 17},
        {**WIDE, "width": "10"},
        {**WIDE, "width": 10, "scale": None},
    ],
)
def test_a_picture_that_is_too_large_is_refused(clip: dict[str, Any]) -> None:
    with pytest.raises(RefusedCommandError, match="too large"):
        check("Page.captureScreenshot", {"format": "png", "clip": clip})


@pytest.mark.parametrize("clip", [None, {**WIDE, "width": 1_000}, {**WIDE, "width": 1_000, "scale": 16}])
def test_any_other_picture_passes(clip: dict[str, Any] | None) -> None:
    check("Page.captureScreenshot", {"format": "png", **({} if clip is None else {"clip": clip})})


@pytest.mark.parametrize("method", ["Page.navigate", "Target.createTarget"])
@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "chrome://version", "javascript:1", "localhost:1234", "view-source:https://a.example/",
     "http://[", 7, None],
)  # fmt: skip
def test_only_addresses_of_the_web_can_be_opened(method: str, url: object) -> None:
    with pytest.raises(RefusedCommandError, match="only web addresses"):
        check(method, {"url": url})


@pytest.mark.parametrize(
    "url", ["https://a.example/", "about:blank", "about:blank#x", "data:text/html,x", ""]
)
def test_those_of_the_web_can(url: str) -> None:
    check("Page.navigate", {"url": url})


def test_no_file_is_dropped_on_a_page() -> None:
    check("Input.dispatchDragEvent", {"type": "drop", "data": {"items": []}})
    with pytest.raises(RefusedCommandError, match="with files"):
        check("Input.dispatchDragEvent", {"type": "drop", "data": {"items": [], "files": ["/etc/passwd"]}})


def test_what_is_in_no_list_is_refused() -> None:
    assert not PASSED & IGNORED
    for method in ("Network.setCookie", "Fetch.enable", "Debugger.pause", "Brand.new", ""):
        assert rule_of(method) == "refuse"
        with pytest.raises(RefusedCommandError, match="not available"):
            check(method, {})
