"""Reading an answer: exactly what was asked for, or nothing."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.judge_support import says
from websp_gym.scoring.judge.opinion import Opinion, UnreadableError, read_opinion


@pytest.mark.parametrize("result", ["CORRECT", "INCORRECT"])
@pytest.mark.parametrize(
    "frame",
    [
        "{}",
        "  \n{}\n\n",
        "```json\n{}\n```",
        "```\n{}\n```\n",
        "```JSON\n{}\n```",
        "```json\r\n{}\r\n```",
        '<think>\nIs it CORRECT? {"result": 1}\n</think>\n{}',
        "<thinking></thinking>```json\n{}\n```",
    ],
)
def test_an_answer_as_asked_is_read(result: str, frame: str) -> None:
    assert read_opinion(frame.replace("{}", says(result))) == Opinion(result, "Because.")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("CORRECT", "not JSON"),
        ("The result is " + says("CORRECT"), "not JSON"),
        (says("CORRECT") + " as said", "not JSON"),
        (says("INCORRECT") + says("CORRECT"), "not JSON"),
        (says("CORRECT")[:-1], "not JSON"),
        ("```json\n" + says("CORRECT"), "not JSON"),
        ("[" + says("CORRECT") + "]", "list"),
        ('"CORRECT"', "str"),
        ("null", "NoneType"),
        ("1", "int"),
        ("{}", "keys are none"),
        ('{"result": "CORRECT"}', "keys are 'result'"),
        ('{"reason": "r"}', "keys are 'reason'"),
        ('{"result": "CORRECT", "reason": "r", "score": 1}', "'score'"),
        ('{"Result": "CORRECT", "reason": "r"}', "'Result'"),
        ('{"result": "INCORRECT", "result": "CORRECT", "reason": "r"}', "twice"),
        ('{"result": "correct", "reason": "r"}', "'correct'"),
        ('{"result": "CORRECT ", "reason": "r"}', "'CORRECT '"),
        ('{"result": "CORRECT or INCORRECT", "reason": "r"}', "not one of"),
        ('{"result": "PARTIAL", "reason": "r"}', "'PARTIAL'"),
        ('{"result": "", "reason": "r"}', "''"),
        ('{"result": true, "reason": "r"}', "True"),
        ('{"result": 1, "reason": "r"}', "1"),
        ('{"result": null, "reason": "r"}', "None"),
        ('{"result": ["CORRECT"], "reason": "r"}', "CORRECT"),
        ('{"result": {"CORRECT": 1}, "reason": "r"}', "CORRECT"),
        ('{"result": "CORRECT", "reason": ""}', "not a sentence"),
        ('{"result": "CORRECT", "reason": "  "}', "not a sentence"),
        ('{"result": "CORRECT", "reason": null}', "not a sentence"),
        ('{"result": "CORRECT", "reason": ["r"]}', "not a sentence"),
        ("I cannot help with that.", "not JSON"),
        ("<think>" + says("CORRECT"), "not JSON"),
        (says("CORRECT") + "<think>or not</think>", "not JSON"),
        ("<think>a</think>b</think>" + says("CORRECT"), "not JSON"),
        ("[" * 100_000, "not JSON"),
        ('{"result": ' + "9" * 5000 + ', "reason": "r"}', ""),
    ],
)
def test_any_other_answer_is_rejected_with_a_reason(answer: str, problem: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_opinion(answer)
    assert problem in str(caught.value)


@settings(deadline=None)
@given(st.text())
def test_no_random_text_parses_as_an_opinion(text: str) -> None:
    with pytest.raises(UnreadableError):
        read_opinion(text)


json_data = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["result", "reason", "x"]), inner),
)


@settings(deadline=None)
@given(json_data)
def test_json_of_any_shape_is_an_opinion_only_in_the_one_that_was_asked_for(data: object) -> None:
    try:
        opinion = read_opinion(json.dumps(data))
    except UnreadableError:
        return
    assert isinstance(data, dict)
    assert set(data) == {"result", "reason"}
    assert data["result"] == opinion.result


def test_forty_thousand_keys_are_refused_at_once_and_in_a_short_sentence() -> None:
    began = time.thread_time()
    with pytest.raises(UnreadableError) as caught:
        read_opinion(json.dumps({f"key {number}": 0 for number in range(40_000)}))
    assert time.thread_time() - began < 5, "comparing each with each takes minutes"
    assert len(str(caught.value)) < 400
    with pytest.raises(UnreadableError, match="'a' appears twice"):
        read_opinion('{"a": {"b": 1}, "a": 2}')


def test_half_an_emoji_in_a_reason_becomes_a_character_that_files_can_hold() -> None:
    opinion = read_opinion('{"result": "CORRECT", "reason": "so \\ud800"}')
    assert opinion == Opinion("CORRECT", "so \ufffd")
