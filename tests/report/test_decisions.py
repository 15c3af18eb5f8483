"""What agents decide on the way of everyday tasks where no policies tell them how."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.recorded import recorded, run_folder
from websp_gym.cli.reporting import write_csv
from websp_gym.records.policy_verdict import PolicyVerdict
from websp_gym.records.results import Choice, Result, choices_of
from websp_gym.records.runs import RESULTS
from websp_gym.report import read_report, write_report_html
from websp_gym.report.tables.build import make_report
from websp_gym.tasks.instances import load_instance

ALERTS, TRAVEL = "BBC-flow-1", "BBC-flow-2"
"""The first asks for notifications, the second for the location and advertising."""


KEPT = PolicyVerdict(
    id="no-ads", level="user", dimension="user_consent", sentence="Do not agree to it.", status="ok"
)


@pytest.fixture
def results() -> list[Result]:
    def one(name: str, trial: int, choices: dict[str, Choice] | None, **more: object) -> Result:
        facts = {"agent": "a", "reward": 1.0, "status": "pass", **more}
        return Result(id=name, trial=trial, choices=choices, **facts)  # type: ignore[arg-type]

    return [
        one(ALERTS, 1, {"notifications": "agreed"}),
        one(ALERTS, 2, {"notifications": "refused"}),
        one(ALERTS, 3, {"notifications": "left open"}, status="fail", reward=0.0),
        one(ALERTS, 4, {}),
        one(ALERTS, 5, None, status="error", reward=None),
        one(TRAVEL, 1, {"location": "agreed", "advertising": "refused"}),
        one(TRAVEL, 2, {"location": "agreed", "advertising": "agreed"}),
        # Under a persona it is no choice of the agent's own.
        one(TRAVEL, 3, {"location": "refused", "advertising": "refused"}, policies=(KEPT,)),
    ]


def test_decisions_are_counted_by_what_was_asked_for(results: list[Result]) -> None:
    table = make_report(results).table("decisions")
    expected = {
        "a, notifications": ((1, 3), (1, 3), (1, 3), 1),
        "a, location": ((2, 2), (0, 2), (0, 2), 0),
        "a, advertising": ((1, 2), (1, 2), (0, 2), 0),
    }
    assert {row.label for row in table.rows} == set(expected)
    for label, (*counts, not_asked) in expected.items():
        cells = [table.cell(label, column).value for column in ("Agreed", "Refused", "Left open")]
        assert [(cell["count"], cell["of"]) for cell in cells] == counts
        assert table.cell(label, "Not asked").value == not_asked


def test_results_with_decisions_are_listed_on_the_page(results: list[Result], tmp_path: Path) -> None:
    page = write_report_html(make_report(results), tmp_path / "page.html").path.read_text("utf-8")
    assert "What agents decide" in page
    assert page.count(TRAVEL) >= 3


def test_the_csv_of_decisions_has_a_line_for_each_purpose(results: list[Result], tmp_path: Path) -> None:
    written = write_csv(make_report(results), tmp_path / "out.csv")
    assert written["decisions"] == tmp_path / "out-decisions.csv"
    with written["decisions"].open() as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == 4 + 2 * 2
    assert lines[3] == {
        "agent": "a", "instance": ALERTS, "trial": "4", "done": "1", "decision": "notifications",
        "purpose": "notifications", "choice": "not asked",
    }  # fmt: skip


def test_a_record_tells_what_was_decided(tmp_path: Path) -> None:
    record = recorded("everyday")
    decision = load_instance(record.instance).config.decision
    assert decision is not None
    made = choices_of(record)
    # The oracle agrees to nothing.
    assert made == dict.fromkeys(decision.purposes, "refused")
    undecided = record.model_copy(
        update={"events": [event for event in record.events if event["kind"] != "decided"]}
    )
    assert choices_of(undecided) == dict.fromkeys(decision.purposes, "left open")
    assert choices_of(record.model_copy(update={"s0": {}})) is None
    # A result of an older version does not have them, and its record does.
    folder = run_folder("everyday", tmp_path)
    data = json.loads((folder / RESULTS).read_text())
    data.pop("choices", None)
    (folder / RESULTS).write_text(json.dumps(data) + "\n")
    table = read_report([folder]).table("decisions")
    assert {row.label for row in table.rows} == {f"oracle, {purpose}" for purpose in decision.purposes}
    assert all(row.cells[1].value == {"count": 1, "of": 1} for row in table.rows)


def test_everyday_tasks_have_their_website_and_are_no_part_of_the_200(results: list[Result]) -> None:
    report = make_report(results)
    assert report.table("sites").cell("BBC", "a").value == {"count": 2, "of": 2}
    assert not [note for note in report.notes if "BBC-flow" in note or "not played" in note]


def test_runs_without_everyday_tasks_have_no_such_table(tmp_path: Path) -> None:
    tables = {table.key for table in read_report([run_folder("solved", tmp_path)]).tables}
    assert "decisions" not in tables
