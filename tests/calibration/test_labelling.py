"""Labels by people: the sample, the blind page, the file, and how far two people agree."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
import uvicorn
from playwright.sync_api import expect

from tests.judge_support import NAMES, put, recorded
from tests.models.test_judge_batch import Websp, websp
from tests.report.test_report_tables import played
from tests.report_support import Watched, episode, save, window
from websp_gym.calibration.cases import read_labels
from websp_gym.calibration.labels import Label, compare, read_label_file, write_label_file
from websp_gym.calibration.sampling import SampleCandidate, candidates, draw
from websp_gym.cli.label_app import LabelApp, Labelling
from websp_gym.errors import SetupError
from websp_gym.records import verdict
from websp_gym.records.load import digest_of
from websp_gym.records.runs import Run, append_result, write_run
from websp_gym.scoring.judge.judgements import Judgement, keep_judgement
from websp_gym.window.server import listening

if TYPE_CHECKING:
    from playwright.sync_api import Page

get, post = partial(httpx.get, timeout=120), partial(httpx.post, timeout=120)

__all__ = ["websp", "window"]

# --- the sample -------------------------------------------------------------------------------------


def found(agents: int = 4, sites: int = 10, each: int = 6) -> list[SampleCandidate]:
    """Trajectories of which the early judge accepts one in three and leaves one in six unscored."""
    said = (True, False, False, None, True, False)
    return [
        SampleCandidate(
            Path(f"{agent}/{site}/{number}"), (f"a{agent}", "without"), f"s{site}", said[number % len(said)]
        )
        for agent in range(agents)
        for site in range(sites)
        for number in range(each)
    ]


def test_a_balanced_sample_has_as_many_accepted_as_rejected_and_is_spread() -> None:
    known = {one.folder: one for one in found()}
    drawn = [known[folder] for folder in draw(found(), 80, balance=True)]
    assert Counter(one.said for one in drawn) == {True: 40, False: 40}
    assert set(Counter(one.agent for one in drawn).values()) == {20}
    assert set(Counter(one.site for one in drawn).values()) == {8}
    assert len({one.folder for one in drawn}) == 80
    firsts = [one.said for one in drawn[:40]]
    assert 5 < firsts.count(True) < 35, "the order tells nothing"


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_the_runs() -> None:
    assert draw(found(), 40, seed=3) == draw(found()[::-1], 40, seed=3) != draw(found(), 40, seed=4)


def test_a_rare_agent_is_drawn_as_often_as_the_others_as_far_as_it_goes() -> None:
    rare = [SampleCandidate(Path(f"rare/{number}"), ("rare", "without"), "s0", True) for number in range(3)]
    drawn = draw([*found(agents=2), *rare], 21)
    assert Counter(folder.parts[0] for folder in drawn) == {"0": 9, "1": 9, "rare": 3}


def test_too_small_a_sample_is_refused_with_the_numbers() -> None:
    with pytest.raises(SetupError, match=r"80 judged CORRECT for 100.*judge more runs"):
        draw(found(), 200, balance=True)
    with pytest.raises(SetupError, match="240 with an answer for 241"):
        draw(found(), 241)
    with pytest.raises(SetupError, match="odd number"):
        draw(found(), 5, balance=True)


def judgement(folder: Path, status: Any, judge: str) -> Judgement:
    return Judgement(
        run="x",
        record=digest_of(folder),
        instance="x",
        judge=judge,
        status=status,
        source="judge",
        reason=".",
    )


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Six trajectories of one run: the early judge rejects the first three; the last ended at a limit."""
    out = tmp_path / "runs" / "secret-agent"
    write_run(out, Run(agent="secret-agent"))
    for number, name in enumerate(NAMES):
        folder = put(out / "trajectories" / name / "001", recorded(name))
        outcome = "time-out" if number == 5 else "success"
        append_result(
            out, replace(played("secret-agent", name, outcome), trajectory=f"trajectories/{name}/001")
        )
        keep_judgement(folder, judgement(folder, "fail" if number < 3 else "pass", "early:one (rules 1)"))
        keep_judgement(folder, judgement(folder, "pass", "later:two (rules 1)"))
    return out


