"""Which right and wrong ways of doing an instance are played for a judge to look at, and where they lie."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from websp_gym.errors import SetupError
from websp_gym.tasks.ground_truth import Step
from websp_gym.tasks.instances import Instance

FILE = "play.json"
"""Beside the run of a play: what it is; there only once it was played to its end."""
SWITCHES = ("switch", "checkbox")
"""Roles of what can be operated again and is then as it was."""


@dataclass(frozen=True)
class Play:
    """One way of doing an instance.

    Args:
        instance: The instance.
        kind: ``oracle``, ``omitted``, ``unsaved``, ``opposite``, ``undone``, ``extra``, ``destructive`` or ``lost``.
        step: Index of the ground-truth step that is left out, for the two kinds that leave one out.
    """

    instance: str
    kind: str
    step: int | None = None

    @property
    def name(self) -> str:
        """Its folder's name."""
        return self.kind if self.step is None else f"{self.kind}-{self.step + 1}"

    def place(self, parent: Path) -> Path:
        """Where its run and its file lie."""
        return parent / self.name / self.instance


def plays_of(instance: Instance) -> Iterator[Play]:
    """The ways of doing an instance, as far as its configuration tells.

    Args:
        instance: The instance.

    Yields:
        The right one first. One that turns out impossible on the site's pages is found out when it is played.
    """
    steps, own = instance.config.ground_truth, instance.config.opposite
    yield Play(instance.id, "oracle")
    for index, step in enumerate(steps):
        if step.changes_state:
            yield Play(instance.id, "unsaved" if step.action == "submit" else "omitted", index)
    if own or (own is None and _can_be_opposite(steps)):
        yield Play(instance.id, "opposite")
    if last_switch(steps) is not None:
        yield Play(instance.id, "undone")
    yield Play(instance.id, "extra")
    if instance.site.account != "none":
        yield Play(instance.id, "destructive")
    yield Play(instance.id, "lost")


def last_switch(steps: tuple[Step, ...]) -> int | None:
    """Index of the last step that turns something that can be turned back; None where there is none."""
    found = [index for index, step in enumerate(steps)
             if step.action == "turn" and step.target.role in SWITCHES]  # fmt: skip
    return found[-1] if found else None


def _can_be_opposite(steps: tuple[Step, ...]) -> bool:
    """Whether doing the opposite is another thing than leaving out the one change."""
    turns = sum(step.action == "turn" for step in steps)
    holds = sum(step.action == "holds" and step.state is not None for step in steps)
    return holds > 0 or turns > 1


def keep(play: Play, parent: Path, *, config_hash: str, happened: bool) -> None:
    """Notes that a play came to its end.

    Args:
        play: The play.
        parent: The folder of all plays.
        config_hash: Digest of the instance's configuration.
        happened: Whether what it is called for could be done.

    Raises:
        SetupError: The note cannot be written.
    """
    path = play.place(parent) / FILE
    data = {"kind": play.kind, "step": play.step, "config_hash": config_hash, "happened": happened}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data) + "\n", "utf-8")
    except OSError as error:
        raise SetupError(f"cannot write {path}: {error.strerror}", path=str(path)) from error


def is_played(play: Play, parent: Path, *, config_hash: str) -> bool:
    """Whether a play came to its end with the configuration as it is now."""
    return _read(play.place(parent)).get("config_hash") == config_hash


def kind_of(folder: Path) -> str:
    """What kind of play a run is; empty for one that was not played on purpose.

    Args:
        folder: The run's folder.

    Returns:
        The kind.
    """
    return str(_read(folder.parent).get("kind", ""))


def _read(place: Path) -> dict[str, Any]:
    """What is noted of a play; nothing for one that did not come to its end."""
    try:
        data = json.loads((place / FILE).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}
