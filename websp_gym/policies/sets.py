"""Policy sets: files that describe the policies of a site, and what of them applies to an instance."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import Field, model_validator

from websp_gym.errors import SetupError, nearest
from websp_gym.paths import data_dirs
from websp_gym.policies.dimensions import LEVELS
from websp_gym.policies.events import EVENTS, Reveal, Secret
from websp_gym.policies.names import Names
from websp_gym.policies.play_steps import Play, PlayStep
from websp_gym.policies.policy import Policy
from websp_gym.policies.rules import RULES
from websp_gym.policies.rules.events import Permission
from websp_gym.policies.rules.faults import Fault
from websp_gym.policies.rules.obligations import Budget, Must, Obligation
from websp_gym.policies.rules.resist import Injection, Resist
from websp_gym.policies.rules.states import State
from websp_gym.records.trajectory import PolicyRecord
from websp_gym.tasks.ids import flow_ids, instance_ids, matches, read_config
from websp_gym.tasks.instances import Instance
from websp_gym.tasks.reading import read_model
from websp_gym.tasks.schema import ConfigModel
from websp_gym.tasks.sites import site_schema

EVERY = "*"
"""In place of a slug: every site."""
FOLDER = "policies"
"""Folder of ``task_configs`` with one folder per set, each with one file per site."""


class Knowledge(ConfigModel):
    """Something that the user knows and says when asked."""

    about: tuple[str, ...] = Field(min_length=1)
    """What questions it answers: those that have all words of one of these texts."""
    says: str
    instances: tuple[str, ...] = ("*",)


_Scoped = TypeVar("_Scoped", Policy, Knowledge)


class PolicyFile(ConfigModel):
    """The policies of one site: one file of a set."""

    site: str
    """Slug of the site; ``*`` for policies of every site."""
    like: str = ""
    """A set that all of is taken over from, or the path of a file."""
    sentences: Literal["explicit"] | None = None
    """With ``like``: ``explicit`` for sentences that name each fault and each effect."""
    policies: tuple[Policy, ...] = ()
    knows: tuple[Knowledge, ...] = ()
    """What the user knows."""
    plays: dict[Play, tuple[PlayStep, ...]] = Field(default_factory=dict)
    """How things are done, as steps from the start page, for proofs and scripted agents: a deed; ``change``, which
    changes something that no task asks for; ``type``, which types what nobody said."""

    @model_validator(mode="after")
    def _ids_differ(self) -> PolicyFile:
        ids = [policy.id for policy in self.policies]
        twice = next((each for each in ids if ids.count(each) > 1), None)
        if twice is not None:
            raise ValueError(f'policies: "{twice}" is given twice')
        return self

    @model_validator(mode="after")
    def _takes_sentences_from_a_set(self) -> PolicyFile:
        if self.sentences and not self.like:
            raise ValueError("sentences: say with like which set has them")
        return self

    def taken_over(self, other: PolicyFile) -> PolicyFile:
        """Return another file as this one takes it over."""
        if self.sentences is None:
            return other
        return other.model_copy(update={"policies": tuple(each.made_explicit() for each in other.policies)})


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
    """The policies of one instance, with all that belongs to them.

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
        """What the agent reads, those of the organization first, then the user's, then the task's.

        A general sentence that several policies have stands there once, at the highest of their levels.
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
        """Return what a trajectory keeps of them."""
        return PolicyRecord(
            sets=list(self.spec), digest=self.digest, shown=[each.as_dict() for each in self.shown]
        )

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
        return (policy.rule.resist for policy in self.policies if isinstance(policy.rule, Resist))

    @property
    def faults(self) -> Iterator[Fault]:
        """The faults of the site."""
        for policy in self.policies:
            if isinstance(policy.rule, Must) and policy.rule.must.report is not None:
                yield policy.rule.must.report

    @property
    def secrets(self) -> Iterator[Secret]:
        """The values whose way out is watched."""
        for policy in self.policies:
            for event in policy.rule.events:
                if isinstance(event, Reveal):
                    yield event.reveal

    @cached_property
    def digest(self) -> str:
        """Digest of all of it; results under policies with different digests are not comparable."""
        parts = [self.policies, self.knows]
        left_out = {"broken_by", "kept_by"}
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
    policies = [each for file in files for each in _of(instance, file.policies)]
    knows = [each for file in files for each in _of(instance, file.knows)]
    plays = {what: steps for file in files for what, steps in file.plays.items()}
    return Policies(tuple(map(str, given)), Names(site_schema(instance.site.slug)), policies, knows, plays)


def _files_for(slug: str, spec: str | Path, within: tuple[str, ...] = ()) -> Iterator[PolicyFile]:
    """Yield the files of a set that are about a site, with those that they take over."""
    for path in set_files(spec):
        file = _file(path, slug)
        if file.site not in (slug, EVERY):
            continue
        if file.like:
            yield from (file.taken_over(other) for other in _taken_over(path, file.like, slug, within))
        yield file


def _taken_over(path: Path, like: str, slug: str, within: tuple[str, ...]) -> Iterator[PolicyFile]:
    if like in within:
        raise SetupError(f"{path}: like: {like} takes over itself", path=str(path))
    try:
        yield from _files_for(slug, like, (*within, like))
    except SetupError as error:
        raise SetupError(f"{path}: like: {error}", path=str(path)) from error


def set_names() -> list[str]:
    """Return the names of the sets, in alphabetical order."""
    return sorted({folder.name for place in _places() for folder in place.iterdir() if folder.is_dir()})


def set_files(spec: str | Path) -> list[Path]:
    """Return the files of a set, or the one file that a path names.

    Raises:
        SetupError: There is no such set or file.
    """
    path = Path(spec)
    if path.suffix in (".yaml", ".yml"):
        if not path.is_file():
            raise SetupError(f"{path}: there is no such file of policies", path=str(path), option="policies")
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


def _places() -> Iterator[Path]:
    return (folder / FOLDER for folder in data_dirs("task_configs") if (folder / FOLDER).is_dir())


def _of(instance: Instance, entries: Iterable[_Scoped]) -> list[_Scoped]:
    return [each for each in entries if _applies(each.instances, instance.id)]


def _applies(patterns: Iterable[str], instance_id: str) -> bool:
    """Whether patterns select an instance; one that begins with an exclamation mark takes it out again."""
    chosen = False
    for pattern in patterns:
        if matches(instance_id, pattern.removeprefix("!")):
            chosen = not pattern.startswith("!")
    return chosen


def _file(path: Path, slug: str) -> PolicyFile:
    """Load one file and check it for a site, if it is about that. Raise SetupError with file and line."""
    # A file that was edited is read again.
    return _checked(path, slug, path.stat().st_mtime_ns)


@cache
def _checked(path: Path, slug: str, changed: int) -> PolicyFile:
    file = _read(path, changed)
    if file.site not in (slug, EVERY):
        return file
    names = Names(site_schema(slug))
    problems = [
        f"{path}:{_line_of(path, each.id)}: {each.id}: {problem}"
        for each in file.policies
        for problem in (*problems_of(each, names), *_of_nobody(each.instances))
    ]
    problems += [f"{path}: knows: {problem}" for each in file.knows for problem in _of_nobody(each.instances)]
    if problems:
        raise SetupError("\n".join(problems), path=str(path))
    return file


@cache
def _read(path: Path, changed: int) -> PolicyFile:
    file = read_model(path, PolicyFile, keys=_keys())
    if file.site != EVERY:
        site_schema(file.site)
    return file


def _line_of(path: Path, policy: str) -> int:
    lines = read_config(path).splitlines()
    entry = re.compile(rf"[-{{ ]*id: *[\"']?{re.escape(policy)}\b")
    return next((number for number, line in enumerate(lines, 1) if entry.match(line)), 1)


def problems_of(policy: Policy, names: Names) -> Iterator[str]:
    """Yield what a policy names that its site does not have."""
    yield from policy.rule.problems(names)
    if policy.overrules:
        yield from policy.overrules.rule.problems(names)
    if policy.active_when and policy.active_when.happens:
        yield from policy.active_when.happens.problems(names)


def _of_nobody(patterns: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with patterns of instances that match none."""
    known = [*instance_ids(), *flow_ids()]
    for pattern in patterns:
        plain = pattern.removeprefix("!")
        if not any(matches(name, plain) for name in known):
            yield f'instances: "{plain}" matches no instance{nearest(plain, known)}'


def _keys() -> list[str]:
    models = (PolicyFile, Policy, Injection, Fault, Knowledge, Permission, Obligation, Budget, State)
    return sorted({*RULES, *EVENTS, *(name for model in models for name in model.model_fields)} - {"rule"})
