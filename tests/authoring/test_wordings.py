"""Instructions are in our own words and mean the same as the published ones; S0 is in the task file.

The publication's dataset is CC BY-NC and no part of this project. ``data/published_wordings.txt`` holds the first
eight hexadecimal digits of the SHA-256 of every run of nine words in its instructions (200 instances, both wordings).
``data/wording_audit.csv`` holds, for each task and wording, the content of the published one and of ours, as facts: labels
in quotes, labels of controls named, stops on the way, words that save, negate or limit, and how many words there are.
"""

from __future__ import annotations

import csv
from functools import cache

import pytest

from tests.paths import DATA
from tests.wording_support import (
    COLUMNS,
    LABELS,
    STOPS,
    differences,
    plain,
    quotes,
    runs,
    telling,
)
from websp_gym.sandbox.schema.catalog import BUILTIN
from websp_gym.tasks.instances import Task, all_instances

PUBLISHED = frozenset((DATA / "published_wordings.txt").read_text().split())
INSTANCES = list(all_instances())
TASKS = {instance.task.id: instance.task for instance in INSTANCES}
SLUGS = {instance.task.id: instance.site.slug for instance in INSTANCES}
with (DATA / "wording_audit.csv").open(encoding="utf-8", newline="") as _file:
    AUDIT = {(row["task"], row["navigation"]): row for row in csv.DictReader(_file)}

LONG_LABELS = (
    "A discount is applied to an item on my wishlist.",
    "Amazon Fresh grocery store weekly savings email - Southern CA",
)
"""Labels of nine words and more, which are facts and may be quoted whole."""
BEYOND = "beyond the columns: "
"""How the note on a difference begins that no column shows."""


def _wording(task: Task, navigation: str) -> str:
    return task.instruction if navigation == "without" else task.instruction_with_navigation


def _labels(task: Task) -> set[str]:
    names = {step.target.name for instance in task.instances for step in instance.ground_truth}
    return {name for name in names if plain(name) and "{{" not in name}


def _cells(row: dict[str, str], whose: str) -> dict[str, str]:
    return {name: row[f"{whose}_{name}"] for name in COLUMNS}


def _stops(row: dict[str, str]) -> list[str]:
    both = [stop for whose in ("published", "our") for stop in row[f"{whose}_way"].split(STOPS) if stop]
    return list(dict.fromkeys(both))


@cache
def _site_text(slug: str) -> str:
    files = (file for file in (BUILTIN / slug).rglob("*") if file.suffix in (".yaml", ".html", ".js", ".py"))
    return plain(" ".join(file.read_text("utf-8") for file in files))


def _copied(text: str) -> list[str]:
    exempt = {digest for label in LONG_LABELS for digest in runs(label)}
    return [run for digest, run in runs(text).items() if digest in PUBLISHED and digest not in exempt]


def test_a_wording_shares_at_most_eight_words_in_a_row_with_the_publication() -> None:
    both = {
        name: _copied(task.instruction) + _copied(task.instruction_with_navigation)
        for name, task in TASKS.items()
    }
    assert {name: copied for name, copied in both.items() if copied} == {}


def test_a_published_run_of_words_is_recognised() -> None:
    label = "'Do not filter text from my Steam Friends' is"
    assert runs(label).keys() <= PUBLISHED
    assert _copied(label) == list(runs(label).values())


def test_a_long_label_is_published_and_quoted_here_as_a_whole() -> None:
    quoted = {each for task, navigation in AUDIT for each in quotes(_wording(TASKS[task], navigation))}
    for label in LONG_LABELS:
        assert runs(label).keys() <= PUBLISHED
        assert label in quoted


def test_no_published_wording_is_among_the_facts() -> None:
    facts: set[str] = set()
    for name in ("wording_audit.csv", "published_steps.csv", "published_plays.csv"):
        rows = csv.reader((DATA / name).read_text("utf-8").splitlines())
        facts |= {fact for row in rows for cell in row for fact in cell.split(LABELS)}
    assert [run for fact in sorted(facts) for run in _copied(fact)] == []


