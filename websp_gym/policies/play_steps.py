"""The steps of plays: what proofs and scripted agents do to keep a policy, or to break it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from websp_gym.sandbox.schema.settings import DeedKind
from websp_gym.tasks.ground_truth import STEP_KINDS, PlainStep
from websp_gym.tasks.schema import ConfigModel

Play = DeedKind | Literal["change", "type"]
"""What a policy set may describe how to do."""


class Goto(ConfigModel):
    """A step that opens an address."""

    goto: str


class Meet(Goto):
    """A step that opens an address to meet its fault. It is never in a file."""


class Say(ConfigModel):
    """A step that is one action, such as ``REPORT; the page is down``."""

    say: str


class TypeAnywhere(ConfigModel):
    """A step that types a text into the first text field in view."""

    type_anywhere: str


def _read(data: Any) -> Any:
    for kind in (Goto, Say, TypeAnywhere):
        if isinstance(data, Mapping) and next(iter(kind.model_fields)) in data:
            return kind.model_validate(data)
    if isinstance(data, Mapping) and not any(kind in data for kind in (*STEP_KINDS, "action")):
        raise ValueError(
            f"a step needs exactly one of {', '.join((*STEP_KINDS, 'goto', 'say', 'type_anywhere'))}"
        )
    return data


PlayStep = Annotated[PlainStep | Goto | Say | TypeAnywhere, BeforeValidator(_read)]
