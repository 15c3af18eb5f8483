"""What a recording leaves out has a place in the trace, and replay stops there or takes what is given for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.account_support import ACCOUNT, PASSWORD, Application, application, running, studio, tabs
from websp_gym.browser.tabs import Tabs
from websp_gym.cli.app import app
from websp_gym.errors import ReplayError, SetupError
from websp_gym.recording import RecorderBrowser
from websp_gym.replay import Trace, replay, save_trace

__all__ = ["application", "running", "studio", "tabs"]
NEW = "N3w-and-better!"
CODE = "719 204"


def typed(studio: RecorderBrowser, label: str, text: str) -> None:
    studio.page.get_by_label(label).click()
    studio.page.keyboard.type(text)


@pytest.fixture(scope="module")
def recorded(studio: RecorderBrowser, running: Application) -> Trace:
    running.reset()
    studio.page.goto(f"{running.base}/open")
    studio.page.goto(f"{running.base}/password")
    studio.start("new password", "local", account=ACCOUNT)
    typed(studio, "Current password", PASSWORD)
    studio.page.click("text=Set new password")
    typed(studio, "New password", NEW)
    typed(studio, "Code from your app", CODE)
    studio.page.click("text=Update")
    studio.page.wait_for_url("**/profile")
    trace = studio.stop()
    assert running.stored["password"] == NEW
    return trace


@pytest.fixture
def changing(recorded: Trace, application: Application) -> Trace:
    """A recording in which a password is changed, in a field that shows it, with a code."""
    return recorded


def play(trace: Trace, tabs: Tabs, **options: Any) -> Any:
    given: dict[str, Any] = {"account": ACCOUNT, "timeout": 30.0, **options}
    return replay(trace, tabs, set="recorded", **given)


def test_what_was_left_out_has_its_place_in_the_trace_and_no_value(changing: Trace) -> None:
    assert [(event.type, event.what, event.value) for event in changing.events] == [
        ("type", None, "{{account.password}}"),
        ("click", None, None),
        ("omitted", "password", "{{account.new_password}}"),
        ("omitted", "secret", None),
        ("click", None, None),
    ]
    assert changing.omitted == 2
    assert not any(secret in changing.model_dump_json() for secret in (NEW, CODE, PASSWORD))
    assert changing.events[2].describe() == 'omitted password in <textbox> "New password"'


STOPS: tuple[tuple[dict[str, Any], int], ...] = (
    ({}, 3),
    ({"inputs": {4: CODE}}, 3),
    ({"inputs": {3: NEW}}, 4),
    ({"account": {**ACCOUNT, "new_password": NEW}}, 4),
)


def test_replay_stops_where_nothing_is_given(changing: Trace, tabs: Tabs, application: Application) -> None:
    for given, stops_at in STOPS:
        tabs.current.goto(f"{application.base}/profile")
        says = rf"event {stops_at} .*left this input out.*--input {stops_at}=TEXT"
        with pytest.raises(ReplayError, match=says) as caught:
            play(changing, tabs, **given)
        assert (caught.value.event, caught.value.type) == (stops_at, "omitted")
        assert application.stored["password"] == PASSWORD


def test_replay_types_what_is_given(changing: Trace, tabs: Tabs, application: Application) -> None:
    given: dict[str, Any]
    for given in (
        {"inputs": {3: NEW, 4: CODE}},
        {"inputs": {4: CODE}, "account": {**ACCOUNT, "new_password": NEW}},
    ):
        application.reset()
        report = play(changing, tabs, **given)
        assert (application.stored["password"], application.stored["code"]) == (NEW, CODE)
        assert not any(secret in repr(report) for secret in (NEW, CODE))


def test_an_input_can_only_be_given_where_one_was_left_out(changing: Trace, tabs: Tabs) -> None:
    with pytest.raises(
        SetupError, match=r"event 5 is not an input that was left out \(left out: event 3, 4\)"
    ):
        play(changing, tabs, inputs={5: "x"})


def test_a_trace_that_does_not_say_where_is_not_replayed_at_all(
    changing: Trace, tabs: Tabs, application: Application
) -> None:
    kept = tuple(event for event in changing.events if event.type != "omitted")
    for events, omitted in ((kept, 2), (changing.events, 3)):
        older = changing.model_copy(update={"events": events, "omitted": omitted})
        done: list[Any] = []
        with pytest.raises(ReplayError, match=r"it does not say where.*nothing was done"):
            play(older, tabs, inputs={} if events is kept else {3: NEW, 4: CODE}, on_event=done.append)
        assert (done, tabs.current.url) == ([], f"{application.base}/profile")


def test_one_that_is_optional_is_passed_over_where_its_field_is_gone(
    changing: Trace, tabs: Tabs, application: Application
) -> None:
    first, second, new, code, press = changing.events
    gone = code.model_copy(update={"optional": True, "target": code.target and code.target.model_copy(
        update={"name": "Gone", "label": "Gone", "name_attr": "gone", "css": "#gone", "xpath": None, "nearby": None}
    )})  # fmt: skip
    trace = changing.model_copy(update={"events": (first, second, new, gone, press)})
    report = play(trace, tabs, inputs={3: NEW})
    assert report.events[3].action == "skipped"
    assert application.stored["password"] == NEW


@pytest.mark.parametrize("given", [False, True])
def test_the_command_stops_or_takes_it_from_the_environment_and_an_option(
    changing: Trace, application: Application, tmp_path: Path, given: bool
) -> None:
    path = tmp_path / "t.json"
    # The command starts without cookies.
    save_trace(changing.model_copy(update={"start_url": f"{application.base}/open", "events": (
        changing.events[0].model_copy(update={"type": "navigate", "target": None, "value": None,
                                              "url": f"{application.base}/password"}), *changing.events)}), path)  # fmt: skip
    more = {"WEBSP_ACCOUNT_NEW_PASSWORD": NEW} if given else {}
    result = CliRunner().invoke(
        app, ["replay", str(path), "--site-url", application.base, "--json", *(["--input", f"5={CODE}"] if given else [])],
        env={"WEBSP_LIVE": "1", "WEBSP_ACCOUNT_PASSWORD": PASSWORD, **more},
    )  # fmt: skip
    said = json.loads(result.stdout)
    assert (said["ok"], result.exit_code) == (given, 0 if given else 1), said
    assert application.stored["password"] == (NEW if given else PASSWORD)
    assert NEW not in result.stdout
    if not given:
        assert "WEBSP_ACCOUNT_NEW_PASSWORD" in said["error"]


FIELDS = {
    "a field for a new one": ("<input type=password autocomplete=new-password>", False),
    "a label for a new one": ("<label>New password <input type=password></label>", False),
    "a form that asks twice": ("<form><input type=password id=p><input type=password id=q></form>", False),
    "a sign-in": ("<form><input type=email><input type=password autocomplete=current-password></form>", True),
    "a sign-in without words": ("<form><input name=login><input name=pass type=password></form>", True),
    "a confirmation": ("<form><label>Confirm your password <input type=password></label></form>", True),
}  # fmt: skip


@pytest.mark.parametrize("knows", [False, True])
def test_the_accounts_password_stays_a_placeholder_and_any_other_is_left_out(
    studio: RecorderBrowser, application: Application, knows: bool
) -> None:
    studio.page.goto(f"{application.base}/login")
    account = {key: value for key, value in ACCOUNT.items() if knows or key != "password"}
    studio.start("passwords", "local", account=account)
    for html, _ in FIELDS.values():
        studio.page.evaluate("html => { document.body.innerHTML = html + '<button>Go</button>' }", html)
        studio.page.locator("input[type=password]").first.click()
        studio.page.keyboard.type(PASSWORD)
        studio.page.locator("button").click()
    events = [event for event in studio.stop().events if event.type != "click"]
    studio.discard()
    for (field, (_, is_own)), event in zip(FIELDS.items(), events, strict=True):
        # Where the account's password is known, only what was typed counts.
        assert event.type == ("type" if is_own or knows else "omitted"), field
        assert event.value == ("{{account.password}}" if is_own or knows else "{{account.new_password}}")


def test_a_password_that_differs_from_the_accounts_is_left_out_in_any_field(
    studio: RecorderBrowser, application: Application
) -> None:
    studio.page.goto(f"{application.base}/login")
    studio.start("wrong", "local", account=ACCOUNT)
    typed(studio, "Password", "not-the-accounts")
    studio.page.click("h1")
    (event,) = studio.stop().events
    studio.discard()
    assert (event.type, event.value) == ("omitted", "{{account.new_password}}")


def test_the_answer_to_a_dialog_is_left_out_before_the_event_that_asks(
    studio: RecorderBrowser, application: Application, tabs: Tabs
) -> None:
    html = "<button onclick=\"fetch('/said-' + prompt('Your one-time code'), {method: 'POST'})\">Ask</button>"
    show = "html => { document.body.innerHTML = html }"
    studio.page.goto(f"{application.base}/login")
    studio.page.evaluate(show, html)
    studio.page.once("dialog", lambda dialog: dialog.accept(CODE))
    studio.start("ask", "local", account=ACCOUNT)
    studio.page.click("button")
    trace = studio.stop()
    studio.discard()
    assert [(event.type, event.what) for event in trace.events] == [("omitted", "answer"), ("click", None)]
    tabs.current.goto(f"{application.base}/login")
    tabs.current.evaluate(show, html)
    asked: list[str] = []
    tabs.current.on("request", lambda request: asked.append(request.url))
    with pytest.raises(ReplayError, match=r"event 1 .*dialog"):
        play(trace, tabs, start=False)
    assert asked == []
    play(trace, tabs, start=False, inputs={1: "given"})
    assert asked == [f"{application.base}/said-given"]


def test_a_file_and_a_captcha_cannot_be_given(tabs: Tabs) -> None:
    data = {"schema": "websp-trace/2", "name": "t", "site": "t", "start_url": tabs.current.url}
    for what in ("file", "captcha"):
        trace = Trace.model_validate({**data, "events": [{"type": "omitted", "what": what}]})
        with pytest.raises(ReplayError, match="event 1 "):
            play(trace, tabs, inputs={1: "x"})
