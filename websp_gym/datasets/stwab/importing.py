"""Importing ST-WebAgentBench from a clone: its instructions and checks, and how each is played on our replicas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from websp_gym.datasets.stored import LeftOutKind, Missing, StoredInstance, StoredPlay
from websp_gym.datasets.stwab import gitlab, magento, suitecrm
from websp_gym.datasets.stwab.checks import checks_of, here
from websp_gym.datasets.stwab.clone import LICENCE, SITES, PublishedTask, read_tasks
from websp_gym.datasets.stwab.plays import CannotBePlayedError, Player

NAME = "stwab"
"""Name of the dataset."""
_PLAYERS: Mapping[str, Mapping[int, Player]] = {
    "GitLab": gitlab.PLAYERS,
    "Magento": magento.PLAYERS,
    "SuiteCRM": suitecrm.PLAYERS,
}


def by_intent(tasks: Sequence[PublishedTask]) -> dict[str, list[PublishedTask]]:
    """Return the tasks by the id of ours: the number of the first task with the same intent, start and checks.

    The tasks of one id differ in their policies only.
    """
    found: dict[str, list[PublishedTask]] = {}
    first: dict[str, str] = {}
    for task in tasks:
        key = f"{task.sites} {task.start_url} {task.intent} {task.eval.model_dump_json()}"
        found.setdefault(first.setdefault(key, f"{task.site}-stwab-{task.task_id}"), []).append(task)
    return found


def read_clone(root: Path) -> dict[str, Any]:
    """Return what of a clone goes into a dataset: its tasks by our ids, and those that cannot be played.

    Raises:
        SetupError: The folder is not such a clone.
    """
    instances: dict[str, StoredInstance] = {}
    left_out: list[Missing] = []
    for name, tasks in by_intent(read_tasks(root)).items():
        try:
            instances[name] = _instance(tasks)
        except (CannotBePlayedError, KeyError, ValidationError, ValueError) as error:
            kind: LeftOutKind = "instance"
            reason = f"a parameter is missing: {error}" if isinstance(error, KeyError) else str(error)
            left_out += [
                Missing(kind=kind, subject=f"task {task.task_id}", reason=reason, matters=False)
                for task in tasks
            ]
    return {"licence": LICENCE, "instances": instances, "traces": {}, "left_out": tuple(left_out)}


def _instance(tasks: Sequence[PublishedTask]) -> StoredInstance:
    task = tasks[0]
    if task.setup_scripts:
        raise CannotBePlayedError(
            "a script of the benchmark adds to its page; ours are the boards of the CRM"
        )
    if task.site not in SITES.values():
        raise CannotBePlayedError(f"there is no replica of {task.sites[0]}")
    player = _PLAYERS[task.site].get(task.intent_template_id)
    if player is None:
        raise CannotBePlayedError(f"its template {task.intent_template_id} is not known here")
    play = player(task)
    checks = checks_of(task)
    return StoredInstance(
        instruction=here(task.intent),
        instruction_with_navigation=here(task.intent),
        play=StoredPlay(
            tasks=tuple(each.task_id for each in tasks),
            start_url=f"{here(task.start_url)}/" if task.start_url.endswith("__") else here(task.start_url),
            checks=checks,
            rows={module: tuple(rows) for module, rows in play.rows.items()},
            steps=play.steps,
            answer=here(play.answer),
            unsolved=play.unsolved,
        ),
    )
