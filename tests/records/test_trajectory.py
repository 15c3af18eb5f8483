"""The record of an episode on disk: complete, true to the agent's view, and without a secret."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from tests.conftest import MakeEnv
from tests.recorded import HOSTILE, OFF, ON, recorded, run_folder
from tests.report_support import blank
from websp_gym.errors import SetupError
from websp_gym.observation.draw import draw_marks, mark_seed
from websp_gym.observation.marks import marks_from_dicts
from websp_gym.records.load import load_trajectory
from websp_gym.records.pictures import marked_picture
from websp_gym.records.recorder import Recorder
from websp_gym.records.trajectory import FILE, SCHEMA, STEPS, ActionRecord, Step, View
from websp_gym.report.pages.trajectory_view import trajectory_html
from websp_gym.sandbox.client import Sandbox
from websp_gym.tasks.instances import load_instance
from websp_gym.texts import encodable, map_texts

TINY = (640, 480)


def clicked(number: int) -> Step:
    """A step of a page with fifty marks."""
    marks = [{"number": each, "role": "button", "name": f"Button {each}"} for each in range(50)]
    view = View(url="https://site.test/", marks=marks)
    return Step(
        number=number, action="Click [7]", act=ActionRecord.read("Click [7]", view), seconds=0.1, view=view
    )


def recorded_steps(parent: Path, count: int) -> Recorder:
    """A record with so many steps, as a killed process leaves it."""
    recorder = Recorder(parent, blank())
    recorder.save()
    for number in range(1, count + 1):
        recorder.trajectory.steps.append(clicked(number))
        recorder.append()
    return recorder


def test_the_record_of_a_solved_episode_is_complete(tmp_path: Path) -> None:
    folder = run_folder("solved", tmp_path) / "trajectories" / ON / "001"
    record = load_trajectory(folder)
    assert record == load_trajectory(folder / FILE)
    assert (record.end_reason, record.seed, record.instance) == ("answer", 0, ON)
    assert record.config_hash == load_instance(ON).config_hash
    assert record.verdict is not None
    assert record.verdict["status"] == "pass"
    assert record.s0["settings"]["cookies.valve_analytics"] is True
    assert record.end["settings"]["cookies.valve_analytics"] is False
    assert {"chromium", "playwright", "websp-gym"} <= set(record.versions)
    assert [step.number for step in record.steps] == list(range(1, len(record.steps) + 1))
    pictures = {view.screenshot for view in record.views}
    assert {path.name for path in folder.iterdir()} == pictures | {FILE, STEPS}
    assert len(pictures) == len(record.steps) + 1


def test_each_episode_has_a_folder_of_its_own(make: MakeEnv, tmp_path: Path) -> None:
    env = make(OFF, viewport=TINY, record_to=str(tmp_path))
    env.reset()
    env.step("ANSWER; done")
    env.reset()
    env.close()
    folders = sorted((tmp_path / OFF).iterdir())
    assert [folder.name for folder in folders] == ["001", "002"]
    assert [load_trajectory(folder).end_reason for folder in folders] == ["answer", "abandoned"]


def test_recorders_that_begin_at_once_never_share_a_folder(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as pool:
        recorders = list(pool.map(lambda _: Recorder(tmp_path / "x", blank()), range(24)))
    assert len({recorder.folder for recorder in recorders}) == 24


def test_pictures_are_stored_plain_and_drawn_again_exactly_as_the_agent_saw_them(
    make: MakeEnv, tmp_path: Path
) -> None:
    env = make(ON, viewport=TINY, record_to=tmp_path)
    seen = [env.reset(seed=11)[0]]
    env.page.evaluate("document.title = 'half \\ud83d title'")
    seen += [env.step(action)[0] for action in ("Scroll [WINDOW]; down", "Google", "ANSWER; done")]
    folder = tmp_path / ON / "001"
    record = load_trajectory(folder)
    assert env.task is not None
    assert record.model_dump() == map_texts(env.task.trajectory.model_dump(), encodable)
    assert (record.seed, record.views[1].title) == (11, "half \ufffd title")
    for index, observation in enumerate(seen):
        view = record.views[index]
        assert view.url == observation["url"]
        assert tuple(view.marks) == observation["elements"]
        assert np.array_equal(marked_picture(record, folder, index), observation["screenshot"])
        plain = np.asarray(
            Image.open(io.BytesIO((folder / str(view.screenshot)).read_bytes())).convert("RGB")
        )
        assert not np.array_equal(plain, observation["screenshot"])
        drawn = draw_marks(plain, marks_from_dicts(view.marks), seed=mark_seed(11, index))
        assert np.array_equal(drawn, observation["screenshot"])


def test_pictures_of_browsergym_observations_can_be_marked_afterwards(make: MakeEnv, tmp_path: Path) -> None:
    env = make(OFF, viewport=TINY, record_to=tmp_path, observation="all")
    observation, _info = env.reset(seed=2)
    folder = tmp_path / OFF / "001"
    assert np.array_equal(marked_picture(load_trajectory(folder), folder, 0), observation["screenshot_marks"])


def test_no_secret_reaches_the_disk(make: MakeEnv, tmp_path: Path) -> None:
    env = make(ON, record_to=tmp_path, login="replay")
    env.reset()
    assert env.task is not None
    assert env.context is not None
    secrets = {*env.task.world_episode.secrets, Sandbox.shared().address.secret}
    secrets |= {cookie["value"] for cookie in env.context.cookies() if len(cookie["value"]) > 20}
    assert len(secrets) >= 3
    header = env.task.world_episode.secrets[0]
    # Even where an agent repeats one, or a page has it in its address.
    env.step(f"Thought: the header is {header}\nAction: Fly")
    env.page.goto(f"https://www.google.com/search?q={header}")
    env.step("Wait")
    env.step(f"ANSWER; {header}")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 6
    for path in files:
        data = path.read_bytes()
        for secret in secrets:
            assert secret.encode() not in data, path
    assert load_trajectory(tmp_path / ON / "001").answer == "•••"


def test_an_error_in_mid_episode_leaves_a_complete_record() -> None:
    record = recorded("lost")
    assert record.end_reason == "error"
    assert "browser" in record.error
    assert record.verdict is None
    assert len(record.steps) == 1


def test_an_unscored_episode_is_recorded_with_its_reason(make: MakeEnv, tmp_path: Path) -> None:
    def lost(outcome: Any) -> float:
        raise RuntimeError("the judge hung up")

    env = make(OFF, viewport=TINY, record_to=tmp_path, reward=lost)
    env.reset()
    with pytest.raises(RuntimeError):
        env.step("ANSWER; done")
    record = load_trajectory(tmp_path / OFF / "001")
    # How it ended was written before the reward was asked.
    assert (record.end_reason, record.error, record.verdict) == ("answer", "the judge hung up", None)


def test_a_reset_that_fails_halfway_leaves_no_unreadable_file(make: MakeEnv, tmp_path: Path) -> None:
    (tmp_path / OFF).write_text("in the way")
    env = make(OFF, viewport=TINY, record_to=tmp_path)
    with pytest.raises(SetupError, match="cannot write to the record folder"):
        env.reset()
    (tmp_path / OFF).unlink()
    env.reset()
    assert load_trajectory(tmp_path / OFF / "001").end_reason is None


def test_hostile_texts_survive_the_round_trip(tmp_path: Path) -> None:
    record = blank(answer="".join(HOSTILE), ground_truth=list(HOSTILE), s0={"a": {"b": [*HOSTILE]}})
    recorder = Recorder(tmp_path, record)
    recorder.save()
    loaded = load_trajectory(recorder.folder)
    for before, after in zip(HOSTILE, loaded.ground_truth, strict=True):
        # Half a surrogate pair is no character, and no file can hold it.
        assert after == before.replace("\ud83d", "\ufffd").replace("\udc00", "\ufffd")
    json.loads((recorder.folder / FILE).read_text("utf-8"))


def test_hostile_actions_are_recorded_as_text() -> None:
    record = recorded("clumsy")
    texts = [step.action for step in record.steps[: len(HOSTILE)]]
    assert texts == [text.replace("\ud83d", "\ufffd").replace("\udc00", "\ufffd") for text in HOSTILE]
    assert record.answer == "half a pair \ufffd"


def test_the_file_on_disk_is_always_a_whole_one(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path, blank())
    recorder.save()
    first = os.stat(recorder.folder / FILE).st_ino
    recorder.save()
    # Replaced, not written over: a reader sees the old file or the new one.
    assert os.stat(recorder.folder / FILE).st_ino != first
    assert [path.name for path in recorder.folder.iterdir()] == [FILE]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "no trajectory in"),
        ("", f"not a {SCHEMA} file"),
        ("{}", f"not a {SCHEMA} file"),
        ("[]", f"not a {SCHEMA} file"),
        (
            '{"schema": "websp-trajectory/3", "new": 1}',
            f"is a websp-trajectory/3 file; this version reads {SCHEMA}",
        ),
        ('{"schema": "websp-trajectory/1", "instance": 5}', "instance"),
    ],
)
def test_a_file_that_is_not_a_trajectory_is_refused_by_name(
    tmp_path: Path, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / FILE).write_text(text)
    with pytest.raises(SetupError, match=message) as caught:
        load_trajectory(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_a_trajectory_of_another_schema_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="schema"):
        blank(schema="websp-trajectory/0")


def test_the_cost_of_a_step_does_not_grow_with_the_episode(tmp_path: Path) -> None:
    class Counting(Recorder):
        redacted = 0

        def _clean(self, text: str) -> str:
            self.redacted += 1
            return super()._clean(text)

    recorder = Counting(tmp_path, blank(), ["secret"])
    recorder.save()
    header = os.stat(recorder.folder / FILE)
    texts, sizes = [], [0]
    for number in range(100, 160):
        recorder.redacted = 0
        recorder.trajectory.steps.append(clicked(number))
        recorder.append()
        texts.append(recorder.redacted)
        sizes.append((recorder.folder / STEPS).stat().st_size)
    assert len(set(texts)) == 1
    assert len(set(np.diff(sizes))) == 1
    after = os.stat(recorder.folder / FILE)
    assert (after.st_ino, after.st_mtime_ns) == (header.st_ino, header.st_mtime_ns)


def test_a_killed_process_loses_the_step_in_progress_at_most(tmp_path: Path) -> None:
    recorder = recorded_steps(tmp_path, 3)
    whole = load_trajectory(recorder.folder)
    assert (whole.steps, whole.torn, whole.end_reason) == (recorder.trajectory.steps, False, None)
    steps = recorder.folder / STEPS
    steps.write_bytes(steps.read_bytes()[:-40])
    torn = load_trajectory(recorder.folder)
    assert (torn.steps, torn.torn) == (recorder.trajectory.steps[:2], True)
    assert "The record ends in the middle of a step" in trajectory_html(recorder.folder)


def test_a_step_that_could_not_be_written_whole_is_written_again(tmp_path: Path) -> None:
    recorder = recorded_steps(tmp_path, 2)
    with (recorder.folder / STEPS).open("ab") as file:
        file.write(b'{"number": 3, "acti')
    recorder.trajectory.steps.append(clicked(3))
    recorder.save()
    assert load_trajectory(recorder.folder) == recorder.trajectory


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda lines: lines[:2], "has 2 of 3 steps"),
        (lambda lines: [lines[0], lines[1][:20] + b"\n", lines[2]], f"{STEPS}:2: not a {SCHEMA} file"),
        (lambda lines: [lines[0], b'{"number": 2}\n', lines[2]], r"steps\.1\.action"),
    ],
)
def test_a_record_that_lacks_steps_it_had_is_refused(
    tmp_path: Path, edit: Callable[[list[bytes]], list[bytes]], message: str
) -> None:
    recorder = recorded_steps(tmp_path, 3)
    recorder.save()
    steps = recorder.folder / STEPS
    steps.write_bytes(b"".join(edit(steps.read_bytes().splitlines(keepends=True))))
    with pytest.raises(SetupError, match=message):
        load_trajectory(recorder.folder)


def test_a_step_keeps_what_its_text_was_understood_as() -> None:
    record = recorded("clumsy")
    assert record.initial is not None
    first = record.initial.marks[0]
    acts = [step.act for step in record.steps]
    assert acts[len(HOSTILE) :] == [
        ActionRecord(kind="Hover", text="Hover [0]", number=0, role=first["role"], name=first["name"]),
        ActionRecord(kind="Click", text="Click [999]", number=999),
        None,
        ActionRecord(kind="calls", text="noop()"),
        ActionRecord(kind="ANSWER", text="ANSWER; half a pair \ufffd"),
    ]
    read = [
        ActionRecord.read(step.action, view) for step, view in zip(record.steps, record.views, strict=False)
    ]
    assert read[len(HOSTILE) :] == acts[len(HOSTILE) :]
