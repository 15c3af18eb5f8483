"""A control recorded beside a secret is found again beside another one."""

from __future__ import annotations

import json

import pytest

from tests.recorder_support import ACCOUNT, Server, opened_studio, server, studio
from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.browser.tabs import Tabs
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import Trace, replay

__all__ = ["opened_studio", "server", "studio"]

PAGES = {
    "rows": "<h1>API keys</h1><table>"
    "<tr><td>Laptop<td>{0}<td><button>Revoke</button>"
    "<tr><td>Build server<td>{1}<td><button id=wanted>Revoke</button>"
    "<tr><td>Old phone<td>{2}<td><button>Revoke</button></table>",
    "alone": "<h1>Recovery</h1><p>Your key: {1} (keep it)</p><div><button>Print</button> <button id=wanted>Renew</button></div>",
    "named": '<h1>Keys</h1><button aria-label="Copy {0}">a</button> <button id=wanted aria-label="Delete {1}">b</button>',
    "long": "<h1>Keys</h1><ul><li><p>This key lets the nightly build read the packages of your team until you take it back, so "
    "keep it: {0} and {1} or not.</p> <button>Hide</button> <button id=wanted>Renew</button><li>"
    "<p>This key is of no use.</p> <button>Hide</button> <button>Renew</button></ul>",
    "own text": "<h1>Tokens</h1><ul><li><button id=wanted>{0}</button><li><button>Make another</button></ul>",
}  # fmt: skip
BEFORE = (
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "Zx81qLm93KfTp02VbNw7Rj5Y",
    "hf_QzXkWpLmNbVcRtYuIoPaSdFgHjKl7",
)
AFTER = (
    "ghp_9bQw71LmZx83KfTp02VbNw7Rj5Yc65D4eS3a",
    "mK4tY8vB2nC6xZ1qWs3E9dRf",
    "hf_PlOkMiJnUhBvGyTfCxRdZeSwAq4321Q",
)
NOTE = "document.onclick = event => { if (event.target.matches('button')) window.clicked = event.target.dataset.wanted }"


def _page(html: str, secrets: tuple[str, ...]) -> str:
    # The id is of no help to the replay.
    return html.format(*secrets).replace("id=wanted", "data-wanted=yes")


@pytest.mark.parametrize("name", PAGES)
def test_a_control_beside_a_secret_is_found_beside_another(
    name: str, studio: RecorderBrowser, server: Server
) -> None:
    url = server.url("form_other.html")
    studio.page.goto(url)
    studio.page.set_content(_page(PAGES[name], BEFORE))
    studio.start("a test", "local", account=ACCOUNT)
    studio.page.click("[data-wanted]")
    trace = studio.stop()
    assert [secret for secret in BEFORE if secret[8:14] in trace.model_dump_json()] == []
    # From its place alone it could be found anyway.
    events = json.loads(trace.model_dump_json(by_alias=True))["events"]
    for event in events:
        event["target"] |= {"css": None, "xpath": None, "webspIndex": None}
    context = new_context(shared_browser(BrowserOptions()), viewport=(1280, 1024))
    page = context.new_page()
    body = "<!doctype html>" + _page(PAGES[name], AFTER) + f"<script>{NOTE}</script>"
    page.route("**/*", lambda route: route.fulfill(body=body, content_type="text/html"))
    page.goto(url)
    replayed = Trace.model_validate(trace.model_dump(mode="json", by_alias=True) | {"events": events})
    report = replay(replayed, Tabs(context), set="recorded", account=ACCOUNT, timeout=5)
    assert page.evaluate("window.clicked") == "yes"
    assert [event.action for event in report.events] == ["clicked"]
    context.close()
