"""An agent's reply taken apart: the thought, and what stands behind each ``Action:``.

Everything here takes time in proportion to the text. There are no regular expressions: the text is an agent's, and it
may be made to keep one busy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from websp_gym.errors import ActionError
from websp_gym.texts import shortened

LONGEST_ACTION = 10_000
"""Most characters of an action: what stands behind ``Action:``, or the whole text where there is no such label."""

Found = TypeVar("Found")
_MARKS = ("```", "**", "`", '"', "'")


@dataclass(frozen=True)
class Parts:
    """The parts of a reply.

    Args:
        thought: What stands behind ``Thought:``; may be empty.
        actions: What stands behind each ``Action:`` at the start of a line, without Markdown or quotes around it.
    """

    thought: str
    actions: tuple[str, ...]


def split_reply(text: str) -> Parts:
    """Takes a reply ``Thought: … Action: …`` apart.

    Args:
        text: The reply.

    Returns:
        Its parts.
    """
    sections = _sections(text)
    thought = next((part.text() for part in sections if part.name == "thought"), "")
    return Parts(thought, tuple(bare(part.text()) for part in sections if part.name == "action"))


def bare(text: str) -> str:
    """The action without the Markdown or the quotes that some models put around it.

    Args:
        text: An action, possibly in a code block, in bold or in quotes.

    Returns:
        What stands in them.
    """
    text = text.strip()
    for mark in _MARKS:
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark):
            text = text[len(mark) : -len(mark)]
            text = (_without_language(text) if mark == "```" else text).strip()
    return text


def one_of(texts: Iterable[str], read: Callable[[str], Found]) -> Found | None:
    """Reads the actions of a reply, which must all be the same.

    Args:
        texts: What stands behind each ``Action:``.
        read: Reads one.

    Returns:
        What it reads; None where there are no texts.

    Raises:
        ActionError: Two of them differ, or one cannot be read.
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
    """What is kept of an agent's text in observations and records.

    Args:
        text: An action or a whole reply.

    Returns:
        The text itself, or where it is very long the beginnings of its last action and of what stands before it.
    """
    if len(text) <= LONGEST_ACTION:
        return text
    lines = text.split("\n")
    last = max((number for number, line in enumerate(lines) if _label(line)[0] == "action"), default=0)
    parts = [lines[:last], lines[last:]] if last else [lines]
    return "\n".join(shortened("\n".join(part), LONGEST_ACTION) for part in parts)


@dataclass(frozen=True)
class _Section:
    """A label and the lines up to the next one; ``bold`` where the label opens bold type that the text must close."""

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
    """The label a line begins with, whether it leaves bold type open, and what follows it."""
    head, colon, rest = line.partition(":")
    name = head.strip(" \t*").lower() if colon else ""
    if name not in ("action", "thought"):
        return "", False, line
    rest = rest.lstrip(" \t")
    plain = rest.lstrip("*")
    return name, (head.count("*") + len(rest) - len(plain)) % 4 == 2, plain


def _without_language(text: str) -> str:
    """The inside of a code block without the name of a language on its first line."""
    first, end, more = text.partition("\n")
    return more if end and first.strip().isalpha() and more.strip() else text
