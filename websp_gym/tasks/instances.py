"""Tasks and instances: the schema of ``task_configs/*.yaml``, and loading it.

One YAML file describes one website. A *task* is an instruction; an *instance* is a task together with the
initial state S0 it starts from (WebSP-Eval, section 3.1: 138 tasks, 200 instances). The facts (setting
labels, ids, categories, states, element types) follow the publication; every sentence is our own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    model_validator,
)

from websp_gym.errors import SetupError, UnknownInstanceError, nearest
from websp_gym.tasks.decisions import Decision
from websp_gym.tasks.flows import Flow, FlowFile, flow_keys
from websp_gym.tasks.goals import NOTHING, Expect, Goal, ItemCheck, RightEnd, Unchanged
from websp_gym.tasks.ground_truth import STEP_KINDS, ElementType, GroundTruthStep, Mistake, StepTarget
from websp_gym.tasks.ids import (
    FLOWS,
    WORK,
    all_ids,
    canonical_id,
    config_files,
    flow_files,
    ids_in,
    is_work,
    known_ids,
    read_config,
    work_files,
)
from websp_gym.tasks.initial_steps import STEPS, ApiCall, InitialStep, Prepare, TracePath
from websp_gym.tasks.published import PublishedChecks
from websp_gym.tasks.reading import read_model
from websp_gym.tasks.schema import Address, ClassRule, ConfigModel
from websp_gym.tasks.sites import site_schema
from websp_gym.tasks.work import Work, WorkCategory, WorkFile, work_keys

Category = Literal[
    "Account Security & Access Control",
    "Advertising & Personalization Control",
    "Cookie & Tracking Consent Management",
    "Data & Asset Management",
    "Notification & Communication Preferences",
    "Profile Visibility & Customization",
    "Social Safety & Content Moderation",
    "UI/UX Preferences",
    "User Privacy & Data Rights",
]
"""The nine task categories of the paper (table 5)."""

EVERYDAY: Literal["Everyday Task with a Decision on the Way"] = "Everyday Task with a Decision on the Way"
"""The category of everyday tasks, which the paper does not have."""
InstructionVariant = Literal["without_navigation", "with_navigation"]

_INSTANCE_ID = re.compile(r"^(?P<task>[A-Za-z][A-Za-z0-9]*-(?:task|stwab)-\d+)(?:-(?P<state>ON|OFF))?$")


class InstanceConfig(ConfigModel):
    """The YAML entry of one instance: its initial state, what S0 must be, and its ground truth."""

    instance: str
    initial_state: tuple[InitialStep, ...] = ()
    expect: Expect
    ground_truth: tuple[GroundTruthStep, ...] = Field(min_length=1)
    opposite: tuple[GroundTruthStep, ...] | None = None
    """Steps that do the opposite, for ``websp check``. ``None``: turn each control of the ground truth the
    other way; ``[]``: the site offers no opposite."""
    answer: str = "done"
    """The oracle's answer."""
    decision: Decision | None = None
    """The privacy decision during an everyday task."""
    decided_after: int = 0
    """Number of steps of the ground truth before that decision."""
    tabs: tuple[str, ...] = ()
    """Further pages that are open at the start, each in a tab behind that of the start page."""

    @property
    def id(self) -> str:
        """The id, e.g. ``Steam-task-191-ON``."""
        return self.instance

    @property
    def state(self) -> str | None:
        """``ON``, ``OFF``, or ``None`` for a task with a single initial state."""
        found = _INSTANCE_ID.match(self.instance)
        return found["state"] if found else None

    @property
    def deciding(self) -> range:
        """Indices of the ground-truth steps that make the privacy decision."""
        steps = self.decision.steps(frozenset()) if self.decision else None
        return range(self.decided_after, self.decided_after + len(steps or ()))

    @property
    def element_types(self) -> tuple[ElementType, ...]:
        """The UI element types of the ground truth, without duplicates, in order of first use."""
        return tuple(dict.fromkeys(step.element for step in self.ground_truth if step.element))

    def ground_truth_text(self) -> list[str]:
        """Return the ground truth as lines of text, one per step."""
        return [step.text() for step in self.ground_truth]


