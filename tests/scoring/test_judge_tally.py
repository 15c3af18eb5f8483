"""Statistics of each model of a judge, and runs while a provider is down; against a local server."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.endpoint_support import Asked, Endpoint, Say, chat, error, serve
from tests.judge_support import NAMES, put, recorded, says
from tests.models.test_judge_batch import Websp, websp
from websp_gym.records.runs import read_results
from websp_gym.records.trajectory import FILE
from websp_gym.report import read_report
from websp_gym.rollouts import RemoteEnv
from websp_gym.scoring.judge.batch import find_runs
from websp_gym.scoring.judge.judgements import JUDGEMENTS, read_judgements
from websp_gym.scoring.judge.tally import Ballot, ModelTally, outage, tally
from websp_gym.scoring.judge.vote import Vote

__all__ = ["websp"]

DOWN = error(503, "overloaded", headers={"retry-after": "600"})
"""Not tried again: the wait is too long."""
PROSE = 'Sure! {"result": "CORRECT"}'
GARBAGE = '{"result": "CORRECT", "reas'
RUNS = 3


class Provider:
    """Three models at one address; their answers may be changed in between."""

    def __init__(self, endpoint: Endpoint, folder: Path) -> None:
        self.endpoint = endpoint
        self.says: dict[str, Say | list[Say]] = {}
        base = f"{endpoint.url}/v1"
        self.models = [f"{base}#{name}" for name in "abc"]
        prices = folder / "prices.yaml"
        prices.write_text(f"{base}:\n" + "".join(f"  {name}: {{input: 10, output: 10}}\n" for name in "abc"))
        self.prices = str(prices)
        endpoint.always(self._answer)

    def _answer(self, asked: Asked) -> Say:
        model = asked.body["model"]
        given = self.says.get(model, chat(says("CORRECT", "It is so.")))
        say = given if isinstance(given, Say) else given.pop(0)
        return replace(say, body={**say.body, "model": model}) if say.status == 200 else say

    def requests(self) -> dict[str, int]:
        """Requests by model since the last call."""
        found = Counter(asked.body["model"] for asked in self.endpoint.asked)
        self.endpoint.asked.clear()
        return dict(found)


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    for name in NAMES[:RUNS]:
        put(tmp_path / "runs" / name / "001", recorded(name))
    return tmp_path / "runs"


@pytest.fixture
def provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    with serve() as endpoint:
        found = Provider(endpoint, tmp_path)
        monkeypatch.setenv("WEBSP_PRICES", found.prices)
        yield found


@pytest.fixture
def judging(websp: Websp, runs: Path, provider: Provider) -> Callable[..., tuple[int, str]]:
    """Runs `websp judge` with the three models."""

    def run(*more: str) -> tuple[int, str]:
        code, out, err = websp("judge", "--no-preflight", runs, "--models", ",".join(provider.models), *more)
        return code, (out + err).replace(provider.endpoint.url, "URL")

    return run


Judging = Callable[..., tuple[int, str]]


def statuses(runs: Path) -> list[str]:
    """The newest verdict of each run."""
    return [read_judgements(run)[-1].status for run in find_runs(runs)]


def test_one_model_of_three_that_answers_late_decides_nothing(
    judging: Judging, runs: Path, provider: Provider
) -> None:
    others = threading.Event()
    done: list[str] = []

    def answered() -> None:
        done.append("")
        if len(done) == RUNS * 4:
            others.set()

    provider.says = {
        "a": Say(chat(says("CORRECT")).body, before=lambda: others.wait(150)),
        "b": Say(DOWN.body, status=503, headers=DOWN.headers, before=answered),
        "c": Say(chat(PROSE).body, before=answered),
    }
    code, out = judging()
    assert others.is_set()
    assert (code, statuses(runs)) == (1, ["unscored"] * RUNS)
    assert (
        "3 of 3 runs had missing opinions, 3 of them left unscored: "
        "URL/v1#b failed 3 (server); URL/v1#c unreadable 3" in out
    )
    assert "2 of 3 models must agree; answers: 1 CORRECT, 1 failed, 1 unreadable" in out
    assert "an error of the provider (503: overloaded" in out
    assert "agrees with the state reward" not in out


def test_resuming_after_an_outage_asks_the_missing_models_only(
    judging: Judging, runs: Path, provider: Provider
) -> None:
    provider.says = {"b": DOWN, "c": chat(GARBAGE)}
    assert judging()[0] == 1
    assert provider.requests() == {"a": RUNS, "b": RUNS, "c": 3 * RUNS}
    provider.says = {"c": chat(GARBAGE)}
    code, out = judging("--resume")
    assert (code, statuses(runs)) == (1, ["pass"] * RUNS), "two of three agree, and one is still missing"
    assert "3 of 3 runs had missing opinions: URL/v1#c unreadable 3" in out
    assert provider.requests() == {"b": RUNS, "c": 3 * RUNS}
    provider.says = {"c": chat(says("INCORRECT"))}
    code, out = judging("--resume")
    assert (code, statuses(runs)) == (0, ["pass"] * RUNS)
    assert "without an opinion" not in out
    assert provider.requests() == {"c": RUNS}
    code, out = judging("--resume")
    assert (code, provider.requests()) == (0, {})
    assert "already there" in out


def test_a_judgement_that_an_older_version_took_from_one_model_is_asked_for_again(
    judging: Judging, runs: Path, provider: Provider
) -> None:
    judging()
    for run in find_runs(runs):
        (line,) = (run / JUDGEMENTS).read_text().splitlines()
        older = json.loads(line)
        for vote in older["votes"][1:]:
            vote.update(result=None, error="no answer", status="unscored")
        for vote in older["votes"]:
            del vote["failed"], vote["unreadable"]
        del older["quorum"]
        (run / JUDGEMENTS).write_text(json.dumps(older) + "\n")
    assert statuses(runs) == ["unscored"] * RUNS, "one model of three does not decide, whatever was written"
    provider.requests()
    assert judging("--resume", "--no-cache")[0] == 0
    assert provider.requests() == dict.fromkeys("abc", RUNS)


def test_every_model_has_a_line_and_their_costs_are_the_total(
    judging: Judging, runs: Path, provider: Provider, websp: Websp
) -> None:
    prose, no = chat(PROSE), chat(says("INCORRECT"))
    provider.says = {"b": [prose, no, prose, prose, no, no], "c": [DOWN, no, no]}
    code, out = judging("--jobs", "1", "--no-cache")
    assert code == 1
    rows = {line.split()[0]: " ".join(line.split()[1:]) for line in out.splitlines() if "URL/v1#" in line}
    # An answer costs 1,100 tokens at $10 a million.
    assert rows["URL/v1#a"] == "3 of 3 0 0 0 of 2 $0.0330"
    assert rows["URL/v1#b"] == "3 of 3 3 0 2 of 2 $0.0660"
    assert rows["URL/v1#c"].startswith("2 of 3 0 1 2 of 2 $0.0220")
    assert "cost $0.1210" in " ".join(out.split())
    judged = [read_judgements(run)[-1] for run in find_runs(runs)]
    assert sum(each.cost or 0 for each in tally(one.ballot for one in judged)) == pytest.approx(0.121)


def test_a_lower_quorum_is_optional_and_reported(judging: Judging, runs: Path, provider: Provider) -> None:
    provider.says = {"b": DOWN, "c": DOWN}
    code, out = judging("--quorum", "1")
    assert (code, statuses(runs)) == (1, ["pass"] * RUNS)
    assert "3 of 3 runs had missing opinions: " in out
    code, out = judging("--quorum", "1", "--json")
    assert (code, "3 of 3 runs had missing opinions: " in out) == (1, True)
    code, out = judging("--quorum", "4")
    assert code == 2
    assert "quorum=4: give a number from 1 to 3, the number of models of this judge" in " ".join(out.split())


def test_judge_eval_counts_what_is_missing_and_asks_only_that_again(
    websp: Websp, runs: Path, provider: Provider, tmp_path: Path
) -> None:
    models, out = ",".join(provider.models), tmp_path / "eval"
    provider.says = {"b": DOWN, "c": chat(PROSE)}
    code, text, _err = websp("judge-eval", "--no-preflight", runs, "--models", models, "--out", out)
    assert code == 1
    assert "3 of 3 runs had missing opinions, 3 of them left unscored" in text
    report = json.loads((out / "report.json").read_text())
    assert [found["counts"]["unscored"] for found in report["ensembles"]] == [0, 3, 3, 3, 3, 3, 3]
    assert report["incomplete"] == 3
    assert [(one["opinions"], one["unreadable"], one["failed"]) for one in report["models"]] == [
        (3, 0, 0), (0, 0, 3), (0, 9, 0),
    ]  # fmt: skip
    assert sum(one["cost"] for one in report["models"]) == pytest.approx(report["spent"])
    provider.says = {}
    provider.requests()
    code, text, _err = websp("judge-eval", "--no-preflight", runs, "--models", models, "--out", out)
    assert (code, provider.requests()) == (0, {"b": RUNS, "c": RUNS})
    assert "without an opinion" not in text
    assert websp("judge-eval", "--no-preflight", runs, "--models", models, "--quorum", "0")[0] == 2


def judged_run(provider: Provider, out: Path) -> list[str | Path]:
    """The arguments of `websp run` for one episode that the three models judge."""
    judge = [part for model in provider.models for part in ("--judge", model)]
    episode = ["run", "Steam-task-191-OFF", "--agent", "noop", "--viewport", "400x300", "--reward", "judge"]
    return [*episode, *judge, "--no-preflight", "--out", out]


def test_a_run_with_a_judge_that_is_down_can_be_judged_and_scored_again(
    websp: Websp, provider: Provider, tmp_path: Path
) -> None:
    models, out = ",".join(provider.models), tmp_path / "played"
    provider.says = {"b": DOWN, "c": chat(PROSE)}
    code, text, err = websp(*judged_run(provider, out))
    assert (code, "unscored" in text) == (1, True)
    assert "1 of 1 run had missing opinions, 1 of them left unscored" in err
    assert f"websp judge {out} --resume" in err
    (result,) = read_results(out)
    assert (result.status, result.reward) == ("unscored", None)
    table = read_report([out]).table("judges")
    assert [cell.text for cell in table.rows[0].cells] == ["1", "0/1", "0/1", "3", "1", "–", "$0.0440"]
    assert [row.cells[2].text for row in table.rows[1:]] == ["1/1", "0/1", "0/1"]
    assert "left unscored: " in table.notes[0]
    assert any("Some judges lack opinions" in note for note in read_report([out]).notes)
    provider.says = {}
    assert websp("judge", "--no-preflight", out, "--models", models, "--resume")[0] == 0
    assert websp("rescore", out, "--by", "judge", "--write")[0] == 0
    assert read_results(out)[0].status == "pass"
    table = read_report([out]).table("judges")
    assert [cell.text for cell in table.rows[0].cells[:5]] == ["1", "1/1", "1/1", "0", "0"]
    assert table.notes == ()


def test_the_judgement_at_the_end_of_an_episode_is_reused(
    websp: Websp, provider: Provider, tmp_path: Path
) -> None:
    models, out = ",".join(provider.models), tmp_path / "played"
    assert websp(*judged_run(provider, out))[0] == 0
    assert provider.requests() == dict.fromkeys("abc", 1)
    assert websp("judge", "--no-preflight", out, "--models", models, "--resume")[0] == 0
    assert provider.requests() == {}
    assert websp("judge", "--no-preflight", out, "--models", models, "--resume", "--quorum", "3")[0] == 0
    assert provider.requests() == dict.fromkeys("abc", 1)


@pytest.mark.proof  # an unscored episode of a rollout, and a judge that fails, have tests of their own
def test_a_rollout_whose_judge_is_down_has_no_reward(provider: Provider) -> None:
    with RemoteEnv(pictures=True, viewport=(400, 300), reward="judge", judge=provider.models) as env:
        provider.says = {"b": DOWN, "c": chat(PROSE)}
        env.reset("Steam-task-191-OFF")
        page = env.step("ANSWER; done")
    assert (page.done, page.unscored, page.reward) == (True, True, None)
    assert "2 of 3 models must agree; answers: 1 CORRECT, 1 failed, 1 unreadable" in page.failure


# --- counting ---------------------------------------------------------------------------------------


def vote(model: str, **parts: Any) -> Vote:
    return Vote(**{"model": model, "result": "CORRECT", "cost": 0.01, **parts})


def test_a_model_that_votes_twice_has_two_lines_and_an_unknown_price_stays_unknown() -> None:
    twice = Ballot("fail", (vote("m"), vote("m", result="INCORRECT", cost=None), vote("n", cached=True)))
    first, second, third = tally([twice, Ballot("pass", ())])
    assert [(each.model, each.agreed, each.judged) for each in (first, second, third)] == [
        ("m", 0, 1), ("m (2)", 1, 1), ("n", 0, 1),
    ]  # fmt: skip
    assert (second.cost, third.cost, third.spent) == (None, 0.01, 0.0)
    assert isinstance(json.dumps(first.as_dict()), str)
    assert isinstance(first, ModelTally)


def test_nothing_is_missing_where_no_model_was_asked() -> None:
    assert outage([]) == outage([Ballot("fail", ())]) == outage([Ballot("pass", (vote("m"),))]) == ""


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"status": "pass", "votes": 3},
        {"status": "maybe", "votes": []},
        {"status": "pass", "votes": [None]},
        {"status": "pass", "votes": [{"model": "m", "result": "MAYBE"}]},
        {"status": "pass", "votes": [{"model": "m", "result": None, "transcript": [1]}]},
    ],
)
def test_malformed_foreign_votes_do_not_count(data: dict[str, Any]) -> None:
    assert Ballot.of(data) is None


def test_a_line_with_broken_votes_counts_as_not_judged(
    judging: Judging, runs: Path, provider: Provider
) -> None:
    judging()
    (first, *_) = find_runs(runs)
    line = json.loads((first / JUDGEMENTS).read_text())
    line["votes"][0] = None
    (first / JUDGEMENTS).write_text(json.dumps(line) + "\n")
    assert (first / FILE).is_file()
    provider.requests()
    assert judging("--resume", "--no-cache")[0] == 0
    assert provider.requests() == dict.fromkeys("abc", 1)
