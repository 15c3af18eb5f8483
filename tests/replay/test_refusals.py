"""Replay against a server that takes or refuses what it is sent: never ok to what was refused, no alarm where it was taken."""

from __future__ import annotations

import copy
import itertools
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.account_support import ACCOUNT, PASSWORD, TAKEN, Application, application, running, tabs
from tests.sample import long_table
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import ReplayError
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import ReplayReport, Trace, replay
from websp_gym.replay.read_back import is_text
from websp_gym.replay.refusals import says_failure

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["application", "running", "tabs"]


@pytest.fixture(scope="module")
def studio(browser_thread: None) -> Iterator[RecorderBrowser]:
    with RecorderBrowser() as studio:
        yield studio


def type_over(page: Page, name: str, text: str) -> None:
    page.locator(f"[name={name}]").click()
    page.keyboard.press("Control+a")
    page.keyboard.type(text)


def choose(page: Page, name: str, label: str) -> None:
    page.locator(f"[name={name}]").focus()
    page.keyboard.type(label)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save").click()


def email(page: Page) -> None:
    type_over(page, "email", "new@example.org")
    save(page)


def city(page: Page) -> None:
    type_over(page, "city", "Paris")
    save(page)


def bio(page: Page) -> None:
    type_over(page, "bio", "A new life")
    save(page)


def age(page: Page) -> None:
    type_over(page, "age", "31")
    page.keyboard.press("Enter")


def news(page: Page) -> None:
    page.locator("[name=news]").click()
    save(page)


def who(page: Page) -> None:
    page.locator("[value=none]").click()
    save(page)


def theme(page: Page) -> None:
    choose(page, "theme", "dark")
    save(page)


def all_of_it(page: Page) -> None:
    type_over(page, "email", "new@example.org")
    page.locator("[name=news]").click()
    choose(page, "theme", "dark")
    save(page)


FLOWS: dict[str, Callable[[Page], None]] = {
    flow.__name__: flow for flow in (email, city, bio, age, news, who, theme, all_of_it)
}
_recorded: dict[tuple[str, str], Trace] = {}


def recording(studio: RecorderBrowser, application: Application, name: str, act: Callable[[], None]) -> Trace:
    """Return a recording of what is done, in which the server took everything."""
    studio.discard()
    before = copy.deepcopy(application.stored)
    studio.start(name, "local", account=ACCOUNT)
    act()
    end = time.monotonic() + 20
    while application.stored == before and time.monotonic() < end:
        studio.page.wait_for_timeout(5)
    assert application.stored != before
    return studio.stop()


def recorded(studio: RecorderBrowser, application: Application, flow: str, takes: str = "redirect") -> Trace:
    """Return the recording of a flow; made once."""
    application.takes = takes
    if (flow, takes) not in _recorded:
        studio.page.goto(f"{application.base}/open")
        _recorded[flow, takes] = recording(studio, application, flow, lambda: FLOWS[flow](studio.page))
    application.reset()
    application.takes = takes
    return _recorded[flow, takes]


def play(trace: Trace, tabs: Tabs, **options: Any) -> ReplayReport:
    given: dict[str, Any] = {"account": ACCOUNT, "timeout": 2.0, **options}
    return replay(trace, tabs, set="recorded", **given)


def foreign(trace: Trace) -> Trace:
    """Return a trace as an import would have it: without what only our recorder knows."""
    events = tuple(event.model_copy(update={"kept": None}) for event in trace.events)
    return trace.model_copy(update={"events": events, "end": None})


EVERY = list(itertools.product([True, False], [True, False]))
"""With and without reading back, a recording of ours and an imported one."""


ROOMS = (
    *(f"websp_gym/{room}/" for room in ("browser", "recording", "replay")), "extension/",
    "tests/replay/", "tests/account_support",
)  # fmt: skip
"""A change of these tries every case."""
WAYS = ("page", "script", "sign-in script", "odd")
TAKEN_CASES = [*((flow, "redirect") for flow in FLOWS), *(("all_of_it", way) for way in WAYS)]


@pytest.mark.parametrize(("flow", "takes"), long_table(TAKEN_CASES, *ROOMS))
def test_what_the_server_took_is_ok(
    studio: RecorderBrowser, application: Application, tabs: Tabs, flow: str, takes: str
) -> None:
    trace = recorded(studio, application, flow, takes)
    states = 3 if flow == "all_of_it" else 1
    for verify, ours in EVERY:
        application.reset()
        application.takes = takes
        before = copy.deepcopy(application.stored)
        report = play(trace if ours else foreign(trace), tabs, verify=verify)
        assert application.stored != before
        assert (report.verified, report.unverified) == (states if verify else None, ())


REFUSALS = {
    "redirect": ("redirect", "silent redirect", "page", "500", "no answer", "expired"),
    "script": ("422", "no answer", "json", "silent json", "expired", "sign-in page", "sign-in by mail"),
}

