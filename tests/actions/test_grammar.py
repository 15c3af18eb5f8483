"""The action grammar: what is read, what is refused, and with which words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from websp_gym.actions import ACTIONS, Action, format_action, parse_action
from websp_gym.actions.browsergym import looks_like_calls, parse_calls
from websp_gym.actions.grammar import DIRECTIONS, thought_of
from websp_gym.actions.reply import LONGEST_ACTION
from websp_gym.errors import ActionError

numbers = st.integers(min_value=0, max_value=999)
directions = st.sampled_from(DIRECTIONS)
texts = st.text(max_size=40).map(str.strip)
urls = st.from_regex(r"https://[a-z]{1,8}\.example/[a-z0-9/]{0,12}", fullmatch=True)
actions = st.one_of(
    st.builds(Action, st.just("Click"), numbers),
    st.builds(Action, st.just("Hover"), numbers),
    st.builds(Action, st.just("Type"), numbers, texts),
    st.builds(Action, st.just("Scroll"), st.none() | numbers, st.none(), directions),
    st.builds(Action, st.just("Scroll_within_popup"), st.none(), st.none(), directions),
    st.builds(Action, st.just("Switch_tab"), st.none(), urls),
    st.builds(Action, st.just("ANSWER"), st.none(), texts),
    st.builds(Action, st.sampled_from(["Scroll_to_end", "Wait", "GoBack", "Google"])),
)


@given(actions)
def test_formatted_actions_parse_back(action: Action) -> None:
    if action.text is not None and "action" in action.text.lower():
        return  # text that looks like a reply of its own
    assert parse_action(format_action(action)) == action


@given(st.text(max_size=60))
def test_any_text_is_an_action_or_an_action_error(text: str) -> None:
    try:
        parse_action(text)
    except ActionError as error:
        assert "expected" in str(error)


def test_the_examples_in_the_table_are_valid_and_of_their_kind() -> None:
    assert len(ACTIONS) == 11
    for spec in ACTIONS:
        assert parse_action(spec.example).kind == spec.kind


SPELLINGS = (
    ("Click [7]", Action("Click", 7)),
    ("click 7", Action("Click", 7)),
    ("  Click  [ 7 ]\n", Action("Click", 7)),
    ("Type [3]; ", Action("Type", 3, "")),
    ("Type [3];", Action("Type", 3, "")),
    ("Type [3]; a; b\nc", Action("Type", 3, "a; b\nc")),
    ("Scroll [WINDOW]; Down", Action("Scroll", direction="down")),
    ("Scroll 4; [left]", Action("Scroll", 4, direction="left")),
    ("Switch_tab [https://a.example/x?y=1]", Action("Switch_tab", text="https://a.example/x?y=1")),
    ("Switch_tab https://a.example/x", Action("Switch_tab", text="https://a.example/x")),
    ("Switch_tab [https://a.example/?a[]=1]", Action("Switch_tab", text="https://a.example/?a[]=1")),
    ("Type [3]; [privacy settings]", Action("Type", 3, "privacy settings")),
    ("Type [3]; [[x]]", Action("Type", 3, "[x]")),
    ("Type [3]; [a] and [b]", Action("Type", 3, "[a] and [b]")),
    ("Type [3]; []", Action("Type", 3, "")),
    ("ANSWER", Action("ANSWER", text="")),
    ("ANSWER; all done", Action("ANSWER", text="all done")),
    ("Thought: I should click.\nAction: Click [2]", Action("Click", 2)),
    ("Thought: no Action: here\n**Action:** Wait", Action("Wait")),
    ("**Action: Type [3]; x**", Action("Type", 3, "x")),
    ("Action: Type [3]; 2**", Action("Type", 3, "2**")),
    ("**Action**: **Wait**", Action("Wait")),
    ("Action: Click [1]\nThought: again\nAction: click 1", Action("Click", 1)),
    ('"Click [8]"', Action("Click", 8)),
    ("`Click [8]`", Action("Click", 8)),
    ("```\nClick [8]\n```", Action("Click", 8)),
    ("Thought: x\nAction:\n```text\nClick [8]```", Action("Click", 8)),
    ('Type [3]; "quoted"', Action("Type", 3, '"quoted"')),
)


def test_usual_spellings_are_understood() -> None:
    assert [(text, parse_action(text)) for text, _ in SPELLINGS] == list(SPELLINGS)


WRONG = (
    ("Click", "expected: Click [Numerical_Label]"),
    ("Click [seven]", "for example: Click [7]"),
    ("Scroll [3]; sideways", "[up or down or left or right]"),
    ("Clikc [7]", 'did you mean "Click"?'),
    ("", "expected one of: Click"),
    ("Click [7] and then Click [8]", "expected: Click"),
    ("Click [7]\nClick [8]", "expected: Click"),
    ("Action: Click [7]\nAction: ANSWER; done", "two different actions"),
    ("Action: Click [7]\nAction: nothing", "no such action"),
    ("Type [3]", "expected: Type [Numerical_Label]; [Content]"),
    ("Switch_tab []", "expected: Switch_tab [URL]"),
    (f"Type [3]; {'x' * LONGEST_ACTION}", "the action has 10,010 characters; expected at most 10,000"),
)


def test_a_wrong_action_is_explained() -> None:
    for text, hint in WRONG:
        with pytest.raises(ActionError) as caught:
            parse_action(text)
        assert hint in str(caught.value), text


def test_scrolling_and_waiting_are_free() -> None:
    free = {spec.kind for spec in ACTIONS if spec.free}
    assert free == {"Scroll", "Scroll_to_end", "Scroll_within_popup", "Wait"}


def test_the_thought_is_what_stands_before_the_action() -> None:
    assert thought_of("Thought: first\nsecond\nAction: Wait") == "first\nsecond"
    assert thought_of("Click [3]") == ""


def test_browsergym_calls_are_parsed_as_data() -> None:
    assert parse_calls("fill('a12', value='x')\nclick(\"b\")") == [
        ("fill", ["a12"], {"value": "x"}),
        ("click", ["b"], {}),
    ]


BEYOND = (
    "goto('file:///etc/passwd')",
    "goto('chrome://version')",
    "goto(url='javascript:alert(1)')",
    "goto('view-source:https://a.example')",
    "upload_file('a1', '/etc/passwd')",
    "__import__('os').system('true')",
    "click(open('x'))",
    "eval('1')",
    "print(1)",
)


def test_calls_that_could_reach_beyond_the_page_are_refused() -> None:
    for text in BEYOND:
        with pytest.raises(ActionError):
            raise AssertionError(parse_calls(text))


def test_a_call_quoted_in_an_answer_is_not_executed() -> None:
    assert not looks_like_calls("ANSWER; it is \"send_msg_to_user('x')\"")
    assert looks_like_calls("```python\nclick('a')\n```")
