"""A trace is filled with the account's values once, and no message of its replay shows a secret one."""

from __future__ import annotations

import traceback
from typing import Any

import pytest

from tests.replay_support import ACCOUNT, HOME, Bench, Event, bench
from websp_gym.errors import ReplayError, SetupError
from websp_gym.replay import Fingerprint, Trace
from websp_gym.replay.filled import fill_trace
from websp_gym.replay.trace import TraceEvent

__all__ = ["bench"]
PASSWORD, GIVEN = ACCOUNT["password"], "g1v3n-text"
ACCOUNT_WITH_NEW = {**ACCOUNT, "new_password": GIVEN}
NAMED = "{{account.username}}"


def trace_of(*events: Event, **more: Any) -> Trace:
    data = {"schema": "websp-trace/2", "name": "test", "site": "test", "start_url": HOME, "events": events}
    return Trace.model_validate(data | more)


def test_every_text_of_a_trace_is_filled_and_the_written_form_is_kept() -> None:
    texts = {
        name: NAMED for name, field in Fingerprint.model_fields.items() if field.annotation == str | None
    }
    target = {"tag": "a", "group": [NAMED, "b"], **texts}
    event = {"type": "click", "url": f"{HOME}/{NAMED}", "target": target, "hover": [target], "value": NAMED,
             "modal": "accept", "modal_text": NAMED}  # fmt: skip
    trace = trace_of(event, start_url=f"{HOME}/{NAMED}", end={"url": f"{HOME}/{NAMED}/end"})
    filled = fill_trace(trace, ACCOUNT)
    (only,) = filled.events
    (menu,) = only.menus
    assert (filled.start.url, filled.end_url) == (f"{HOME}/ada", f"{HOME}/ada/end")
    for one in (filled.start, only, menu):
        assert "{{" not in one.model_dump_json(exclude={"written": True, "menus": True})
        assert "ada" not in one.written.model_dump_json()
    assert only.target is not None
    assert only.target.group == ("ada", "b")
    assert (only.written, menu.target) == (trace.events[0], only.target)


def test_a_value_that_looks_like_a_placeholder_is_typed_as_it_is(bench: Bench) -> None:
    bench.show("<label>Name <input id=n></label>")
    event = bench.event("type", "#n", value="{{account.name}}")
    bench.play(event, account={**ACCOUNT, "name": "{{account.email}}"})
    assert bench.page.input_value("#n") == "{{account.email}}"


def test_a_missing_value_is_an_error_before_anything_is_done(bench: Bench) -> None:
    bench.show("<button onclick='this.id = \"pressed\"'>Go</button><input>")
    events = bench.event("click", "button"), bench.event("type", "input", value="{{account.name}}")
    with pytest.raises(SetupError, match=r"the trace needs \{\{account\.name\}\}"):
        bench.play(*events, account={})
    assert bench.page.query_selector("#pressed") is None


def test_an_option_named_after_the_account_is_chosen(bench: Bench) -> None:
    bench.show("<select><option>Nobody<option>ada</select>")
    event = bench.event("click", "option:nth-child(2)")
    event["target"] |= {"name": NAMED, "text": NAMED, "label": None, "value": NAMED}
    bench.play(event)
    assert bench.page.input_value("select") == "ada"


LIST = "<label>Secret <select id=f><option>a<option>b</select></label>"
FIELD = "<form><label>Secret <input id=f type=password></label></form>"
KEEPS_NOTHING = FIELD.replace("id=f", "id=f oninput=\"this.value = 'x'\"")
STAYS_READ_ONLY = FIELD.replace("id=f", "id=f oninput=\"this.value = 'x'; this.readOnly = true\"")
FAILURES = {
    "the field is gone": ("<p>Nothing", "not found in time", 0.2),
    "the field shows its text": (FIELD.replace("password", "text"), "into password fields only", 60),
    "the field is a list": (LIST, "fields only", 60),
    "the field keeps nothing": (KEEPS_NOTHING, "did not keep the text", 60),
    "the field is disabled": (FIELD.replace("id=f", "id=f disabled"), "Timeout", 0.2),
    "the field cannot be filled": (STAYS_READ_ONLY, "Timeout", 0.2),
}  # fmt: skip
"""What the page has instead of the field, what is said of it, and the seconds to wait."""
EVENTS = {
    "typed": {"type": "type", "value": "{{account.password}}"},
    "changed": {"type": "change", "value": "{{account.password}}"},
    "left out": {"type": "omitted", "what": "password", "value": "{{account.new_password}}"},
    "given": {"type": "omitted", "what": "password"},
}


