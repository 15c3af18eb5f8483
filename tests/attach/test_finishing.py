"""Ending the agent's part of an episode from another process of this machine."""

from __future__ import annotations

import json
import socket

import pytest

from tests.attach_support import STEAM, play_door
from tests.conftest import MakeEnv
from websp_gym.actions.calls import read_calls
from websp_gym.actions.grammar import answer_with, parse_action
from websp_gym.actions.reply import LONGEST_ACTION
from websp_gym.attach.door import Door
from websp_gym.attach.finishing import end_part, ending_in, giving_up, usage_in


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        (b"", ("", False)),
        (b"all done", ("all done", False)),
        (b"\xff[1", ("\ufffd[1", False)),
        (b"[" * 100_000, ("[" * 100_000, False)),
        (b'["a"]', ('["a"]', False)),
        (b'{"answer": null}', ("", False)),
        (b'{"answer": 0}', ("0", False)),
        (b'{"answer": "no such page", "infeasible": true}', ("no such page", True)),
        (b'{"answer": "no", "infeasible": "true"}', ("no", False)),
    ],
)
def test_what_is_posted_is_an_answer_or_gives_up(body: bytes, ending: tuple[str, bool]) -> None:
    assert ending_in(body) == ending


USAGE = {"calls": 2, "input_tokens": 1000, "output_tokens": 50, "cost": 0.25}


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ("text", ""),
        ({"answer": "x"}, ""),
        ({"usage": USAGE}, ""),
        ({"usage": {}}, ""),
        ({"usage": 3}, "give an object"),
        ({"usage": {"tokens": 3}}, "usage has no 'tokens'"),
        ({"usage": {"calls": "3"}}, "calls should be a number"),
        ({"usage": {"calls": 1.5}}, "calls should be a number"),
        ({"usage": {"cost": -1}}, "cost should be a number"),
        ({"usage": {"cost": True}}, "cost should be a number"),
    ],
)
def test_what_is_said_of_the_model_is_read_or_refused(said: object, wrong: str) -> None:
    body = json.dumps(said).encode()
    if wrong:
        with pytest.raises(ValueError, match=wrong):
            usage_in(body)
        return
    usage = usage_in(body)
    assert (usage is not None) == (isinstance(said, dict) and "usage" in said)
    if usage is not None and said == {"usage": USAGE}:
        assert {name: usage.as_dict()[name] for name in USAGE} == USAGE


@pytest.mark.parametrize(
    "reason", ["", "x" * 10_000, "\U0010ffff" * 10_000, "'\\\n" * 5_000, "half \ud83d", "\0"]
)
def test_giving_up_is_an_action_for_any_reason(reason: str) -> None:
    text = giving_up(reason)
    assert len(text) <= LONGEST_ACTION
    ((name, (given,), _),) = read_calls(text)
    assert name == "report_infeasible"
    assert given == reason.replace("\ud83d", "\ufffd")[:900]


@pytest.mark.parametrize(
    "answer", ["I did it.\nAction: none needed", "done\nThought: x\nAction: Click [1]", "", "]", "Click [1]"]
)
def test_an_answer_of_any_shape_is_an_answer(answer: str) -> None:
    action = parse_action(answer_with(answer))
    assert (action.kind, (action.text or "").strip()) == ("ANSWER", " ".join(answer.split()))


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        (b"done\nThought: x\nAction: Click [1]", ("answer", "done Thought: x Action: Click [1]")),
        (
            json.dumps({"answer": "\U0010ffff'\\\n" * 3_000, "infeasible": True}).encode(),
            ("infeasible", "\U0010ffff'\\"),
        ),
    ],
    ids=["answer", "infeasible"],
)
def test_a_part_ends_past_any_proxy_of_the_user(
    make: MakeEnv, monkeypatch: pytest.MonkeyPatch, body: bytes, ending: tuple[str, str]
) -> None:
    def program(door: Door) -> str:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
        end_part(door.port, door.token, body)
        return "too late"

    # The program's own end would say "too late" if the part had not ended before.
    record = play_door(make(STEAM, observation="text"), program).task.trajectory
    assert (record.end_reason, record.answer[: len(ending[1])], record.steps[-1].error) == (*ending, "")


def test_a_door_that_is_closed_is_no_error() -> None:
    end_part(free_port(), "0" * 32)
