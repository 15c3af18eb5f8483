"""Importing a clone of the published artifact."""

from __future__ import annotations

import json
import resource
import subprocess
from pathlib import Path

import pytest

from tests.dataset_support import (
    ACCEPT,
    COOKIES,
    LOGIN,
    PASSWORD,
    ROWS,
    TRUTH,
    button,
    data_home,  # noqa: F401
    row,
    trace,
    typed,
    write_clone,
)
from websp_gym.datasets.importing import import_dataset
from websp_gym.errors import SetupError
from websp_gym.live.accounts import Account
from websp_gym.replay.library import find_trace, read_trace
from websp_gym.tasks.datasets import (
    Missing,
    StoredDataset,
    dataset_names,
    in_dataset,
    load_dataset,
    remove_dataset,
)
from websp_gym.tasks.initial_steps import PrepareStep, ReplayStep
from websp_gym.tasks.instances import load_instance

pytestmark = pytest.mark.usefixtures("data_home")
OURS = load_instance("Steam-task-191-ON")


def imported(tmp_path: Path, **files: object) -> StoredDataset:
    return import_dataset(write_clone(tmp_path / "clone", files))


def told(dataset: StoredDataset, subject: str) -> list[Missing]:
    return [one for one in dataset.left_out if one.subject == subject]


def test_an_instance_has_the_words_and_traces_of_the_clone_and_the_goal_of_ours(tmp_path: Path) -> None:
    dataset = imported(tmp_path)
    theirs = in_dataset(OURS, "official")
    assert theirs.id == OURS.id
    assert theirs.instruction("without_navigation") == ROWS[0]["ques"]
    assert theirs.instruction("with_navigation") == f"Walk to the pantry first. {ROWS[0]['ques']}"
    assert theirs.ground_truth_text() == TRUTH["Steam_task-191_ON"]
    assert theirs.origin is not None
    assert theirs.origin.elements == ("Link", "Toggle")
    (step,) = theirs.config.initial_state
    assert isinstance(step, ReplayStep)
    assert step.set == "on"
    assert [event.target.name for event in read_trace(step.replay).events if event.target] == ["Accept All"]
    assert (theirs.task.goal, theirs.config.expect) == (OURS.task.goal, OURS.config.expect)
    assert (theirs.config.ground_truth, theirs.site) == (OURS.config.ground_truth, OURS.site)
    assert not [one for one in dataset.left_out if one.matters]


def test_without_the_option_nothing_is_read_or_changed(tmp_path: Path, data_home: Path) -> None:  # noqa: F811
    before = OURS.config_hash
    imported(tmp_path)
    (data_home / "websp-gym" / "datasets" / "official" / "dataset.json").write_text("broken", "utf-8")
    assert in_dataset(OURS, None) is OURS
    assert load_instance(OURS.id).config_hash == before
    with pytest.raises(SetupError, match=r"dataset\.json.*\n.*import it again"):
        in_dataset(OURS, "official")


def test_the_hash_says_the_dataset_and_what_it_says_of_the_instance(tmp_path: Path) -> None:
    imported(tmp_path)
    first = in_dataset(OURS, "official").config_hash
    other = in_dataset(load_instance("BBC-task-167"), "official").config_hash
    assert first != OURS.config_hash
    import_dataset(write_clone(tmp_path / "clone", {"LICENSE-code": "x"}), overwrite=True)
    assert in_dataset(OURS, "official").config_hash == first
    again = write_clone(tmp_path / "clone", {ACCEPT: trace(button("Accept All"), button("Accept All"))})
    import_dataset(again, overwrite=True)
    assert in_dataset(OURS, "official").config_hash != first
    assert in_dataset(load_instance("BBC-task-167"), "official").config_hash == other


def test_traces_stand_in_the_place_of_ours_in_their_order_and_other_steps_stay(tmp_path: Path) -> None:
    second = ACCEPT.replace("state1", "state1_step2")
    rows = [row("Steam_task-191_ON", "Two jars.", (second, False), (ACCEPT, True))]
    imported(
        tmp_path,
        **{
            "dataset/tasks_without_navigation.jsonl": json.dumps(rows[0]),
            "dataset/tasks_with_navigation.jsonl": json.dumps(rows[0]),
            second: trace(button("Reject All")),
        },
    )
    prepare = PrepareStep.model_validate({"prepare": {"settings": {"a": True}}})
    steps = (prepare, *OURS.config.initial_state, prepare)
    mixed = OURS.model_copy(update={"config": OURS.config.model_copy(update={"initial_state": steps})})
    found = in_dataset(mixed, "official").config.initial_state
    assert [step.kind for step in found] == ["prepare", "replay", "replay", "prepare"]
    assert [step.set for step in found if isinstance(step, ReplayStep)] == ["off", "on"]
    # Where the clone names no trace, the steps are ours.
    imported_again = write_clone(tmp_path / "clone", {"dataset/tasks_without_navigation.jsonl": json.dumps(row("Steam_task-191_ON", "Jars.")), "dataset/tasks_with_navigation.jsonl": None, "dataset/artifact_test.jsonl": None})  # fmt: skip
    import_dataset(imported_again, overwrite=True)
    assert in_dataset(mixed, "official").config.initial_state == steps


