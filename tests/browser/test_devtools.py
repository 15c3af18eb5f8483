"""The commands of one client of a DevTools connection, played without a browser, a socket or a clock."""

from __future__ import annotations

import json
from typing import Any

import pytest

from websp_gym.browser.devtools import CommandError, Commands, dumped, id_of


def answer(number: int, session: str = "", **outcome: Any) -> bytes:
    """What a browser says to a command."""
    return dumped({"id": number, **outcome, **({"sessionId": session} if session else {})})


def test_commands_are_numbered_and_name_their_session() -> None:
    commands = Commands(-3)
    texts = [commands.command("Target.getTargets").text, commands.command("Page.reload", {"a": 1}, "S").text]
    assert [json.loads(text) for text in texts] == [
        {"id": -3, "method": "Target.getTargets", "params": {}},
        {"id": -2, "method": "Page.reload", "params": {"a": 1}, "sessionId": "S"},
    ]


def test_each_answer_completes_its_command_in_any_order() -> None:
    commands = Commands()
    first, second, third = (commands.command("Browser.getVersion", session="S").result for _ in range(3))
    assert commands.receive(answer(2, "S", result={"number": "two"}))
    assert commands.receive(answer(3, "S", result={}))
    assert commands.receive(answer(1, "S", result={"number": "one"}))
    assert [each.result(0) for each in (first, second, third)] == [{"number": "one"}, {"number": "two"}, {}]


def test_a_refused_command_fails_with_what_the_browser_says() -> None:
    commands = Commands()
    refused, other = commands.command("Nope.nope").result, commands.command("Target.getTargets").result
    assert commands.receive(answer(1, error={"code": -32601, "message": "'Nope.nope' wasn't found"}))
    with pytest.raises(CommandError, match="wasn't found"):
        refused.result(0)
    assert not other.done()


def test_an_answer_without_a_session_is_for_the_command_in_a_session_that_is_gone() -> None:
    commands = Commands()
    asked = commands.command("Page.reload", session="S").result
    assert commands.receive(answer(1, error={"code": -32001, "message": "Session with given id not found."}))
    with pytest.raises(CommandError, match="Session with given id"):
        asked.result(0)


@pytest.mark.parametrize(
    "text",
    [
        b'{"method":"Page.loadEventFired","params":{"id":1}}',
        b'{"id":2,"result":{}}',
        b'{"id":-1,"result":{}}',
        b'{"id":"1","result":{}}',
        b'{"id":',
        b"",
    ],
)
def test_events_and_answers_to_others_are_passed_on(text: bytes) -> None:
    commands = Commands()
    asked = commands.command("Browser.getVersion").result
    assert not commands.receive(text)
    assert not asked.done()


def test_an_answer_is_taken_once() -> None:
    commands = Commands()
    commands.command("Browser.getVersion")
    assert [commands.receive(answer(1, result={})) for _ in range(2)] == [True, False]


def test_a_late_answer_to_a_command_that_was_given_up_is_not_passed_on() -> None:
    commands = Commands()
    asked = commands.command("Browser.getVersion").result
    assert asked.cancel()
    assert commands.receive(answer(1, result={}))
    assert asked.cancelled()


def test_the_end_of_the_connection_fails_open_and_later_commands() -> None:
    commands = Commands()
    done, given_up, still_open = (commands.command("Browser.getVersion").result for _ in range(3))
    commands.receive(answer(1, result={}))
    given_up.cancel()
    commands.end("the browser is gone")
    later = commands.command("Browser.getVersion").result
    assert done.result(0) == {}
    for each in (still_open, later):
        with pytest.raises(CommandError, match="the browser is gone"):
            each.result(0)
    assert not commands.receive(answer(3, result={}))


def test_the_end_of_a_session_fails_its_commands_alone() -> None:
    commands = Commands()
    ended, other = (commands.command("Page.reload", session=session).result for session in "AB")
    commands.end_session("A")
    with pytest.raises(CommandError, match="closed"):
        ended.result(0)
    assert not other.done()


def test_a_callback_may_send_the_next_command() -> None:
    commands = Commands()
    sent: list[bytes] = []
    for _ in range(2):
        result = commands.command("Page.reload", session="A").result
        result.add_done_callback(lambda _: sent.append(commands.command("Page.reload", session="A").text))
    commands.end_session("A")
    assert [id_of(text) for text in sent] == [3, 4]
    assert commands.receive(answer(3, "A", result={}))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b'{"id":12,"result":{}}', 12),
        (b'{"id":-2000000000,"error":{}}', -2_000_000_000),
        (b'{"id":7}', 7),
        (b'{"method":"Inspector.detached","params":{}}', None),
        (b'{"id":--1,"result":{}}', None),
        (b'{"id":1.5,"result":{}}', None),
    ],
)
def test_the_id_of_an_answer_is_read_without_parsing_it(text: bytes, number: int | None) -> None:
    assert id_of(text) == number
