"""Options that are declared together: each field of a dataclass is an option of the command that takes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints


def with_groups(command: Callable[..., int]) -> Callable[..., int]:
    """Make each field of a command's dataclass parameters an option of the command.

    Args:
        command: A command as Typer takes it. Parameters whose type is a dataclass have no default; the fields of
            such a dataclass are annotated as parameters of a command are, and have one.

    Returns:
        The command with the fields in place of those parameters; their order is that of the help.
    """
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    options = {name: list(_options(group)) for name, group in groups.items()}
    flat: list[Parameter] = []
    for own in signature(command).parameters.values():
        flat += options.get(own.name, [own.replace(annotation=hints[own.name])])

    @wraps(command)
    def grouped(**given: Any) -> int:
        made = {
            name: group(**{option.name: given.pop(option.name) for option in options[name]})
            for name, group in groups.items()
        }
        return command(**given, **made)

    grouped.__signature__ = Signature(flat)  # type: ignore[attr-defined]
    grouped.__annotations__ = {one.name: one.annotation for one in flat}
    return grouped


def _options(group: Any) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        if field.init:
            yield Parameter(
                field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hints[field.name]
            )
