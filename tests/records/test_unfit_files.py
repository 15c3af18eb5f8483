"""A record of others may hold anything in place of its files; no reader waits for it, fills memory or follows it out."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.judge_support import FunctionModel, says
from tests.report.test_report_tables import played, put
from tests.report_support import episode, save
from websp_gym.calibration.variants import kind_of
from websp_gym.errors import JudgeError, SetupError
from websp_gym.files import UnfitFileError, read_file
from websp_gym.records.load import digest_of, load_trajectory
from websp_gym.records.pictures import marked_picture
from websp_gym.records.runs import RESULTS, RUN, append_line, find_results, read_lines, read_run, write_run
from websp_gym.records.runs import Run as RunFacts
from websp_gym.records.trajectory import FILE, STEPS
from websp_gym.replay.trace_files import load_trace
from websp_gym.report import read_report, write_report_html
from websp_gym.report.pages.trajectory_view import trajectory_html, write_trajectory_html
from websp_gym.runner.locking import locked
from websp_gym.scoring.judge.batch import find_runs, judge_run
from websp_gym.scoring.judge.judge import Judge
from websp_gym.scoring.judge.judgements import JUDGEMENTS, read_judgements
from websp_gym.scoring.judge.pictures import PictureLimits, pictures_of

SHOT = "step_001.png"
SECRET = "kept elsewhere"


def pipe(path: Path) -> str:
    os.mkfifo(path)
    return "a pipe (FIFO)"


def endless_device(path: Path) -> str:
    path.symlink_to("/dev/zero")
    return "a device"


def terminal(path: Path) -> str:
    """A device that waits for its other end."""
    path.symlink_to("/dev/ptmx")
    return "a device"


def bound_socket(path: Path) -> str:
    here = Path.cwd()
    os.chdir(path.parent)  # the whole path may be too long for a socket
    try:
        socket.socket(socket.AF_UNIX).bind(path.name)
    finally:
        os.chdir(here)
    return "a socket"


def link_out(path: Path) -> str:
    elsewhere = path.parent.parent / "elsewhere"
    elsewhere.write_text(SECRET, "utf-8")
    path.symlink_to(elsewhere)
    return "a link that leads out"


def huge(path: Path) -> str:
    with path.open("wb") as file:
        file.truncate(10_000_000_000)
    return "10,000,000,000 bytes"


def folder(path: Path) -> str:
    path.mkdir()
    return "a folder"


Unfit = Callable[[Path], str]
KINDS: tuple[Unfit, ...] = (pipe, endless_device, terminal, bound_socket, link_out, huge, folder)


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def unfit(request: pytest.FixtureRequest) -> Unfit:
    """Replaces a file with something else, and returns the expected description."""
    kind: Unfit = request.param

    def put_there(path: Path) -> str:
        path.unlink(missing_ok=True)
        return kind(path)

    return put_there


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The folder of an episode with three steps."""
    return save(tmp_path / "record", episode())


@pytest.mark.parametrize("name", [FILE, STEPS])
def test_an_unfit_json_file_is_a_setup_error_that_describes_it(unfit: Unfit, record: Path, name: str) -> None:
    what = unfit(record / name)
    for read in (load_trajectory, trajectory_html):
        with pytest.raises(SetupError) as caught:
            read(record)
        assert what in str(caught.value)
        assert name in str(caught.value)
        assert SECRET not in str(caught.value)
    assert digest_of(record) == ""
    assert find_runs(record.parent) == [record]
    judgement = judge_run(Judge([FunctionModel(lambda _: says("SUCCESS"))]), record, record.parent)
    assert (judgement.status, what in judgement.reason) == ("unscored", True)


def test_an_unfit_picture_becomes_a_placeholder_that_describes_it(unfit: Unfit, record: Path) -> None:
    what = unfit(record / SHOT)
    trajectory = load_trajectory(record)
    assert what.replace("'", "&#39;") in trajectory_html(record)
    with pytest.raises(UnfitFileError):
        marked_picture(trajectory, record, 1)
    with pytest.raises(JudgeError, match=SHOT) as caught:
        pictures_of(trajectory, record, PictureLimits(), [1])
    assert (caught.value.kind, what in str(caught.value)) == ("incomplete", True)


