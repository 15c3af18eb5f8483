from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.sandbox.client import EPISODE_HEADER, EpisodeHandle, Sandbox

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.usefixtures("browser_thread")

SHOP = "https://shop.example"

FETCH = "([url, init]) => fetch(url, init).then(r => `${r.status} ${r.type}`, e => e.name)"

FRAME = """url => new Promise(done => {
  const frame = document.createElement("iframe");
  frame.src = url;
  frame.onload = () => done();
  document.body.append(frame);
})"""


@pytest.fixture(scope="module")
def context(browser_thread: None, sandbox: Sandbox) -> Iterator[BrowserContext]:
    """A context that is in no episode, in the browser for this module's sandbox."""
    browser = shared_browser(BrowserOptions(args=tuple(sandbox.browser_args())))
    with closing(new_context(browser, viewport=(800, 600))) as context:
        yield context


@pytest.fixture
def blank(context: BrowserContext) -> Iterator[Page]:
    """A page of somebody who is in no episode."""
    context.clear_cookies()
    context.set_extra_http_headers({})
    with closing(context.new_page()) as page:
        yield page


@pytest.fixture
def page(blank: Page, episode: EpisodeHandle) -> Page:
    """A page of somebody who is signed in to the shop."""
    blank.context.set_extra_http_headers({EPISODE_HEADER: episode.id})
    blank.context.add_cookies(episode.cookies)  # type: ignore[arg-type]
    return blank


def test_a_real_host_name_leads_to_the_replica_over_https(page: Page) -> None:
    response = page.goto("http://shop.example/account?a=1")
    assert response is not None
    assert response.ok
    assert page.url == f"{SHOP}/account?a=1"
    assert page.inner_text("h1") == "Alex Rivers"


def test_a_switch_of_the_kit_saves_on_the_server(page: Page, episode: EpisodeHandle) -> None:
    page.goto(f"{SHOP}/panel")
    with page.expect_response(f"{SHOP}/panel"):
        page.click("role=switch[name='Analytics']")
    page.wait_for_selector("role=switch[checked=false]")
    assert episode.state()["sites"]["shop"]["settings"]["cookies.analytics"] is False


def test_frames_of_other_hosts_belong_to_the_episode_too(page: Page) -> None:
    page.goto(f"{SHOP}/")
    page.evaluate(FRAME, "https://accounts.example/choose")
    assert page.frames[1].inner_text("body").startswith("choose")


def test_a_login_survives_the_browser_s_own_cookie_rules(
    sandbox: Sandbox, context: BrowserContext, blank: Page
) -> None:
    page, episode = blank, sandbox.open_episode("shop", signed_in=[])
    context.set_extra_http_headers({EPISODE_HEADER: episode.id})
    page.goto("https://accounts.example/choose")
    post = "action => { document.body.innerHTML = `<form method=post action=${action}>`; document.forms[0].submit() }"
    with page.expect_navigation():
        page.evaluate(post, "/choose")
    page.goto("https://accounts.example/choose")
    with page.expect_navigation(url=f"{SHOP}/account"):
        page.evaluate(post, "/approve?client=shop&redir=/account")
    assert page.inner_text("h1") == "Alex Rivers"
    assert {cookie["name"] for cookie in context.cookies() if cookie["secure"] and cookie["httpOnly"]} == {
        "SID",
        "shopLogin",
    }


def test_a_host_without_a_replica_is_reported_as_unknown(page: Page, sandbox: Sandbox) -> None:
    response = page.goto("https://elsewhere.example/")
    assert response is not None
    assert response.status == 404
    assert page.inner_text("h1") == "No such site"
    assert "elsewhere.example" in {entry["host"] for entry in sandbox.egress()}


def test_a_page_cannot_reach_the_control_app(page: Page, sandbox: Sandbox) -> None:
    page.goto(f"{SHOP}/")
    port = sandbox.address.control_port
    for mode in ("cors", "no-cors"):
        init = {"mode": mode, "headers": {"authorization": f"Bearer {sandbox.address.secret}"}}
        for host in ("127.0.0.1", "localhost", "sandbox.websp"):
            assert page.evaluate(FETCH, [f"http://{host}:{port}/health", init]) == "TypeError"
    page.evaluate(FRAME, f"http://127.0.0.1:{port}/health")
    assert "leases" not in page.frames[1].content()


def test_a_page_cannot_read_or_change_another_site(page: Page, episode: EpisodeHandle) -> None:
    page.goto("https://accounts.example/choose")
    before = episode.state()["sites"]
    assert page.evaluate(FETCH, [f"{SHOP}/", {"credentials": "include"}]) == "TypeError"
    for mode in ("cors", "no-cors"):
        page.evaluate(FETCH, [f"{SHOP}/reject", {"method": "POST", "mode": mode, "credentials": "include"}])
    assert episode.state()["sites"] == before


def test_a_context_without_an_episode_sees_nothing(blank: Page) -> None:
    response = blank.goto(f"{SHOP}/")
    assert response is not None
    assert response.status == 403