def test_the_early_judge_is_chosen_by_its_name(runs: Path) -> None:
    def said(early: str) -> list[bool | None]:
        return [one.said for one in candidates([runs], early=early)]

    assert said("early:one") == [False] * 3 + [True] * 2, "a run that a limit ended is not among them"
    assert said("") == said("later") == said("state") == [True] * 5
    assert said("nobody") == [None] * 5


# --- the file ---------------------------------------------------------------------------------------


def test_a_file_of_labels_is_read_again_as_it_was_written_wherever_it_lies(
    runs: Path, tmp_path: Path
) -> None:
    folders = sorted(path.parent for path in runs.rglob("trajectory.json"))
    given = [
        Label("", folder, number % 2 == 0, 'a "note", and\nmore') for number, folder in enumerate(folders)
    ]
    write_label_file(tmp_path / "labels" / "first.csv", given)
    again = read_label_file(tmp_path / "labels" / "first.csv")
    assert [(one.folder.resolve(), one.passed, one.note) for one in again] == [
        (one.folder, one.passed, one.note) for one in given
    ]
    assert [case.passed for case in read_labels(tmp_path / "labels" / "first.csv")] == [True, False] * 3


def test_a_sample_has_no_labels_and_cannot_be_taken_for_labels(
    runs: Path, tmp_path: Path, websp: Websp
) -> None:
    sample = tmp_path / "sample.csv"
    code, out, _err = websp(
        "label", "sample", runs, "--size", "4", "--early", "early:one", "--balance", "--out", sample
    )
    assert (code, "4 trajectories" in out) == (0, True)
    rows = read_label_file(sample, labelled=False)
    assert {row.passed for row in rows} == {None}
    with pytest.raises(SetupError, match=r"sample\.csv:2: the label is ''"):
        read_labels(sample)
    code, _out, err = websp("label", "sample", runs, "--out", sample)
    assert (code, "add --overwrite" in err) == (2, True)


# --- two people -------------------------------------------------------------------------------------


def labels(cells: Sequence[tuple[int, bool, bool]]) -> tuple[list[Label], list[Label]]:
    """Pairs of labels: number, first label, second label."""
    pairs = [(first, second) for number, first, second in cells for _ in range(number)]
    return tuple(
        [Label("", Path(f"/{place}"), pair[who]) for place, pair in enumerate(pairs)] for who in (0, 1)
    )  # type: ignore[return-value]


def test_kappa_of_the_papers_labels_follows_from_seven_corrections_of_two_hundred() -> None:
    """Section 4: 200 labels, 115 CORRECT after vetting, kappa 0.928 between the initial and the vetted version."""
    result = compare(*labels([(111, True, True), (4, False, True), (3, True, False), (82, False, False)]))
    assert result.kappa.value == pytest.approx(0.928, abs=0.001)
    assert result.kappa.low is not None
    assert result.kappa.high is not None
    assert 0.85 < result.kappa.low < 0.9 < 0.97 < result.kappa.high < 1
    assert (len(result.disagreements), result.agreement.value, result.warning) == (7, 0.965, "")


def test_only_what_both_labelled_is_compared() -> None:
    first, second = labels([(3, True, True), (2, False, False)])
    result = compare(first[:4], second[1:])
    assert (result.counts.scored, result.only_first, result.only_second) == (4 - 1, 1, 1)
    assert result.kappa.value == 1
    assert result.kappa.low is not None
    assert result.kappa.low < 0.5, "three labels say little"
    assert "Fewer than 30 cases" in result.warning
    with pytest.raises(SetupError, match="no trajectory in common"):
        compare(first[:1], second[1:])


