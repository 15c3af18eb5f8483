"""Tasks and instances: what ``task_configs/*.yaml`` says, checked.

One YAML file describes one website. A *task* is an instruction; an *instance* is a task together with the
initial state S0 it starts from (WebSP-Eval, section 3.1: 138 tasks, 200 instances). The facts (setting labels,
ids, categories, states, element types) follow the publication; every sentence is our own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from websp_gym.errors import SetupError, nearest
from websp_gym.index import canonical_id, config_files, ids_in, instance_ids

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

ElementType = Literal[
    "Button",
    "Checkbox",
    "Dropdown",
    "Icon",
    "Link",
    "Menu",
    "Option",
    "Radio Button",
    "Text Input",
    "Toggle",
]
"""The ten UI element types of the paper (table 6)."""

# YAML 1.1 reads a bare on/off as a boolean.
OnOff = Annotated[
    Literal["on", "off"], BeforeValidator(lambda value: {True: "on", False: "off"}.get(value, value))
]
Value = bool | int | float | str | list[str]
InstructionVariant = Literal["without_navigation", "with_navigation"]

_INSTANCE_ID = re.compile(r"^(?P<task>[A-Za-z]+-task-\d+)(?:-(?P<state>ON|OFF))?$")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Target(_Model):
    """The element a ground-truth step acts on, named the way a person would: by role and accessible name."""

    role: str
    name: str
    within: str | None = None
    """Text of the section or row the element stands in, where role and name alone are not unique."""


class Step(_Model):
    """One ground-truth step. Written in YAML as ``- click: {role: link, name: Privacy}`` plus ``element``.

    ``click`` and ``hover`` only lead to the place; ``turn``, ``type``, ``select`` and ``submit`` change state;
    ``holds`` is a state that must already be there, so nothing is to be done.
    """

    action: Literal["click", "hover", "turn", "type", "select", "submit", "holds"]
    target: Target
    element: ElementType
    state: OnOff | None = None
    value: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "action" in data:
            return data
        kinds = [kind for kind in _STEP_KINDS if kind in data]
        if len(kinds) != 1:
            raise ValueError(
                f"a step has exactly one of {', '.join(_STEP_KINDS)}; this one has {kinds or 'none'}"
            )
        rest = {key: value for key, value in data.items() if key != kinds[0]}
        return {"action": kinds[0], "target": data[kinds[0]], **rest}

    @model_validator(mode="after")
    def _complete(self) -> Step:
        if (self.action == "turn") and self.state is None:
            raise ValueError("a 'turn' step needs state: on or off")
        if self.action in ("type", "select") and self.value is None:
            raise ValueError(f"a '{self.action}' step needs a value")
        return self

    @property
    def changes_state(self) -> bool:
        """Whether leaving this step out must make the task fail."""
        return self.action in ("turn", "type", "select", "submit")

    def text(self) -> str:
        """The step as a judge reads it: generated, so it cannot differ from what the oracle does."""
        what = f"'{self.target.name}' {self.element.lower()}"
        where = f" under '{self.target.within}'" if self.target.within else ""
        match self.action:
            case "turn":
                return f"TURN {str(self.state).upper()} {what}{where}"
            case "type":
                return f"TYPE '{self.value}' INTO {what}{where}"
            case "select":
                return f"SELECT '{self.value}' FROM {what}{where}"
            case "holds":
                state = f" is already {self.state}" if self.state else " is already as asked"
                return f"NO ACTION: {what}{where}{state}"
            case _:
                return f"{'CLICK' if self.action == 'submit' else self.action.upper()} {what}{where}"


_STEP_KINDS = ("click", "hover", "turn", "type", "select", "submit", "holds")


class ItemCheck(_Model):
    """A condition on the items of one collection."""

    collection: str
    where: dict[str, Value] = Field(default_factory=dict)
    count: int | None = None
    """How many items must match; ``None`` means at least one (for ``kept``: all there were)."""


Checks = Annotated[list[ItemCheck], Field(default_factory=list)]


class Goal(_Model):
    """What must hold at the end, over server state (plain data, no code).

    ``settings`` are compared by value. ``created`` counts items that S0 did not have, ``removed`` items S0 had
    and the end state has not, ``kept`` items S0 had and the end state still has unchanged, ``present`` and
    ``absent`` look at the end state alone. ``signed_in`` asks whether the account is still signed in.
    """

    settings: dict[str, Value] = Field(default_factory=dict)
    created: Checks
    removed: Checks
    kept: Checks
    present: Checks
    absent: Checks
    signed_in: bool | None = None

    @model_validator(mode="after")
    def _not_empty(self) -> Goal:
        if not any(getattr(self, name) not in (None, {}, []) for name in type(self).model_fields):
            raise ValueError("a goal must ask for something")
        return self


class Unchanged(_Model):
    """What must not move: setting patterns (``email.*``) and collections. Goal keys are never counted."""

    settings: tuple[str, ...] = ()
    collections: tuple[str, ...] = ()


class Expect(_Model):
    """What S0 *is*: the site's defaults, overlaid with these settings and these collection contents.

    Every setting and every collection of the task's own site is compared after a reset, named here or not.
    """

    settings: dict[str, Value] = Field(default_factory=dict)
    collections: dict[str, list[dict[str, Value]]] = Field(default_factory=dict)


class ReplayStep(_Model):
    """Replay a recorded trace; stateful targets end in ``set``."""

    replay: str
    """Path of the trace below ``traces/``."""
    set: OnOff | Literal["recorded"] = "recorded"


class Prepare(_Model):
    """Server state the paper's authors prepared by hand or by API before the run."""

    settings: dict[str, Value] = Field(default_factory=dict)
    collections: dict[str, list[dict[str, Value]]] = Field(default_factory=dict)


