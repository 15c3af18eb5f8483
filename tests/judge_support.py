"""Recorded runs for the judge's tests: real episodes of the Steam replica, with plain pictures in place of theirs."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.report_support import png
from websp_gym.models import Image, Message, Reply
from websp_gym.records.load import load_trajectory
from websp_gym.records.recorder import Recorder
from websp_gym.records.trajectory import FILE, ActionRecord, Trajectory
from websp_gym.tasks.instances import load_instance

RUNS = Path(__file__).parent / "data" / "judged"
"""Oracle runs, as `websp run --agent oracle` wrote them in the first schema, compressed."""
NAMES = sorted(path.name.removesuffix(".json.gz") for path in RUNS.glob("*.json.gz"))
SIZE = (160, 128)


def recorded(name: str) -> Trajectory:
    """One of the recorded runs; the digest of its instance is today's, since the same steps solve it still."""
    with tempfile.TemporaryDirectory(prefix="websp-") as folder:
        (Path(folder) / FILE).write_bytes(gzip.decompress((RUNS / f"{name}.json.gz").read_bytes()))
        run = load_trajectory(Path(folder))
    run.config_hash = load_instance(name).config_hash
    return run


def say(run: Trajectory, place: int, text: str) -> None:
    """Replaces the agent's text in a step."""
    step, before = run.steps[place], run.views[range(len(run.steps))[place]]
    step.action, step.act = text, ActionRecord.read(text, before)


def shot(number: int, size: tuple[int, int] = SIZE) -> bytes:
    """A picture that differs from that of every other number."""
    return png((40 + 7 * number % 200, 90, 200 - 5 * number % 150), size)


def put(folder: Path, trajectory: Trajectory, size: tuple[int, int] = SIZE) -> Path:
    """Writes a run to disk; over an earlier one, if there is one."""
    with tempfile.TemporaryDirectory(prefix="websp-") as parent:
        recorder = Recorder(Path(parent), trajectory)
        for number, view in enumerate(trajectory.views):
            view.screenshot = recorder.screenshot(number, shot(number, size))
        recorder.save()
        shutil.copytree(recorder.folder, folder, dirs_exist_ok=True)
    return folder


Put = Callable[[Trajectory], Path]


@pytest.fixture
def on_disk(tmp_path: Path) -> Put:
    """Writes a run to disk and returns its folder."""
    count = iter(range(10_000))
    return lambda trajectory: put(tmp_path / "runs" / f"{next(count):04d}", trajectory)


def says(result: str, reason: str = "Because.") -> str:
    """An answer as it should be."""
    return json.dumps({"result": result, "reason": reason})


class FunctionModel:
    """A model that answers by a function of the conversation; counts what it is asked."""

    def __init__(self, answer: Callable[[Sequence[Message]], str], spec: str = "test:model") -> None:
        self.spec = spec
        self.asked: list[Sequence[Message]] = []
        self._answer = answer

    def ask(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> Reply:
        self.asked.append(messages)
        return reply(self._answer(messages))


class ReplyModel:
    """A model that gives these replies in order; an exception among them is raised."""

    def __init__(self, *replies: Reply | Exception, spec: str = "test:replies") -> None:
        self.spec = spec
        self.asked = 0
        self._replies = replies

    def ask(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> Reply:
        self.asked += 1
        given = self._replies[self.asked - 1]
        if isinstance(given, Exception):
            raise given
        return given


def reply(text: str, **parts: Any) -> Reply:
    facts: dict[str, Any] = {
        "text": text, "model": "m", "input_tokens": 100, "output_tokens": 10, "cost": 0.01, "seconds": 0.5,
    }  # fmt: skip
    return Reply(**{**facts, **parts})


def images(messages: Sequence[Message]) -> list[bytes]:
    return [part.png for message in messages for part in message.parts if isinstance(part, Image)]


def word_of(messages: Sequence[Message]) -> str:
    """The fence a conversation declares in its rules."""
    found = re.search(r"\[\[([0-9a-f]{32})", messages[0].text)
    assert found
    return found[1]
