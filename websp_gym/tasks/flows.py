"""Everyday tasks during which a privacy decision gets in the way (WebSP-Eval, sections 7.2 and H.1).

They are separate from the 200 instances: one file per site in ``task_configs/flows``, with ids such as
``BBC-flow-1``.
"""

from __future__ import annotations

import re

from pydantic import BaseModel, Field, field_validator

from websp_gym.tasks.decisions import Box, Choice, Decision, Purpose
from websp_gym.tasks.goals import Goal
from websp_gym.tasks.ground_truth import GroundTruthStep, PlainStep, StepTarget
from websp_gym.tasks.schema import ConfigModel

_FLOW_ID = re.compile(r"[A-Za-z][A-Za-z0-9]*-flow-\d+")


class Flow(ConfigModel):
    """One everyday task with its privacy decision."""

    instance: str
    instruction: str
    instruction_with_navigation: str
    signed_in: bool = True
    goal: Goal
    answer: str = "done"
    """The oracle's answer."""
    decision: Decision
    before: tuple[PlainStep, ...] = ()
    """Steps from the start page until the decision comes up."""
    after: tuple[PlainStep, ...] = ()

    @field_validator("instance")
    @classmethod
    def _is_an_id(cls, value: str) -> str:
        if not _FLOW_ID.fullmatch(value):
            raise ValueError(f'"{value}" is not an id such as Steam-flow-1')
        return value

    def steps(self, agreed: frozenset[Purpose]) -> tuple[GroundTruthStep, ...]:
        """Return the steps of the task, with the decision that agrees to these purposes."""
        return (*self.before, *(self.decision.steps(agreed) or ()), *self.after)


class FlowFile(ConfigModel):
    """The everyday tasks of one site: one file of ``task_configs/flows/``."""

    slug: str
    """Slug of the site, whose start page and account come from its own file of ``task_configs/``."""
    flows: tuple[Flow, ...] = Field(min_length=1)


def flow_keys() -> list[str]:
    """Return the keys that a file may have."""
    models: list[type[BaseModel]] = [FlowFile, Flow, Goal, Decision, Box, Choice, GroundTruthStep, StepTarget]
    return sorted({name for model in models for name in model.model_fields})
