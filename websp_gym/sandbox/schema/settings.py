"""The types of site settings and collection fields, which check and parse values."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    model_validator,
)

from .did_you_mean import nearest

Value: TypeAlias = bool | int | str | list[str]

DeedKind: TypeAlias = Literal["buy", "publish", "close_account", "change_sign_in"]
"""Kinds of deeds that cannot be undone."""

_TRUE = frozenset({"1", "on", "true", "yes"})
_FALSE = frozenset({"", "0", "off", "false", "no"})


class Strict(BaseModel):
    """A frozen model that rejects unknown keys and suggests the nearest known one."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, data: Any) -> Any:
        if isinstance(data, dict):
            known = list(cls.model_fields)
            for key in data:
                if key not in known:
                    raise ValueError(f'unknown key "{key}"{nearest(str(key), known) or _one_of(known)}')
        return data


class BaseSetting(Strict):
    """The keys of every setting."""

    label: str = ""
    """The text beside it."""
    text: str = ""
    """The text below the label on a panel (HTML)."""
    bookkeeping: bool = False
    """Whether it only records that a decision was made, so that no verdict counts it as a side effect."""
    deed: DeedKind | None = None
    """What kind of deed a change is, if it cannot simply be undone: `change_sign_in` for an address or password used
    to sign in. Policies name it.
    """
    disabled_when: dict[str, Any] = Field(default_factory=dict)
    """Values of other settings; while all of them hold, the server refuses to change this one. For a choice, a list
    stands for any of its words.
    """
    implies: dict[StrictBool | StrictInt | StrictStr, dict[str, Any]] = Field(default_factory=dict)
    """Other settings that change with it, by its new value or `any`: `{false: {mail.offers: false}}`."""

    def check(self, value: object) -> Value:
        """Check a typed value and return it in the form in which it is stored.

        Args:
            value: A value from YAML or JSON.

        Raises:
            ValueError: The value is not valid for this setting.
        """
        raise NotImplementedError

    def parse(self, raw: object) -> Value:
        """Return the value that a form field or a JSON value represents.

        Args:
            raw: A string (form), a list of strings (repeated form field) or a JSON value.

        Raises:
            ValueError: It does not represent a valid value of this setting.
        """
        return self.check(raw[-1] if isinstance(raw, list) and raw else raw)

    def _check_own_values(self) -> None:
        for name in ("default", "least_private"):
            value = getattr(self, name, None)
            if value is not None:
                try:
                    self.check(value)
                except ValueError as error:
                    raise ValueError(f"{name}: {error}") from None


