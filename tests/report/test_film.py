"""Films of episodes: one scene per step, its bar, and the files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PIL import Image

from tests.command_support import websp_here
from tests.recorded import run_folder
from websp_gym.errors import SetupError
from websp_gym.records.load import load_trajectory
from websp_gym.report.film import scenes, write_film


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an episode with pictures."""
    folder = run_folder("solved", tmp_path_factory.mktemp("film"))
    return next(file.parent for file in folder.rglob("trajectory.json"))


def test_each_step_is_a_scene_and_the_end_another(record: Path) -> None:
    shown = list(scenes(record, width=401, step=0.5))
    assert [scene.seconds for scene in shown] == [0.5] * len(load_trajectory(record).steps) + [3.2]
    assert {scene.picture.size for scene in shown} == {(400, shown[0].picture.height)}
    assert shown[0].picture.height % 2 == 0  # as encoders want it


@pytest.mark.parametrize(
    ("kind", "begins"), [("gif", b"GIF89a"), ("webp", b"RIFF"), ("mp4", b"ftyp"), ("webm", b"webm")]
)
def test_a_film_is_written_in_each_kind(record: Path, tmp_path: Path, kind: str, begins: bytes) -> None:
    target = write_film(record, tmp_path / "new" / f"film.{kind}", width=200, step=0.1)
    assert begins in target.read_bytes()[:64]
    assert [file.name for file in target.parent.iterdir()] == [target.name]
    if kind in ("gif", "webp"):
        with Image.open(target) as film:
            assert film.size[0] == 200


def test_a_film_that_cannot_be_made_leaves_nothing(record: Path, tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=re.escape("the name must end in one of .mp4, .webm, .gif, .webp")):
        write_film(record, tmp_path / "film.avi")
    with pytest.raises(SetupError, match="no trajectory"):
        write_film(tmp_path, tmp_path / "film.gif")
    kept = next((run_folder("kept", tmp_path / "kept")).rglob("trajectory.json")).parent
    with pytest.raises(SetupError, match="needs a run with pictures"):
        write_film(kept, tmp_path / "film.gif")
    assert not list(tmp_path.glob("*film*"))


def test_the_command_says_what_it_wrote(record: Path, tmp_path: Path) -> None:
    done = websp_here("video", str(record), "--out", str(tmp_path / "a.gif"), "--width", "200")
    assert (done.returncode, done.stdout.split()[0]) == (0, str(tmp_path / "a.gif"))