CASES = [
    (flow, takes, refusal)
    for takes, refusals in REFUSALS.items()
    for refusal in refusals
    for flow in (FLOWS if refusal == "silent redirect" else ("email", "news"))
]


@pytest.mark.parametrize(("flow", "takes", "refusal"), long_table(CASES, *ROOMS))
def test_what_the_server_refused_is_never_said_to_be_read_back(
    studio: RecorderBrowser, application: Application, tabs: Tabs, flow: str, takes: str, refusal: str
) -> None:
    trace = recorded(studio, application, flow, takes)
    silent = refusal.startswith("silent")
    for verify, ours in EVERY:
        application.reset()
        application.takes, application.refuses = takes, refusal
        before = copy.deepcopy(application.stored)
        tabs.current.goto(f"{application.base}/open")
        try:
            report = play(trace if ours else foreign(trace), tabs, verify=verify)
        except ReplayError:
            assert application.stored == before
            continue
        assert application.stored == before
        # Without loading the page once more, nothing is said of what the server does in silence. In a trace of another
        # tool, a text where there was none may be part of something new, and a sign-in page may be what was wanted.
        unclear = not ours and ((takes, refusal) == ("redirect", "expired") or (silent and flow == "city"))
        seen = (verify, ours, tabs.current.url, application.heard, report)
        assert (silent and not verify) or unclear, seen
        assert report.verified == (0 if verify else None)
        assert bool(report.unverified) is verify


@pytest.mark.parametrize("refusal", ["401", "page", "redirect"])
@pytest.mark.parametrize("verify", [True, False])
@pytest.mark.parametrize("ours", [True, False], ids=["recorded", "imported"])
def test_a_sign_in_that_stays_on_its_form_is_a_failure(
    studio: RecorderBrowser, application: Application, tabs: Tabs, refusal: str, verify: bool, ours: bool
) -> None:
    trace = _recorded.get(("sign in", ""))
    if trace is None:
        studio.discard()
        studio.context.clear_cookies()
        studio.page.goto(f"{application.base}/login")
        studio.start("sign in", "local", account={**ACCOUNT, "password": PASSWORD})
        type_over(studio.page, "email", ACCOUNT["email"])
        type_over(studio.page, "password", PASSWORD)
        studio.page.get_by_label("Remember me").click()
        studio.page.get_by_role("button", name="Sign in").click()
        studio.page.wait_for_url("**/home")
        trace = _recorded["sign in", ""] = studio.stop()
    trace = trace if ours else foreign(trace)
    tabs.context.clear_cookies()
    report = play(trace, tabs, verify=verify)
    assert tabs.current.url.endswith("/login" if verify else "/home")
    if verify:
        (remember,) = report.unverified
        assert "Remember me" in remember
    tabs.context.clear_cookies()
    application.refuses = refusal
    with pytest.raises(ReplayError, match=r"status 401|did not go on|still asks for the password"):
        play(trace, tabs, verify=verify, account={**ACCOUNT, "password": "wrong"})


@pytest.mark.parametrize("refusal", ["/login", "/welcome"])
def test_a_page_with_a_password_of_its_own_is_not_taken_for_the_sign_in_page(
    studio: RecorderBrowser, application: Application, tabs: Tabs, refusal: str
) -> None:
    def change(page: Page = studio.page) -> None:
        type_over(page, "email", "new@example.org")
        type_over(page, "password", PASSWORD)
        save(page)

    if ("contact", "") not in _recorded:
        studio.page.goto(f"{application.base}/open")
        studio.page.goto(f"{application.base}/contact")
        _recorded["contact", ""] = recording(studio, application, "contact", change)
        application.reset()
    trace = _recorded["contact", ""]
    assert trace.end is not None
    assert trace.end.asks_password
    play(trace, tabs)
    assert application.stored["email"] == "new@example.org"
    application.refuses = refusal
    with pytest.raises(ReplayError, match=f"went on to {refusal}, which asks for a password"):
        play(trace, tabs)


def rows(page: Page) -> None:
    page.get_by_label("Select Carol").click()
    choose(page, "role", "Editor")
    page.get_by_role("button", name="Change").click()


def word(page: Page) -> None:
    type_over(page, "word", "spoiler")
    page.get_by_role("button", name="Add").click()


def search(page: Page) -> None:
    type_over(page, "q", "Carol")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url(lambda url: "q=Carol" in url)
    rows(page)


