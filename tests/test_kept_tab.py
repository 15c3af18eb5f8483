"""A kept tab is as good as a new one, whatever the test before did on it; otherwise it is closed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.actions_support import Site, sites
from tests.kept_tab import KeptTab, borrowed_tab, close_kept_tabs
from websp_gym.browser.isolated import session_of
from websp_gym.browser.settle import settle
from websp_gym.errors import ActionError
from websp_gym.observation.marks import collect_marks

__all__ = ["sites"]

pytestmark = pytest.mark.usefixtures("browser_thread")

BUSY = """<!doctype html><button onclick="confirm('Sure?')" style='width: 100%; height: 300px'>Ask</button><div style='height: 4000px'></div>
<script>
  setInterval(() => { fetch('/endless'); document.title += 'x' }, 5);
  onbeforeunload = (event) => event.preventDefault();
  open('/other'); open('about:blank');
  localStorage.left = document.cookie = 'left=1; max-age=999';
  window.name = 'left';
</script>"""
LISTENING = """<!doctype html><a href=#x>Link</a><script>heard = [];
for (const type of ['mousemove', 'keydown', 'keyup', 'mousedown']) addEventListener(type, (event) => heard.push(type + event.shiftKey))</script>"""
REQUESTED: list[object] = []
LEFT = """() => [String(localStorage.left), document.cookie, window.name, history.length, scrollY, opener, document.visibilityState,
document.hasFocus(), String(document.fullscreenElement), innerWidth, devicePixelRatio]"""


def lent(site: Site, use: Callable[[KeptTab], object]) -> KeptTab:
    """Borrows a tab and gives it back."""
    with borrowed_tab(with_tabs=True) as tab:
        assert not tab.tabs.opening
        tab.page.goto(site.put("/busy", BUSY))
        use(tab)
    return tab


def soil(tab: KeptTab) -> None:
    """Does what a test may do and leaves it so."""
    collect_marks(tab.page)
    tab.page.mouse.click(20, 20)
    tab.page.mouse.down()
    tab.page.keyboard.down("Shift")
    tab.page.keyboard.type("abc")
    tab.page.evaluate("scrollTo(0, 900)")
    tab.page.on("request", lambda request: REQUESTED.append(request))
    tab.context.add_cookies([{"name": "far", "value": "1", "url": "https://far.example"}])
    tab.tabs.clipboard = "copied"
    tab.tabs.begin_step()
    tab.tabs.dialogs.decide(accept=True)


def test_a_borrower_finds_nothing_of_the_one_before(sites: tuple[Site, Site]) -> None:
    site, _ = sites
    site.put("/endless", "x", endless=True)
    lent(site, lambda tab: None)
    close_kept_tabs()
    new = lent(site, lambda tab: None)
    with borrowed_tab(with_tabs=True) as tab:
        assert tab is new
        tab.page.goto(site.put("/quiet", LISTENING))
        expected = tab.page.evaluate(LEFT)
    assert lent(site, soil) is new
    with borrowed_tab(with_tabs=True) as tab:
        assert tab is new, "it could be made as good as new"
        assert tab.page.url == "about:blank"
        page = tab.page
        REQUESTED.clear()
        page.goto(site.put("/quiet", LISTENING))
        assert REQUESTED == [], "nobody listens any more"
        assert (
            page.evaluate(LEFT)
            == expected
            == ["undefined", "", "", 2, 0, None, "visible", True, "null", 1280, 1]
        )
        assert page.evaluate("heard") == []
        assert settle(tab.tabs)
        page.keyboard.press("x")
        page.mouse.move(5, 5)
        assert page.evaluate("heard") == ["keydownfalse", "keyupfalse", "mousemovefalse"]
        assert tab.context.cookies("https://far.example") == []
        assert (tab.tabs.clipboard, tab.tabs.notices.texts, tab.tabs.pages) == ("", [], [page])
        assert tab.tabs.previous_url() is None
        with pytest.raises(ActionError, match="has not shown a dialog"):
            tab.tabs.dialogs.decide(accept=True)


SOILING: tuple[Callable[[KeptTab], object], ...] = (
    lambda tab: tab.page.evaluate("sessionStorage.left = 1"),
    lambda tab: tab.page.add_init_script("left = 1"),
    lambda tab: tab.context.route("**/*", lambda route: route.abort()),
    lambda tab: tab.page.set_viewport_size({"width": 400, "height": 300}),
    lambda tab: tab.context.new_cdp_session(tab.page),
    lambda tab: session_of(tab.page).send("Emulation.setCPUThrottlingRate", {"rate": 2}),
    lambda tab: tab.page.close(),
)


def test_a_tab_that_cannot_be_made_as_good_as_new_is_closed(sites: tuple[Site, Site]) -> None:
    url = sites[0].put("/plain", "<p>Plain")
    for number, use in enumerate(SOILING):
        with borrowed_tab() as soiled:
            soiled.page.goto(url)
            use(soiled)
        assert not soiled.usable, f"case {number}"
