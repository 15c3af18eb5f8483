"""One file of a policy set: the policies of a site, read and checked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from websp_gym.errors import SetupError, nearest
from websp_gym.policies.events import EVENTS, SecretText, SentForm
from websp_gym.policies.knowledge import Knowledge
from websp_gym.policies.names import Names
from websp_gym.policies.play_steps import Play, PlayStep
from websp_gym.policies.policy import Policy
from websp_gym.policies.rules import RULES
from websp_gym.policies.rules.ask_for import MissingValue
from websp_gym.policies.rules.events import Permission
from websp_gym.policies.rules.faults import Fault
from websp_gym.policies.rules.injection import Injection
from websp_gym.policies.rules.obligations import Budget, Obligation
from websp_gym.policies.rules.only_values import Allowed
from websp_gym.policies.rules.order import Sequence
from websp_gym.policies.rules.states import State
from websp_gym.policies.rules.times import Count
from websp_gym.tasks.goals import Goal, ItemChange
from websp_gym.tasks.ids import all_ids, matches, read_config
from websp_gym.tasks.reading import read_model
from websp_gym.tasks.schema import ConfigModel
from websp_gym.tasks.sites import site_schema

EVERY = "*"
"""Stands for every site, in place of a slug."""


class PolicyFile(ConfigModel):
    """The policies of one site: one file of a set."""

    site: str
    """Slug of the site; ``*`` for policies of every site."""
    like: str = ""
    """A set whose policies this one copies, or the path of a file."""
    sentences: Literal["explicit"] | None = None
    """With ``like``: ``explicit`` for sentences that name each fault and each effect."""
    policies: tuple[Policy, ...] = ()
    knows: tuple[Knowledge, ...] = ()
    """What the user knows."""
    plays: dict[Play, tuple[PlayStep, ...]] = Field(default_factory=dict)
    """How things are done, as steps from the start page, for proofs and scripted agents: a deed; ``change``, which
    changes something that no task asks for; ``type``, which types a made-up text."""

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
            raise ValueError("sentences: also give like, the set that they come from")
        return self

    def taken_over(self, other: PolicyFile) -> PolicyFile:
        """Return another file as this one copies it."""
        if self.sentences is None:
            return other
        return other.model_copy(update={"policies": tuple(each.made_explicit() for each in other.policies)})


def read_policies(path: Path, slug: str) -> PolicyFile:
    """Load one file, and check it for a site if it is about that site.

    Args:
        path: The file.
        slug: The site.

    Raises:
        SetupError: It is not valid, or names something that the site does not have; with file and line.
    """
    # A file that was edited is read again.
    return _checked(path, slug, path.stat().st_mtime_ns)


@cache
def _checked(path: Path, slug: str, changed: int) -> PolicyFile:
    file = _read(path, changed)
    if file.site not in (slug, EVERY):
        return file
    names = Names(site_schema(slug))
    problems = [
        f"{each.where}: {each.id}: {problem}"
        for each in file.policies
        for problem in (*_problems_of(each, names), *_of_nobody(each.instances))
    ]
    knows = f"{path}:{_line_of(path, 'knows:')}: knows"
    problems += [f"{knows}: {problem}" for each in file.knows for problem in _of_nobody(each.instances)]
    if problems:
        raise SetupError("\n".join(problems), path=str(path))
    return file


@cache
def _read(path: Path, changed: int) -> PolicyFile:
    file = read_model(path, PolicyFile, keys=_keys())
    try:
        if file.site != EVERY:
            site_schema(file.site)
    except SetupError as error:
        where = f"{path}:{_line_of(path, 'site:')}"
        raise SetupError(f"{where}: site: {error}", **{**error.facts, "path": str(path)}) from error
    for policy in file.policies:
        entry = rf"id: *[\"']?{re.escape(policy.id)}\b"
        policy._where = f"{path}:{_line_of(path, rf'[-{{ ]*{entry}')}"
    return file


def _line_of(path: Path, entry: str) -> int:
    """Return the number of the first line that begins with an entry, which is a regular expression."""
    lines = read_config(path).splitlines()
    return next((number for number, line in enumerate(lines, 1) if re.match(entry, line)), 1)


def _problems_of(policy: Policy, names: Names) -> Iterator[str]:
    """Yield what a policy names that its site does not have."""
    yield from policy.rule.problems(names)
    if policy.overrules:
        yield from policy.overrules.rule.problems(names)
    if policy.active_when and policy.active_when.happens:
        yield from policy.active_when.happens.problems(names)
    if policy.right_end and policy.right_end.goal:
        for problem in _of_goal(policy.right_end.goal, names):
            yield f"right_end: {problem}"


def _of_goal(goal: Goal, names: Names) -> Iterator[str]:
    """Yield what a goal names that the site does not have."""
    yield from names.problems_of_settings(goal.settings)
    for _, items in goal.items():
        fields = [*items.where, *(items.to if isinstance(items, ItemChange) else ())]
        yield from names.problems_of_collection(items.collection, fields)


def _of_nobody(patterns: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with patterns of instances that match none."""
    known = all_ids()
    for pattern in patterns:
        plain = pattern.removeprefix("!")
        if not any(matches(name, plain) for name in known):
            yield f'instances: "{plain}" matches no instance{nearest(plain, known)}'


def _keys() -> list[str]:
    models: tuple[type[ConfigModel], ...] = (
        PolicyFile, Policy, SecretText, Injection, Fault, Knowledge, Permission, MissingValue, Obligation, Sequence,
        Count, Budget, Allowed, State, SentForm,
    )  # fmt: skip
    return sorted(
        {
            *RULES,
            *EVENTS,
            *(field.alias or name for model in models for name, field in model.model_fields.items()),
        }
        - {"rule"}
    )
