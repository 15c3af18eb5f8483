"""Submissions: a recorded run is packed and verified, and every kind of tampering is named."""

from __future__ import annotations

import json
import os
import shutil
import stat
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_cli import websp_here
from tests.recorded import MESSAGES, OFF, ON, RECIPES, run_folder
from websp_gym.errors import SetupError
from websp_gym.exchange.packing import pack
from websp_gym.exchange.submission import FILE, instances_of, read_submission
from websp_gym.exchange.verifying import Verified, verify
from websp_gym.records.results import Result
from websp_gym.records.runs import AGENT_LOG, RESULTS, RUN, append_line, append_result, read_results, read_run
from websp_gym.tasks.ids import instance_ids

SPLIT = "Steam-task-191-*"
OPTIONS = dict(RECIPES["untouched"].run.options)
HOW = '(sandbox, reward state, initial_state="snapshot", viewport=[400, 320], picture_scale=0.25)'
RECORD = f"trajectories/{ON}/001/trajectory.json"
STEPS = f"trajectories/{ON}/001/steps.jsonl"
NOT_SCORED: dict[str, Any] = {
    "status": "unscored", "reward": None, "siblings": None, "strict": None, "failure_kinds": [], "failure_elements": []
}  # fmt: skip


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two trials: from ON it fails, from OFF it passes."""
    return run_folder("untouched", tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def packed(played: Path) -> Path:
    target = played.parent / "noop.zip"
    pack(played, target, split=SPLIT)
    return target


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(played, tmp_path / "run"))


@pytest.fixture
def unpacked(packed: Path, tmp_path: Path) -> Path:
    """The files of the submission in a folder, to be tampered with."""
    folder = tmp_path / "submission"
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(folder)
    return folder


def told(done: Verified) -> list[str]:
    return [f"{problem.where}: {problem.what}" for problem in done.problems]


def change(path: Path, changed: Callable[[Any], object]) -> None:
    """Change the data of a JSON file."""
    data = json.loads(path.read_text("utf-8"))
    changed(data)
    path.write_text(json.dumps(data), "utf-8")


def change_results(folder: Path, changed: Callable[[Any], object]) -> None:
    """Change the first result, which is of the instance that fails."""
    lines = [json.loads(line) for line in (folder / RESULTS).read_text("utf-8").splitlines()]
    changed(lines[0])
    (folder / RESULTS).write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")


def forge(folder: Path, **claim: Any) -> None:
    """Make the manifest fit the files again, as one would who means to deceive; ``claim`` is what it says then."""
    digests = {
        path.relative_to(folder).as_posix(): sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and path.name != FILE
    }
    change(folder / FILE, lambda data: data.update({"files": digests, **claim}))


def zipped(folder: Path) -> Path:
    target = folder.with_suffix(".zip")
    with zipfile.ZipFile(target, "w") as archive:
        for path in folder.rglob("*"):
            archive.write(path, path.relative_to(folder).as_posix())
    return target


def win(line: dict[str, Any]) -> None:
    line.update(status="pass", reward=1.0, siblings=1.0, strict=1.0, partial=1.0)


def claim_a_reward_of_ones_own(folder: Path) -> None:
    won = {"status": "pass", "source": "mine"}
    change_results(folder, lambda line: line.update(won, reward=1.0))
    change(folder / RECORD, lambda data: data["verdict"].update(won, score=1.0))


BROKEN_REQUEST: dict[str, Any] = {
    "seq": 999, "time": 0.0, "site": "steam", "kind": "error",
    "data": {"method": "POST", "path": "/account/ajaxsetcookiepreferences", "error": "OSError"},
}  # fmt: skip


def turn_off_elsewhere(data: dict[str, Any]) -> None:
    """Make the end state that of a change that happened on another site, where a setting has the same name."""
    change = {"key": "cookies.valve_analytics", "old": True, "new": False}
    data["events"].append({"seq": 999, "time": 0.0, "site": "steamcommunity", "kind": "set", "data": change})
    data["end"]["settings"]["cookies.valve_analytics"] = False


def end_by(reason: str | None) -> Callable[[Any], object]:
    """Make a record and its result those of an episode that ended otherwise."""
    return lambda data: data.update(end_reason=reason)


def claim_that_an_error_ended_it(folder: Path) -> None:
    twice = [{"error": "WorldError: gone", "stage": "action", "step": 1}] * 2
    change_results(folder, lambda line: line.update(end_reason="error", source="runner", tries=twice))


def change_options(folder: Path, source: str | None = None, **options: Any) -> None:
    """Change options of a run and of all that it holds, and the source of its results."""
    change(folder / RUN, lambda data: data["options"].update(options))
    run = read_run(folder)
    assert run is not None
    for record in folder.rglob("trajectory.json"):
        change(record, lambda data: data.update(world=run.world))
        change(record, lambda data: data["options"].update(options))
    results = [
        replace(each, run_hash=run.hash, source=source or each.source) for each in read_results(folder)
    ]
    (folder / RESULTS).write_text("".join(each.line() + "\n" for each in results), "utf-8")


def claim_a_limit_under_a_judge(folder: Path) -> None:
    change_options(folder, "limit", reward="judge")


def change_states(folder: Path, changed: Callable[[Any], object]) -> None:
    """Change S0 and the end of a record alike."""
    change(folder / RECORD, lambda data: [changed(data[state]) for state in ("s0", "end")])


# --- what is right -----------------------------------------------------------------------------------


def test_a_run_is_packed_and_verified_as_zip_as_folder_and_unpacked(
    packed: Path, played: Path, unpacked: Path
) -> None:
    for path in (packed, played, unpacked, zipped(unpacked)):
        done = verify(path)
        assert told(done) == []
        assert (done.episodes, done.outcomes, done.pass_rate) == (
            4,
            {"pass": 2, "fail": 2, "unscored": 0},
            0.5,
        )
    manifest = read_submission(unpacked)
    assert manifest is not None
    assert (manifest.agent, manifest.split, manifest.trials, list(manifest.instances)) == (
        "noop", SPLIT, 2, [ON, OFF]
    )  # fmt: skip
    assert {RUN, RESULTS, RECORD, STEPS, f"trajectories/{ON}/001/step_000.png"} <= set(manifest.files)


def test_the_same_run_gives_the_same_file_and_pictures_can_be_left_out(
    packed: Path, played: Path, tmp_path: Path
) -> None:
    pack(played, tmp_path / "again.zip", split=SPLIT)
    assert (tmp_path / "again.zip").read_bytes() == packed.read_bytes()
    small = pack(played, tmp_path / "small.zip", split=SPLIT, pictures=False)
    assert not [name for name in small.files if name.endswith(".png")]
    assert told(verify(tmp_path / "small.zip")) == []
    assert (tmp_path / "small.zip").stat().st_size < packed.stat().st_size / 3


def test_a_submission_can_claim_fewer_trials(played: Path, tmp_path: Path) -> None:
    assert pack(played, tmp_path / "one.zip", split=SPLIT, trials=1).trials == 1
    assert verify(tmp_path / "one.zip").episodes == 2


def test_an_episode_without_a_score_is_packed_and_makes_no_rate_better(run: Path, tmp_path: Path) -> None:
    change(run / RECORD, lambda data: data["events"].append(BROKEN_REQUEST))
    change_results(run, lambda line: line.update(NOT_SCORED))
    submission = pack(run, tmp_path / "run.zip", split=SPLIT)
    assert (submission.outcomes, submission.pass_rate) == ({"pass": 2, "fail": 1, "unscored": 1}, 0.5)
    assert told(verify(tmp_path / "run.zip")) == []


def test_other_limits_are_told_and_an_episode_that_they_ended_is_verified(tmp_path: Path) -> None:
    run = run_folder("limit", tmp_path)
    told_as = {**OPTIONS, "max_actions": 1}
    assert pack(run, tmp_path / "run.zip", split=ON).options == told_as
    done = verify(tmp_path / "run.zip")
    assert (told(done), done.options) == ([], told_as)
    (result,) = read_results(run)
    assert (result.status, result.source, result.end_reason) == ("fail", "limit", "action_limit")
    how = HOW.replace("state, init", "strict, init").replace("0.25", "0.25, max_actions=1")
    assert how in websp_here("verify", str(tmp_path / "run.zip")).stdout


def test_splits_are_named_as_those_for_training() -> None:
    assert instances_of("all") == instance_ids(own=True)
    assert set(instances_of("train:site")) | set(instances_of("test:site")) == set(instance_ids())
    for wrong in ("test:nothing", "Stem-*", "test"):
        with pytest.raises(SetupError):
            instances_of(wrong)


# --- what is wrong -----------------------------------------------------------------------------------


def test_a_run_that_is_not_complete_is_not_packed(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "run.zip"
    with pytest.raises(
        SetupError,
        match=r"is not a complete run of all:\nAirbnb.*, trial 1: it has no result(.|\n)*… and \d+ more",
    ):
        pack(run, target)
    with pytest.raises(SetupError, match=f"{ON}, trial 3: it has no result"):
        pack(run, target, split=SPLIT, trials=3)
    append_result(run, Result(id=ON, agent="noop", reward=None, status="error", error="WorldError: gone"))
    with pytest.raises(SetupError, match="not played to its end"):
        pack(run, target, split=SPLIT)
    assert not target.exists()


Tamper = Callable[[Path], object]


def record_and_result(of_record: Callable[[Any], object], *of_result: Callable[[Any], object]) -> Tamper:
    """Change a record and its result."""

    def tamper(folder: Path) -> None:
        change(folder / RECORD, of_record)
        for changed in of_result:
            change_results(folder, changed)

    return tamper


def count_too_many_actions(folder: Path) -> None:
    (step,) = (folder / STEPS).read_text("utf-8").splitlines()
    (folder / STEPS).write_text(json.dumps({**json.loads(step), "counted": 21}) + "\n", "utf-8")
    change_results(folder, lambda line: line.update(actions=21))


def claim_a_reward_for_an_error(folder: Path) -> None:
    claim_that_an_error_ended_it(folder)
    change(folder / RECORD, end_by("error"))
    change_results(folder, lambda line: line.update(reward=1.0, strict=1.0, completed=True))


def change_by_nobody(folder: Path) -> None:
    """Add the changes that the goal asks for to the log, long after the last step, and to the end state."""
    keys = ("cookies.valve_analytics", "cookies.content_customization")

    def win_it(data: dict[str, Any]) -> None:
        later = data["events"][-1]["time"] + 60
        for number, key in enumerate(keys, 900):
            what = {"key": key, "old": True, "new": False}
            data["events"].append(
                {"seq": number, "time": later, "site": "steam", "kind": "set", "data": what}
            )
            data["end"]["settings"][key] = False

    change(folder / RECORD, win_it)
    change_results(folder, win)


def copy_a_trial(folder: Path) -> None:
    """Make the record of the second trial that of the first one, with its own seed."""
    first, second = (folder / "trajectories" / OFF / name for name in ("001", "002"))
    seed = json.loads((second / "trajectory.json").read_text("utf-8"))["seed"]
    shutil.copytree(first, second, dirs_exist_ok=True)
    change(second / "trajectory.json", lambda data: data.update(seed=seed))


def leave_out_a_number(folder: Path) -> None:
    (step,) = (folder / STEPS).read_text("utf-8").splitlines()
    (folder / STEPS).write_text(json.dumps({**json.loads(step), "number": 2}) + "\n", "utf-8")


TAMPERED: dict[str, tuple[Tamper, str]] = {
    "a changed reward": (
        lambda folder: change_results(folder, win),
        f"{ON}, trial 1: it claims status pass, and its record gives fail",
    ),
    "more progress than was made": (
        lambda folder: change_results(folder, lambda line: line.update(progress=0.5)),
        f"{ON}, trial 1: it claims progress 0.5, and its record gives 0.0",
    ),
    "a decision that was not made": (
        lambda folder: change_results(folder, lambda line: line.update(choices={"location": "refused"})),
        f"{ON}, trial 1: it claims the choices {{'location': 'refused'}}, and its record gives {{}}",
    ),
    "a failure told as not scored": (
        lambda folder: change_results(folder, lambda line: line.update(status="unscored", reward=None)),
        f"{ON}, trial 1: it claims status unscored, and its record gives fail",
    ),
    "a reward that cannot be computed": (
        claim_a_reward_of_ones_own,
        f"{ON}, trial 1: it claims status pass, and its record gives fail",
    ),
    "an error told as passed": (
        record_and_result(end_by("error"), end_by("error"), win),
        f"{ON}, trial 1: its record did not reach its end (error), which is an error and has no verdict",
    ),
    "an error told as passed without a reward": (
        record_and_result(end_by("error"), lambda line: line.update(status="pass", reward=None)),
        f"{ON}, trial 1: its record did not reach its end (error)",
    ),
    "an episode broken off told as not scored": (
        record_and_result(end_by(None), lambda line: line.update(NOT_SCORED)),
        f"{ON}, trial 1: its record did not reach its end (it was cut short)",
    ),
    "a failure told as an error's": (claim_that_an_error_ended_it, "it failed by an error, but its record ended otherwise: answer"),
    "a reward for a failure by an error": (claim_a_reward_for_an_error, f"{ON}, trial 1: it claims reward 1.0, and its record gives 0.0"),
    "a pass where nothing can be known": (
        record_and_result(
            lambda data: data["events"].append(BROKEN_REQUEST), lambda line: line.update(NOT_SCORED, status="pass")
        ),
        f"{ON}, trial 1: it claims status pass, and its record gives unscored",
    ),
    "another way of ending": (
        lambda folder: change_results(folder, end_by("infeasible")),
        f"{ON}, trial 1: it ended by infeasible, and its record by answer",
    ),
    "another source": (
        lambda folder: change_results(folder, lambda line: line.update(source="limit")),
        f"{ON}, trial 1: it claims source limit, and its record gives state",
    ),
    "a limit instead of a judge": (claim_a_limit_under_a_judge, f"{OFF}, trial 1: it claims status pass, and its record gives unscored"),
    "a setting that S0 does not have": (
        lambda folder: change_states(folder, lambda state: state["settings"].update({"cookies.valve_analytics": False})),
        f"{ON}, trial 1: its S0 has cookies.valve_analytics=False, and that of the instance True",
    ),
    "a collection that S0 does not have": (
        lambda folder: change_states(folder, lambda state: state["collections"]["purchases"].pop()),
        f"{ON}, trial 1: its S0 has purchases=",
    ),
    "a session that S0 does not have": (
        lambda folder: change_states(folder, lambda state: state["collections"].update(sessions=[])),
        f"{ON}, trial 1: its S0 has signed in=False, and that of the instance True",
    ),
    "a collection that nobody changed": (
        lambda folder: change(folder / RECORD, lambda data: data["end"]["collections"]["purchases"].pop()),
        f"{ON}, trial 1: its end state has purchases that S0 and the log of events do not give",
    ),
    "a session that nobody ended": (
        lambda folder: change(folder / RECORD, lambda data: data["end"]["collections"].update(sessions=[])),
        f"{ON}, trial 1: its end state has sessions that S0 and the log of events do not give",
    ),
    "an event of another site": (
        lambda folder: change(folder / RECORD, turn_off_elsewhere),
        f"{ON}, trial 1: its end state has cookies.valve_analytics=False, which S0 and the log of events do not give",
    ),
    "a record without instruction": (
        lambda folder: change(folder / RECORD, lambda data: data["options"].pop("instruction")),
        f"{ON}, trial 1: its record cannot be scored: KeyError: 'instruction'",
    ),
    "a record without options": (
        lambda folder: change(folder / RECORD, lambda data: data.update(options={})),
        f"{ON}, trial 1: its record was played with initial_state 'replay', not 'snapshot'",
    ),
    "more actions than were allowed": (
        count_too_many_actions,
        f"{ON}, trial 1: its record has 21 counted actions, and 20 were allowed",
    ),
    "a record without state": (
        lambda folder: change(folder / RECORD, lambda data: data.update(s0={}, end={}, events=[])),
        f"{ON}, trial 1: its record has no state of the server",
    ),
    "a record of another world": (
        lambda folder: change(folder / RECORD, lambda data: data.update(world="live")),
        f"{ON}, trial 1: its record is of the world live, not sandbox",
    ),
    "a world that is not here": (
        lambda folder: change_options(folder, world="moon"),
        f'{ON}, trial 1: no world "moon"',
    ),
    "a state without form": (
        lambda folder: change(folder / RECORD, lambda data: data.update(end={"settings": 3})),
        f"{ON}, trial 1: its record cannot be scored: ",
    ),
    "events without form": (
        lambda folder: change(folder / RECORD, lambda data: data.update(events=[{"data": 3}])),
        f"{ON}, trial 1: its record cannot be scored: ",
    ),
    "a missing episode": (
        lambda folder: (folder / RESULTS).write_text("\n".join((folder / RESULTS).read_text("utf-8").splitlines()[:-1])),
        f"{OFF}, trial 2: it has no result",
    ),
    "an episode of another run": (
        lambda folder: change_results(folder, lambda line: line.update(run_hash="another")),
        f"{ON}, trial 1: its agent, options or seed are not those of run.json",
    ),
    "an episode too many": (
        lambda folder: append_result(folder, replace(read_results(folder)[0], trial=3)),
        f"{ON}, trial 3: it is not one of the claimed episodes",
    ),
    "another episode's record": (
        lambda folder: change_results(folder, lambda line: line.update(trajectory=f"trajectories/{OFF}/001")),
        f"{ON}, trial 1: its record is that of {OFF}, seed 0",
    ),
    "a record outside": (
        lambda folder: change_results(folder, lambda line: line.update(trajectory="../../elsewhere")),
        "results.jsonl:1: trajectory '../../elsewhere' is outside the folder of its run",
    ),
    "a missing record": (lambda folder: (folder / RECORD).unlink(), f"{ON}, trial 1: its record cannot be read: no trajectory"),
    "missing steps": (lambda folder: (folder / STEPS).unlink(), "it has 0 of 1 steps"),
    "other contents": (
        lambda folder: change_results(folder, lambda line: line.update(config_hash="of long ago")),
        f"{ON}, trial 1: it was played as of long ago, and this version has ",
    ),
    "other options": (
        lambda folder: change(folder / RECORD, lambda data: data["options"].update(max_actions=99)),
        f"{ON}, trial 1: its record was played with max_actions 99, not 20",
    ),
    "other counts": (
        lambda folder: change_results(folder, lambda line: line.update(actions=0)),
        f"{ON}, trial 1: it has 1 steps and 0 counted actions, and its record 1 and 1",
    ),
    "an end state that nobody set": (
        lambda folder: change(folder / RECORD, lambda data: data["end"]["settings"].update({"cookies.valve_analytics": False})),
        f"{ON}, trial 1: its end state has cookies.valve_analytics=False, which S0 and the log of events do not give",
    ),
    "changes that no step caused": (change_by_nobody, f"{ON}, trial 1: its log has changes that none of its steps can have caused"),
    "a trial that is a copy": (copy_a_trial, f"{OFF}, trial 2: its record is a copy of that of {OFF}, trial 1"),
    "a step that was taken out": (leave_out_a_number, f"{ON}, trial 1: its steps are not numbered from 1 without a gap"),
    "the record of another agent": (
        lambda folder: (folder / RECORD).with_name(AGENT_LOG).write_text('{"agent": "openai:gpt-2", "turns": []}'),
        f"{ON}, trial 1: its record is of the agent 'openai:gpt-2'",
    ),
    "a broken line": (lambda folder: append_line(folder / RESULTS, "{"), "results.jsonl:5: not JSON"),
    "no run.json": (lambda folder: (folder / RUN).unlink(), "run.json: it is missing"),
}  # fmt: skip


@pytest.mark.parametrize("name", TAMPERED)
def test_tampering_is_named_in_runs_and_in_submissions_whose_digests_were_forged(
    name: str, unpacked: Path
) -> None:
    tamper, problem = TAMPERED[name]
    tamper(unpacked)
    forge(unpacked)
    for path in (unpacked, zipped(unpacked)):
        assert [each for each in told(verify(path)) if problem in each], told(verify(path))


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        (RESULTS, b"", "it was changed: its SHA-256 is "),
        (STEPS, b"{}\n", "it was changed: its SHA-256 is "),
        (f"trajectories/{ON}/001/step_000.png", b"another", "it was changed"),
        (f"trajectories/{ON}/001/step_000.png", None, "it is in submission.json but missing"),
        ("notes.txt", b"hello", "it is not in submission.json"),
    ],
)
def test_a_file_that_is_not_as_packed_is_named(
    name: str, data: bytes | None, problem: str, unpacked: Path
) -> None:
    path = unpacked / name
    path.unlink(missing_ok=True)
    if data is not None:
        path.write_bytes(data)
    for each in (unpacked, zipped(unpacked)):
        assert [line for line in told(verify(each)) if line.startswith(f"{name}: {problem}")]


@pytest.mark.parametrize(
    ("claim", "problem"),
    [
        ({"pass_rate": 1.0}, "claims 2 pass, 2 fail, 0 unscored, pass rate 1.0000, and the results give"),
        ({"outcomes": {"pass": 4, "fail": 0, "unscored": 0}}, "it claims 4 pass, 0 fail"),
        ({"dataset": "1.0.0"}, "it is of dataset 1.0.0, and this version has"),
        ({"split": "all"}, "it lacks Airbnb-task-106-ON of the split all"),
        ({"split": "nowhere-*"}, "its split 'nowhere-*': no instance matches"),
        ({"instances": {ON: "another", OFF: "another"}}, f"{ON} is another in it, and "),
        ({"dataset_hash": "0"}, "its dataset_hash is not that of its instances"),
        ({"reward": "judge"}, "its reward is 'judge', and that of run.json 'state'"),
        ({"options": {"max_actions": 20}}, "its options is {'max_actions': 20}, and that of run.json {'initial_state': "),
        ({"agent": "oracle"}, "its agent is 'oracle', and that of run.json 'noop'"),
        ({"trials": 3}, "trial 3: it has no result"),
    ],
)  # fmt: skip
def test_a_claim_that_the_run_does_not_bear_out_is_named(
    claim: dict[str, Any], problem: str, unpacked: Path
) -> None:
    change(unpacked / FILE, lambda data: data.update(claim))
    assert [line for line in told(verify(unpacked)) if problem in line]


def test_verdicts_on_policies_are_judged_again(tmp_path: Path) -> None:
    run = run_folder("broken", tmp_path)
    assert told(verify(run)) == []
    change_results(run, lambda line: [policy.update(status="ok") for policy in line["policies"]])
    assert told(verify(run)) == [
        f"{MESSAGES}, trial 1: its verdicts on policies are not those that its record gives"
    ]


@pytest.mark.parametrize(("name", "status"), [("again", "pass"), ("brought-down", "fail")])
def test_an_episode_that_was_played_again_is_verified_with_its_attempts(
    name: str, status: str, tmp_path: Path
) -> None:
    run = run_folder(name, tmp_path)
    (result,) = read_results(run)
    assert (result.status, result.again) == (status, 1)
    files = pack(run, tmp_path / "run.zip", split=OFF).files
    assert {f"trajectories/{OFF}/{number}/trajectory.json" for number in ("001", "002")} <= set(files)
    assert told(verify(tmp_path / "run.zip")) == []
    text = (run / RESULTS).read_text("utf-8")
    (run / RESULTS).write_text(text.replace('"end_reason": "error"', '"end_reason": "answer"'), "utf-8")
    assert bool(told(verify(run))) == (status == "fail")


# --- archives that are refused -----------------------------------------------------------------------


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(name)
    found.external_attr = mode << 16
    return found


@pytest.mark.parametrize(
    ("name", "mode", "data", "reason"),
    [
        ("../evil.txt", stat.S_IFREG, b"x", "'../evil.txt' leads out of its folder"),
        ("/evil.txt", stat.S_IFREG, b"x", "leads out of its folder"),
        ("a/../../evil.txt", stat.S_IFREG, b"x", "leads out of its folder"),
        ("a\\evil.txt", stat.S_IFREG, b"x", "leads out of its folder"),
        ("evil\n.txt", stat.S_IFREG, b"x", "has a name that cannot be printed"),
        ("link", stat.S_IFLNK, b"/etc/passwd", "'link' is a link or a device and not a file"),
        ("pipe", stat.S_IFIFO, b"", "is a link or a device and not a file"),
        ("bomb.json", stat.S_IFREG, bytes(20_000_000), "bytes would become 20,"),
        (RUN, stat.S_IFREG, b"{}", "'run.json' is in it 2 times"),
        (f"{RUN}/below", stat.S_IFREG, b"x", "cannot read"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_an_archive_with_an_unfit_entry_is_refused(
    name: str, mode: int, data: bytes, reason: str, tmp_path: Path
) -> None:
    path, outside = tmp_path / "in/evil.zip", {"in"}
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(entry(RUN), os.urandom(1000))
        archive.writestr(entry(name, mode), data, zipfile.ZIP_DEFLATED)
    with pytest.raises(SetupError, match=reason.replace("(", r"\(")):
        verify(path)
    assert {each.name for each in tmp_path.iterdir()} == outside
    assert websp_here("verify", str(path)).returncode == 2


def test_a_large_file_is_refused_although_it_cannot_be_shrunk(tmp_path: Path) -> None:
    path = tmp_path / "large.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry("large.json"), bytes(50_000_001))
    with pytest.raises(SetupError, match=r"'large\.json' has 50,000,001 bytes"):
        verify(path)


@pytest.mark.parametrize("data", [b"no zip file", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_submission_is_an_error(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "it.zip"
    path.write_bytes(data)
    with pytest.raises(SetupError, match=r"is not a zip file|has no submission\.json"):
        verify(path)


def test_a_damaged_archive_is_an_error(packed: Path, tmp_path: Path) -> None:
    data = bytearray(packed.read_bytes())
    data[len(data) // 2] ^= 255
    path = tmp_path / "damaged.zip"
    path.write_bytes(data)
    with pytest.raises(SetupError, match="is damaged: Bad CRC"):
        verify(path)


@pytest.mark.parametrize("wrong", [{"options": None}, {"seed": []}, {"versions": {"dataset": 2}}])
def test_a_run_file_without_form_is_an_error(wrong: dict[str, Any], unpacked: Path) -> None:
    change(unpacked / RUN, lambda data: data.update(wrong))
    with pytest.raises(SetupError, match=rf"run\.json: not a websp-run/1 file: {next(iter(wrong))}"):
        verify(unpacked)


@pytest.mark.parametrize(
    ("place", "data", "reason"),
    [
        (8, b"\x20\x00", "compressed patched data"),
        (8, b"\x40\x00", "strong encryption"),
        (6, b"\x63\x00", "zip file version 9.9"),
        (46, b"\xff", "can't decode byte 0xff"),
    ],
)
def test_an_archive_that_cannot_be_understood_is_refused(
    place: int, data: bytes, reason: str, packed: Path, tmp_path: Path
) -> None:
    """``place`` is that of the data in the first entry of the archive's list; a local header is alike, from byte 2."""
    raw = bytearray(packed.read_bytes())
    first = raw.find(b"PK\x01\x02")
    raw[first + 9] |= 8  # its name is UTF-8
    raw[first + place : first + place + len(data)] = data
    if place == 8:
        raw[6:8] = data
    path = tmp_path / "odd.zip"
    path.write_bytes(raw)
    with pytest.raises(SetupError, match=rf"is not a zip file, or is damaged: .*{reason}"):
        verify(path)


