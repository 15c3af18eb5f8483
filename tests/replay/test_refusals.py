"""Replay against a server that takes or refuses what it is sent: never ok to what was refused, no alarm where it was taken."""

from __future__ import annotations

import copy
import itertools
import json
import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import pytest

from tests.account_support import ACCOUNT, PASSWORD, TAKEN, Application, application, running, studio, tabs
from tests.sample import long_proof
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import ReplayError
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import ReplayReport, Trace, replay
from websp_gym.replay.read_back import is_text
from websp_gym.replay.refusals import says_failure

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["application", "running", "studio", "tabs"]


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


def every_setting(page: Page) -> None:
    type_over(page, "email", "new@example.org")
    type_over(page, "city", "Paris")
    type_over(page, "bio", "A new life")
    page.locator("[name=news]").click()
    page.locator("[value=none]").click()
    theme(page)


FLOWS: dict[str, Callable[[Page], None]] = {
    flow.__name__: flow for flow in (email, city, bio, age, news, who, theme, every_setting)
}
_recorded: dict[tuple[str, str], Trace] = {}


def recording(studio: RecorderBrowser, application: Application, name: str, act: Callable[[], None]) -> Trace:
    """Return a recording of what is done, in which the server took everything."""
    studio.discard()
    before = copy.deepcopy(application.stored)
    studio.start(name, "local", account=ACCOUNT)
    act()
    end = time.monotonic() + 120
    while application.stored == before and time.monotonic() < end:
        studio.page.wait_for_timeout(5)
    assert application.stored != before
    return studio.stop()


def recorded(studio: RecorderBrowser, application: Application, flow: str, takes: str = "redirect") -> Trace:
    """Return the recording of a flow; made once."""
    application.reset()
    application.takes = takes
    if (flow, takes) not in _recorded:
        studio.page.goto(f"{application.base}/open")
        _recorded[flow, takes] = recording(studio, application, flow, lambda: FLOWS[flow](studio.page))
    application.reset()
    application.takes = takes
    return _recorded[flow, takes]


def setting(studio: RecorderBrowser, application: Application, name: str) -> Trace:
    """Return what a recording has of one setting, and the click on Save: a recording costs more than its replay."""
    trace = recorded(studio, application, "every_setting")
    *settings, last = trace.events
    only = [event for event in settings if event.target and event.target.name_attr == name]
    return trace.model_copy(update={"events": (*only, last)})


def play(trace: Trace, tabs: Tabs, **options: Any) -> ReplayReport:
    given: dict[str, Any] = {"account": ACCOUNT, "timeout": 30.0, **options}
    return replay(trace, tabs, set="recorded", **given)


def foreign(trace: Trace) -> Trace:
    """Return a trace as an import would have it: without what only our recorder knows."""
    events = tuple(event.model_copy(update={"kept": None}) for event in trace.events)
    return trace.model_copy(update={"events": events, "end": None})


EVERY = list(itertools.product([True, False], [True, False]))
"""With and without reading back, a recording of ours and an imported one."""

READ_BACK = [(True, True), (True, False)]


def check_taken(
    trace: Trace, application: Application, tabs: Tabs, takes: str, ways: Iterable[tuple[bool, bool]]
) -> None:
    """Replay a trace where the server takes everything; of the ways see :data:`EVERY`."""
    for verify, ours in ways:
        application.reset()
        application.takes = takes
        before = copy.deepcopy(application.stored)
        report = play(trace if ours else foreign(trace), tabs, verify=verify)
        assert application.stored != before
        states = len([event for event in trace.events if event.kept])
        assert (report.verified, report.unverified) == (states if verify else None, ())


def check_refused(
    trace: Trace,
    application: Application,
    tabs: Tabs,
    takes: str,
    refusal: str,
    ways: Iterable[tuple[bool, bool]],
) -> None:
    """Replay a trace where the server refuses everything; of the ways see :data:`EVERY`."""
    silent = refusal.startswith("silent")
    types_anew = trace.events[0].target is not None and trace.events[0].target.name_attr == "city"
    for verify, ours in ways:
        application.reset()
        application.takes, application.refuses = takes, refusal
        before = copy.deepcopy(application.stored)
        try:
            report = play(trace if ours else foreign(trace), tabs, verify=verify)
        except ReplayError:
            assert application.stored == before
            continue
        assert application.stored == before
        # Without loading the page once more, nothing is said of what the server does in silence. In a trace of another
        # tool, a text where there was none may be part of something new, and a sign-in page may be what was wanted.
        unclear = not ours and ((takes, refusal) == ("redirect", "expired") or (silent and types_anew))
        seen = (verify, ours, tabs.current.url, application.heard, report)
        assert (silent and not verify) or unclear, seen
        assert report.verified == (0 if verify else None)
        assert bool(report.unverified) is verify


