"""A control recorded beside a secret is found again beside another one."""

from __future__ import annotations

import pytest

from tests.recorder_support import ACCOUNT, Server, opened_studio, server, studio
from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.browser.tabs import Tabs
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import replay

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


@pytest.mark.proof
def test_a_control_beside_a_secret_is_found_beside_another(studio: RecorderBrowser, server: Server) -> None:
    url = server.url("form_other.html")
    studio.page.goto(url)
    studio.start("a test", "local", account=ACCOUNT)
    for html in PAGES.values():
        studio.page.evaluate("html => { document.body.innerHTML = html }", _page(html, BEFORE))
        studio.page.click("[data-wanted]")
    trace = studio.stop()
    assert [secret for secret in BEFORE if secret[8:14] in trace.model_dump_json()] == []
    context = new_context(shared_browser(BrowserOptions()), viewport=(1280, 1024))
    page = context.new_page()
    shown = {"": ""}
    page.route("**/*", lambda route: route.fulfill(body=shown[""], content_type="text/html"))
    for (name, html), event in zip(PAGES.items(), trace.events, strict=True):
        shown[""] = f"<!doctype html>{_page(html, AFTER)}<script>{NOTE}</script>"
        page.goto(url)
        assert event.target is not None
        # From its place alone it could be found anyway.
        target = event.target.model_copy(update={"css": None, "xpath": None, "websp_index": None})
        only = event.model_copy(update={"target": target})
        replayed = trace.model_copy(update={"events": (only,), "end": None})
        report = replay(replayed, Tabs(context), set="recorded", account=ACCOUNT, timeout=30)
        assert page.evaluate("window.clicked") == "yes", name
        assert [done.action for done in report.events] == ["clicked"]
    context.close()