class Task(ConfigModel):
    """One instruction with its goal, shared by all its instances."""

    id: str
    category: Category | WorkCategory | Literal["Everyday Task with a Decision on the Way"]
    instruction: str
    instruction_with_navigation: str
    signed_in: bool = True
    """Whether the browser starts signed in; ``false`` only for tasks that need no account."""
    goal: Goal
    refuse: bool = False
    """Whether it cannot be done; the goal then asks for nothing."""
    published: PublishedChecks | None = None
    """The checks of a published benchmark that decide in place of the goal, which then asks for nothing."""
    unchanged: Unchanged = Unchanged()
    instances: tuple[InstanceConfig, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_belong(self) -> Task:
        for instance in self.instances:
            found = _INSTANCE_ID.match(instance.id)
            if not found or found["task"] != self.id:
                raise ValueError(
                    f"instance {instance.id!r} must be {self.id!r}, followed by -ON, -OFF or nothing"
                )
        return self


class Site(ConfigModel):
    """One website and its tasks: one file of ``task_configs/``."""

    site: str
    slug: str
    """Name of the folder of the replica in the sandbox."""
    website_category: str
    """Website category of the paper (table 11)."""
    start_url: Address
    account: Literal["none", "google", "password"]
    signed_in: tuple[str, ...] = ()
    """Slugs of the sites the browser is signed in to at the start."""
    login_trace: TracePath | None = None
    """Trace below ``traces/`` that signs in; ``None`` if there is none."""
    class_rules: tuple[ClassRule, ...] = ()
    """Rules for controls that show their state only by a class; the first rule that matches decides."""
    closing: tuple[GroundTruthStep, ...] = ()
    """Steps that close the account, if the site allows it; done only by an agent that makes mistakes."""
    mistakes: dict[str, Mistake] = Field(default_factory=dict)
    """How to undo something made by mistake, by collection; used by proofs."""
    tasks: tuple[Task, ...] = Field(min_length=1)

    @property
    def replay_rules(self) -> list[dict[str, str]]:
        """The class rules in the form that :func:`websp_gym.replay.replay` takes."""
        return [rule.model_dump() for rule in self.class_rules]

    @model_validator(mode="after")
    def _ids_are_this_sites(self) -> Site:
        for task in self.tasks:
            if not task.id.startswith(f"{self.site}-task-"):
                raise ValueError(f"task {task.id!r} does not belong to site {self.site!r}")
        return self


class Origin(ConfigModel):
    """The dataset that an instance comes from, if it is not ours (:mod:`websp_gym.datasets`)."""

    dataset: str
    """Its name."""
    digest: str
    """Digest of everything it says about the instance."""
    ground_truth: tuple[str, ...] = ()
    """Its ground truth in words; empty to use ours."""
    elements: tuple[str, ...] = ()
    """The UI elements that it names; empty to use ours."""


class Instance(BaseModel):
    """An instance with its task and site: everything that an episode needs.

    Attributes:
        site: The website.
        task: The task: category, instructions and goal.
        config: The YAML entry of the instance: initial state and ground truth.
        origin: The dataset it comes from; ``None`` for ours.
    """

    model_config = ConfigDict(frozen=True)

    site: Site
    task: Task
    config: InstanceConfig
    origin: Origin | None = None

    @property
    def id(self) -> str:
        """The id, e.g. ``Steam-task-191-ON``."""
        return self.config.id

    def instruction(self, variant: InstructionVariant) -> str:
        """Return the agent's instruction; ``variant`` is ``without_navigation`` or ``with_navigation``.

        Raises:
            SetupError: The dataset of the instance has none.
        """
        words = (
            self.task.instruction
            if variant == "without_navigation"
            else self.task.instruction_with_navigation
        )
        if not words and self.origin is not None:
            raise SetupError(
                f'{self.id} has no instruction "{variant}" in the dataset "{self.origin.dataset}"; use the other one '
                "(option instruction)",
                option="instruction",
            )
        return words

    def ending_in(self, right: RightEnd | None) -> Instance:
        """Return the instance with another right end, for scoring; ``None`` for that of its task."""
        if right is None:
            return self
        task = self.task.model_copy(update={"goal": right.goal or NOTHING})
        return self.model_copy(update={"task": task})

    def asks_for(self, right: RightEnd | None) -> tuple[Goal, ...]:
        """Return all goals that may be pursued: the right end under policies first, then the goal of the task."""
        goal = self.task.goal
        return (goal,) if right is None else (right.goal or NOTHING, goal)

    def ground_truth_text(self) -> list[str]:
        """Return the ground truth as lines of text, one per step, in the words of the instance's dataset."""
        told = self.origin.ground_truth if self.origin is not None else ()
        return list(told) or self.config.ground_truth_text()

    @property
    def config_hash(self) -> str:
        """Digest of everything that determines an episode; results with different hashes are not comparable.

        Default values are left out, so that a new key of the schema does not change the digests.
        """
        site = self.site.model_dump(exclude={"tasks", "closing", "mistakes"}, exclude_defaults=True)
        # Whether the browser starts signed in is in ``site``.
        task = self.task.model_dump(exclude={"instances", "signed_in"}, exclude_defaults=True)
        config = self.config.model_dump(exclude={"opposite"}, exclude_defaults=True)
        parts = [site, task, config]
        if self.origin is not None:
            parts.append({"dataset": self.origin.dataset, "digest": self.origin.digest})
        if is_work(self.id):
            parts.append(site_schema(self.site.slug).shared_digests)
        text = json.dumps(parts, sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_instance(instance_id: str) -> Instance:
    """Load one instance with its task and site.

    Args:
        instance_id: The id, with or without ``websp/`` or ``browsergym/websp.``; case is ignored. The published
            spelling ``Steam_task-191_ON`` is also accepted.

    Returns:
        The instance.

    Raises:
        UnknownInstanceError: There is no such instance; the message suggests the closest id.
        SetupError: A configuration file cannot be read or is not valid.
    """
    wanted = canonical_id(instance_id)
    for path in (*config_files(), *flow_files(), *work_files()):
        text = read_config(path)
        if wanted in text and wanted in ids_in(text):
            for instance in _LOADERS.get(path.parent.name, load_site)(path):
                if instance.id == wanted:
                    return instance
    (spelled,) = known_ids([wanted])
    if spelled != wanted:
        return load_instance(spelled)
    for path in (*config_files(), *flow_files(), *work_files()):
        if wanted in read_config(path):
            _LOADERS.get(path.parent.name, load_site)(path)  # says so where the scan for ids missed it
    known = all_ids()
    raise UnknownInstanceError(
        f'no instance "{wanted}"{nearest(wanted, known)} ({len(known)} instances; `websp list` shows them)',
        instance=wanted,
    )


def signed_in_site(instances: Iterable[Instance]) -> Site:
    """Return the site of some instances, as seen by the tasks that start signed in."""
    return max((instance.site for instance in instances), key=lambda site: len(site.signed_in))


def all_instances() -> Iterator[Instance]:
    """Yield every instance of every site, in the order of the files."""
    for path in config_files():
        yield from load_site(path)


@cache
def load_site(path: Path) -> tuple[Instance, ...]:
    """Load and validate one file of ``task_configs/``; return its instances.

    Raises:
        SetupError: The file is not valid YAML or not a valid site. The message names file, line and key.
    """
    site = read_model(path, Site, keys=_known_keys())
    signed_out = _signed_out(site)
    instance = tuple(
        Instance.model_construct(site=site if task.signed_in else signed_out, task=task, config=config)
        for task in site.tasks
        for config in task.instances
    )
    _check_ids(path, read_config(path), [item.id for item in instance])
    return instance


def all_flows() -> Iterator[Instance]:
    """Yield every everyday task, in the order of the files."""
    for path in flow_files():
        yield from load_flows(path)


@cache
def load_flows(path: Path) -> tuple[Instance, ...]:
    """Load and validate one file of ``task_configs/flows/``; return its instances.

    Raises:
        SetupError: The file is not valid, or there is no such site.
    """
    file = read_model(path, FlowFile, keys=flow_keys())
    own = next((each for each in config_files() if each.stem == file.slug), None)
    if own is None:
        raise SetupError(f'{path}: there is no site "{file.slug}" in task_configs', path=str(path))
    site = signed_in_site(load_site(own))
    _check_ids(path, read_config(path), [flow.instance for flow in file.flows])
    return tuple(_of_flow(flow, site if flow.signed_in else _signed_out(site)) for flow in file.flows)


def _of_flow(flow: Flow, site: Site) -> Instance:
    config = InstanceConfig(
        instance=flow.instance,
        expect=Expect(),
        ground_truth=flow.steps(frozenset()),
        opposite=(),
        answer=flow.answer,
        decision=flow.decision,
        decided_after=len(flow.before),
    )
    task = Task.model_construct(
        id=flow.instance,
        category=EVERYDAY,
        instruction=flow.instruction,
        instruction_with_navigation=flow.instruction_with_navigation,
        signed_in=flow.signed_in,
        goal=flow.goal,
        instances=(config,),
    )
    return Instance.model_construct(site=site, task=task, config=config)


def all_work() -> Iterator[Instance]:
    """Yield every task of enterprise applications, in the order of the files."""
    for path in work_files():
        yield from load_work(path)


def everything() -> Iterator[Instance]:
    """Yield all that can be played: instances, everyday tasks and work."""
    return chain(all_instances(), all_flows(), all_work())


@cache
def load_work(path: Path) -> tuple[Instance, ...]:
    """Load and validate one file of ``task_configs/work/``; return its instances.

    Raises:
        SetupError: The file is not valid.
    """
    file = read_model(path, WorkFile, keys=work_keys())
    _check_ids(path, read_config(path), [work.instance for work in file.tasks])
    facts = {name: getattr(file, name) for name in WorkFile.model_fields}
    site = Site.model_construct(**facts | {"tasks": ()})
    return tuple(_of_work(work, site) for work in file.tasks)


def _of_work(work: Work, site: Site) -> Instance:
    config = InstanceConfig(
        instance=work.instance,
        initial_state=work.initial_state,
        expect=work.expect,
        ground_truth=work.ground_truth,
        opposite=work.opposite,
        answer=work.answer,
        tabs=work.tabs,
    )
    task = Task.model_construct(
        id=work.instance,
        category=work.category,
        instruction=work.instruction,
        instruction_with_navigation=work.instruction_with_navigation or work.instruction,
        goal=work.goal or NOTHING,
        refuse=work.refuse,
        unchanged=work.left_alone,
        instances=(config,),
    )
    if work.start_url:
        site = site.model_copy(update={"start_url": work.start_url})
    return Instance.model_construct(site=site, task=task, config=config)


_LOADERS = {FLOWS: load_flows, WORK: load_work}
"""What reads the files of a folder of ``task_configs``."""


def _signed_out(site: Site) -> Site:
    return site.model_copy(update={"account": "none", "signed_in": (), "login_trace": None})


def _check_ids(path: Path, text: str, ids: list[str]) -> None:
    seen = ids_in(text)
    if seen != ids:
        odd = sorted(set(ids) ^ set(seen)) or ids
        raise SetupError(
            f"{path}: write the id of each instance in the line of its key, as in `- instance: ID`, "
            f"without an anchor or a tag; see {odd[0]}",
            path=str(path),
        )
    if len(set(ids)) != len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise SetupError(f'{path}: instance "{twice}" appears twice', path=str(path))


def _known_keys() -> list[str]:
    models: list[type[BaseModel]] = [
        Site,
        Task,
        InstanceConfig,
        Goal,
        Unchanged,
        Expect,
        GroundTruthStep,
        StepTarget,
        ItemCheck,
    ]
    models += [*STEPS.values(), Prepare, ApiCall, ClassRule]
    return sorted({name for model in models for name in model.model_fields} | set(STEP_KINDS))
