"""Importing ST-WebAgentBench from a clone: its instructions and checks, and how each is played on our replicas."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from websp_gym.datasets.stwab import gitlab, magento, suitecrm
from websp_gym.datasets.stwab.checks import checks_of, here
from websp_gym.datasets.stwab.clone import LICENCE, SITES, PublishedTask, read_tasks
from websp_gym.datasets.stwab.plays import CannotBePlayedError, Player
from websp_gym.datasets.stwab.policies import Rule, as_policy, evaluator_of, translated
from websp_gym.tasks.datasets import LeftOutKind, Missing, StoredInstance, StoredPlay

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


def read_clone(root: Path, folder: Path) -> dict[str, Any]:
    """Return what of a clone goes into a dataset: its tasks by our ids, and those that cannot be played.

    Its policies become sets in the folder: ``stwab`` has those of the first task of each intent, ``stwab-2`` and
    ``stwab-3`` those of further tasks with the same intent.

    Args:
        root: The folder of the clone.
        folder: The folder of the dataset.

    Raises:
        SetupError: The folder is not such a clone.
    """
    instances: dict[str, StoredInstance] = {}
    left_out: list[Missing] = []
    policies = _Policies()
    for name, tasks in by_intent(read_tasks(root)).items():
        policies.add(name, tasks)
        try:
            instances[name] = _instance(tasks)
        except (CannotBePlayedError, KeyError, ValidationError, ValueError) as error:
            kind: LeftOutKind = "instance"
            reason = f"a parameter is missing: {error}" if isinstance(error, KeyError) else str(error)
            left_out += [
                Missing(kind=kind, subject=f"task {task.task_id}", reason=reason, matters=False)
                for task in tasks
            ]
    policies.write(folder, instances)
    facts = {"instances": instances, "traces": {}, "left_out": tuple(left_out), "policies": policies.counts}
    return {"licence": LICENCE, **facts}


class _Policies:
    """The policies of all tasks, by set and site."""

    def __init__(self) -> None:
        self.counts: dict[str, dict[str, int]] = {}
        """Number of policies by evaluator and outcome."""
        self._ids: dict[tuple[str, str], dict[str, list[str]]] = {}
        """Ids of instances by set and site, and there by the policy as JSON."""

    def add(self, name: str, tasks: Sequence[PublishedTask]) -> None:
        """Translate the policies of tasks that are played as one instance."""
        for number, task in enumerate(tasks, 1):
            place = (NAME if number == 1 else f"{NAME}-{number}", task.site.lower())
            entries = self._ids.setdefault(place, {})
            seen: list[Rule] = []
            for policy in task.policies:
                found = translated(task, policy)
                outcomes = self.counts.setdefault(evaluator_of(policy), {})
                outcomes[found.outcome] = outcomes.get(found.outcome, 0) + 1
                # What two policies say alike is one of ours.
                for rule in (each for each in found.rules if each not in seen):
                    entries.setdefault(json.dumps(as_policy(rule, policy)), []).append(name)
                    seen.append(rule)

    def write(self, folder: Path, playable: Collection[str]) -> None:
        """Write a file per set and site with those of playable instances, in the order in which they first occur."""
        for (name, slug), entries in self._ids.items():
            kept = {text: [each for each in ids if each in playable] for text, ids in entries.items()}
            if not any(kept.values()):
                continue
            path = folder / "policies" / name / f"{slug}.yaml"
            path.parent.mkdir(parents=True, exist_ok=True)
            policies = [
                {"id": f"{slug}-{number}", **json.loads(text), "instances": ids}
                for number, (text, ids) in enumerate(kept.items(), 1)
                if ids
            ]
            text = yaml.safe_dump({"site": slug, "policies": policies}, sort_keys=False, allow_unicode=True)
            path.write_text(text, "utf-8")


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