def test_unfit_judgements_are_none_and_none_is_written_over_them(unfit: Unfit, record: Path) -> None:
    what = unfit(record / JUDGEMENTS)
    assert read_judgements(record) == []
    assert trajectory_html(record)
    if what.endswith("bytes"):
        return
    with pytest.raises(SetupError, match="cannot write") as caught:
        append_line(record / JUDGEMENTS, "{}")
    assert what in str(caught.value)
    if what.startswith("a link"):
        assert (record / JUDGEMENTS).read_text("utf-8") == SECRET


def test_unfit_results_are_a_broken_line(unfit: Unfit, tmp_path: Path) -> None:
    run = put(tmp_path / "run", [played("a", "Steam-task-191-ON")])
    what = unfit(run / RESULTS)
    results, (broken,) = read_lines(run)
    assert results == []
    assert what in str(broken)
    with pytest.raises(SetupError) as caught:
        find_results([tmp_path])
    assert what in str(caught.value)
    if not what.endswith("bytes"):
        with pytest.raises(SetupError) as caught, locked(run):
            pass
        assert what in str(caught.value)


def test_an_unfit_run_file_is_a_set_up_error(unfit: Unfit, tmp_path: Path) -> None:
    run = put(tmp_path / "run", [played("a", "Steam-task-191-ON")])
    what = unfit(run / RUN)
    with pytest.raises(SetupError) as caught:
        read_run(run)
    assert what in str(caught.value)


def test_a_report_of_records_with_unfit_files_is_written(
    unfit: Unfit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)  # plots take longest
    kept = {"trajectory": "trajectories/a/001"}
    run = put(tmp_path / "run", [played("a", "Steam-task-191-ON", **kept), played("a", "Steam-task-192-ON")])
    at = save(run / "trajectories" / "a", episode())
    for name in (SHOT, FILE):
        what = unfit(at / name)
        page = write_report_html(read_report([run]), tmp_path / "report.html")
        assert page.size > 1000
        if name == FILE:
            assert what in page.path.read_text("utf-8")


def test_an_unfit_variant_or_trace_is_rejected(unfit: Unfit, tmp_path: Path) -> None:
    (tmp_path / "variant" / "001").mkdir(parents=True)
    unfit(tmp_path / "variant" / "play.json")
    assert kind_of(tmp_path / "variant" / "001") == ""
    unfit(tmp_path / "variant" / "trace.json")
    with pytest.raises(SetupError, match=r"trace\.json"):
        load_trace(tmp_path / "variant" / "trace.json")


def test_a_page_is_written_in_place_of_what_lies_in_its_way(unfit: Unfit, record: Path) -> None:
    """Nothing is written through a link, and a pipe is not waited for."""
    part = record / "trajectory.html.part"
    what = unfit(part)
    if what == "a folder":
        with pytest.raises(SetupError, match="cannot write"):
            write_trajectory_html(record)
        return
    assert write_trajectory_html(record).read_text("utf-8").startswith("<!")
    if what.startswith("a link"):
        assert (record.parent / "elsewhere").read_text("utf-8") == SECRET


def test_a_run_file_is_written_in_place_of_what_lies_in_its_way(unfit: Unfit, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    if unfit(run / f"{RUN}.part") == "a folder":
        with pytest.raises(SetupError, match="cannot write"):
            write_run(run, RunFacts(agent="noop"))
        return
    write_run(run, RunFacts(agent="noop"))
    assert read_run(run) == RunFacts(agent="noop")


def test_links_within_a_folder_and_links_to_the_folder_are_followed(record: Path, tmp_path: Path) -> None:
    (record / "kept.json").write_bytes((record / FILE).read_bytes())
    (record / FILE).unlink()
    (record / FILE).symlink_to("kept.json")
    (tmp_path / "alias").symlink_to(record)
    assert load_trajectory(tmp_path / "alias") == load_trajectory(record)


def test_a_file_that_grows_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 11)
    assert read_file(path, 11) == b"x" * 11
    with pytest.raises(UnfitFileError, match="it has 11 bytes; at most 10 are allowed"):
        read_file(path, 10)
