"""Why a run failed, by asking a model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.judge_support import FunctionModel, ReplyModel, reply
from websp_gym.errors import ModelError
from websp_gym.scoring.judge.failures import KINDS, Analysis, ask_why


def ask(model: Any) -> Analysis | None:
    return ask_why(
        model, instruction="Turn it off.", ground_truth=["TURN OFF 'x' toggle"], elements=["Link", "Toggle"],
        reason="It is still on.",
    )  # fmt: skip


def test_a_model_is_asked_which_kinds_and_elements() -> None:
    answer = json.dumps({"elements": ["Toggle"], "kinds": ["state misunderstanding", "hallucinated success"]})
    model = FunctionModel(lambda messages: answer)
    found = ask(model)
    assert found == Analysis(
        ("state misunderstanding", "hallucinated success"), ("Toggle",), "test:model", 0.01
    )
    text = model.asked[0][1].text
    for part in ("Turn it off.", "TURN OFF 'x' toggle", "Link, Toggle", "It is still on."):
        assert f"\n{part}\n" in text
    assert all(kind in model.asked[0][0].text for kind in KINDS)


@pytest.mark.parametrize(
    "answer",
    [
        "", "Toggle", "{}", '{"elements": ["Toggle"]}', '{"elements": "Toggle", "kinds": ["partial completion"]}',
        '{"elements": ["Button"], "kinds": ["partial completion"]}', '{"elements": [], "kinds": []}',
        '{"elements": [], "kinds": ["bad luck"]}', '{"elements": [["Toggle"]], "kinds": ["partial completion"]}',
    ],
)  # fmt: skip
def test_an_unreadable_answer_is_asked_for_again_and_then_left_open(answer: str) -> None:
    model = FunctionModel(lambda messages: answer)
    assert ask(model) is None
    assert len(model.asked) == 3


def test_a_model_that_cannot_be_asked_leaves_it_open() -> None:
    assert ask(ReplyModel(ModelError("gone", kind="server", model="m"))) is None
    good = reply('{"elements": [], "kinds": ["partial completion"]}')
    assert ask(ReplyModel(reply("no"), good)) == Analysis(("partial completion",), (), "test:replies", 0.02)
