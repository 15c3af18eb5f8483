"""Base model and value types shared by the models of the task configurations."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

OnOff = Literal["on", "off"]
YamlOnOff = Annotated[OnOff, BeforeValidator(lambda value: {True: "on", False: "off"}.get(value, value))]
"""``on`` or ``off`` in a YAML file: YAML 1.1 reads a bare on/off as a boolean."""
Value = bool | int | float | str | list[str]
"""The value of a setting or of a field of an item."""


def _is_address(value: str) -> str:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f'"{value}" is not the address of a website: give http(s)://host/')
    return value


Address = Annotated[str, AfterValidator(_is_address)]
"""The address of a page."""


class ConfigModel(BaseModel):
    """An immutable model that rejects unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ClassRule(ConfigModel):
    """CSS selectors for the states on and off of a control that shows its state only by a class.

    A selector matches the control or an element in it.
    """

    on: str = Field(min_length=1)
    off: str = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _words(cls, data: Any) -> Any:
        # YAML 1.1 reads the bare keys on and off as booleans.
        names = {True: "on", False: "off"}
        return {names.get(key, key): value for key, value in data.items()} if isinstance(data, dict) else data
