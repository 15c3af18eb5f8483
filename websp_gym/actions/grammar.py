"""Text to :class:`Action` and back: the eleven actions of the paper (section 3.2, appendix E.1).

The table :data:`ACTIONS` is the only list of them: parser, error messages and prompts are made from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from websp_gym.errors import ActionError, nearest

Kind = Literal[
    "Click",
    "Hover",
    "Type",
    "Scroll",
    "Scroll_to_end",
    "Scroll_within_popup",
    "Switch_tab",
    "Wait",
    "GoBack",
    "Google",
    "ANSWER",
]
Direction = Literal["up", "down", "left", "right"]
DIRECTIONS: tuple[Direction, ...] = ("up", "down", "left", "right")


@dataclass(frozen=True)
class ActionSpec:
    """One kind of action: its name, how it is written, what it does, and whether it counts against the limit."""

    kind: Kind
    syntax: str
    meaning: str
    example: str
    pattern: re.Pattern[str]
    free: bool = False


@dataclass(frozen=True)
class Action:
    """One parsed action.

    Args:
        kind: Which of the eleven.
        number: The mark it acts on; ``None`` where there is none or the whole window is meant.
        text: What to type or answer, or the URL of the tab.
        direction: Where to scroll.
    """

    kind: Kind
    number: int | None = None
    text: str | None = None
    direction: Direction | None = None

    @property
    def free(self) -> bool:
        """Whether the action does not count against ``max_actions`` (scrolling and waiting, section 5.1)."""
        return _BY_KIND[self.kind].free


def _pattern(body: str) -> re.Pattern[str]:
    return re.compile(body, re.DOTALL | re.IGNORECASE)


_NUMBER = r"\s*\[?\s*(?P<number>\d{1,9})\s*\]?"
_DIRECTION = r"\s*;\s*\[?\s*(?P<direction>up|down|left|right)\s*\]?"

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "Click",
        "Click [Numerical_Label]",
        "click the element; a link may open a new tab, which then becomes the current one",
        "Click [7]",
        _pattern(rf"Click{_NUMBER}"),
    ),
    ActionSpec(
        "Hover",
        "Hover [Numerical_Label]",
        "move the pointer over the element without clicking, for menus and hints that open that way",
        "Hover [3]",
        _pattern(rf"Hover{_NUMBER}"),
    ),
    ActionSpec(
        "Type",
        "Type [Numerical_Label]; [Content]",
        "replace the field's content with this text (empty content clears it); Enter is not pressed",
        "Type [12]; privacy settings",
        _pattern(rf"Type{_NUMBER}\s*(?:;[ \t]?(?P<text>.*))?"),
    ),
    ActionSpec(
        "Scroll",
        "Scroll [Numerical_Label or WINDOW]; [up or down or left or right]",
        "scroll the window, or the box around the element, by two thirds of its size",
        "Scroll [WINDOW]; down",
        _pattern(rf"Scroll\s*\[?\s*(?:(?P<number>\d{{1,9}})|WINDOW)\s*\]?{_DIRECTION}"),
        free=True,
    ),
    ActionSpec(
        "Scroll_to_end",
        "Scroll_to_end",
        "scroll to the bottom of the page",
        "Scroll_to_end",
        _pattern(r"Scroll_to_end"),
        free=True,
    ),
    ActionSpec(
        "Scroll_within_popup",
        "Scroll_within_popup; [up or down or left or right]",
        "scroll inside the topmost dialog or popup",
        "Scroll_within_popup; down",
        _pattern(rf"Scroll_within_popup{_DIRECTION}"),
        free=True,
    ),
    ActionSpec(
        "Switch_tab",
        "Switch_tab [URL]",
        "go to another open tab, named by its URL",
        "Switch_tab [https://www.google.com/]",
        _pattern(r"Switch_tab\s*(?P<text>\[\s*\S+\s*\]|\S+)"),
    ),
    ActionSpec(
        "Wait",
        "Wait",
        "give the page up to five seconds to finish what it is doing",
        "Wait",
        _pattern(r"Wait"),
        free=True,
    ),
    ActionSpec("GoBack", "GoBack", "go back to the previous page", "GoBack", _pattern(r"GoBack")),
    ActionSpec("Google", "Google", "go to the Google search page", "Google", _pattern(r"Google")),
    ActionSpec(
        "ANSWER",
        "ANSWER; [content]",
        "end the task and report; use it once everything is done",
        "ANSWER; done",
        _pattern(r"ANSWER\s*(?:;[ \t]*(?P<text>.*))?"),
    ),
)

_BY_KIND = {spec.kind: spec for spec in ACTIONS}
_ACTION_LABEL = re.compile(r"^[ \t]*\**Action\**[ \t]*:[ \t]*\**", re.MULTILINE | re.IGNORECASE)
_THOUGHT = re.compile(r"^[ \t]*\**Thought\**[ \t]*:[ \t]*\**(?P<thought>.*?)(?=^[ \t]*\**Action\**[ \t]*:|\Z)",
                      re.MULTILINE | re.IGNORECASE | re.DOTALL)  # fmt: skip


def parse_action(text: str) -> Action:
    """Reads one action.

    Args:
        text: An action such as ``Click [7]``, or a whole reply ``Thought: … Action: …``; then the part behind
            the last ``Action:`` at the start of a line counts.

    Returns:
        The action.

    Raises:
        ActionError: The text is none of the eleven actions; the message says what was expected.
    """
    if not isinstance(text, str):
        raise ActionError(f"an action is a text, not {type(text).__name__}", action=repr(text)[:200])
    body = _ACTION_LABEL.split(text)[-1].strip()
    for spec in ACTIONS:
        found = spec.pattern.fullmatch(body)
        if found:
            return _build(spec.kind, found.groupdict())
    raise ActionError(_explain(body), action=text[:200])


def thought_of(text: str) -> str:
    """The thought in a ``Thought: … Action: …`` reply.

    Args:
        text: The agent's reply.

    Returns:
        The thought, or an empty string when there is none.
    """
    found = _THOUGHT.search(text)
    return found["thought"].strip() if found else ""


def format_action(action: Action) -> str:
    """Writes an action as the text :func:`parse_action` reads.

    Args:
        action: The action.

    Returns:
        One line of text (an answer or typed text keeps its own line breaks).
    """
    match action.kind:
        case "Click" | "Hover":
            return f"{action.kind} [{action.number}]"
        case "Type":
            return f"Type [{action.number}]; {_bracketed(action.text)}"
        case "Scroll":
            where = "WINDOW" if action.number is None else action.number
            return f"Scroll [{where}]; {action.direction}"
        case "Scroll_within_popup":
            return f"Scroll_within_popup; {action.direction}"
        case "Switch_tab":
            return f"Switch_tab [{action.text}]"
        case "ANSWER":
            return f"ANSWER; {_bracketed(action.text)}"
        case _:
            return action.kind


def _build(kind: Kind, parts: dict[str, str | None]) -> Action:
    number = parts.get("number")
    direction = parts.get("direction")
    text = parts.get("text")
    return Action(
        kind=kind,
        number=int(number) if number is not None else None,
        text=_unbracketed(text or "") if kind in ("Type", "ANSWER", "Switch_tab") else None,
        direction=next((known for known in DIRECTIONS if known == str(direction).lower()), None),
    )


def _unbracketed(text: str) -> str:
    """Text without the square brackets the syntax shows around it, if some agent copied them."""
    depth = 0
    for place, character in enumerate(text):
        depth += {"[": 1, "]": -1}.get(character, 0)
        if depth == 0:
            whole = place == len(text) - 1 and text.startswith("[")
            return text[1:-1].strip() if whole else text
    return text


def _bracketed(text: str | None) -> str:
    """Text that :func:`_unbracketed` gives back as it was."""
    return text if text and _unbracketed(text) == text else f"[{text}]" if text else ""


def _explain(body: str) -> str:
    shown = body if len(body) <= 80 else body[:77] + "..."
    word = re.match(r"\w*", body)
    first = word.group() if word else ""
    for spec in ACTIONS:
        if first.lower() == spec.kind.lower():
            return f"could not read {shown!r}; expected: {spec.syntax}, for example: {spec.example}"
    names = [spec.kind for spec in ACTIONS]
    return f"no such action: {shown!r}{nearest(first, list(names))}; expected one of: {', '.join(names)}"
