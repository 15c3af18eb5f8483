"""Tables of the package in YAML, and a user's file of the same form that a variable names."""

from __future__ import annotations

import re
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Generic, TypeVar

import yaml
from pydantic import AfterValidator, TypeAdapter, ValidationError

from websp_gym.errors import SetupError
from websp_gym.sandbox.schema.strict_yaml import StrictLoader
from websp_gym.texts import decoded

Content = TypeVar("Content")


def _regex(value: str) -> str:
    try:
        re.compile(value)
    except re.error as error:
        raise ValueError(f'"{value}" is not a regular expression: {error}') from None
    return value


Pattern = Annotated[str, AfterValidator(_regex)]
"""A regular expression in a file."""


class ModelTable(Generic[Content]):
    """A table of the package.

    Args:
        kind: Type of its content.
        file: Name of its file in this package.
        variable: Variable that names a user's file.
        what: What such a file is, for messages.
    """

    def __init__(self, kind: type[Content], file: str, variable: str, what: str) -> None:
        self._adapter: TypeAdapter[Content] = TypeAdapter(kind)
        self._file, self._variable, self._what = file, variable, what

    @cached_property
    def _own(self) -> Content:
        return self._parse(files("websp_gym.models").joinpath(self._file).read_text(encoding="utf-8"))

    def _parse(self, text: str) -> Content:
        return self._adapter.validate_python(yaml.load(text, StrictLoader))

    def read(self, path: str | None) -> list[Content]:
        """Return the content of a user's file, if one is given, and that of the package.

        Raises:
            SetupError: The user's file is missing or is not such a table.
        """
        return [self._own] if path is None else [self._read(path), self._own]

    def _read(self, path: str) -> Content:
        try:
            return self._parse(decoded(Path(path).read_bytes()))
        except OSError as error:
            raise self._error(f"{path}: {error.strerror}") from None
        except (yaml.YAMLError, UnicodeDecodeError, ValidationError) as error:
            reason = " ".join(str(error).split())[:300]
            raise self._error(f"{path} is not {self._what}: {reason}") from None

    def _error(self, text: str) -> SetupError:
        return SetupError(f"{self._variable}={text}", variable=self._variable)