LEFT_OUT: list[tuple[dict[str, object], str, str]] = [
    ({ACCEPT: "{"}, OURS.id, "cut off"),
    ({ACCEPT: None}, OURS.id, f"{ACCEPT}: No such file"),
    ({ACCEPT: {"some": "thing"}}, OURS.id, 'it has "some"'),
    ({ACCEPT: trace(typed("hunter2hunter2", "pin", "password", COOKIES), button("Accept All"))}, OURS.id, "event 1: secret"),
    ({"dataset/ground_truth_actions.json": None}, "Steam-task-191-ON", "judges get ours"),
    ({"dataset/tasks_with_navigation.jsonl": None}, "Steam-task-191-ON", "its wording with navigation"),
    ({"dataset/tasks_with_navigation.jsonl": "{}"}, "dataset/tasks_with_navigation.jsonl:1", '"id" and a "ques"'),
    (
        {"dataset/artifact_test.jsonl": json.dumps(row("Steam_task-911_ON", "No such task."))},
        "dataset/artifact_test.jsonl:1",
        'no instance "Steam-task-911-ON" here; did you mean',
    ),
]  # fmt: skip


def test_what_is_not_imported_is_listed_with_its_reason(tmp_path: Path) -> None:
    assert not [one for one in imported(tmp_path).left_out if one.matters]
    for files, subject, reason in LEFT_OUT:
        dataset = import_dataset(write_clone(tmp_path / "clone", files), overwrite=True)
        assert any(reason in one.reason and one.matters for one in told(dataset, subject)), dataset.left_out


def test_an_instance_whose_trace_is_missing_reaches_s0_by_our_steps(tmp_path: Path) -> None:
    dataset = imported(tmp_path, **{ACCEPT: None})
    assert "our own steps" in told(dataset, OURS.id)[0].reason
    assert in_dataset(OURS, "official").config.initial_state == OURS.config.initial_state
    assert (
        in_dataset(load_instance("Steam-task-191-OFF"), "official").config.initial_state
        != load_instance("Steam-task-191-OFF").config.initial_state
    )


def test_a_trace_outside_of_the_clone_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "session-1.json").write_text(json.dumps(trace(button("Accept All"))), "utf-8")
    for file in ("../session-1.json", str(tmp_path / "session-1.json")):
        line = json.dumps(row("Steam_task-191_ON", "Jars.", (file, True)))
        clone = write_clone(tmp_path / "clone", {"dataset/tasks_with_navigation.jsonl": line})
        dataset = import_dataset(clone, overwrite=True)
        assert [one.reason.endswith(f"{file}: it is not in the clone") for one in told(dataset, OURS.id)] == [
            True
        ]


def test_a_wording_that_the_clone_lacks_is_an_error_and_not_ours(tmp_path: Path) -> None:
    imported(tmp_path, **{"dataset/tasks_with_navigation.jsonl": None})
    theirs = in_dataset(OURS, "official")
    assert theirs.instruction("without_navigation") == ROWS[0]["ques"]
    with pytest.raises(SetupError, match='no instruction "with_navigation" in the dataset "official"'):
        theirs.instruction("with_navigation")


def test_login_traces_are_imported_without_passwords_and_accounts_can_name_them(
    tmp_path: Path,
    data_home: Path,  # noqa: F811
) -> None:
    dataset = imported(tmp_path)
    name = f"@official/{dataset.logins['steam']}"
    assert Account(site="steam", login_trace=name).login_trace == name
    assert "{{account.password}}" in [event.value for event in read_trace(name).events]
    assert find_trace("@official/login/steam").is_file()
    assert not [
        path for path in data_home.rglob("*") if path.is_file() and PASSWORD in path.read_text("utf-8")
    ]
    assert "not published" in told(dataset, "BBC")[0].reason
    dataset = import_dataset(write_clone(tmp_path / "clone", {LOGIN: None}), overwrite=True)
    assert "No such file" in told(dataset, "Steam")[0].reason
    assert not dataset.logins
    with pytest.raises(SetupError, match=r'no trace "login/steam" in the dataset "official"'):
        find_trace("@official/login/steam")


def test_an_import_is_whole_or_not_at_all(tmp_path: Path, data_home: Path) -> None:  # noqa: F811
    folder = data_home / "websp-gym" / "datasets"
    with pytest.raises(SetupError, match="is not a clone of"):
        import_dataset(tmp_path)
    assert not folder.exists()
    imported(tmp_path)
    with pytest.raises(SetupError, match="--overwrite"):
        imported(tmp_path)
    before = load_dataset("official")
    clone = write_clone(tmp_path / "clone", {ACCEPT: trace(button("Accept All"), button("Accept All"))})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))  # the traces fit, the file about them does not
    try:
        with pytest.raises(SetupError, match="cannot write"):
            import_dataset(clone, overwrite=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert load_dataset("official") == before
    import_dataset(clone, overwrite=True)
    assert load_dataset("official") != before
    assert [path.name for path in folder.iterdir()] == ["official"]


def test_a_dataset_tells_its_source_commit_and_licence(tmp_path: Path, data_home: Path) -> None:  # noqa: F811
    clone = write_clone(tmp_path / "clone")
    assert import_dataset(clone).commit == ""
    git = ["git", "-C", str(clone), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *command], check=True)
    dataset = import_dataset(clone, overwrite=True)
    assert len(dataset.commit) == 40
    assert (dataset.source, dataset.licence) == (str(clone), "CC BY-NC 4.0")
    assert (data_home / "websp-gym" / "datasets" / "official" / "LICENSE-dataset").is_file()


def test_a_dataset_that_is_not_there_is_an_error_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match=r"none is imported; `websp dataset import DIR`"):
        in_dataset(OURS, "official")
    imported(tmp_path)
    for name in ("offical", "../official", ""):
        with pytest.raises(SetupError, match="imported: official"):
            load_dataset(name)
    with pytest.raises(SetupError, match='did you mean "official"'):
        load_dataset("offical")
    with pytest.raises(SetupError, match='has no instance "Steam-task-192-ON"; did you mean'):
        in_dataset(load_instance("Steam-task-192-ON"), "official")
    assert dataset_names() == ["official"]
    remove_dataset("official")
    assert dataset_names() == []
