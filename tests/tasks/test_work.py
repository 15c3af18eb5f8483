"""Tasks of enterprise applications: their files are checked, and their goals count what was done in part."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import pytest

from websp_gym.errors import SetupError
from websp_gym.tasks.ids import instance_ids, work_ids
from websp_gym.tasks.instances import all_work, load_instance, load_work
from websp_gym.tasks.selection import select_instances

FILE = """\
site: Depot
slug: depot
website_category: Enterprise
start_url: https://depot.example/
account: password
tasks:
  - instance: Depot-stwab-1
    category: Customer Relations
    template: 4
    instruction: Order ten ropes for the north quay.
    goal:
      created: [{collection: orders, where: {what: Ropes, place: north, amount: 10}}]
    ground_truth:
      - {click: {role: button, name: Save}}
"""


@pytest.fixture
def work_file(tmp_path: Path) -> Path:
    """A valid file of tasks to break."""
    path = tmp_path / "depot.yaml"
    path.write_text(FILE)
    return path


def test_a_goal_counts_each_field_of_a_record(work_file: Path) -> None:
    (instance,) = load_work(work_file)
    assert [check.where for check in instance.task.goal.created] == [
        {"what": "Ropes"},
        {"what": "Ropes", "place": "north"},
        {"what": "Ropes", "amount": 10},
        {"what": "Ropes", "place": "north", "amount": 10},
    ]


def test_what_a_file_leaves_out_follows_from_the_rest(work_file: Path) -> None:
    (instance,) = load_work(work_file)
    assert instance.task.instruction_with_navigation == instance.task.instruction
    assert instance.task.unchanged.others == ("orders",)
    assert instance.config.ground_truth[0].element == "Button"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("start_url: https://depot.example/", "start_url: depot.example", "is not the address of a website"),
        ("    template: 4", "    template: 4\n    tabs: [orders]", "is not the address of a website"),
        ("    template: 4", "    template: 4\n    start_url: /orders", "is not the address of a website"),
        ("site: Depot", "site: Shop", "'Depot-stwab-1' does not belong to site 'Shop'"),
        ("Depot-stwab-1", "Depot-task-1", "is not an id such as SuiteCRM-stwab-47"),
        ("    template: 4", "    template: 4\n    refuse: true", "the goal can have an answer only"),
        ("    template: 4", "    templat: 4", 'did you mean "template"?'),
        ("created:", "answer: {any: [x]}\n      create:", 'did you mean "created"?'),
    ],
)
def test_a_mistake_in_a_file_is_named(work_file: Path, old: str, new: str, said: str) -> None:
    assert old in FILE
    work_file.write_text(FILE.replace(old, new))
    with pytest.raises(SetupError) as caught:
        load_work(work_file)
    assert str(work_file) in str(caught.value)
    assert said in str(caught.value)


def test_a_task_without_an_end_is_an_error(work_file: Path) -> None:
    work_file.write_text(FILE.replace(FILE[FILE.index("    goal:") : FILE.index("    ground_truth")], ""))
    with pytest.raises(SetupError, match="give a goal, or refuse: true"):
        load_work(work_file)


def test_work_is_selected_by_name_only() -> None:
    crm = [name for name in work_ids() if name.startswith("SuiteCRM-")]
    assert select_instances(["*"]) == instance_ids()
    assert select_instances(["suitecrm-*"]) == crm
    assert select_instances(["*-stwab-*"]) == work_ids()
    assert select_instances(["SuiteCRM-stwab-47", "Steam-task-191-ON"]) == [
        "Steam-task-191-ON",
        "SuiteCRM-stwab-47",
    ]


def test_every_task_is_registered_and_found_by_its_id() -> None:
    assert [instance.id for instance in all_work()] == work_ids()
    for name in work_ids():
        assert load_instance(name).id == name
        assert gymnasium.spec(f"websp/{name}").nondeterministic
