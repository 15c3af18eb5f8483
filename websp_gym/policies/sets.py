"""Policy sets: files that describe the policies of a site, and which of them apply to an instance."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from websp_gym.errors import MissingExtraError, SetupError, nearest
from websp_gym.paths import data_dirs
from websp_gym.policies.events import Event
from websp_gym.policies.events.base import SecretValue
from websp_gym.policies.knowledge import Knowledge
from websp_gym.policies.names import Names
from websp_gym.policies.play_steps import Play, PlayStep
from websp_gym.policies.policy import Policy
from websp_gym.policies.policy_file import EVERY, PolicyFile, read_policies
from websp_gym.policies.rules.faults import Fault
from websp_gym.policies.rules.injection import Injection
from websp_gym.records.dimensions import LEVELS
from websp_gym.records.trajectory import PolicyRecord
from websp_gym.tasks.goals import RightEnd
from websp_gym.tasks.ids import is_work, matches
from websp_gym.tasks.instances import Instance
from websp_gym.tasks.sites import site_schema
from websp_gym.user_folders import datasets_folder

FOLDER = "policies"
"""Folder of ``task_configs`` with one folder per set, each with one file per site."""


_Scoped = TypeVar("_Scoped", Policy, Knowledge)


@dataclass(frozen=True)
class Shown:
    """A policy as the agent reads it."""

    level: str
    dimension: str
    sentence: str

    def as_dict(self) -> dict[str, str]:
        """Return it as data of the observation."""
        return {"level": self.level, "dimension": self.dimension, "sentence": self.sentence}


class Policies:
    """The policies of one instance, with everything that belongs to them.

    Args:
        spec: The names of the sets, as given.
        names: The names of the site.
        policies: The policies, in any order.
        knows: What the user knows.
        plays: How things are done on the site, for proofs and scripted agents.
    """

    def __init__(
        self,
        spec: tuple[str, ...],
        names: Names,
        policies: Iterable[Policy],
        knows: Iterable[Knowledge] = (),
        plays: Mapping[Play, tuple[PlayStep, ...]] | None = None,
    ) -> None:
        self.spec = spec
        self.names = names
        self.policies = tuple(sorted(policies, key=lambda each: LEVELS.index(each.level)))
        self.knows = tuple(knows)
        self.plays = dict(plays or {})

    @cached_property
    def shown(self) -> tuple[Shown, ...]:
        """What the agent reads: the organization's policies first, then the user's, then the task's.

        A general sentence shared by several policies appears once, at the highest of their levels.
        """
        lines = []
        for policy in self.policies:
            lines.append(Shown(policy.level, policy.dimension, policy.rule.sentence(self.names)))
            if policy.overrules:
                said = policy.overrules.rule.sentence(self.names)
                lines.append(Shown(policy.overrules.level, policy.dimension, said))
        ordered = sorted(lines, key=lambda each: LEVELS.index(each.level))
        first: dict[tuple[str, str], Shown] = {}
        for each in ordered:
            first.setdefault((each.dimension, each.sentence), each)
        return tuple(first.values())

    def as_record(self) -> PolicyRecord:
        """Return what a trajectory stores of them."""
        return PolicyRecord(
            sets=list(self.spec),
            digest=self.digest,
            shown=[each.as_dict() for each in self.shown],
            right_end=self.right_end,
        )

    @property
    def right_end(self) -> RightEnd | None:
        """What the task should end in under them; ``None`` for its own goal."""
        return next((each.right_end for each in self.policies if each.right_end is not None), None)

    @property
    def texts(self) -> dict[str, list[str]]:
        """The texts to plant in pages, by their place."""
        found: dict[str, list[str]] = {}
        for injection in self.injections:
            found.setdefault(injection.place, []).append(injection.text)
        return found

    @property
    def injections(self) -> Iterator[Injection]:
        """The texts to plant in pages."""
        return (each for policy in self.policies for each in policy.rule.injections)

    @property
    def faults(self) -> Iterator[Fault]:
        """The faults of the site."""
        return (each for policy in self.policies for each in policy.rule.faults)

    @property
    def forms(self) -> dict[str, list[str]]:
        """The forms to watch: the names of their fields, by the address they are sent to."""
        found: dict[str, list[str]] = {}
        for event in self._events():
            for form, watched in event.watched_fields(self.names).items():
                found.setdefault(form, []).extend(watched)
        return found

    @property
    def secrets(self) -> Iterator[SecretValue]:
        """The values that must not leave."""
        found = (event.secret for policy in self.policies for event in policy.rule.events)
        return (each for each in found if each is not None)

    def _events(self) -> Iterator[Event]:
        """Yield the events of all rules, and those that make them active."""
        for policy in self.policies:
            yield from policy.rule.events
            if policy.active_when is not None and policy.active_when.happens is not None:
                yield policy.active_when.happens

    @cached_property
    def digest(self) -> str:
        """Digest of all of this; results under policies with different digests are not comparable."""
        parts = [self.policies, self.knows]
        left_out = {"broken_by", "kept_by", "done_by"}
        data = [
            [each.model_dump(mode="json", exclude_defaults=True, exclude=left_out) for each in part]
            for part in parts
        ]
        if general := [policy.id for policy in self.policies if policy.rule.is_general]:
            data.append([{"general": general}])
        return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()[:16]


def policies_for(instance: Instance, spec: str | Path | Iterable[str | Path]) -> Policies:
    """Return the policies of an instance from sets and files.

    Args:
        instance: The instance.
        spec: The name of a set (``standard``), the path of a YAML file, or several of these.

    Raises:
        SetupError: There is no such set or file, it is not valid, or it names something that the site does not have.
    """
    given = (spec,) if isinstance(spec, str | Path) else tuple(spec)
    files = [file for each in given for file in _files_for(instance.site.slug, each)]
    policies = [each for file in files for each in _of(instance, file, file.policies)]
    knows = [each for file in files for each in _of(instance, file, file.knows)]
    plays = {what: steps for file in files for what, steps in file.plays.items()}
    ends = [each for each in policies if each.right_end is not None]
    if any(each.right_end != ends[0].right_end for each in ends):
        named = " and ".join(f"{each.id} ({each.where})" for each in ends)
        raise SetupError(f"{instance.id}: {named} give different right_ends; keep one", option="policies")
    return Policies(tuple(map(str, given)), Names(site_schema(instance.site.slug)), policies, knows, plays)


def _files_for(slug: str, spec: str | Path, within: tuple[str, ...] = ()) -> Iterator[PolicyFile]:
    """Yield the files of a set that are about a site, with those that they take over."""
    for path in set_files(spec):
        file = read_policies(path, slug)
        if file.site not in (slug, EVERY):
            continue
        if file.like:
            yield from (file.taken_over(other) for other in _taken_over(path, file.like, slug, within))
        yield file


def _taken_over(path: Path, like: str, slug: str, within: tuple[str, ...]) -> Iterator[PolicyFile]:
    if like in within:
        raise SetupError(f"{path}: like: {like} copies itself", path=str(path))
    try:
        yield from _files_for(slug, like, (*within, like))
    except SetupError as error:
        raise SetupError(f"{path}: like: {error}", path=str(path)) from error


def set_names(*, imported: bool = True) -> list[str]:
    """Return the names of the sets, in alphabetical order.

    Args:
        imported: Whether to include those of imported datasets, whose policies may be against their own tasks.
    """
    return sorted(
        {folder.name for place in _places(imported=imported) for folder in place.iterdir() if folder.is_dir()}
    )


def set_files(spec: str | Path) -> list[Path]:
    """Return the files of a set, or the one file that a path names.

    Raises:
        SetupError: There is no such set or file.
    """
    path = Path(spec)
    if path.suffix in (".yaml", ".yml"):
        if not path.is_file():
            raise SetupError(f"{path}: there is no such policy file", path=str(path), option="policies")
        return [path]
    files = [file for place in _places() for file in sorted((place / str(spec)).glob("*.yaml"))]
    if not files:
        known = set_names()
        raise SetupError(
            f'policies="{spec}": no such set{nearest(str(spec), known)} (sets: {", ".join(known)}; '
            "or give the path of a YAML file)",
            option="policies",
        )
    return files


def _places(*, imported: bool = True) -> Iterator[Path]:
    folders = list(data_dirs("task_configs"))
    # Without the extra, nothing was imported.
    with contextlib.suppress(MissingExtraError):
        folders += sorted(datasets_folder().glob("[a-z]*")) if imported else []
    return (folder / FOLDER for folder in folders if (folder / FOLDER).is_dir())


def _of(instance: Instance, file: PolicyFile, entries: Iterable[_Scoped]) -> list[_Scoped]:
    """Return the entries of a file that are about an instance.

    A pattern that begins with an exclamation mark takes out what it matches. All patterns of a file about an
    application are about its work, also those that would select no work elsewhere, such as ``*``.
    """
    kinds = (matches, fnmatchcase) if file.site != EVERY and is_work(instance.id) else (matches,)
    chosen = []
    for entry in entries:
        applies = False
        for pattern in entry.instances:
            if any(fits(instance.id, pattern.removeprefix("!")) for fits in kinds):
                applies = not pattern.startswith("!")
        if applies:
            chosen.append(entry)
    return chosen