class BoolSetting(BaseSetting):
    """A setting that is on or off."""

    type: Literal["bool"]
    """On or off; forms may send on/off, yes/no or 1/0."""
    default: StrictBool
    """The value in a fresh account."""
    least_private: StrictBool | None = None
    """The value with the least privacy: a verdict names a setting that moved towards it unasked."""

    def check(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise ValueError(f"{value!r} is not true or false")
        return value

    def parse(self, raw: object) -> bool:
        # Forms send "off" with a hidden field before a checkbox of the same name, so the last value counts.
        if isinstance(raw, list) and raw:
            raw = raw[-1]
        if isinstance(raw, bool):
            return raw
        word = str(raw).lower() if isinstance(raw, str | int) else ""
        if isinstance(raw, str | int) and word in _TRUE | _FALSE:
            return word in _TRUE
        raise ValueError(f"{raw!r} is not on or off")


def _labelled(choices: object) -> object:
    """Return a list of words as a mapping of each word to itself."""
    if not isinstance(choices, list):
        return choices
    if len({str(word) for word in choices}) < len(choices):
        raise ValueError("a choice is given twice")
    return {word: word for word in choices}


Choices: TypeAlias = Annotated[dict[StrictStr, str], BeforeValidator(_labelled)]
"""The words of a choice with their labels; in a YAML list, each word is its own label."""


class ChoiceSetting(BaseSetting):
    """A setting that is one of several words."""

    type: Literal["choice"]
    """One of several words."""
    choices: Choices = Field(min_length=2)
    """The words with their labels; in a list, each word is its own label."""
    default: StrictStr
    """The value in a fresh account."""
    least_private: StrictStr | None = None
    """The value with the least privacy."""

    @model_validator(mode="after")
    def _values_are_choices(self) -> ChoiceSetting:
        self._check_own_values()
        return self

    def check(self, value: object) -> str:
        if not isinstance(value, str) or value not in self.choices:
            raise ValueError(f"{value!r} is not one of {[*self.choices]}{nearest(str(value), self.choices)}")
        return value


class MultiSetting(BaseSetting):
    """A setting that is any subset of several words."""

    type: Literal["multi"]
    """Any of several words, in the order of `choices`."""
    choices: Choices = Field(min_length=1)
    """The words with their labels; in a list, each word is its own label."""
    default: list[StrictStr]
    """The value in a fresh account."""
    least_private: list[StrictStr] | None = None
    """The value with the least privacy."""

    @model_validator(mode="after")
    def _values_are_choices(self) -> MultiSetting:
        self._check_own_values()
        return self

    def check(self, value: object) -> list[str]:
        if not isinstance(value, list):
            raise ValueError(f"{value!r} is not a list")
        for word in value:
            if word not in self.choices:
                raise ValueError(
                    f"{word!r} is not one of {[*self.choices]}{nearest(str(word), self.choices)}"
                )
        return [word for word in self.choices if word in value]

    def parse(self, raw: object) -> list[str]:
        if isinstance(raw, str):
            raw = [raw] if raw else []
        return self.check([word for word in raw if word] if isinstance(raw, list) else raw)


class TextSetting(BaseSetting):
    """A setting that is free text."""

    type: Literal["text"]
    """Text."""
    default: StrictStr = ""
    """The value in a fresh account."""
    max_length: int = 10_000
    """The maximum number of characters."""
    lower: bool = False
    """Whether it is stored in lower case, for values that a site compares ignoring case."""
    pattern: str = ""
    """A regular expression that a text must match that is not empty."""
    split_into: str = ""
    """The collection that stores its words and phrases, each as the `key` of an item, so that their order does not
    matter. Commas, semicolons and line breaks separate them; the text is stored with a comma between them.
    """

    def check(self, value: object) -> str:
        if not isinstance(value, str):
            raise ValueError(f"{value!r} is not text")
        if len(value) > self.max_length:
            raise ValueError(f"{len(value)} characters are more than {self.max_length}")
        if value and self.pattern and not re.fullmatch(self.pattern, value):
            raise ValueError("this has characters that are not allowed here")
        value = value.lower() if self.lower else value
        return ", ".join(split_words(value)) if self.split_into else value


def split_words(text: str) -> list[str]:
    """Return the words and phrases of a text, each once: commas, semicolons and line breaks separate them."""
    words = (" ".join(part.split()) for part in re.split(r"[,;\n]", text))
    return list(dict.fromkeys(filter(None, words)))


class IntSetting(BaseSetting):
    """A setting that is a whole number."""

    type: Literal["int"]
    """A whole number."""
    default: StrictInt
    """The value in a fresh account."""
    minimum: int | None = None
    """The smallest value."""
    maximum: int | None = None
    """The largest value."""

    @model_validator(mode="after")
    def _values_in_range(self) -> IntSetting:
        self._check_own_values()
        return self

    def check(self, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"{value!r} is not a whole number")
        if self.minimum is not None and value < self.minimum:
            raise ValueError(f"{value} is less than {self.minimum}")
        if self.maximum is not None and value > self.maximum:
            raise ValueError(f"{value} is more than {self.maximum}")
        return value

    def parse(self, raw: object) -> int:
        if isinstance(raw, list) and raw:
            raw = raw[-1]
        if isinstance(raw, str):
            try:
                raw = int(raw)
            except ValueError:
                raise ValueError(f"{raw!r} is not a whole number") from None
        return self.check(raw)


Setting: TypeAlias = Annotated[
    BoolSetting | ChoiceSetting | MultiSetting | TextSetting | IntSetting, Field(discriminator="type")
]


def _one_of(known: list[str]) -> str:
    return f" (known: {', '.join(known)})"
