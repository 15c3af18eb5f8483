"""Tabs, history and native dialogs in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Error as PlaywrightError

from tests.actions_support import Hands, hands, sites
from websp_gym.actions.grammar import Action
from websp_gym.actions.perform import perform
from websp_gym.browser.settle import settle
from websp_gym.errors import WorldError

__all__ = ["hands", "sites"]

CLOSE = "<button onclick='window.close()'>Close</button>"


def path(hands: Hands) -> str:
    return hands.page.url.removeprefix(hands.site.url).removesuffix("?")


# ----------------------------------------------------------------------------------------------------- tabs


OPENERS = (
    "<a href=/second target=_blank>Open</a>",
    "<a href=/second target=_blank rel=noopener>Open</a>",
    "<form action=/second target=_blank><button>Open</button></form>",
    "<button onclick=\"window.open('/second', '', 'width=400,height=300')\">Open</button>",
    "<button onclick=\"window.open('/second', '', 'noopener')\">Open</button>",
)


def test_a_new_tab_is_known_to_come_and_closing_it_returns_to_the_one_before(hands: Hands) -> None:
    hands.site.put("/second", CLOSE)
    for opener in OPENERS:
        first = hands.show(opener)
        box = hands.mark("Open").box
        first.mouse.click(box[0] + 5, box[1] + 5)
        assert hands.tabs.opening or len(hands.tabs.pages) == 2, opener
        hands.look()
        assert not hands.tabs.opening, opener
        assert len(hands.tabs.pages) == 2, opener
        assert path(hands) == "/second", opener
        assert hands.names() == ["Close"], opener
        hands.page.close() if "noopener" in opener else hands.click("Close")
        hands.look()
        assert hands.page is first, opener
        assert hands.names() == ["Open"], opener


def test_a_tab_that_closes_while_blank_is_not_waited_for(hands: Hands) -> None:
    hands.show(
        "<button onclick=\"window.open('about:blank').close(); this.textContent = 'done'\">Open</button>"
    )
    hands.click("Open")
    assert hands.names() == ["done"]
    assert not hands.tabs.opening


def test_a_new_tab_whose_site_is_slow_is_waited_for(hands: Hands) -> None:
    hands.show("<a href=/slow-tab target=_blank>Open</a>")
    hands.site.put("/slow-tab", "<button>Late</button>", delay=0.4)
    hands.click("Open")
    assert hands.names() == ["Late"]


def test_a_tab_opened_by_a_timer_is_seen_by_the_next_look(hands: Hands) -> None:
    hands.show("<button onclick=\"setTimeout(() => window.open('/timed'), 150)\">Open</button>")
    hands.site.put("/timed", "<button>Timed</button>")
    hands.click("Open")
    hands.do("Wait")
    assert hands.names() == ["Timed"]


def test_a_click_on_what_was_seen_is_not_misled_by_a_tab_that_opened_since(hands: Hands) -> None:
    page = hands.show("<button onclick='window.hit = 1'>Here</button>")
    page.evaluate(f"open({hands.site.put('/over', '<button>There</button>')!r})")
    hands.click("Here")
    assert page.evaluate("window.hit") == 1


NAMED = (
    "<a href=/help/2 target=help>Go</a>",
    "<form action=/help/2 target=help><button>Go</button></form>",
    "<button onclick=\"window.open('/help/2', 'help')\">Go</button>",
)


@pytest.mark.parametrize("opener", NAMED)
def test_a_window_that_is_opened_again_by_its_name_comes_to_the_front(hands: Hands, opener: str) -> None:
    for number in (1, 2):
        hands.site.put(f"/help/{number}", f"<button>Page {number}</button>")
    home = hands.show(f"<a href=/help/1 target=help>First</a>{opener}")
    hands.click("First")
    window = hands.page
    hands.tabs.activate(home)
    hands.look()
    hands.click("Go")
    assert (hands.page, hands.names()) == (window, ["Page 2"])


def test_a_window_in_the_background_that_goes_on_by_itself_stays_there(hands: Hands) -> None:
    hands.site.put("/help/1", "<script>go = () => { location.href = '/help/2' }</script>")
    hands.site.put("/help/2", "<button>Page 2</button>")
    home = hands.show("<a href=/help/1 target=help>First</a><button>Stay</button>")
    hands.click("First")
    window = hands.page
    hands.tabs.activate(home)
    hands.look()
    window.evaluate("go()")
    window.wait_for_url("**/help/2")
    hands.click("Stay")
    assert hands.page is home


def test_when_every_tab_is_closed_a_blank_one_opens(hands: Hands) -> None:
    hands.show("x").close()
    assert hands.page.url == "about:blank"
    assert len(hands.tabs.pages) == 1


def test_tabs_are_found_by_their_url_as_long_as_it_names_one(hands: Hands) -> None:
    site = hands.site
    urls = [
        site.put("/one", "1"),
        site.put("/two", "2") + "?a=1#top",
        site.put("/two", "2") + "?a=2",
        site.put("/dir/", "d"),
    ]
    hands.open(urls[0])
    for url in urls[1:]:
        hands.tabs.context.new_page().goto(url)
    for wanted, expected in [
        ("/one", urls[0]),
        ("/one/", urls[0]),
        ("/one#part", urls[0]),
        ("/one?x=1", urls[0]),
        ("/two?a=1", urls[1]),
        ("/two?a=2", urls[2]),
        ("/dir", urls[3]),
    ]:
        hands.do(f"Switch_tab [{site.url}{wanted}]")
        assert hands.page.url == expected
    assert "2 open tabs have the URL" in hands.refused(f"Switch_tab [{site.url}/two]")
    message = hands.refused(f"Switch_tab [{site.url}/three]")
    assert "no open tab has the URL" in message
    assert all(url in message for url in urls)
    assert hands.page.url == urls[3]


def test_of_two_tabs_with_one_url_none_is_guessed(hands: Hands) -> None:
    url = hands.site.put("/same", "x")
    hands.open(url)
    hands.tabs.context.new_page().goto(url)
    hands.tabs.context.new_page().goto(hands.site.put("/else", "x"))
    assert "2 open tabs" in hands.refused(f"Switch_tab [{url}]")


# -------------------------------------------------------------------------------------------------- history


def test_going_back_works_across_documents_and_within_one(hands: Hands) -> None:
    hands.tabs.forget_history()
    hands.open(hands.site.put("/a", "<a href=/b>Next</a>"))
    hands.site.put(
        "/b",
        """<button onclick="history.pushState({}, '', '/b/deep')">Deep</button>
        <button onclick="history.pushState({}, '')">Same</button>
        <script>onpopstate = () => { document.title += 'popped' }</script>""",
    )
    hands.click("Next")
    hands.click("Deep")
    assert path(hands) == "/b/deep"
    hands.click("Same")
    hands.do("GoBack")
    assert (path(hands), hands.page.title()) == ("/b/deep", "popped")
    hands.do("GoBack")
    assert path(hands) == "/b"
    hands.do("GoBack")
    assert path(hands) == "/a"
    assert hands.names() == ["Next"]
    assert "no previous page" in hands.refused("GoBack")
    assert path(hands) == "/a"


def test_the_first_page_of_a_new_tab_has_no_history(hands: Hands) -> None:
    hands.show("<a href=/tab target=_blank>Open</a>")
    hands.site.put("/tab", "<button>New</button>")
    hands.click("Open")
    assert "no previous page in this tab" in hands.refused("GoBack")
    assert path(hands) == "/tab"


def test_google_opens_googles_page(hands: Hands) -> None:
    hands.show("x")
    hands.tabs.context.route(
        "https://www.google.com/",
        lambda route: route.fulfill(body="<input aria-label=Search>", content_type="text/html"),
    )
    hands.do("Google")
    assert hands.page.url == "https://www.google.com/"
    assert hands.names() == ["Search"]
    hands.do("GoBack")
    assert hands.page.url.startswith(hands.site.url)


def test_a_site_that_cannot_be_reached_is_an_error_of_the_action(hands: Hands) -> None:
    hands.show("x")
    hands.tabs.context.route("https://www.google.com/", lambda route: route.abort("connectionrefused"))
    assert "Google failed" in hands.refused("Google")


# -------------------------------------------------------------------------------------------------- dialogs


DIALOGS = (
    ("alert('Saved')", "undefined", "a native alert dialog: 'Saved'; it was closed"),
    (
        "confirm('Sure?')",
        "false",
        "a native confirm dialog: 'Sure?'; it was answered with Cancel; to answer it with OK, say "
        '"Next_dialog; accept" first and then repeat what opened it',
    ),
    (
        "prompt('Name?', 'Ada')",
        "null",
        "a native prompt dialog: 'Name?' (suggesting 'Ada'); it was answered with Cancel; to answer it with OK, "
        'say "Next_dialog; accept; [Content]" first and then repeat what opened it',
    ),
)


def test_a_native_dialog_is_answered_at_once_and_reported(hands: Hands) -> None:
    for call, result, told in DIALOGS:
        hands.show(f'<button onclick="this.textContent = String({call})">Ask</button>')
        hands.click("Ask")
        assert hands.names() == [result]
        assert hands.tabs.notices.texts == [f"the page showed {told}"]
        hands.click(result)
        assert len(hands.tabs.notices.texts) == 1, "those of the step before are forgotten"


def test_a_page_that_asks_whether_to_leave_is_left(hands: Hands) -> None:
    hands.show(
        "<a href=/left>Leave</a><input aria-label=Note><script>onbeforeunload = (e) => e.preventDefault()</script>"
    )
    hands.site.put("/left", "<button>Gone</button>")
    hands.type("Note", "x")
    hands.click("Leave")
    assert hands.names() == ["Gone"]
    assert hands.tabs.notices.texts == [
        "the page showed a native beforeunload dialog; it was answered with Leave"
    ]


def test_a_dialog_while_the_page_loads_and_one_in_an_iframe_hold_nothing_up(hands: Hands) -> None:
    hands.site.put(
        "/loud",
        "<script>alert(1)</script><iframe srcdoc='<script>alert(2)</script>'></iframe><button>Up</button>",
    )
    hands.show("<a href=/loud>Go</a>")
    hands.click("Go")
    assert hands.names() == ["Up"]
    assert len(hands.tabs.notices.texts) == 2


# ---------------------------------------------------------------------------------------------------- death


def test_a_crash_in_the_middle_of_a_wait_ends_it(hands: Hands) -> None:
    page = hands.show("<script>setInterval(() => { document.body.append('x') }, 5)</script>")
    # What is asked of the page is still unanswered when it crashes.
    with pytest.raises((PlaywrightError, WorldError)):
        hands.tabs.context.new_cdp_session(page).send("Page.crash")
    with pytest.raises((PlaywrightError, WorldError)):
        settle(hands.tabs)
    with pytest.raises((PlaywrightError, WorldError)):
        perform(Action("Scroll_to_end"), hands.tabs, hands.marks)
    assert hands.tabs.alive is False


def test_an_emptied_document_is_still_observed(hands: Hands) -> None:
    hands.show("<button onclick='document.open()'>Empty</button>")
    hands.click("Empty")
    assert hands.names() == []
    assert "already at its bottom" in hands.refused("Scroll_to_end")
    assert "nothing here scrolls" in hands.refused("Scroll [WINDOW]; down")
    assert "no popup" in hands.refused("Scroll_within_popup; up")
