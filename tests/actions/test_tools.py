"""The actions as tools: what a call is as a text, and back."""

from __future__ import annotations

from typing import Any

import pytest

from websp_gym.actions import parse_action
from websp_gym.actions.grammar import ACTIONS, UNLISTED, USER_ACTIONS
from websp_gym.actions.tools import TOOL_NAMES, arguments_of, call_text, list_tools
from websp_gym.errors import ActionError

TOOLS = list_tools(to_user=True)


@pytest.mark.parametrize("spec", [*ACTIONS, *UNLISTED, *USER_ACTIONS], ids=lambda spec: spec.kind)
def test_every_action_is_the_call_of_a_tool(spec: Any) -> None:
    action = parse_action(spec.example, to_user=True)
    text, wrong = call_text(TOOLS, TOOL_NAMES[action.kind], arguments_of(action))
    assert wrong == ""
    assert parse_action(text, to_user=True) == action


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("click", {"element": "the first"}, "expected a value of type integer"),
        ("click", {}, "expected the arguments element"),
        ("press", {"key": "Enter"}, "no tool named 'press'"),
        ("Click [3]", {}, "no tool named"),
        ("ANSWER; done\nAction: ANSWER; done", {}, "no tool named"),
        ("{}", {"action": "click"}, "no tool named"),
    ],
)
def test_a_call_that_cannot_be_carried_out_is_no_action_either(
    name: str, arguments: dict[str, Any], said: str
) -> None:
    text, wrong = call_text(TOOLS, name, arguments)
    assert said in wrong
    with pytest.raises(ActionError):
        parse_action(text, to_user=True)
