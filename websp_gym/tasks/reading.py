"""Reading a YAML file into a model, with errors that name the line, the key and the problem."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from websp_gym.errors import SetupError, nearest
from websp_gym.sandbox.schema.strict_yaml import StrictLoader
from websp_gym.tasks.ids import read_config

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_AnyModel = TypeVar("_AnyModel", bound=BaseModel)


def read_model(path: Path, model: type[_AnyModel], *, keys: Collection[str]) -> _AnyModel:
    """Load a YAML file into a pydantic model. ``keys`` are the known keys, for suggestions in an error.

    Raises:
        SetupError: The file is not valid YAML or does not fit the model. The message names file, line and
            key.
    """
    text = read_config(path)
    try:
        node = yaml.compose(text, Loader=_Loader)
        return model.model_validate(yaml.load(text, Loader=StrictLoader))
    except (yaml.YAMLError, RecursionError) as error:
        raise SetupError(f"{path}: not valid YAML: {error}", path=str(path)) from error
    except ValidationError as error:
        raise SetupError(_explain(path, node, error, keys), path=str(path)) from error


def _explain(path: Path, node: Any, error: ValidationError, keys: Collection[str]) -> str:
    lines = []
    problems = error.errors()
    for problem in problems:
        place = problem["loc"]
        if problem["type"] == "too_short" and any(
            len(other["loc"]) > len(place) and other["loc"][: len(place)] == place for other in problems
        ):
            continue  # the list is too short only because an entry is invalid, which is reported itself
        where = ".".join(str(part) for part in problem["loc"])
        line = _line_of(node, problem["loc"])
        lines.append(": ".join(part for part in (f"{path}:{line}", where, _in_words(problem, keys)) if part))
    return "\n".join(lines)


def _in_words(problem: ErrorDetails, keys: Collection[str]) -> str:
    """Return what is wrong in the terms of the file, not of pydantic."""
    facts = problem.get("ctx", {})
    match problem["type"]:
        case "extra_forbidden":
            return f"there is no such key{nearest(str(problem['loc'][-1]), list(keys))}"
        case "missing":
            return "this key is missing"
        case "too_short" | "string_too_short":
            return f"needs at least {facts['min_length']}, but has {facts.get('actual_length', 0)}"
        case "literal_error":
            known = re.findall(r"'([^']*)'", facts["expected"])
            return f"must be {facts['expected']}, not {problem['input']!r}{nearest(str(problem['input']), known)}"
        case "model_type" | "model_attributes_type" | "dict_type":
            return "must have keys and values"
        case "tuple_type" | "list_type":
            return "must be a list"
        case "value_error":
            return str(facts["error"])
    return problem["msg"].replace("Input should be", "must be")


def _line_of(node: Any, location: tuple[int | str, ...]) -> int:
    """Return the line of a validation error: follow its location down the YAML tree as far as possible."""
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
            continue  # a label that pydantic adds to the location
        node = found
    return int(line) + 1