@pytest.mark.parametrize("ours", [True, False], ids=["recorded", "imported"])
@pytest.mark.parametrize("flow", [rows, word, search])
def test_what_is_no_setting_is_no_alarm_and_is_listed(
    studio: RecorderBrowser, application: Application, tabs: Tabs, flow: Callable[[Page], None], ours: bool
) -> None:
    key = (flow.__name__, "")
    if key not in _recorded:
        studio.page.goto(f"{application.base}/open")
        studio.page.goto(f"{application.base}/users")
        _recorded[key] = recording(studio, application, flow.__name__, lambda: flow(studio.page))
        application.reset()
    trace = _recorded[key]
    report = play(trace if ours else foreign(trace), tabs, verify=True)
    if flow is word:
        assert application.stored["words"] == ["spoiler"]
    else:
        assert application.stored["roles"] == {"3": "editor", "4": "reader"}
    set_ = {"rows": 2, "word": 1, "search": 3}[flow.__name__]
    # The page says the word that was sent to it; a recording knows that its field does not keep it.
    read = 1 if flow is word and not ours else 0
    assert (report.verified, len(report.unverified)) == (read, set_ - read)


def test_the_recorder_notes_what_the_pages_kept_and_where_it_ended(
    studio: RecorderBrowser, application: Application
) -> None:
    trace = recorded(studio, application, "all_of_it")
    assert [event.kept for event in trace.events] == [True, True, True, None]
    assert trace.end is not None
    assert (trace.end.url, trace.end.asks_password) == (f"{application.base}/profile", False)


def test_a_form_that_the_browser_does_not_send_is_a_failure(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = recorded(studio, application, "email")
    wrong = trace.events[0].model_copy(update={"value": "no address"})
    trace = trace.model_copy(update={"events": (wrong, *trace.events[1:])})
    with pytest.raises(ReplayError, match="the browser did not send the form, as 'E-mail' is not valid"):
        play(trace, tabs)


def test_a_text_that_only_its_spelling_tells_from_the_one_before_is_not_said_to_be_read_back(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = recorded(studio, application, "city")
    for refuses in (None, "silent redirect"):
        application.stored["city"], application.refuses = "https://Paris/", refuses
        report = play(trace, tabs, verify=True)
        stored = application.stored["city"]
        assert stored == ("Paris" if refuses is None else "https://Paris/")
        assert (report.verified, len(report.unverified)) == ((1, 0) if refuses is None else (0, 1))


def test_an_address_that_is_taken_is_refused_with_and_without_reading_back(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = recorded(studio, application, "email")
    taken = trace.events[0].model_copy(update={"value": TAKEN})
    trace = trace.model_copy(update={"events": (taken, *trace.events[1:])})
    application.refuses = "page"
    for verify in (True, False):
        with pytest.raises(ReplayError, match="the page then said: 'That is not possible"):
            play(trace, tabs, verify=verify)


ASIDE = """addEventListener('click', () => {
    fetch('/telemetry', {method: 'POST', body: '{}'});
    fetch('https://elsewhere.invalid/x', {method: 'POST'}).catch(() => {});
})"""


def test_a_request_that_fails_beside_what_was_done_is_no_refusal(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = recorded(studio, application, "news", "script")
    tabs.context.add_init_script(ASIDE)
    tabs.context.route("**/telemetry", lambda route: route.fulfill(status=500))
    report = play(trace, tabs, verify=True)
    assert report.verified == 1


def test_a_request_that_is_sent_again_with_a_new_session_is_no_refusal(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = recorded(studio, application, "news", "script")
    tabs.context.add_init_script(
        "const real = fetch; globalThis.fetch = async (...all) => { const one = await real(...all); "
        "return one.status === 401 ? real(...all) : one; }"
    )
    application.refuses = "401 once"
    assert play(trace, tabs, verify=True).verified == 1
    assert application.refuses is None


@pytest.mark.parametrize(
    ("was", "wanted", "shown", "kept"),
    [
        ("old", "new", "new", True),
        ("old", "new", "old", False),
        ("", "example.com", "https://example.com/", True),
        ("", "Ada@Example.org", "ada@example.org", True),
        ("", "two\nlines", "two\r\nlines", True),
        ("30", "31", "31.0", True),
        ("30", "3", "30", False),
        ("Ada-Love", "Ada Love", "Ada-Love", False),
        ("30", "31", "13", False),
    ],
)
def test_texts_compare_as_servers_normalize_them(was: str, wanted: str, shown: str, kept: bool) -> None:

    assert is_text(shown, wanted, was) is kept


@pytest.mark.parametrize(
    ("answer", "fails"),
    [
        ({"ok": False}, True),
        ({"success": False, "data": {"id": 1}}, True),
        ({"status": "error", "message": "taken"}, True),
        ({"errors": {"email": ["is taken"]}}, True),
        ({"data": None, "errors": [{"message": "no"}]}, True),
        ({"data": {"saved": True}, "errors": [{"message": "a part is missing"}]}, False),
        ({"ok": True, "error": None, "errors": []}, False),
        ({"status": "done"}, False),
        ({"status": 200}, False),
        ([{"ok": False}], False),
        ("error", False),
    ],
)
def test_json_says_that_a_request_failed(answer: Any, fails: bool) -> None:
    assert (says_failure(answer) is not None) is fails
