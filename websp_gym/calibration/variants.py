"""The right and wrong ways to play an instance that a judge is measured on, and their files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.files import MAX_RECORD, read_file
from websp_gym.tasks.ground_truth import GroundTruthStep
from websp_gym.tasks.instances import Instance

FILE = "play.json"
"""Name of the file beside a trajectory that describes its variant; written once the variant is played."""
SWITCHES = ("switch", "checkbox")
"""Roles of controls whose change is reverted by operating them again."""


@dataclass(frozen=True)
class Variant:
    """A variant of playing an instance.

    Args:
        instance: Id of the instance.
        kind: ``oracle``, ``omitted``, ``unsaved``, ``opposite``, ``reverted``, ``extra``, ``destructive`` or
            ``lost``.
        step: Index of the ground-truth step left out, for ``omitted`` and ``unsaved``; None for the others.
    """

    instance: str
    kind: str
    step: int | None = None

    @property
    def name(self) -> str:
        """Name of the folder of this variant."""
        return self.kind if self.step is None else f"{self.kind}-{self.step + 1}"

    def place(self, parent: Path) -> Path:
        """Return the folder of this variant's trajectory and file."""
        return parent / self.name / self.instance


def plays_of(instance: Instance) -> Iterator[Variant]:
    """Yield the variants of an instance that its configuration allows, the correct one first.

    Whether the site's pages offer what a variant needs is known only after it is played.
    """
    steps, own = instance.config.ground_truth, instance.config.opposite
    yield Variant(instance.id, "oracle")
    for index, step in enumerate(steps):
        if step.changes_state:
            yield Variant(instance.id, "unsaved" if step.action == "submit" else "omitted", index)
    if own or (own is None and _can_be_opposite(steps)):
        yield Variant(instance.id, "opposite")
    if last_switch(steps) is not None:
        yield Variant(instance.id, "reverted")
    yield Variant(instance.id, "extra")
    if instance.site.account != "none":
        yield Variant(instance.id, "destructive")
    yield Variant(instance.id, "lost")


def last_switch(steps: tuple[GroundTruthStep, ...]) -> int | None:
    """Return the index of the last step that turns a switch or check box; None without one."""
    found = [index for index, step in enumerate(steps)
             if step.action == "turn" and step.target.role in SWITCHES]  # fmt: skip
    return found[-1] if found else None


def _can_be_opposite(steps: tuple[GroundTruthStep, ...]) -> bool:
    """Whether doing the opposite differs from leaving out the only change."""
    turns = sum(step.action == "turn" for step in steps)
    holds = sum(step.action == "holds" and step.state is not None for step in steps)
    return holds > 0 or turns > 1


def keep(play: Variant, parent: Path, *, config_hash: str, happened: bool) -> None:
    """Write the file that marks a variant as played to its end.

    Args:
        play: The variant.
        parent: Folder of all variants.
        config_hash: Digest of the instance's configuration.
        happened: Whether the site's pages offered what the variant needs.

    Raises:
        SetupError: The file cannot be written.
    """
    path = play.place(parent) / FILE
    data = {"kind": play.kind, "step": play.step, "config_hash": config_hash, "happened": happened}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data) + "\n", "utf-8")
    except OSError as error:
        raise SetupError(f"cannot write {path}: {error.strerror}", path=str(path)) from error


def is_played(play: Variant, parent: Path, *, config_hash: str) -> bool:
    """Whether a variant was played to its end with the current configuration."""
    return _read(play.place(parent)).get("config_hash") == config_hash


def kind_of(folder: Path) -> str:
    """Return the kind of variant that a trajectory's folder holds; empty if it is not of a variant."""
    return str(_read(folder.parent).get("kind", ""))


def _read(place: Path) -> dict[str, Any]:
    """Return the content of a variant's file; empty if it was not played to its end."""
    try:
        data = json.loads(read_file(place / FILE, MAX_RECORD).decode("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}
