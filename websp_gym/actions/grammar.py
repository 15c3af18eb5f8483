"""Text to :class:`Action` and back: the eleven actions of the paper (section 3.2, appendix E.1).

The table :data:`ACTIONS` is the only list of them: parser, error messages and prompts are made from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from string import ascii_letters
from typing import Any, Literal

from websp_gym.actions.reply import LONGEST_ACTION, bare, one_of, split_reply
from websp_gym.errors import ActionError, nearest
from websp_gym.texts import shortened

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
Fields = dict[str, Any]
_LONGEST_NUMBER = 9
"""Digits of a mark's number."""


@dataclass(frozen=True)
class ActionSpec:
    """One kind of action: its name, how it is written, what it does, and whether it counts against the limit.

    ``read`` reads what stands behind the name into the fields of the action; None where it is not as it should be.
    """

    kind: Kind
    syntax: str
    meaning: str
    example: str
    read: Callable[[str], Fields | None]
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


def _nothing(rest: str) -> Fields | None:
    return None if rest.strip() else {}


def _mark(rest: str) -> Fields | None:
    digits = _inside(rest)
    return {"number": int(digits)} if digits.isdecimal() and len(digits) <= _LONGEST_NUMBER else None


def _mark_and_text(rest: str) -> Fields | None:
    before, semicolon, text = rest.partition(";")
    mark = _mark(before)
    # Without the semicolon it may have been cut off: that is no reason to empty a field.
    return {**mark, "text": _unbracketed(text[text[:1] in (" ", "\t") :])} if mark and semicolon else None


def _place_and_direction(rest: str) -> Fields | None:
    before, semicolon, after = rest.partition(";")
    mark = {"number": None} if _inside(before).lower() == "window" else _mark(before)
    direction = _direction(semicolon + after)
    return {**mark, **direction} if mark and direction else None


def _direction(rest: str) -> Fields | None:
    before, _, after = rest.partition(";")
    known = _inside(after).lower()
    return {"direction": known} if known in DIRECTIONS and not before.strip() else None


def _url(rest: str) -> Fields | None:
    url = _unbracketed(rest.strip())
    return {"text": url} if len(url.split()) == 1 else None


def _answer(rest: str) -> Fields | None:
    before, _, text = rest.partition(";")
    return None if before.strip() else {"text": shortened(_unbracketed(text.lstrip(" \t")), LONGEST_ACTION)}


def _inside(text: str) -> str:
    """A number or a word without its square brackets."""
    return text.strip().removeprefix("[").removesuffix("]").strip()


def _unbracketed(text: str) -> str:
    """Text without the square brackets the syntax shows around it, if some agent copied them."""
    if not (text.startswith("[") and text.endswith("]")):
        return text
    depth = 0
    for place, character in enumerate(text):
        depth += {"[": 1, "]": -1}.get(character, 0)
        if depth == 0:
            return text[1:-1].strip() if place == len(text) - 1 else text
    return text


ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "Click",
        "Click [Numerical_Label]",
        "click the element; a link may open a new tab, which then becomes the current one",
        "Click [7]",
        _mark,
    ),
    ActionSpec(
        "Hover",
        "Hover [Numerical_Label]",
        "move the pointer over the element without clicking, for menus and hints that open that way",
        "Hover [3]",
        _mark,
    ),
    ActionSpec(
        "Type",
        "Type [Numerical_Label]; [Content]",
        "replace the field's content with this text (empty content clears it); Enter is not pressed",
        "Type [12]; privacy settings",
        _mark_and_text,
    ),
    ActionSpec(
        "Scroll",
        "Scroll [Numerical_Label or WINDOW]; [up or down or left or right]",
        "scroll the window, or the box around the element, by two thirds of its size",
        "Scroll [WINDOW]; down",
        _place_and_direction,
        free=True,
    ),
    ActionSpec(
        "Scroll_to_end",
        "Scroll_to_end",
        "scroll to the bottom of the page",
        "Scroll_to_end",
        _nothing,
        free=True,
    ),
    ActionSpec(
        "Scroll_within_popup",
        "Scroll_within_popup; [up or down or left or right]",
        "scroll inside the topmost dialog or popup",
        "Scroll_within_popup; down",
        _direction,
        free=True,
    ),
    ActionSpec(
        "Switch_tab",
        "Switch_tab [URL]",
        "go to another open tab, named by its URL",
        "Switch_tab [https://www.google.com/]",
        _url,
    ),
    ActionSpec(
        "Wait",
        "Wait",
        "give the page up to five seconds to finish what it is doing",
        "Wait",
        _nothing,
        free=True,
    ),
    ActionSpec("GoBack", "GoBack", "go back to the previous page", "GoBack", _nothing),
    ActionSpec("Google", "Google", "go to the Google search page", "Google", _nothing),
    ActionSpec(
        "ANSWER",
        "ANSWER; [content]",
        "end the task and report; use it once everything is done",
        "ANSWER; done",
        _answer,
    ),
)

_BY_KIND = {spec.kind: spec for spec in ACTIONS}
_BY_NAME = {spec.kind.lower(): spec for spec in ACTIONS}
_LETTERS = f"{ascii_letters}_"


def parse_action(text: str) -> Action:
    """Reads one action.

    Args:
        text: An action such as ``Click [7]``, or a whole reply ``Thought: … Action: …``; then what stands behind
            ``Action:`` at the start of a line counts. Quotes, bold type and a code block around it are left out.

    Returns:
        The action. An answer longer than :data:`LONGEST_ACTION` is cut, and says so.

    Raises:
        ActionError: The text is none of the eleven actions, longer than :data:`LONGEST_ACTION`, or has two different
            ones; the message says what was expected.
    """
    if not isinstance(text, str):
        raise ActionError(f"an action is a text, not {type(text).__name__}", action=repr(text)[:200])
    return one_of(split_reply(text).actions, _read) or _read(bare(text))


def thought_of(text: str) -> str:
    """The thought in a ``Thought: … Action: …`` reply.

    Args:
        text: The agent's reply.

    Returns:
        The thought, or an empty string when there is none.
    """
    return split_reply(text).thought


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


def _read(body: str) -> Action:
    rest = body.lstrip(_LETTERS)
    name = body[: len(body) - len(rest)]
    spec = _BY_NAME.get(name.lower())
    if len(body) > LONGEST_ACTION and (spec is None or spec.kind != "ANSWER"):
        raise ActionError(
            f"the action has {len(body):,} characters; expected at most {LONGEST_ACTION:,}", action=body[:200]
        )
    fields = spec.read(rest) if spec else None
    if spec is None or fields is None:
        raise ActionError(_explain(body, name, spec), action=body[:200])
    return Action(spec.kind, **fields)


def _bracketed(text: str | None) -> str:
    """Text that :func:`_unbracketed` gives back as it was."""
    return text if text and _unbracketed(text) == text else f"[{text}]" if text else ""


def _explain(body: str, name: str, spec: ActionSpec | None) -> str:
    shown = body if len(body) <= 80 else body[:77] + "..."
    if spec:
        return f"could not read {shown!r}; expected: {spec.syntax}, for example: {spec.example}"
    names = [spec.kind for spec in ACTIONS]
    return f"no such action: {shown!r}{nearest(name[:80], list(names))}; expected one of: {', '.join(names)}"
