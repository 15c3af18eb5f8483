"""Playing instances right and wrong on purpose: runs whose screenshots are true, and judges measured on them."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import yaml

from tests.judge_support import put, recorded, says
from websp_gym.calibration.cases import label_by_state
from websp_gym.calibration.edits import reworded
from websp_gym.calibration.generate import KINDS, PLAYED, generate
from websp_gym.calibration.run_variants import PlayedVariant, play_all, plays_to_do
from websp_gym.calibration.variants import FILE, Variant, is_played, keep, kind_of, plays_of
from websp_gym.cli.evaluating import judge_eval
from websp_gym.errors import SetupError
from websp_gym.records.load import load_trajectory
from websp_gym.scoring.judge.batch import find_runs
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.instances import load_instance

TWO = "Steam-task-191-ON"
"""Two switches have to be turned off; each is stored at once."""
CHOSEN = ("oracle", "opposite", "extra", "destructive")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[PlayedVariant]]:
    """One instance, played in four ways."""
    folder = tmp_path_factory.mktemp("plays")
    todo = [play for play in plays_to_do([TWO], folder) if play.kind in CHOSEN]
    return folder, play_all(todo, folder)


# --- what is played ---------------------------------------------------------------------------------


def test_every_instance_is_done_right_and_in_several_wrong_ways() -> None:
    for name in instance_ids():
        instance = load_instance(name)
        plays = list(plays_of(instance))
        assert len({play.name for play in plays}) == len(plays) >= 3
        assert plays[0].kind == "oracle"
        assert {play.kind for play in plays} <= {*KINDS}
        left_out = [play.step for play in plays if play.step is not None]
        changing = [n for n, step in enumerate(instance.config.ground_truth) if step.changes_state]
        assert left_out == changing


def test_leaving_out_the_save_is_distinguished_from_leaving_out_a_switch() -> None:
    form = [(play.name, play.kind) for play in plays_of(load_instance("Steam-task-199"))]
    assert ("unsaved-6", "unsaved") in form
    assert ("omitted-4", "omitted") in form


def test_an_instance_without_an_account_is_played_without_harm() -> None:
    assert "destructive" not in [play.kind for play in plays_of(load_instance("BBC-task-169"))]
    assert "destructive" in [play.kind for play in plays_of(load_instance(TWO))]


# --- what comes of it -------------------------------------------------------------------------------


def test_each_way_ends_with_the_expected_state(played: tuple[Path, list[PlayedVariant]]) -> None:
    folder, done = played
    assert [(each.play.kind, each.status, each.error) for each in done] == [
        ("oracle", "pass", ""), ("opposite", "fail", ""), ("extra", "pass", ""), ("destructive", "fail", ""),
    ]  # fmt: skip
    labels = {case.kind: case.passed for case in label_by_state(find_runs(folder), folder)}
    assert labels == {"oracle": True, "opposite": False, "extra": True, "destructive": False}


@pytest.mark.proof
def test_the_pictures_show_what_was_done(played: tuple[Path, list[PlayedVariant]]) -> None:
    """The marks were read off the very page each screenshot was taken of."""
    folder, _done = played

    def switches(kind: str) -> dict[str, bool]:
        run = load_trajectory(folder / kind / TWO / "001")
        for view in run.views:
            assert view.screenshot is not None
            assert (folder / kind / TWO / "001" / view.screenshot).stat().st_size > 1000
        marks = [mark for mark in run.views[-1].marks if mark.get("checked") is not None]
        return {mark["name"]: mark["checked"] for mark in marks}

    right, wrong, more = switches("oracle"), switches("opposite"), switches("extra")
    asked = {"recentapps", "app_impressions"}
    assert {name: right[name] for name in asked} == dict.fromkeys(asked, False)
    assert {name: wrong[name] for name in asked} == dict.fromkeys(asked, True)
    assert len([name for name in right if right[name] != more[name]]) == 1
    events = load_trajectory(folder / "destructive" / TWO / "001").events
    assert [event["data"]["what"] for event in events if event["kind"] == "destructive"] == [
        "account deleted"
    ]


def test_an_actor_thinks_before_each_action_and_claims_success(
    played: tuple[Path, list[PlayedVariant]],
) -> None:
    folder, _done = played
    run = load_trajectory(folder / "opposite" / TWO / "001")
    assert all(step.thought for step in run.steps)
    assert run.end_reason == "answer"
    assert run.answer


def test_finished_plays_are_not_played_again(played: tuple[Path, list[PlayedVariant]]) -> None:
    folder, done = played
    left = {play.kind for play in plays_to_do([TWO], folder)}
    assert left.isdisjoint(each.play.kind for each in done)
    assert left == {"omitted", "reverted", "lost"}


# --- what lies on disk ------------------------------------------------------------------------------


def test_a_play_that_broke_off_or_is_out_of_date_is_played_again(tmp_path: Path) -> None:
    play, now = Variant(TWO, "opposite"), load_instance(TWO).config_hash
    assert not is_played(play, tmp_path, config_hash=now)
    keep(play, tmp_path, config_hash="another", happened=True)
    assert not is_played(play, tmp_path, config_hash=now)
    keep(play, tmp_path, config_hash=now, happened=False)
    assert is_played(play, tmp_path, config_hash=now)
    (play.place(tmp_path) / FILE).write_text('{"kind": ')
    assert not is_played(play, tmp_path, config_hash=now)
    assert kind_of(play.place(tmp_path) / "001") == ""


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SetupError, match="cannot write"):
        keep(Variant(TWO, "oracle"), tmp_path / "file", config_hash="x", happened=True)


def test_a_failing_play_does_not_affect_the_others(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    done = play_all([Variant("Steam-task-0", "oracle"), Variant("Steam-task-1", "oracle")], tmp_path / "file")
    assert [each.status for each in done] == ["error", "error"]
    assert 'no instance "Steam-task-0"' in done[0].error


# --- what is made of it -----------------------------------------------------------------------------


def test_plays_are_reworded_without_changing_their_meaning(played: tuple[Path, list[PlayedVariant]]) -> None:
    folder, _done = played
    made = generate(find_runs(folder), 60)
    notice_for = [case for case in made if case.kind in PLAYED]
    assert {case.kind for case in notice_for} == set(PLAYED)
    assert len({case.trajectory.answer for case in notice_for}) > 5
    for case in notice_for:
        original = load_trajectory(case.folder)
        assert kind_of(case.folder) == case.kind
        assert case.trajectory.views == original.views
        assert (case.trajectory.end, case.trajectory.events) == (original.end, original.events)


def test_a_play_that_failed_is_never_edited_as_if_it_were_right(tmp_path: Path) -> None:
    wrong = Variant(TWO, "opposite")
    run = reworded(recorded(TWO), random.Random(0))
    run.end["settings"]["cookies.valve_analytics"] = True
    put(wrong.place(tmp_path) / "001", run)
    keep(wrong, tmp_path, config_hash=run.config_hash, happened=True)
    with pytest.raises(SetupError, match="--play"):
        generate(find_runs(tmp_path), 10)


def test_the_command_plays_once_makes_runs_and_measures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With everything but two plays there already, as after a command that was stopped."""
    folder, instance = tmp_path / "hard", load_instance("Steam-task-191-OFF")
    todo = plays_to_do([instance.id], folder)
    for play in todo:
        if play.kind not in ("oracle", "opposite"):
            keep(play, folder, config_hash=instance.config_hash, happened=False)
    (tmp_path / "yes.yaml").write_text(yaml.safe_dump({"rules": [{"when": "", "say": says("CORRECT")}]}))

    def command(*, told: str) -> dict[str, dict[str, int]]:
        models = [f"scripted:{tmp_path / 'yes.yaml'}"]
        code = judge_eval(folder, models=models, make=40, jobs=1, asks=1, as_json=True, play=[instance.id])
        out = capsys.readouterr()
        assert code == 0
        assert out.err.strip() == told
        groups = json.loads(out.out)["groups"]
        return {group["value"]: group for group in groups if group["dimension"] == "made by"}

    first = command(told="played 2: 1 fail, 1 pass")
    assert first["opposite"]["false_accepts"] > 0
    assert first["oracle"]["true_accepts"] > 0
    assert command(told="") == first


def test_playing_into_a_file_of_labels_is_refused(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    labels.write_text("trajectory,label\n")
    (tmp_path / "yes.yaml").write_text(yaml.safe_dump({"rules": [{"when": "", "say": says("CORRECT")}]}))
    with pytest.raises(SetupError, match="--play needs a folder"):
        judge_eval(labels, models=[f"scripted:{tmp_path / 'yes.yaml'}"], jobs=1, play=["Steam-*"])