def shown(error: BaseException) -> str:
    """All that an error can show: its message, its attributes, and the errors that it came from."""
    return "".join([repr(error), repr(vars(error)), *traceback.format_exception(error)])


@pytest.mark.parametrize("failure", FAILURES)
def test_no_message_about_an_event_with_a_secret_shows_it(bench: Bench, failure: str) -> None:
    html, says, timeout = FAILURES[failure]
    bench.show(LIST if html == LIST else FIELD)
    target = {"url": bench.page.url, "target": bench.target("#f")}
    for kind, event in EVENTS.items():
        recorded = event | target
        bench.show(html)
        inputs = {1: GIVEN} if kind == "given" else {}
        with pytest.raises(ReplayError, match=says) as caught:
            bench.play(recorded, account=ACCOUNT_WITH_NEW, timeout=timeout, inputs=inputs)
        assert PASSWORD not in shown(caught.value)
        assert GIVEN not in shown(caught.value)
        assert TraceEvent.model_validate(recorded).describe() in str(caught.value)
        if kind == "typed":
            assert "{{account.password}}" in str(caught.value)


def test_no_report_of_an_event_with_a_secret_shows_it(bench: Bench) -> None:
    for kind, event in EVENTS.items():
        bench.show(FIELD)
        recorded = event | {"url": bench.page.url, "target": bench.target("#f")}
        inputs = {1: GIVEN} if kind == "given" else {}
        report = bench.play(recorded, account=ACCOUNT_WITH_NEW, verify=True, inputs=inputs)
        value = PASSWORD if kind in ("typed", "changed") else GIVEN
        assert bench.page.input_value("#f") == value
        assert not {PASSWORD, GIVEN} & set(repr(report).split("'"))
        assert value not in repr(report)


def test_a_filled_event_is_shown_as_it_is_written() -> None:
    for kind, event in EVENTS.items():
        recorded = event | {"target": {"tag": "input", "name": NAMED}}
        trace = trace_of(recorded)
        filled = fill_trace(trace, ACCOUNT_WITH_NEW, {1: GIVEN} if kind == "given" else None)
        (one,) = filled.events
        assert one.value in (PASSWORD, GIVEN)
        assert (one.describe(), one.describe_target()) == (
            trace.events[0].describe(),
            f'<input> "{NAMED}"',
        )
        for text in (repr(filled), str(one), f"{one}"):
            assert not any(value in text for value in (PASSWORD, GIVEN, "ada"))


CHOOSER = "<ul>{}</ul>"
ENTRY = """<li><button name="account" class="entry" onclick="document.title = this.textContent">{}</button></li>"""
CHOICES: tuple[tuple[list[str], str | None], ...] = (
    (["Ada ada@example.com"], "Ada ada@example.com"),
    (["Bob bob@example.com", "Ada ADA@example.com"], "Ada ADA@example.com"),
    (["Signed in: Ada (ada@example.com)"], "Signed in: Ada (ada@example.com)"),
    (["Bob bob@example.com"], None),
    (["Ada bob@example.com"], None),
)


def test_what_is_named_after_the_account_is_pressed_for_this_account_only(bench: Bench) -> None:
    bench.show(CHOOSER.format(ENTRY.format("Ada ada@example.com")))
    event = bench.event("click", "button")
    event["target"] |= {
        "name": "{{account.name}} {{account.email}}",
        "text": "{{account.name}} {{account.email}}",
    }
    for entries, pressed in CHOICES:
        bench.show(CHOOSER.format("".join(map(ENTRY.format, entries))))
        if pressed is None:
            with pytest.raises(ReplayError):
                bench.play(event, timeout=0.2)
        else:
            bench.play(event)
        assert bench.page.title() == (pressed or "")