def test_what_the_server_took_is_read_back_whatever_it_is(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = recorded(studio, application, "every_setting")
    assert len(trace.events) == 7
    check_taken(trace, application, tabs, "redirect", READ_BACK)


@pytest.mark.proof
def test_what_was_sent_by_enter_is_taken_or_refused(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = recorded(studio, application, "age")
    assert [event.type for event in trace.events] == ["type", "key"]
    check_taken(trace, application, tabs, "redirect", [(True, True)])
    check_refused(trace, application, tabs, "redirect", "500", [(False, False)])


def test_what_the_server_took_is_ok_however_it_says_so(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = setting(studio, application, "email")
    for takes, ways in (("page", [(True, True), (False, False)]), ("script", [(False, False)])):
        check_taken(trace, application, tabs, takes, ways)
    check_taken(trace, application, tabs, "sign-in script", [(False, False)])


def test_what_looks_like_an_error_and_is_none_is_ok(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = recorded(studio, application, "email", "odd")
    check_taken(trace, application, tabs, "odd", [(False, True), (False, False), (True, False)])


REFUSALS = {
    "redirect": ("redirect", "silent redirect", "page", "500", "no answer", "expired"),
    "script": ("422", "no answer", "json", "silent json", "expired", "sign-in page", "sign-in by mail"),
}


@pytest.mark.parametrize("takes", long_proof(REFUSALS, ["script"]))
def test_what_the_server_refused_is_never_said_to_be_taken(
    studio: RecorderBrowser, application: Application, tabs: Tabs, takes: str
) -> None:
    mail, news = (setting(studio, application, name) for name in ("email", "news"))
    for refusal in REFUSALS[takes]:
        ways = [(False, False)]
        if refusal.startswith("silent"):
            ways = READ_BACK
        elif (takes, refusal) == ("redirect", "expired"):
            ways = [(False, True)]  # a trace of another tool does not say that it ended elsewhere
        elif refusal in ("page", "redirect"):
            ways += [(True, refusal == "page")]  # what only looks like an error is decided by reading back
        trace = news if refusal == "no answer" else mail
        check_refused(trace, application, tabs, takes, refusal, ways)


@pytest.mark.proof
@pytest.mark.timeout(900)
@pytest.mark.parametrize("flow", FLOWS)
def test_every_flow_is_taken_and_refused_in_every_way(
    studio: RecorderBrowser, application: Application, tabs: Tabs, flow: str
) -> None:
    check_taken(recorded(studio, application, flow), application, tabs, "redirect", EVERY)
    if flow == "every_setting":
        for takes in ("page", "script", "sign-in script", "odd"):
            check_taken(recorded(studio, application, flow, takes), application, tabs, takes, EVERY)
    for takes, refusals in REFUSALS.items():
        for refusal in refusals:
            if flow in ("email", "news") or refusal == "silent redirect":
                trace = recorded(studio, application, flow, takes)
                check_refused(trace, application, tabs, takes, refusal, EVERY)


def test_a_setting_of_any_kind_that_was_refused_in_silence_is_named(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = recorded(studio, application, "every_setting")
    application.refuses = "silent redirect"
    with pytest.raises(ReplayError, match="did not keep what the replay set") as caught:
        play(trace, tabs, verify=True)
    named = re.findall(r"event (\d+) \(", str(caught.value))
    assert named == [str(number) for number, event in enumerate(trace.events, 1) if event.kept]
    assert len(named) == 6


def signing_in(studio: RecorderBrowser, application: Application) -> Trace:
    """Return the recording of a sign-in; made once."""
    if ("sign in", "") not in _recorded:
        studio.discard()
        studio.context.clear_cookies()
        studio.page.goto(f"{application.base}/login")
        studio.start("sign in", "local", account={**ACCOUNT, "password": PASSWORD})
        type_over(studio.page, "email", ACCOUNT["email"])
        type_over(studio.page, "password", PASSWORD)
        studio.page.get_by_label("Remember me").click()
        studio.page.get_by_role("button", name="Sign in").click()
        studio.page.wait_for_url("**/home")
        _recorded["sign in", ""] = studio.stop()
    return _recorded["sign in", ""]


WRONG = tuple(itertools.product(("401", "page", "redirect"), (True, False)))
"""How a wrong password is refused, and whether the states are read back."""


@pytest.mark.parametrize(
    ("ours", "wrong"),
    [
        pytest.param(True, (("401", False), ("page", False)), id="recorded"),
        pytest.param(False, (("redirect", False), ("page", True)), id="imported", marks=pytest.mark.proof),
        pytest.param(True, WRONG, id="recorded, in every way", marks=pytest.mark.proof),
        pytest.param(False, WRONG, id="imported, in every way", marks=pytest.mark.proof),
    ],
)
def test_a_sign_in_that_stays_on_its_form_is_a_failure(
    studio: RecorderBrowser,
    application: Application,
    tabs: Tabs,
    ours: bool,
    wrong: tuple[tuple[str, bool], ...],
) -> None:
    trace = signing_in(studio, application)
    trace = trace if ours else foreign(trace)
    says = r"status 401|did not continue|still asks for the password"
    tabs.context.clear_cookies()
    report = play(trace, tabs, verify=True)
    assert tabs.current.url.endswith("/login")
    (remember,) = report.unverified
    assert "Remember me" in remember
    for refusal, verify in wrong:
        application.refuses = refusal
        tabs.context.clear_cookies()
        with pytest.raises(ReplayError, match=says):
            # The page that was recorded is waited for until the time is up.
            play(trace, tabs, verify=verify, account={**ACCOUNT, "password": "wrong"}, timeout=3.0)


@pytest.mark.proof
def test_a_page_with_a_password_of_its_own_is_not_taken_for_the_sign_in_page(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    def change(page: Page = studio.page) -> None:
        type_over(page, "email", "new@example.org")
        type_over(page, "password", PASSWORD)
        save(page)

    studio.page.goto(f"{application.base}/open")
    studio.page.goto(f"{application.base}/contact")
    trace = recording(studio, application, "contact", change)
    application.reset()
    assert trace.end is not None
    assert trace.end.asks_password
    play(trace, tabs)
    assert application.stored["email"] == "new@example.org"
    for refusal in ("/login", "/welcome"):
        application.refuses = refusal
        with pytest.raises(ReplayError, match=f"continued to {refusal}, which asks for a password"):
            play(trace, tabs)


def no_settings(page: Page) -> None:
    type_over(page, "q", "Carol")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url(lambda url: "q=Carol" in url)
    page.get_by_label("Select Carol").click()
    choose(page, "role", "Editor")
    page.get_by_role("button", name="Change").click()
    page.wait_for_url(lambda url: "q=" not in url)
    type_over(page, "word", "spoiler")
    page.get_by_role("button", name="Add").click()
    page.get_by_text("spoiler").wait_for()


@pytest.mark.proof
def test_what_is_no_setting_is_no_alarm_and_is_listed(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    studio.page.goto(f"{application.base}/open")
    studio.page.goto(f"{application.base}/users")
    trace = recording(studio, application, "no settings", lambda: no_settings(studio.page))
    for ours in (True, False):
        application.reset()
        report = play(trace if ours else foreign(trace), tabs, verify=True)
        assert application.stored["words"] == ["spoiler"]
        assert application.stored["roles"] == {"3": "editor", "4": "reader"}
        # The page says the word that was sent to it; a recording knows that its field does not keep it.
        read = 0 if ours else 1
        assert (report.verified, len(report.unverified)) == (read, 4 - read)


def test_the_recorder_notes_what_the_pages_kept_and_where_it_ended(
    studio: RecorderBrowser, application: Application
) -> None:
    trace = recorded(studio, application, "every_setting")
    assert [event.kept for event in trace.events] == [*[True] * 6, None]
    assert trace.end is not None
    assert (trace.end.url, trace.end.asks_password) == (f"{application.base}/profile", False)


def test_a_form_that_the_browser_does_not_send_is_a_failure(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = setting(studio, application, "email")
    wrong = trace.events[0].model_copy(update={"value": "no address"})
    trace = trace.model_copy(update={"events": (wrong, *trace.events[1:])})
    with pytest.raises(ReplayError, match="the browser did not send the form, because 'E-mail' is not valid"):
        play(trace, tabs)


def test_a_text_that_only_its_spelling_tells_from_the_one_before_is_not_said_to_be_read_back(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = setting(studio, application, "city")
    for refuses in (None, "silent redirect"):
        application.stored["city"], application.refuses = "https://Paris/", refuses
        report = play(trace, tabs, verify=True)
        stored = application.stored["city"]
        assert stored == ("Paris" if refuses is None else "https://Paris/")
        assert (report.verified, len(report.unverified)) == ((1, 0) if refuses is None else (0, 1))


def test_an_address_that_is_taken_is_refused_with_and_without_reading_back(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = setting(studio, application, "email")
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
    trace = setting(studio, application, "news")
    application.takes = "script"
    tabs.context.add_init_script(ASIDE)
    tabs.context.route("**/telemetry", lambda route: route.fulfill(status=500))
    report = play(trace, tabs, verify=True)
    assert report.verified == 1


DRAFT = """addEventListener('change', () => fetch('/api?action=stash', {method: 'POST', body: '{}'}));
addEventListener('submit', () => fetch('/api?action=stash', {method: 'POST', body: '{}', keepalive: true}))"""


def test_a_draft_that_fails_beside_a_setting_is_no_refusal_where_the_setting_is_read_back(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    """As on the edit page of MediaWiki, which asks its cache when a box is ticked."""
    tabs.context.add_init_script(DRAFT)
    answer = json.dumps({"error": {"code": "missingtext"}})
    tabs.context.route("**/api?*", lambda route: route.fulfill(body=answer, content_type="application/json"))
    trace = setting(studio, application, "news")
    assert play(trace, tabs, verify=True).verified == 1
    assert application.stored["news"]
    application.reset()
    for refuses, verify in (("silent redirect", True), (None, False)):
        application.refuses = refuses
        with pytest.raises(ReplayError, match='/api was answered with "error"'):
            play(trace, tabs, verify=verify)
        application.reset()


def test_a_request_that_is_sent_again_with_a_new_session_is_no_refusal(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    trace = setting(studio, application, "news")
    application.takes = "script"
    tabs.context.add_init_script(
        "const real = fetch; globalThis.fetch = async (...all) => { const one = await real(...all); "
        "return one.status === 401 ? real(...all) : one; }"
    )
    application.refuses = "401 once"
    assert play(trace, tabs, verify=True).verified == 1
    assert application.refuses is None


TEXTS: list[tuple[str, str, str, bool]] = [
    ("old", "new", "new", True),
    ("old", "new", "old", False),
    ("", "example.com", "https://example.com/", True),
    ("", "Ada@Example.org", "ada@example.org", True),
    ("", "two\nlines", "two\r\nlines", True),
    ("30", "31", "31.0", True),
    ("30", "3", "30", False),
    ("Ada-Love", "Ada Love", "Ada-Love", False),
    ("30", "31", "13", False),
]


def test_texts_compare_as_servers_normalize_them() -> None:
    for was, wanted, shown, kept in TEXTS:
        assert is_text(shown, wanted, was) is kept


ANSWERS: list[tuple[Any, bool]] = [
    ({"ok": False}, True),
    ({"success": False, "data": {"id": 1}}, True),
    ({"status": "error", "message": "taken"}, True),
    ({"errors": {"email": ["is taken"]}}, True),
    ({"data": None, "errors": [{"message": "no"}]}, True),
    ({"data": {"saved": True}, "errors": [{"message": "a part is missing"}]}, False),
    ({"data": {"update": None}, "errors": [{"message": "no"}]}, True),
    ({"data": {"user": {"__typename": "User", "update": None}}, "errors": [{"message": "no"}]}, True),
    ({"data": {"update": False}, "errors": [{"message": "a warning"}]}, False),
    ({"data": {"update": None}}, False),
    ({"ok": True, "error": None, "errors": []}, False),
    ({"status": "done"}, False),
    ({"status": 200}, False),
    ([{"ok": False}], False),
    ("error", False),
]


def test_json_says_that_a_request_failed() -> None:
    for answer, fails in ANSWERS:
        assert (says_failure(answer) is not None) is fails