def test_the_command_names_where_two_people_disagree(runs: Path, tmp_path: Path, websp: Websp) -> None:
    folders = sorted(path.parent for path in runs.rglob("trajectory.json"))
    write_label_file(tmp_path / "a.csv", [Label("", one, True) for one in folders])
    vetted = [Label("", one, number != 2, "not saved" * (number == 2)) for number, one in enumerate(folders)]
    (tmp_path / "deeper").mkdir()
    write_label_file(tmp_path / "deeper" / "b.csv", vetted)
    files = ("label", "compare", tmp_path / "a.csv", tmp_path / "deeper" / "b.csv")
    code, out, _err = websp(*files)
    assert code == 0
    assert "Cohen's kappa 0.000" in out
    assert re.search(rf"{NAMES[2]}/001 +CORRECT +INCORRECT +not saved", out)
    data = json.loads(websp(*files, "--json")[1])
    assert (data["labels"], data["only_first_correct"], len(data["disagreements"])) == (6, 1, 1)


# --- the page ---------------------------------------------------------------------------------------

Serve = Callable[[LabelApp], str]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves an application in this process; gives the address of its pages."""
    with contextlib.ExitStack() as stack:

        def start(site: LabelApp) -> str:
            listener = stack.enter_context(listening(0))
            server = uvicorn.Server(uvicorn.Config(site.app, log_level="warning"))
            thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
            thread.start()

            def stop() -> None:
                server.should_exit = True
                thread.join()

            stack.callback(stop)
            return f"http://127.0.0.1:{listener.getsockname()[1]}{site.root}"

        yield start


@pytest.fixture
def judged(tmp_path: Path) -> list[Path]:
    """Three episodes with all that a person who labels must not see."""
    folders = []
    for number in range(3):
        votes = [{"model": "gemini:hidden-judge", "result": "CORRECT", "reason": "hidden reason"}]
        told = verdict.passed("judge", "hidden verdict", details={"votes": votes, "judge": "hidden"})
        record = episode(
            answer=f"answer {number} </script><b>bold</b>",
            verdict=told.as_dict(),
            ground_truth=["CLICK 'Save' button"],
            s0={"settings": {"hidden.setting": 1}},
            end={"settings": {"hidden.setting": 2}},
        )
        folder = save(tmp_path / f"hidden-agent-{number}", record)
        keep_judgement(folder, judgement(folder, "fail", "hidden later judge"))
        folders.append(folder)
    return folders


def test_the_page_shows_what_a_judge_sees_and_hides_the_rest(
    window: Page, serve: Serve, judged: list[Path], tmp_path: Path
) -> None:
    address = serve(LabelApp(Labelling(judged, tmp_path / "first.csv", seed="first.csv")))
    with Watched(window) as watched:
        watched.own.append(address)
        window.goto(f"{address}/next")
        check_what_is_shown(window)


def check_what_is_shown(window: Page) -> None:
    for shown in (
        "CLICK 'Save' button",
        "</script><b>bold</b>",
        "What the agent did",
        "Did the agent do the task?",
    ):
        expect(window.get_by_text(shown).first).to_be_visible()
    source = get(window.url).text
    for secret in (
        "hidden-agent",
        "hidden-judge",
        "hidden reason",
        "hidden verdict",
        "hidden.setting",
        "hidden later",
        "PASS",
        "Reward",
    ):
        assert secret not in source
    window.keyboard.press("j")
    expect(window.locator("#where")).to_have_text("Step 1 of 3")


def test_keys_label_and_lead_to_the_next_one_and_every_label_is_on_disk(
    window: Page, serve: Serve, judged: list[Path], tmp_path: Path
) -> None:
    path = tmp_path / "first.csv"
    labelling = Labelling(judged, path, seed="a")
    address = serve(LabelApp(labelling))
    window.goto(f"{address}/next")
    window.keyboard.press("c")
    expect(window.locator("#overview")).to_have_text("2 of 3, 1 labelled")
    assert [one.word for one in read_label_file(path)] == ["CORRECT"]
    window.locator("[name=note]").fill("cannot tell icons")
    with window.expect_navigation():
        window.keyboard.press("Enter")
    expect(window.locator("#overview")).to_have_text("2 of 3, 1 labelled")
    expect(window.locator("[name=note]")).to_have_value("cannot tell icons")
    window.keyboard.press("i")
    expect(window.locator("#overview")).to_have_text("3 of 3, 2 labelled")
    window.keyboard.press("p")
    expect(window.get_by_role("button", name="INCORRECT")).to_have_attribute("aria-pressed", "true")
    window.keyboard.press("u")
    expect(window.locator("#overview")).to_have_text("2 of 3, 1 labelled")
    window.keyboard.press("c")
    expect(window.locator("#overview")).to_have_text("3 of 3, 2 labelled")
    window.keyboard.press("i")
    expect(window.get_by_text("All trajectories have a label")).to_be_visible()
    expect(window.get_by_role("cell", name="cannot tell icons")).to_be_visible()
    kept = {one.folder.resolve(): one for one in read_label_file(path)}
    assert [kept[labelling.at(place).folder.resolve()].word for place in range(3)] == [
        "CORRECT", "CORRECT", "INCORRECT",
    ]  # fmt: skip


def test_existing_labels_are_kept_including_those_of_others(judged: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "first.csv"
    first = Labelling(judged[:2], path, seed="a")
    first.give(0, "CORRECT", "sure")
    again = Labelling(judged[1:], path, seed="a")
    assert again.done + len(again.kept) == 1
    again.give(again.next_open(-1) or 0, "INCORRECT", "")
    assert len(read_label_file(path)) == 2
    orders = {tuple(Labelling(judged, path, seed=str(number)).order) for number in range(12)}
    assert len(orders) > 2, "another file, another order"


def test_only_who_knows_the_address_can_label_and_only_with_a_label(
    serve: Serve, judged: list[Path], tmp_path: Path
) -> None:
    path = tmp_path / "first.csv"
    address = serve(LabelApp(Labelling(judged, path, seed="a")))
    origin = address.rpartition("/")[0]
    assert post(f"{origin}/guess/1", data={"label": "CORRECT"}).status_code == 404
    assert get(f"{origin}/").status_code == 404
    assert post(f"{address}/1", data={"label": "MAYBE"}).status_code == 400
    assert post(f"{address}/9", data={"label": "CORRECT"}).status_code == 404
    assert get(f"{address}/0").status_code == 404
    assert not path.exists()
    answer = post(f"{address}/1", data={"label": "CORRECT", "note": "x" * 5000})
    assert (answer.status_code, len(read_label_file(path)[0].note)) == (303, 1000)
    path.unlink()
    path.mkdir()
    assert post(f"{address}/2", data={"label": "CORRECT"}).status_code == 500
    assert "1 of 3 labelled" in get(f"{address}/").text, "what is not on disk is no label"


def test_a_trajectory_that_is_gone_is_named_before_the_work_begins(
    judged: list[Path], tmp_path: Path
) -> None:
    with pytest.raises(SetupError, match=r"no trajectory\.json in .*nowhere"):
        Labelling([*judged, tmp_path / "nowhere"], tmp_path / "first.csv", seed="a")


def test_the_command_serves_until_it_is_interrupted(judged: list[Path], tmp_path: Path) -> None:
    write_label_file(tmp_path / "sample.csv", [Label("", folder, None) for folder in judged])
    command = [Path(sys.executable).with_name("websp"), "label", "page", tmp_path / "sample.csv"]
    with subprocess.Popen(
        [*map(str, command), "--out", str(tmp_path / "mine.csv")], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1]
        page = get(address, follow_redirects=True)
        assert page.url.path.endswith("/1")
        assert post(str(page.url), data={"label": "INCORRECT"}).status_code == 303
        process.send_signal(signal.SIGINT)
        assert "1 of 3 labelled" in process.stdout.read()
        assert process.wait(150) == 0
    assert [one.word for one in read_label_file(tmp_path / "mine.csv")] == ["INCORRECT"]
