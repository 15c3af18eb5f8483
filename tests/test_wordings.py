"""Instructions are in our own words, and S0 stands in the task file.

The publication's dataset is CC BY-NC and no part of this project. ``data/published_wordings.txt`` holds the first
eight hexadecimal digits of the SHA-256 of every run of nine words in its instructions (200 instances, both wordings).
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

from websp_gym.tasks.instances import Instance, all_instances

DATA = Path(__file__).parent / "data"
LONGEST = 8
PUBLISHED = frozenset((DATA / "published_wordings.txt").read_text().split())
TASKS = {instance.task.id: instance.task for instance in all_instances()}


def runs(text: str) -> dict[str, str]:
    """Return every run of nine words by its hash."""
    words = re.findall(r"[a-z0-9]+(?:'[a-z]+)?", text.lower())
    found = (" ".join(words[at : at + LONGEST + 1]) for at in range(len(words) - LONGEST))
    return {hashlib.sha256(run.encode()).hexdigest()[:8]: run for run in found}


@pytest.mark.parametrize("task", list(TASKS))
def test_a_wording_shares_at_most_eight_words_in_a_row_with_the_publication(task: str) -> None:
    both = runs(TASKS[task].instruction) | runs(TASKS[task].instruction_with_navigation)
    assert [run for digest, run in both.items() if digest in PUBLISHED] == []


def test_a_published_run_of_words_is_recognised() -> None:
    label = "'Do not filter text from my Steam Friends' is"
    assert runs(label).keys() <= PUBLISHED


REPLAYED = [instance for instance in all_instances() if instance.config.initial_state]


@pytest.mark.parametrize("instance", REPLAYED, ids=[instance.id for instance in REPLAYED])
def test_s0_pins_every_setting_that_the_goal_reads(instance: Instance) -> None:
    assert set(instance.task.goal.settings) <= set(instance.config.expect.settings)
