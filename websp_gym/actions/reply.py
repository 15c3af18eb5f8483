"""Split an agent's reply into its thought and the text after each ``Action:``.

The text comes from an agent and may be built to slow down the parser, so all code here takes linear time and
uses no regular expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from websp_gym.errors import ActionError
from websp_gym.texts import shortened

LONGEST_ACTION = 10_000
"""Maximum length in characters of an action: the text after ``Action:``, or the whole text without that label."""

Found = TypeVar("Found")
_MARKS = ("```", "**", "`", '"', "'")


@dataclass(frozen=True)
class Parts:
    """Parts of a reply.

    Args:
        thought: Text after ``Thought:``; may be empty.
        actions: Text after each ``Action:`` at the start of a line, without surrounding Markdown or quotes.
    """

    thought: str
    actions: tuple[str, ...]


def split_reply(text: str) -> Parts:
    """Split a reply ``Thought: … Action: …`` into its parts."""
    sections = _sections(text)
    thought = next((part.text() for part in sections if part.name == "thought"), "")
    return Parts(thought, tuple(bare(part.text()) for part in sections if part.name == "action"))


def bare(text: str) -> str:
    """Return an action without the code block, bold type or quotes that some models put around it."""
    text = text.strip()
    for mark in _MARKS:
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            text = text[len(mark) : -len(mark)]
            text = (_without_language(text) if mark == "```" else text).strip()
    return text


def one_of(texts: Iterable[str], read: Callable[[str], Found]) -> Found | None:
    """Parse the actions of a reply, which must all be the same.

    Args:
        texts: Text after each ``Action:``.
        read: Parses one action.

    Returns:
        The action; None if there are no texts.

    Raises:
        ActionError: Two actions differ, or one cannot be parsed.
    """
    found: Found | None = None
    for text in dict.fromkeys(texts):
        action = read(text)
        if found is not None and action != found:
            raise ActionError(
                "it has two different actions, and one can be done at a time", action=text[:200]
            )
        found = action
    return found


def kept(text: str) -> str:
    """Return the part of an agent's text that observations and records keep.

    This is the whole text, or, if it is very long, the start of its last action and of the text before that
    action.
    """
    if len(text) <= LONGEST_ACTION:
        return text
    lines = text.split("\n")
    last = max((number for number, line in enumerate(lines) if _label(line)[0] == "action"), default=0)
    parts = [lines[:last], lines[last:]] if last else [lines]
    return "\n".join(shortened("\n".join(part), LONGEST_ACTION) for part in parts)


@dataclass(frozen=True)
class _Section:
    """A label and the lines up to the next label; ``bold`` if the label opens bold type that the text must close."""

    name: str
    bold: bool
    lines: list[str]

    def text(self) -> str:
        text = "\n".join(self.lines).strip()
        return text.removesuffix("**").rstrip() if self.bold else text


def _sections(text: str) -> list[_Section]:
    sections = [_Section("", False, [])]
    for line in text.split("\n"):
        name, bold, rest = _label(line)
        if name == "action" or (name == "thought" and sections[-1].name != "thought"):
            sections.append(_Section(name, bold, [rest]))
        else:
            sections[-1].lines.append(line)
    return sections


def _label(line: str) -> tuple[str, bool, str]:
    """Return the label at the start of a line, whether it leaves bold type open, and the rest of the line."""
    head, colon, rest = line.partition(":")
    name = head.strip(" \t*").lower() if colon else ""
    if name not in ("action", "thought"):
        return "", False, line
    rest = rest.lstrip(" \t")
    plain = rest.lstrip("*")
    return name, (head.count("*") + len(rest) - len(plain)) % 4 == 2, plain


def _without_language(text: str) -> str:
    """Return the content of a code block without the language name on its first line."""
    first, end, more = text.partition("\n")
    return more if end and first.strip().isalpha() and more.strip() else text
