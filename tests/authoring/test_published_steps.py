"""The published lists of steps, followed literally on our websites: what they name is there, and they are paid.

``data/published_steps.csv`` holds the lists of the 200 instances as facts: the order of steps, labels, kinds of controls and
claimed states. No step is added. ``data/published_plays.csv`` has the outcome of each, with the reason where not every step was found and paid;
with the steps that are missing, our own ground truth pays (``test_tasks.py``). One list of each website and of each reason is
followed here, ``make prove`` follows all.
"""

from __future__ import annotations

import csv

import pytest

from tests.conftest import MakeEnv
from tests.literal_support import Followed, Step, follow
from tests.paths import DATA
from tests.sample import long_table
from websp_gym.tasks.instances import all_instances


def _rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


LISTS: dict[str, list[Step]] = {}
for _row in _rows("published_steps.csv"):
    _facts = {name: _row[name] for name in ("which", "kind", "label", "within", "value", "control")}
    LISTS.setdefault(_row["instance"], []).append(Step(action=_row["action"], **_facts))  # type: ignore[arg-type]
PLAYS = {row["instance"]: row for row in _rows("published_plays.csv")}
SITES = {instance.id: instance.site.site for instance in all_instances()}


def _variety(instance: str) -> tuple[bool, int, int]:
    steps = LISTS[instance]
    kinds = {(step.action, step.which, step.kind) for step in steps}
    return not PLAYS[instance]["reason"], len(kinds), len(steps)


ROOMS = (
    *(f"websp_gym/{room}/" for room in ("actions", "browser", "observation", "sandbox")),
    "task_configs/", "traces/", "tests/authoring/",
)  # fmt: skip
"""A change of these follows the list of every website."""


def _sample() -> list[str]:
    """Return for each website the most varied list, a paid one if there is one, and for each reason the shortest list."""
    chosen = {
        max((each for each in PLAYS if SITES[each] == site), key=_variety) for site in set(SITES.values())
    }
    for why in {play["reason"] for play in PLAYS.values()}:
        chosen.add(
            min((each for each in PLAYS if PLAYS[each]["reason"] == why), key=lambda each: len(LISTS[each]))
        )
    return sorted(chosen)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "followed" in metafunc.fixturenames:
        every = metafunc.config.getoption("every_list")
        metafunc.parametrize("followed", list(LISTS) if every else long_table(_sample(), *ROOMS))


def _recorded(instance: str) -> Followed:
    play = PLAYS[instance]
    return Followed(tuple(int(number) for number in play["missed"].split()), float(play["paid"]))


def test_a_list_comes_out_as_recorded(followed: str, make: MakeEnv) -> None:
    outcome = follow(make, followed, LISTS[followed])
    assert outcome == _recorded(followed), outcome.seen


def test_there_is_a_list_and_a_play_for_each_instance() -> None:
    assert list(LISTS) == list(PLAYS) == list(SITES)


def test_a_list_is_all_found_and_paid_or_there_is_a_reason() -> None:
    literal = {instance for instance in PLAYS if _recorded(instance) == Followed((), 1.0)}
    assert {instance for instance, play in PLAYS.items() if not play["reason"]} == literal


def test_the_share_of_lists_that_are_found_and_paid_does_not_fall() -> None:
    literal = [instance for instance, play in PLAYS.items() if not play["reason"]]
    assert len(literal) >= 153


def test_the_sample_has_every_website_and_every_reason() -> None:
    sample = _sample()
    assert {SITES[each] for each in sample} == set(SITES.values())
    assert {PLAYS[each]["reason"] for each in sample} == {play["reason"] for play in PLAYS.values()}


def test_a_missing_control_is_noticed(make: MakeEnv) -> None:
    steps = [*LISTS["Docker-task-1-OFF"][:2], Step("click", "", "button", "Recompute the harvest")]
    assert follow(make, "Docker-task-1-OFF", steps) == Followed((3,), 0.0)


@pytest.mark.parametrize(("action", "missed"), [("is on", (3,)), ("is off", ())])
def test_a_claimed_state_is_compared_with_the_page(
    action: str, missed: tuple[int, ...], make: MakeEnv
) -> None:
    box = LISTS["Docker-task-1-OFF"][2]
    claim = Step(action, "", box.kind, box.label)  # type: ignore[arg-type]
    steps = [*LISTS["Docker-task-1-OFF"][:2], claim]
    assert follow(make, "Docker-task-1-OFF", steps) == Followed(missed, 0.0)


def test_a_list_without_its_last_step_is_not_paid(make: MakeEnv) -> None:
    steps = LISTS["Docker-task-1-OFF"][:-1]
    assert follow(make, "Docker-task-1-OFF", steps) == Followed((), 0.0)