def test_the_audit_has_a_row_for_each_wording_of_each_task() -> None:
    assert list(AUDIT) == [(task, navigation) for task in TASKS for navigation in ("without", "with")]


def test_wordings_match_their_audit() -> None:
    told = {
        (task, navigation): telling(_wording(TASKS[task], navigation), _labels(TASKS[task]), _stops(row))
        for (task, navigation), row in AUDIT.items()
    }
    assert told == {key: _cells(row, "our") for key, row in AUDIT.items()}


def test_wordings_match_the_published_ones_or_a_note_explains_the_difference() -> None:
    found = {key: differences(_cells(row, "published"), _cells(row, "our")) for key, row in AUDIT.items()}
    noted = {key for key, row in AUDIT.items() if row["note"] and not row["note"].startswith(BEYOND)}
    assert {key: columns for key, columns in found.items() if columns and key not in noted} == {}
    assert [key for key in noted if not found[key]] == []


def test_quotations_in_wordings_appear_on_the_website_or_in_the_goal() -> None:
    unknown: dict[str, list[str]] = {}
    for name, task in TASKS.items():
        steps = [step for instance in task.instances for step in instance.ground_truth]
        values = " ".join(f"{step.value} {step.target.name}" for step in steps)
        known = f"{_site_text(SLUGS[name])} {plain(values)} {plain(task.goal.model_dump_json())}"
        told = quotes(task.instruction) + quotes(task.instruction_with_navigation)
        unknown[name] = [each for each in told if plain(each) not in known]
    assert {name: told for name, told in unknown.items() if told} == {}


CHANGED = (
    ("OldReddit-task-59", "with", "videos.", "videos, and save the options.", "final"),
    (
        "Goodreads-task-102",
        "without",
        "Turn off what prevents non-friends from",
        "Let others go on",
        "negation",
    ),
    (
        "GitHub-task-134",
        "without",
        "'Push protection for yourself'",
        "the push protection for myself",
        "quotes",
    ),
    ("Pinterest-task-70", "without", "In my account", "In my social permissions", "way"),
    ("Quora-task-77", "without", "only people", "people", "scope"),
    ("Twitch-task-227", "without", "block whispers from strangers", "not be whispered to", "labels"),
)


@pytest.mark.parametrize(("task", "navigation", "old", "new", "column"), CHANGED)
def test_a_wording_with_another_meaning_is_noticed(
    task: str, navigation: str, old: str, new: str, column: str
) -> None:
    row, wording = AUDIT[task, navigation], _wording(TASKS[task], navigation)
    assert old in wording
    stops = _stops(AUDIT[task, "with"])
    told = telling(wording.replace(old, new), _labels(TASKS[task]), stops)
    assert column in differences(_cells(row, "published"), told)


def test_no_wording_asks_to_save_except_the_one_request_to_submit() -> None:
    told = {key: row["our_final"].split(LABELS) for key, row in AUDIT.items() if row["our_final"]}
    assert told == {("Grammarly-task-20", navigation): ["submit"] for navigation in ("without", "with")}


def test_wordings_are_as_long_as_the_published_ones() -> None:
    for navigation in ("without", "with"):
        rows = [row for (_, each), row in AUDIT.items() if each == navigation]
        ours, published = (sum(int(row[f"{whose}_words"]) for row in rows) for whose in ("our", "published"))
        assert ours == pytest.approx(published, rel=0.1)


def test_s0_pins_every_setting_that_the_goal_reads() -> None:
    replayed = [instance for instance in INSTANCES if instance.config.initial_state]
    loose = {each.id: set(each.task.goal.settings) - set(each.config.expect.settings) for each in replayed}
    assert replayed
    assert {name: settings for name, settings in loose.items() if settings} == {}
