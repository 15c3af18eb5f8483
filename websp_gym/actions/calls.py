"""Parser for the text of BrowserGym's actions: a list of calls with literal arguments, never executed as code.

It accepts what BrowserGym's own parser accepts (several calls in a row, comments, trailing commas). The text
comes from an agent: parsing time is linear in its length, and any error in it raises :class:`ActionError`.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import Any

from websp_gym.actions.reply import LONGEST_ACTION, bare
from websp_gym.errors import ActionError
from websp_gym.texts import encodable

Call = tuple[str, list[Any], dict[str, Any]]
"""Name, positional arguments and keyword arguments."""

_DEEPEST = 10
LARGEST_NUMBER = 1_000_000
"""No page needs larger numbers, and infinite or huge ones crash the browser's driver."""
# Possessive quantifiers throughout: no backtracking, so matching takes linear time.
_TOKEN = re.compile(
    r"""
      (?P<space> (?: \s++ | \#[^\n]*+ )++ )
    | (?P<string> \"{3} (?: [^"\\] | \\. | "(?!"") )*+ \"{3} | '{3} (?: [^'\\] | \\. | '(?!'') )*+ '{3}
                | " (?: [^"\\\n] | \\. )*+ " | ' (?: [^'\\\n] | \\. )*+ ' )
    | (?P<number> [+-]? (?: \d++ (?: \.\d*+ )?+ | \.\d++ ) (?: [eE][+-]?\d++ )?+ (?! \w ) )
    | (?P<name> [^\W\d]\w*+ )
    | (?P<mark> [][(){},:=] )
    """,
    re.VERBOSE | re.DOTALL,
)
_CONSTANTS = {"True": True, "False": False, "None": None}


def looks_like_calls(text: str) -> bool:
    """Whether a text looks like BrowserGym calls: it starts with a lower-case name and an opening bracket."""
    if not isinstance(text, str):
        return False
    name, bracket, _ = _unfenced(text).partition("(")
    letters = name.strip().replace("_", "")
    return bool(bracket) and letters.isascii() and letters.isalpha() and letters.islower()


def read_calls(text: str) -> list[Call]:
    """Parse a list of calls; the text may be in a code block.

    Raises:
        ActionError: The text is not a list of calls with literal arguments, or is longer than
            :data:`LONGEST_ACTION`.
    """
    if len(text) > LONGEST_ACTION:
        raise ActionError(
            f"the action has {len(text):,} characters; expected at most {LONGEST_ACTION:,}", action=text[:200]
        )
    reader = _Reader(_unfenced(text))
    calls = []
    while reader.kind:
        calls.append(reader.call())
    if not calls:
        raise ActionError("an empty action", action=text[:200])
    return calls


def format_call(call: Call) -> str:
    """Return a call as text, which :func:`read_calls` parses."""
    name, positional, named = call
    values = [*map(repr, positional), *(f"{key}={value!r}" for key, value in named.items())]
    return f"{name}({', '.join(values)})"


def _unfenced(text: str) -> str:
    """Return the text without code block fences, even if one of the two is missing."""
    return bare(text).removeprefix("```").removeprefix("python").removesuffix("```").strip()


class _Reader:
    """A parser that reads one token at a time. ``kind`` and ``token`` are the next token, empty at the end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._begins = self._ends = 0
        self._depth = 0
        self.kind = self.token = ""
        self._advance()

    def call(self) -> Call:
        name = self._name()
        positional: list[Any] = []
        named: dict[str, Any] = {}
        for _ in self._items("(", ")"):
            if self.kind == "name" and self.token not in _CONSTANTS:
                key = self._name()
                self._take("=")
                if key in named:
                    raise self._error(f"{key} is given twice")
                named[key] = self._value()
            elif named:
                raise self._error("a positional argument follows a named one")
            else:
                positional.append(self._value())
        return name, positional, named

    def _value(self) -> Any:
        match self.token:
            case "[":
                return [self._value() for _ in self._items("[", "]")]
            case "(":
                return tuple(self._value() for _ in self._items("(", ")"))
            case "{":
                return dict(self._pair() for _ in self._items("{", "}"))
        return self._literal()

    def _pair(self) -> tuple[Any, Any]:
        if self.kind != "string":
            raise self._error("expected a text in quotes")
        key = self._literal()
        self._take(":")
        return key, self._value()

    def _literal(self) -> Any:
        try:
            value = _literal(self.kind, self.token)
        except ValueError as error:
            raise self._error(str(error)) from error
        self._advance()
        return value

    def _items(self, opening: str, closing: str) -> Iterator[None]:
        """Yield once for each item between two brackets; the caller reads the item."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error(f"brackets are nested more than {_DEEPEST} deep")
        self._take(opening)
        while self.token != closing:
            yield
            if self.token != closing:
                self._take(",")
        self._advance()
        self._depth -= 1

    def _name(self) -> str:
        if self.kind != "name":
            raise self._error("expected the name of an action")
        name = self.token
        self._advance()
        return name

    def _take(self, mark: str) -> None:
        if self.token != mark:
            raise self._error(f"expected {mark!r}")
        self._advance()

    def _advance(self) -> None:
        self._begins = self._ends
        self.kind = self.token = ""
        if self._ends == len(self._text):
            return
        found = _TOKEN.match(self._text, self._ends)
        if found is None:
            raise self._error("an unexpected character, or a quote that is not closed")
        self._ends = found.end()
        if found.lastgroup == "space":
            self._advance()
        else:
            self.kind, self.token = str(found.lastgroup), found.group()

    def _error(self, what: str) -> ActionError:
        return ActionError(
            f"not a list of BrowserGym calls: {what} (at character {self._begins + 1})",
            action=self._text[:200],
        )


def _literal(kind: str, token: str) -> Any:
    """Return the value of a token; raise ValueError if it has none."""
    if kind == "string":
        return _string(token)
    if kind == "number":
        number = float(token)
        if not abs(number) <= LARGEST_NUMBER:
            raise ValueError(f"expected a number from -{LARGEST_NUMBER:,} to {LARGEST_NUMBER:,}")
        return number if any(sign in token for sign in ".eE") else int(token)
    if token in _CONSTANTS:
        return _CONSTANTS[token]
    raise ValueError("expected a text in quotes, a number, a list, True, False or None")


def _string(token: str) -> str:
    with warnings.catch_warnings():
        # Agents write invalid escape sequences, which Python warns about and keeps unchanged.
        warnings.simplefilter("ignore")
        try:
            text = str(ast.literal_eval(token))
        except (SyntaxError, ValueError) as error:
            raise ValueError(f"this text cannot be read; write a backslash twice ({error})") from error
    if encodable(text) != text:
        raise ValueError("a lone surrogate is not a character")
    return text