def test_a_trial_that_no_submission_has_is_an_error(run: Path) -> None:
    change_results(run, lambda line: line.update(trial=10**12))
    with pytest.raises(SetupError, match="has a trial 1000000000000, and at most 1000 are accepted"):
        verify(run)


def test_a_link_in_a_folder_is_refused(unpacked: Path, tmp_path: Path) -> None:
    (unpacked / RUN).rename(tmp_path / RUN)
    (unpacked / RUN).symlink_to(tmp_path / RUN)
    with pytest.raises(SetupError, match=r"run\.json is a link"):
        verify(unpacked)


# --- the commands ------------------------------------------------------------------------------------


def test_the_commands_say_what_was_claimed_and_what_is_wrong(run: Path, tmp_path: Path) -> None:
    target = tmp_path / "noop.zip"
    done = websp_here("pack", str(run), "--to", str(target), "--split", SPLIT)
    assert done.returncode == 0, done.stderr
    assert f"noop on {SPLIT} {HOW}: 2 instances × 2 trials; 2 pass, 2 fail, pass rate 50.0 %" in done.stdout
    right = websp_here("verify", str(target))
    assert (right.returncode, right.stdout) == (
        0,
        f"✓ verified; 4 episodes of {SPLIT} {HOW}: 2 pass, 2 fail, pass rate 50.0 %\n",
    )
    change_results(run, win)
    wrong = websp_here("verify", str(run))
    assert wrong.returncode == 1
    assert f"{ON}, trial 1: it claims reward 1.0, and its record gives 0.0" in wrong.stdout
    assert "✗ 5 problems" in wrong.stdout
    facts = json.loads(websp_here("verify", str(run), "--json").stdout)
    assert (facts["verified"], len(facts["problems"])) == (False, 5)
    refused = websp_here("pack", str(run), "--to", str(target), "--split", SPLIT)
    assert refused.returncode == 2
    assert "it claims status pass" in refused.stderr
