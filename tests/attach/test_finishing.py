"""Ending the agent's part of an episode from another process of this machine."""

from __future__ import annotations

import json
import socket

import pytest

from tests.attach_support import STEAM, play_door
from tests.conftest import MakeEnv
from websp_gym.attach.door import Door
from websp_gym.attach.finishing import end_part


def free_port() -> int:
    """Return a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        (b"", ("answer", "")),
        (b"all done", ("answer", "all done")),
        (b'{"answer": null}', ("answer", "")),
        (b'{"answer": 0}', ("answer", "0")),
        (json.dumps({"answer": "no such page", "infeasible": True}).encode(), ("infeasible", "no such page")),
    ],
)
def test_a_part_ends_past_any_proxy_of_the_user(
    make: MakeEnv, monkeypatch: pytest.MonkeyPatch, body: bytes, ending: tuple[str, str]
) -> None:
    def program(door: Door) -> str:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
        end_part(door.port, door.token, body)
        return "too late"

    # The program's own end does not reach the episode: it would say "too late" if the part had not ended before.
    played = play_door(make(STEAM, observation="text", max_seconds=60), program)
    record = played.task.trajectory
    assert (record.end_reason, record.answer) == ending


@pytest.mark.parametrize(
    "reason", ["x" * 10_000, "\U0010ffff" * 10_000, "'\\\n" * 5_000, "half \ud83d", "\0"]
)
def test_giving_up_ends_the_episode_for_any_reason(make: MakeEnv, reason: str) -> None:
    def program(door: Door) -> None:
        end_part(door.port, door.token, json.dumps({"answer": reason, "infeasible": True}).encode())

    record = play_door(make(STEAM, observation="text", max_seconds=60), program).task.trajectory
    assert (record.end_reason, record.steps[-1].error) == ("infeasible", "")
    assert record.answer[:5] == reason.replace("\ud83d", "\ufffd")[:5]


def test_a_door_that_is_closed_is_no_error() -> None:
    end_part(free_port(), "0" * 32)
