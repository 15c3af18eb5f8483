"""The instances as tasks of Harbor, one folder each."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from secrets import token_hex
from string import Template

from websp_gym.env.options import Options
from websp_gym.errors import SetupError, unwritable
from websp_gym.policies.sets import set_names
from websp_gym.project import VERSION
from websp_gym.tasks.instances import InstructionVariant, load_instance

_TO_BEGIN_AND_END = 120.0
"""Seconds that an agent's program may take beside the time of the episode."""


def export_tasks(
    ids: Iterable[str],
    folder: Path,
    *,
    seed: int = 0,
    image: str = "websp",
    instruction: InstructionVariant = Options.instruction,
    max_actions: int = Options.max_actions,
    max_seconds: float = Options.max_seconds,
    policies: Sequence[str] = (),
) -> list[Path]:
    """Write a task of Harbor for each instance: all of them, or none.

    Args:
        ids: Ids of the instances.
        folder: A new or empty folder for the tasks.
        seed: Seed of the episodes.
        image: The image of websp-gym that plays them.
        instruction: Variant of the instruction.
        max_actions: Action limit.
        max_seconds: Time limit in seconds.
        policies: Names of sets of policies, which the image has.

    Returns:
        The folders of the tasks.

    Raises:
        SetupError: The folder is not empty or cannot be written, or there is no such set of policies.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise SetupError(f"{folder} is not an empty folder; give a new one", path=str(folder))
    unknown = [name for name in policies if name not in set_names()]
    if unknown:
        known = ", ".join(set_names())
        raise SetupError(
            f"no set of policies {unknown[0]!r} in the image (it has: {known})", option="policies"
        )
    given = [
        "--instruction",
        instruction,
        "--max-actions",
        str(max_actions),
        "--max-seconds",
        f"{max_seconds:g}",
    ]
    given += [word for name in policies for word in ("--policies", name)]
    shared = {
        "seed": str(seed),
        "version": json.dumps(VERSION),
        "image": image,
        "options": shlex.join(given),
        "agent_seconds": str(max_seconds + _TO_BEGIN_AND_END),
    }
    source = files("websp_gym.harnesses") / "task"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as part:
            tasks = Path(part) / "tasks"
            tasks.mkdir()
            names = [_write(source, tasks, name, instruction, shared) for name in ids]
            tasks.replace(folder)
    except OSError as error:
        raise unwritable(folder, error) from error
    return [folder / name for name in names]


def _write(
    source: Traversable,
    folder: Path,
    instance_id: str,
    variant: InstructionVariant,
    shared: Mapping[str, str],
) -> str:
    """Write the task of one instance, and return the name of its folder."""
    instance = load_instance(instance_id)
    name = instance.id.lower()
    words = {
        **shared,
        "name": json.dumps(f"websp-gym/{name}"),
        "description": json.dumps(f"{instance.task.category} on a replica of {instance.site.site}"),
        "instance": json.dumps(instance.id),
        "site": json.dumps(instance.site.site, ensure_ascii=False),
        "category": json.dumps(instance.task.category),
        "instruction": instance.instruction(variant),
        "token": token_hex(16),
    }
    _fill(source, folder / name, words)
    return name


def _fill(source: Traversable, target: Path, words: Mapping[str, str]) -> None:
    """Copy a folder of templates, filled in."""
    target.mkdir()
    for each in source.iterdir():
        if each.is_dir():
            _fill(each, target / each.name, words)
        else:
            (target / each.name).write_text(Template(each.read_text("utf-8")).substitute(words), "utf-8")
