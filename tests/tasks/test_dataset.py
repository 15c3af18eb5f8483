"""The dataset as a whole, held against the numbers of the publication (tables 4, 5, 6 and 10)."""

from __future__ import annotations

from collections import Counter
from typing import Any

import yaml

import websp_gym
from tests.paths import DATA
from tests.tasks.test_instances import DIFFERENT, PUBLISHED
from websp_gym.sandbox.schema.catalog import BUILTIN
from websp_gym.tasks.goals import ItemCheck, Items
from websp_gym.tasks.instances import Instance, Task, all_instances
from websp_gym.tasks.sites import site_schema

COUNTS: dict[str, Any] = yaml.safe_load((DATA / "published_counts.yaml").read_text("utf-8"))
EVERY = list(all_instances())


def _tasks() -> dict[str, list[Instance]]:
    tasks: dict[str, list[Instance]] = {}
    for instance in EVERY:
        tasks.setdefault(instance.task.id, []).append(instance)
    return tasks


def test_there_are_138_tasks_with_200_instances_on_28_websites() -> None:
    assert len(EVERY) == len({instance.id for instance in EVERY}) == 200
    assert len(_tasks()) == 138
    assert len({instance.site.site for instance in EVERY}) == 28


def test_each_website_has_the_published_number_of_instances() -> None:
    assert Counter(instance.site.site for instance in EVERY) == COUNTS["table_4"]


def test_each_category_has_the_published_number_of_instances_and_websites() -> None:
    ours = {
        category: [
            sum(instance.task.category == category for instance in EVERY),
            len({instance.site.site for instance in EVERY if instance.task.category == category}),
        ]
        for category in COUNTS["table_5"]
    }
    assert ours == COUNTS["table_5"]


def test_each_category_has_the_published_tasks_with_one_or_two_initial_states() -> None:
    ours: dict[str, dict[str, set[str]]] = {
        category: {"one": set(), "two": set()} for category in COUNTS["table_10"]
    }
    for name, instances in _tasks().items():
        states = [instance.config.state for instance in instances]
        # Two tasks of Reddit are published with the state ON alone.
        assert states in ([None], ["ON"], ["ON", "OFF"]), name
        ours[instances[0].task.category]["two" if len(states) == 2 else "one"].add(name)
    assert ours == {
        category: {key: set(names) for key, names in tasks.items()}
        for category, tasks in COUNTS["table_10"].items()
    }


def test_62_tasks_have_two_initial_states() -> None:
    assert sum(len(instances) == 2 for instances in _tasks().values()) == 62


def test_the_annotated_element_types_are_counted_as_published() -> None:
    assert Counter(each for types in PUBLISHED.values() for each in types) == COUNTS["table_6"]
    ours: Counter[str] = Counter(each for instance in EVERY for each in instance.config.element_types)
    for name, types in DIFFERENT.items():
        ours.subtract(types)
        ours.update(PUBLISHED[name])
    assert ours == COUNTS["table_6"]


def _exact(task: Task, kind: str, wanted: Items) -> bool:
    """Whether a task states the fate of the other items of a collection of its goal."""
    if wanted.collection in task.unchanged.others:
        return True
    # All that may be meant is counted, or shall be gone.
    every = set(wanted.where) <= {"current"}
    return every and (kind == "absent" or (isinstance(wanted, ItemCheck) and wanted.count is not None))


def test_instructions_about_certain_items_protect_all_others() -> None:
    loose = {
        task.id: wanted.collection
        for task in (instances[0].task for instances in _tasks().values())
        for kind, wanted in task.goal.items()
        if not _exact(task, kind, wanted)
    }
    # To ask twice that ad data be deleted is to ask for the same.
    assert loose == {"Amazon-task-88": "ad_data_deletions"}
    exact = {task for task, instances in _tasks().items() if instances[0].task.unchanged.others}
    assert exact >= {
        "Docker-task-2",
        "GitHub-task-132",
        "HuggingFace-task-113",
        "Pinterest-task-68",
        "Twitch-task-226",
    }


SET_AGAIN = {
    # Marks and places that one click sets as they were.
    "github": {"blocked", "starred", "following"}, "goal": {"favourites"}, "goodreads": {"book_links"},
    "openstreetmap": {"follows"}, "quora": {"spaces"}, "reddit": {"joined", "recent", "blocked", "muted"},
    "pinterest": {"blocked_accounts"}, "twitch": {"not_interested"}, "wattpad": {"muted"},
    "oldreddit": {"subscriptions", "friends", "blocked", "apps"}, "websp": {"words", "people"},
    # Words that are typed again, and access that is given again.
    "grammarly": {"dictionary"}, "huggingface": {"apps"}, "airbnb": {"shared_access"},
}  # fmt: skip


def test_removable_items_of_the_user_are_artefacts_or_can_be_restored() -> None:
    found = {}
    for slug in sorted(folder.parent.name for folder in BUILTIN.glob("*/site.yaml")):
        site = site_schema(slug)
        removed = {remove.collection for action in site.actions for remove in action.removes} - {"sessions"}
        others = {
            name for name in removed if site.collections[name].items and not site.collections[name].artefact
        }
        # What comes with a purchase or a subscription is destructive as such.
        sold = {
            remove.collection for action in site.actions if action.destructive for remove in action.removes
        }
        if others - sold:
            found[slug] = others - sold
    assert found == SET_AGAIN


def test_tokens_keys_and_data_sets_are_artefacts_on_every_site() -> None:
    names = {
        "tokens",
        "ssh_keys",
        "webhooks",
        "datasets",
        "models",
        "repos",
        "repositories",
        "documents",
        "posts",
    }
    found = {
        (slug, name): spec.artefact
        for slug in sorted({instance.site.slug for instance in EVERY})
        for name, spec in site_schema(slug).collections.items()
        if name in names and (spec.items or name != "posts")
    }
    assert len(found) >= 9
    assert all(found.values()), [key for key, artefact in found.items() if not artefact]


def test_every_item_that_a_task_creates_declares_how_to_undo_a_mistake() -> None:
    for instance in EVERY:
        made = {
            each.collection for kind, each in instance.task.goal.items() if kind in ("created", "present")
        }
        assert made - set(instance.task.goal.replaceable) <= set(instance.site.mistakes), instance.id


def test_the_dataset_has_a_version() -> None:
    assert websp_gym.DATASET_VERSION.count(".") == 2
