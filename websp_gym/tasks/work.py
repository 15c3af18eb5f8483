"""Tasks of enterprise applications: the work of an organization, on records (ST-WebAgentBench).

They are separate from the 200 instances: one file per application in ``task_configs/work``, with ids such as
``SuiteCRM-stwab-47``, numbered like the first task with that intent in the benchmark. Every sentence is our own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, field_validator, model_validator

from websp_gym.tasks.goals import Expect, Goal, ItemChange, ItemCheck, Unchanged
from websp_gym.tasks.ground_truth import STEP_KINDS, GroundTruthStep, Mistake, StepTarget
from websp_gym.tasks.initial_steps import InitialStep
from websp_gym.tasks.schema import Address, ConfigModel

_WORK_ID = re.compile(r"[A-Za-z][A-Za-z0-9]*-stwab-\d+")

WorkCategory = Literal[
    "Customer Relations",
    "Software Development",
    "Shop Administration",
    "Seen in the Picture",
    "Found in the Document",
]
"""The categories of work; the last two are of tasks that only a picture, or only the document, answers."""


def _in_pieces(data: Any) -> Any:
    """Return a goal with a check for each field of an item, so that what was done in part counts in part."""
    if not isinstance(data, dict):
        return data
    done = dict(data)
    for kind, values in (("created", "where"), ("changed", "to")):
        pieces: list[Any] = []
        for check in data.get(kind) or ():
            pieces += _pieces_of(check, kind, values) if isinstance(check, dict) else [check]
        if pieces:
            done[kind] = pieces
    return done


def _pieces_of(check: dict[str, Any], kind: str, values: str) -> Iterator[dict[str, Any]]:
    fields = check.get(values) or {}
    if not isinstance(fields, dict) or len(fields) < 2:
        yield check
        return
    if kind == "changed":
        for name, value in fields.items():
            yield {**check, values: {name: value}}
        return
    first = next(iter(fields))
    yield {**check, values: {first: fields[first]}}
    # With two fields, the second piece is the whole.
    for name, value in list(fields.items())[1:] if len(fields) > 2 else ():
        yield {**check, values: {first: fields[first], name: value}}
    yield check


_ELEMENTS = {
    "button": "Button", "checkbox": "Checkbox", "combobox": "Dropdown", "link": "Link", "menuitem": "Menu",
    "option": "Option", "radio": "Radio Button", "searchbox": "Text Input", "switch": "Toggle", "tab": "Menu",
    "textbox": "Text Input",
}  # fmt: skip


def _with_element(data: Any) -> Any:
    """Return a step with the UI element that its target is, as the publication calls them."""
    if not isinstance(data, dict):
        return data
    target = next((data[kind] for kind in STEP_KINDS if kind in data), None)
    role = target.get("role") if isinstance(target, dict) else None
    return {"element": _ELEMENTS.get(str(role)), **data}


WorkStep = Annotated[GroundTruthStep, BeforeValidator(_with_element)]


class Work(ConfigModel):
    """One task of an enterprise application, with its initial state."""

    instance: str
    category: WorkCategory
    template: int
    """Number of the benchmark's template of intents."""
    instruction: str
    instruction_with_navigation: str = ""
    """By default, the same."""
    start_url: Address = ""
    """By default, the application's start page."""
    tabs: tuple[Address, ...] = ()
    """Further pages that are open at the start."""
    goal: Annotated[Goal | None, BeforeValidator(_in_pieces)] = None
    refuse: bool = False
    """Whether it cannot be done, so that the right end is to leave everything as it is and say so; the ``answer`` of
    the goal then has the words that a reason must name."""
    unchanged: Unchanged | None = None
    """By default, no other item of the collections of the goal may change."""
    initial_state: tuple[InitialStep, ...] = ()
    expect: Expect = Expect()
    ground_truth: tuple[WorkStep, ...] = Field(min_length=1)
    opposite: tuple[WorkStep, ...] | None = None
    """Steps that do something else, for ``websp check``. ``None``: type another value; ``[]``: there is none."""
    answer: str = "done"
    """The oracle's answer."""

    @field_validator("instance")
    @classmethod
    def _is_an_id(cls, value: str) -> str:
        if not _WORK_ID.fullmatch(value):
            raise ValueError(f'"{value}" is not an id such as SuiteCRM-stwab-47')
        return value

    @model_validator(mode="after")
    def _has_an_end(self) -> Work:
        asked = self.goal.model_dump(exclude_defaults=True).keys() if self.goal else ()
        if not asked and not self.refuse:
            raise ValueError("give a goal, or refuse: true")
        if self.refuse and set(asked) - {"answer"}:
            raise ValueError("refuse: the goal can have an answer only")
        return self

    @property
    def left_alone(self) -> Unchanged:
        """What must not change."""
        if self.unchanged is not None:
            return self.unchanged
        items = self.goal.items() if self.goal else ()
        return Unchanged(others=tuple(dict.fromkeys(each.collection for _, each in items)))


class WorkFile(ConfigModel):
    """The tasks of one application: one file of ``task_configs/work/``."""

    site: str
    slug: str
    website_category: str
    start_url: Address
    account: Literal["none", "google", "password"]
    signed_in: tuple[str, ...] = ()
    mistakes: dict[str, Mistake] = Field(default_factory=dict)
    """How to undo something made by mistake, by collection; used by proofs."""
    tasks: tuple[Work, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _ids_are_this_sites(self) -> WorkFile:
        for task in self.tasks:
            if not task.instance.startswith(f"{self.site}-stwab-"):
                raise ValueError(f"task {task.instance!r} does not belong to site {self.site!r}")
        return self


def work_keys() -> list[str]:
    """Return the keys that a file may have."""
    models: list[type[BaseModel]] = [
        WorkFile, Work, Goal, ItemCheck, ItemChange, Unchanged, Expect, GroundTruthStep, StepTarget,
    ]  # fmt: skip
    return sorted({name for model in models for name in model.model_fields})
