"""The published lists of steps, followed literally on our websites: what they name is there, and they are paid.

``data/published_steps.csv`` holds the lists of the 200 instances as facts: the order of steps, labels, kinds of controls and
claimed states. No step is added. ``data/published_plays.csv`` has the outcome of each, with the reason where not every step was found and paid;
with the steps that are missing, our own ground truth pays (``test_tasks.py``). ``make test`` follows a paid one and one that is not,
and a few of a website that changed; ``make prove`` follows all.
"""

from __future__ import annotations

import csv

import pytest

from tests.conftest import MakeEnv
from tests.literal_support import Followed, Step, follow
from tests.paths import DATA
from tests.sample import in_gate, long_proof, touched
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


SMOKE = ["OldReddit-task-58-OFF"]
OF_SITES = [each.id for each in all_instances() if each.site.slug in touched().slugs]
IN_GATE = in_gate(SMOKE, sorted(OF_SITES, key=lambda each: (len(LISTS[each]), each)), most=2)


def _recorded(instance: str) -> Followed:
    play = PLAYS[instance]
    return Followed(tuple(int(number) for number in play["missed"].split()), float(play["paid"]))


@pytest.mark.parametrize("followed", long_proof(LISTS, IN_GATE))
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


def test_a_missing_control_is_noticed(make: MakeEnv) -> None:
    steps = [*LISTS["Docker-task-1-OFF"][:2], Step("click", "", "button", "Recompute the harvest")]
    assert follow(make, "Docker-task-1-OFF", steps) == Followed((3,), 0.0)


@pytest.mark.proof
@pytest.mark.parametrize(("action", "missed"), [("is on", (3,)), ("is off", ())])
def test_a_claimed_state_is_compared_with_the_page(
    action: str, missed: tuple[int, ...], make: MakeEnv
) -> None:
    box = LISTS["Docker-task-1-OFF"][2]
    claim = Step(action, "", box.kind, box.label)  # type: ignore[arg-type]
    steps = [*LISTS["Docker-task-1-OFF"][:2], claim]
    assert follow(make, "Docker-task-1-OFF", steps) == Followed(missed, 0.0)


@pytest.mark.proof
def test_a_list_without_its_last_step_is_not_paid(make: MakeEnv) -> None:
    steps = LISTS["Docker-task-1-OFF"][:-1]
    assert follow(make, "Docker-task-1-OFF", steps) == Followed((), 0.0)