class PrepareStep(_Model):
    """Set server state through the world's control API."""

    prepare: Prepare


class Instance(_Model):
    """One task from one initial state; the unit that is registered, run and scored."""

    instance: str
    initial_state: tuple[ReplayStep | PrepareStep, ...] = ()
    expect: Expect
    ground_truth: tuple[Step, ...] = Field(min_length=1)

    @property
    def id(self) -> str:
        """The id without name space, e.g. ``Steam-task-191-ON``."""
        return self.instance

    @property
    def state(self) -> str | None:
        """``ON``, ``OFF`` or ``None`` for tasks with a single initial state."""
        found = _INSTANCE_ID.match(self.instance)
        return found["state"] if found else None

    @property
    def element_types(self) -> tuple[ElementType, ...]:
        """The distinct UI element types of the solution, in order of first use."""
        return tuple(dict.fromkeys(step.element for step in self.ground_truth))

    def ground_truth_text(self) -> list[str]:
        """The ground truth as numbered-list lines for judges and readers."""
        return [step.text() for step in self.ground_truth]


class Task(_Model):
    """One instruction with its goal, shared by all its instances."""

    id: str
    category: Category
    instruction: str
    instruction_with_navigation: str
    goal: Goal
    unchanged: Unchanged = Unchanged()
    instances: tuple[Instance, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_belong(self) -> Task:
        for instance in self.instances:
            found = _INSTANCE_ID.match(instance.id)
            if not found or found["task"] != self.id:
                raise ValueError(
                    f"instance {instance.id!r} must be {self.id!r} with -ON, -OFF or nothing behind it"
                )
        return self


class Site(_Model):
    """One website and its tasks: one file of ``task_configs/``."""

    site: str
    slug: str
    """Name of the replica's folder in the sandbox."""
    website_category: str
    """Website category of the paper (table 11)."""
    start_url: str
    account: Literal["none", "google", "password"]
    signed_in: tuple[str, ...] = ()
    """Slugs of the sites the browser is signed in to at the start."""
    login_trace: str | None = None
    """Trace below ``traces/`` that signs in from a signed-out browser."""
    tasks: tuple[Task, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_this_sites(self) -> Site:
        for task in self.tasks:
            if not task.id.startswith(f"{self.site}-task-"):
                raise ValueError(f"task {task.id!r} does not belong to site {self.site!r}")
        return self


class LoadedInstance(BaseModel):
    """An instance with the task and site it belongs to: all that an episode needs to know."""

    model_config = ConfigDict(frozen=True)

    site: Site
    task: Task
    instance: Instance

    @property
    def id(self) -> str:
        """The id without name space, e.g. ``Steam-task-191-ON``."""
        return self.instance.id

    def instruction(self, variant: InstructionVariant) -> str:
        """The instruction the agent is given."""
        return (
            self.task.instruction
            if variant == "without_navigation"
            else self.task.instruction_with_navigation
        )

    @property
    def config_hash(self) -> str:
        """A digest of everything that decides the episode; results with another hash are not comparable."""
        site = self.site.model_dump(exclude={"tasks"})
        task = self.task.model_dump(exclude={"instances"})
        text = json.dumps([site, task, self.instance.model_dump()], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def load_instance(instance_id: str) -> LoadedInstance:
    """Loads one instance with its task and site.

    Args:
        instance_id: The id, with or without ``websp/`` or ``browsergym/websp.``; the published form
            ``Steam_task-191_ON`` is understood too.

    Returns:
        The instance.

    Raises:
        SetupError: No such instance, or its file is not valid.
    """
    wanted = canonical_id(instance_id)
    for path in config_files():
        if f"- instance: {wanted}" in path.read_text("utf-8"):
            for loaded in load_site(path):
                if loaded.id == wanted:
                    return loaded
    known = instance_ids()
    raise SetupError(
        f'no instance "{wanted}"{nearest(wanted, known)} ({len(known)} instances; `websp list` shows them)',
        instance_id=wanted,
    )


def all_instances() -> Iterator[LoadedInstance]:
    """Yields every instance of every site, in file order."""
    for path in config_files():
        yield from load_site(path)


@cache
def load_site(path: Path) -> tuple[LoadedInstance, ...]:
    """Loads and validates one file of ``task_configs/``.

    Args:
        path: The YAML file.

    Returns:
        Its instances.

    Raises:
        SetupError: The file is not valid YAML or not a valid site; names file, line and key.
    """
    text = path.read_text("utf-8")
    try:
        node = yaml.compose(text, Loader=_Loader)
        site = Site.model_validate(yaml.load(text, Loader=_Loader))
    except yaml.YAMLError as error:
        raise SetupError(f"{path}: not valid YAML: {error}", path=str(path)) from error
    except ValidationError as error:
        raise SetupError(_explain(path, node, error), path=str(path)) from error
    loaded = tuple(
        LoadedInstance.model_construct(site=site, task=task, instance=instance)
        for task in site.tasks
        for instance in task.instances
    )
    _check_ids(path, text, [item.id for item in loaded])
    return loaded


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _check_ids(path: Path, text: str, ids: list[str]) -> None:
    seen = ids_in(text)
    if seen != ids:
        odd = sorted(set(ids) ^ set(seen)) or ids
        raise SetupError(
            f"{path}: write each instance as its own line `- instance: ID` (first key of the entry); see {odd[0]}",
            path=str(path),
        )
    if len(set(ids)) != len(ids):
        twice = next(name for name in ids if ids.count(name) > 1)
        raise SetupError(f'{path}: instance "{twice}" is there twice', path=str(path))


def _explain(path: Path, node: Any, error: ValidationError) -> str:
    lines = []
    for problem in error.errors():
        where = ".".join(str(part) for part in problem["loc"])
        line = _line_of(node, problem["loc"])
        hint = ""
        if problem["type"] == "extra_forbidden":
            hint = nearest(str(problem["loc"][-1]), _known_keys())
        lines.append(f"{path}:{line}: {where}: {problem['msg']}{hint}")
    return "\n".join(lines)


def _known_keys() -> list[str]:
    models: list[type[BaseModel]] = [Site, Task, Instance, Goal, Unchanged, Expect, Step, Target, ItemCheck]
    models += [ReplayStep, PrepareStep, Prepare]
    return sorted({name for model in models for name in model.model_fields} | set(_STEP_KINDS))


def _line_of(node: Any, location: tuple[int | str, ...]) -> int:
    """Follows a validation error's location down the YAML tree as far as it goes."""
    line = node.start_mark.line if node is not None else 0
    for part in location:
        found = None
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == part:
                    found, line = value, key.start_mark.line
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            found = node.value[part]
            line = found.start_mark.line
        if found is None:
            continue  # a union's or validator's own label in the location
        node = found
    return int(line) + 1
