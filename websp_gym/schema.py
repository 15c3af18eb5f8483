"""What the models of the task configurations share."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

# YAML 1.1 reads a bare on/off as a boolean.
OnOff = Annotated[
    Literal["on", "off"], BeforeValidator(lambda value: {True: "on", False: "off"}.get(value, value))
]
Value = bool | int | float | str | list[str]
"""A value of a setting or of an item's field."""


class Model(BaseModel):
    """Immutable, and strict about unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)
