"""Native windows of the browser: the agent gets one line on each, and nothing waits for an answer."""

from __future__ import annotations

import pytest

from tests.actions_support import Hands, hands, sites
from websp_gym.browser.notices import ASKED

__all__ = ["hands", "sites"]

SAVED = {"content-type": "text/csv", "content-disposition": "attachment; filename=my-data.csv"}
TOLD = "the page started a download of 'my-data.csv'; it was cancelled, because no file can be saved here"


@pytest.mark.parametrize(
    "opener",
    [
        "<a href=/file>Get</a>",
        "<a href=/file target=_blank>Get</a>",
        "<a href=/file target=_blank rel=noopener>Get</a>",
        "<button onclick=\"window.open('/file')\">Get</button>",
        "<form action=/file method=post target=_blank><button>Get</button></form>",
        "<button onclick=\"document.body.insertAdjacentHTML('beforeend', '<iframe src=/file hidden></iframe>')\">Get</button>",
        "<button onclick='save()'>Get</button><script>function save() { Object.assign(document.createElement('a'), "
        "{ href: URL.createObjectURL(new Blob(['x'])), download: 'my-data.csv' }).click() }</script>",
    ],
)
def test_a_download_is_reported_and_leads_back_to_the_page(hands: Hands, opener: str) -> None:
    hands.site.put("/file", "a,b", headers=SAVED, delay=0.1)
    page = hands.show(opener)
    hands.click("Get")
    assert (hands.page, hands.names()) == (page, ["Get"])
    assert hands.tabs.pages == [page]
    assert hands.tabs.notices.texts == [TOLD]
    hands.do("Wait")
    assert hands.tabs.notices.texts == [], "it is told once"


def test_a_blank_tab_that_was_not_opened_for_a_download_stays(hands: Hands) -> None:
    hands.site.put("/file", "a,b", headers=SAVED)
    hands.show("<button onclick=\"window.open('about:blank'); location.href = '/file'\">Both</button>")
    hands.click("Both")
    assert len(hands.tabs.pages) == 2


def test_hundreds_of_downloads_are_summarised_in_a_few_lines(hands: Hands) -> None:
    hands.show(
        "<button onclick=\"for (let n = 0; n < 30; n++) Object.assign(document.createElement('a'), { href: 'data:text/plain,x', "
        "download: n + 'x'.repeat(300) }).click()\">Flood</button>"
    )
    hands.click("Flood")
    hands.do("Wait")
    assert len(" ".join(hands.tabs.notices.texts)) < 1_100


@pytest.mark.parametrize(
    "opener",
    [
        "<label>Picture <input type=file></label>",
        "<button onclick='f.click()'>Picture</button><input id=f type=file hidden multiple>",
        "<button onclick='showOpenFilePicker().catch(() => {})'>Picture</button>",
    ],
)
def test_a_file_chooser_is_reported(hands: Hands, opener: str) -> None:
    hands.show(opener)
    hands.click("Picture")
    assert hands.tabs.notices.texts == [ASKED["file"]]
    assert hands.names() == ["Picture"]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (
            "Notification.requestPermission().then((said) => { if (said !== 'granted') throw said })",
            "notifications",
        ),
        ("new Promise((yes, no) => navigator.geolocation.getCurrentPosition(yes, no))", "location"),
        ("navigator.mediaDevices.getUserMedia({ audio: true })", "camera"),
        ("navigator.mediaDevices.getDisplayMedia()", "screen"),
        ("navigator.clipboard.readText()", "clipboard"),
        ("navigator.usb.requestDevice({ filters: [] })", "device"),
        ("navigator.hid.requestDevice({ filters: [] })", "device"),
        ("navigator.credentials.get({ publicKey: { challenge: new Uint8Array(8) } })", "key"),
        ("navigator.credentials.get({ password: true })", "account"),
        (
            "navigator.credentials.get({ identity: { providers: [{ configURL: '/fedcm.json', clientId: '1' }] } })",
            "account",
        ),
        ("document.requestStorageAccess().then(() => { throw 1 })", "storage"),
        ("new EyeDropper().open()", "color"),
    ],
)
def test_a_permission_is_denied_at_once_and_reported(hands: Hands, call: str, word: str) -> None:
    hands.show(
        f"<button onclick=\"{call}.then(() => 'granted', () => 'denied').then((said) => {{ this.textContent = said }})\">Ask</button>"
    )
    hands.click("Ask")
    hands.page.wait_for_function("document.querySelector('button').textContent !== 'Ask'")
    hands.look()
    assert hands.names() == ["denied"]
    assert hands.tabs.notices.texts == [ASKED[word]]


def test_requests_during_loading_and_in_an_iframe_are_reported(hands: Hands) -> None:
    hands.site.put(
        "/asks",
        "<script>Notification.requestPermission()</script><iframe srcdoc='<script>print()</script>'></iframe>",
    )
    hands.show("<a href=/asks>Go</a>")
    hands.click("Go")
    assert hands.tabs.notices.texts == [ASKED["notifications"], ASKED["print"]]


def test_printing_is_reported(hands: Hands) -> None:
    hands.show('<button onclick="print()">Print</button>')
    hands.click("Print")
    assert hands.tabs.notices.texts == [ASKED["print"]]


def test_an_optional_passkey_beside_a_field_is_not_reported(hands: Hands) -> None:
    hands.show(
        "<script>navigator.credentials.get({ mediation: 'conditional', publicKey: { challenge: new Uint8Array(8) } }).catch(() => {})</script>"
    )
    assert hands.tabs.notices.texts == []


def test_a_page_cannot_put_its_own_words_into_a_notice(hands: Hands) -> None:
    hands.show(
        """<script>
        EventTarget.prototype.dispatchEvent = CustomEvent = () => { throw 1 };
        Object.defineProperty(Object.prototype, 'detail', { get() { window.caught = true } });
        </script><button onclick="print()">Print</button>"""
    )
    hands.click("Print")
    assert hands.tabs.notices.texts == [ASKED["print"]]
    assert hands.page.evaluate("window.caught") is None


def test_permissions_that_chromium_grants_silently_are_granted(hands: Hands) -> None:
    hands.show("<button>x</button>")
    names = ["clipboard-write", "accelerometer", "background-sync", "notifications", "camera"]
    states = hands.page.evaluate(
        "async (names) => { const states = []; for (const name of names) "
        "states.push((await navigator.permissions.query({ name })).state); return states }",
        names,
    )
    assert states == ["granted", "granted", "granted", "denied", "denied"]


LEAVING = (
    "<a href='mailto:privacy@shop.example?subject=Delete'>Go</a>",
    "<a href='tel:+15550100'>Go</a>",
    "<button onclick=\"location.href = 'shopapp://settings'\">Go</button>",
    "<form action='mailto:privacy@shop.example'><button>Go</button></form>",
    "<a href='shopapp://settings' target=_blank>Go</a>",
)


@pytest.mark.parametrize("opener", LEAVING)
def test_an_address_for_another_program_is_reported(hands: Hands, opener: str) -> None:
    page = hands.show(opener)
    hands.click("Go")
    (told,) = hands.tabs.notices.texts
    assert told.startswith("the page asked the system to open '")
    assert (hands.page, hands.tabs.pages) == (page, [page])
