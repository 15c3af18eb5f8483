"""The statements of a script as data, never executed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Unreadable:
    """An expression that is not a literal: a variable from outside, a computed text."""

    source: str


@dataclass(frozen=True)
class Pattern:
    """A regular expression."""

    source: str


@dataclass(frozen=True)
class Call:
    """One link of a chain: ``.name`` where ``arguments`` is None, else ``.name(arguments)``."""

    name: str
    arguments: tuple[Value, ...] | None = None
    options: dict[str, Value] = field(default_factory=dict)

    def text(self, at: int = 0) -> str | None:
        """Return the text argument at a position; None for anything else."""
        found = self.argument(at)
        return found if isinstance(found, str) else None

    def argument(self, at: int) -> Value:
        """Return the argument at a position; None if there is none."""
        arguments = self.arguments or ()
        return arguments[at] if at < len(arguments) else None


@dataclass(frozen=True)
class Chain:
    """``root.a.b(1)``: the name it begins with, and what follows."""

    root: str
    calls: tuple[Call, ...] = ()

    @property
    def last(self) -> Call:
        """The last link; one without a name if the chain is only a name."""
        return self.calls[-1] if self.calls else Call("")


@dataclass(frozen=True)
class ScriptFunction:
    """A function written in place: its statements."""

    body: tuple[Statement, ...]


Value = (
    str
    | int
    | float
    | bool
    | None
    | tuple["Value", ...]
    | dict[str, "Value"]
    | Pattern
    | Chain
    | ScriptFunction
    | Unreadable
)


@dataclass(frozen=True)
class Statement:
    """A statement with its line."""

    line: int
    value: Value = None
    """Its expression; for an unreadable statement, ``Unreadable`` with its first words."""
    names: tuple[str, ...] = ()
    """Names that it is assigned to."""
    body: tuple[Statement, ...] = ()
    """Statements inside it, as in a ``with`` or a function."""
    function: str | None = None
    """Name of the function that it defines."""


def all_statements(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    """Yield the statements and those inside them, including functions passed as arguments."""
    for statement in statements:
        yield statement
        yield from all_statements(statement.body)
        yield from _in_value(statement.value)


def _in_value(value: Value) -> Iterator[Statement]:
    if isinstance(value, ScriptFunction):
        yield from all_statements(value.body)
    elif isinstance(value, Chain):
        for call in value.calls:
            for argument in (*(call.arguments or ()), *call.options.values()):
                yield from _in_value(argument)
