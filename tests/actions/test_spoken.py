"""A report can be given in fields: as text, by a tool and by a call, with the same words for what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from websp_gym.actions import format_action, parse_action
from websp_gym.actions.browsergym import parse_calls, report_to_user
from websp_gym.actions.tools import list_tools
from websp_gym.errors import ActionError

FIELDS = {"where": "/settings/email", "what": "not saved"}
TEXT = '{"where": "/settings/email", "what": "not saved"}'


@pytest.mark.parametrize(
    "written",
    [
        f"REPORT; {TEXT}",
        f"report;{TEXT}",
        'REPORT; {"what":"not saved",\n"where": " /settings/email "}',
        f"REPORT; [{TEXT}]",
    ],
)
def test_fields_are_read_from_text(written: str) -> None:
    action = parse_action(written, to_user=True)
    assert (action.kind, action.text) == ("REPORT", TEXT)
    assert parse_action(format_action(action), to_user=True) == action


def test_the_tool_and_the_call_give_the_same_action() -> None:
    tool = list_tools(to_user=True)["report"]
    assert tool.action(FIELDS) == parse_action(f"REPORT; {TEXT}", to_user=True)
    assert tool.written(FIELDS) == f"REPORT; {TEXT}"
    assert tool.action({"text": "it failed"}) == parse_action("REPORT; it failed", to_user=True)
    assert report_to_user(**FIELDS).text == TEXT
    assert report_to_user("it failed").text == "it failed"
    (call,) = parse_calls("report_to_user(where='/settings/email', what='not saved')", to_user=True)
    assert call == ("report_to_user", [], FIELDS)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"where": "x"}, "what: expected what did not work, such as not saved"),
    ({"where": "x", "what": ""}, "what: expected"),
    ({"where": 3, "what": "x"}, "where: expected"),
    ({"where": "x", "wat": "x"}, 'there is no field "wat"; did you mean "what"?'),
]


@pytest.mark.parametrize(("given", "said"), WRONG)
def test_wrong_fields_are_answered_with_what_is_expected(given: dict[str, Any], said: str) -> None:
    import json

    for give in (
        lambda: parse_action(f"REPORT; {json.dumps(given)}", to_user=True),
        lambda: parse_calls(f"report_to_user({json.dumps(json.dumps(given))})", to_user=True),
    ):
        with pytest.raises(ActionError) as raised:
            give()
        assert said in str(raised.value)
        assert f"expected where and what, for example: REPORT; {TEXT}" in str(raised.value)


@pytest.mark.parametrize("given", [{}, {**FIELDS, "text": "it failed"}])
def test_either_a_text_or_fields_are_given(given: dict[str, str]) -> None:
    with pytest.raises(ActionError, match="give either a text or these fields"):
        list_tools(to_user=True)["report"].action(given)
    named = ", ".join(f"{name}={value!r}" for name, value in given.items())
    with pytest.raises(ActionError, match="give either a text or these fields"):
        parse_calls(f"click('a')\nreport_to_user({named})", to_user=True)


@pytest.mark.parametrize(
    "text", ['{"where": "x", "what": "y"', "{not json}", "{}", "[" * 5000, '{"a":' * 3000]
)
def test_what_begins_as_fields_is_no_free_text(text: str) -> None:
    if text.startswith("{"):
        with pytest.raises(ActionError, match="REPORT"):
            parse_action(f"REPORT; {text}", to_user=True)
    else:
        assert parse_action(f"REPORT; {text}", to_user=True).text == text
