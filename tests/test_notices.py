"""What the browser would show in windows of its own: the agent is told in one line, and nothing waits for an answer."""

from __future__ import annotations

import pytest

from tests.actions_support import Hands, hands, sites

__all__ = ["hands", "sites"]

SAVED = {"content-type": "text/csv", "content-disposition": "attachment; filename=my-data.csv"}
TOLD = "the page began a download of 'my-data.csv'; it was cancelled, as no file can be saved here"
CHOOSE = "the page asked for a file to be chosen; no file can be chosen here"


@pytest.mark.parametrize(
    "opener",
    [
        "<a href=/file>Get</a>",
        "<a href=/file target=_blank>Get</a>",
        "<button onclick=\"window.open('/file')\">Get</button>",
        "<button onclick='save()'>Get</button><script>function save() { Object.assign(document.createElement('a'), "
        "{ href: URL.createObjectURL(new Blob(['x'])), download: 'my-data.csv' }).click() }</script>",
    ],
)
def test_a_download_is_told_once(hands: Hands, opener: str) -> None:
    hands.site.put("/file", "a,b", headers=SAVED)
    hands.show(opener)
    hands.click("Get")
    hands.look()
    assert hands.tabs.notices.texts == [TOLD]
    hands.do("Wait")
    assert hands.tabs.notices.texts == []


def test_many_downloads_are_told_in_a_few_lines(hands: Hands) -> None:
    hands.show(
        "<button onclick=\"for (let n = 0; n < 30; n++) Object.assign(document.createElement('a'), { href: 'data:text/plain,x', "
        "download: n + 'x'.repeat(300) }).click()\">Flood</button>"
    )
    hands.click("Flood")
    assert len(" ".join(hands.tabs.notices.texts)) < 1_100


@pytest.mark.parametrize(
    "opener",
    [
        "<label>Picture <input type=file></label>",
        "<button onclick='f.click()'>Picture</button><input id=f type=file hidden multiple>",
    ],
)
def test_a_file_that_should_be_chosen_is_told(hands: Hands, opener: str) -> None:
    hands.show(opener)
    hands.click("Picture")
    hands.look()
    assert hands.tabs.notices.texts == [CHOOSE]
    assert hands.names() == ["Picture"]
