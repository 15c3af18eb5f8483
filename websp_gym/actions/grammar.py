"""Text to :class:`Action` and back, by the one table :data:`ACTIONS`.

One call of :func:`register_action` adds an action; parser, error messages, prompts and docs are made from the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from string import ascii_letters
from typing import TYPE_CHECKING, Any, Literal

from websp_gym.actions.reply import LONGEST_ACTION, bare, one_of, split_reply
from websp_gym.errors import ActionError, nearest
from websp_gym.texts import shortened

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs
    from websp_gym.observation.marks import Marks

Direction = Literal["up", "down", "left", "right"]
DIRECTIONS: tuple[Direction, ...] = ("up", "down", "left", "right")
Fields = dict[str, Any]
_LONGEST_NUMBER = 9
"""Digits of a mark's number."""
_LETTERS = f"{ascii_letters}_"


@dataclass(frozen=True)
class Action:
    """One parsed action.

    Args:
        kind: The name of its row in :data:`ACTIONS`.
        number: The mark it acts on; ``None`` where there is none or the whole window is meant.
        text: What to type or answer, or the URL of the tab.
        direction: Where to scroll.
    """

    kind: str
    number: int | None = None
    text: str | None = None
    direction: Direction | None = None

    @property
    def free(self) -> bool:
        """Whether the action does not count against ``max_actions`` (scrolling and waiting, section 5.1)."""
        return spec_of(self).free


@dataclass(frozen=True)
class Arguments:
    """How the part of an action behind its name is written and read.

    Args:
        syntax: The part as prompts and error messages show it.
        read: Turns the part into fields of :class:`Action`; None where it cannot be read.
        write: Turns an action's fields into the part.
        cut: Whether a text longer than :data:`LONGEST_ACTION` is cut instead of refused.
    """

    syntax: str
    read: Callable[[str], Fields | None]
    write: Callable[[Action], str]
    cut: bool = False


@dataclass(frozen=True)
class ActionSpec:
    """One kind of action.

    Args:
        kind: Its name, of letters and underscores; read in any case.
        arguments: What follows the name.
        meaning: What it does, for prompts and docs.
        example: A text that is read as this action.
        perform: Carries it out on the page; raises :class:`ActionError` where it cannot, having changed nothing.
        free: Whether it does not count against ``max_actions``.
    """

    kind: str
    arguments: Arguments
    meaning: str
    example: str
    perform: Callable[[Action, Tabs, Marks], None]
    free: bool = False

    @property
    def syntax(self) -> str:
        """How the action is written."""
        return f"{self.kind}{self.arguments.syntax}"


ACTIONS: list[ActionSpec] = []
"""Every action an agent can take; :func:`register_action` adds to it."""


def register_action(
    kind: str, arguments: Arguments, *, meaning: str, example: str, free: bool = False
) -> Callable[[Callable[[Action, Tabs, Marks], None]], ActionSpec]:
    """Add an action to :data:`ACTIONS`; decorates the function that performs it.

    Args:
        kind: Its name.
        arguments: What follows the name: one of the shapes below, or one of your own.
        meaning: What it does, for prompts and docs.
        example: A text that is read as this action.
        free: Whether it does not count against ``max_actions``.

    Returns:
        A decorator that returns the row of the table.

    Raises:
        ValueError: Another action has this name, or the example is not read as this action.
    """

    def add(perform: Callable[[Action, Tabs, Marks], None]) -> ActionSpec:
        if (taken := _named(kind)) is not None:
            raise ValueError(f'there is an action named "{taken.kind}" already')
        spec = ActionSpec(kind, arguments, meaning, example, perform, free)
        ACTIONS.append(spec)
        try:
            if parse_action(example).kind != kind:
                raise ActionError(f"{example!r} is another action")
        except ActionError as error:
            ACTIONS.remove(spec)
            raise ValueError(f"{example!r} is not an example of {spec.syntax}: {error}") from error
        return spec

    return add


def spec_of(action: Action) -> ActionSpec:
    """Return the row of :data:`ACTIONS` that an action belongs to."""
    spec = _named(action.kind)
    if spec is None:
        raise ActionError(_unknown(action.kind, action.kind), action=action.kind)
    return spec


def _named(name: str) -> ActionSpec | None:
    return next((spec for spec in ACTIONS if spec.kind.lower() == name.lower()), None)


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


def _bracketed(text: str | None) -> str:
    """Text that :func:`_unbracketed` gives back as it was."""
    return text if text and _unbracketed(text) == text else f"[{text}]" if text else ""


NOTHING = Arguments("", _nothing, lambda action: "")
MARK = Arguments(" [Numerical_Label]", _mark, lambda action: f" [{action.number}]")
MARK_AND_TEXT = Arguments(
    " [Numerical_Label]; [Content]",
    _mark_and_text,
    lambda action: f" [{action.number}]; {_bracketed(action.text)}",
)
PLACE_AND_DIRECTION = Arguments(
    " [Numerical_Label or WINDOW]; [up or down or left or right]",
    _place_and_direction,
    lambda action: f" [{'WINDOW' if action.number is None else action.number}]; {action.direction}",
)
DIRECTION = Arguments("; [up or down or left or right]", _direction, lambda action: f"; {action.direction}")
URL = Arguments(" [URL]", _url, lambda action: f" [{action.text}]")
ANSWER_TEXT = Arguments("; [content]", _answer, lambda action: f"; {_bracketed(action.text)}", cut=True)


def parse_action(text: str) -> Action:
    """Read one action.

    Args:
        text: An action such as ``Click [7]``, or a whole reply ``Thought: … Action: …``; then what stands behind
            ``Action:`` at the start of a line counts. Quotes, bold type and a code block around it are left out.

    Returns:
        The action. An answer longer than :data:`LONGEST_ACTION` is cut, and says so.

    Raises:
        ActionError: The text is no action of the table, longer than :data:`LONGEST_ACTION`, or has two different
            ones; the message says what was expected.
    """
    if not isinstance(text, str):
        raise ActionError(f"an action is a text, not {type(text).__name__}", action=repr(text)[:200])
    return one_of(split_reply(text).actions, _read) or _read(bare(text))


def thought_of(text: str) -> str:
    """Return the thought in a ``Thought: … Action: …`` reply.

    Args:
        text: The agent's reply.

    Returns:
        The thought, or an empty string when there is none.
    """
    return split_reply(text).thought


def format_action(action: Action) -> str:
    """Write an action as the text :func:`parse_action` reads.

    Args:
        action: The action.

    Returns:
        One line of text (an answer or typed text keeps its own line breaks).
    """
    spec = spec_of(action)
    return f"{spec.kind}{spec.arguments.write(action)}"


def _read(body: str) -> Action:
    rest = body.lstrip(_LETTERS)
    name = body[: len(body) - len(rest)]
    spec = _named(name)
    if len(body) > LONGEST_ACTION and not (spec and spec.arguments.cut):
        raise ActionError(
            f"the action has {len(body):,} characters; expected at most {LONGEST_ACTION:,}", action=body[:200]
        )
    fields = spec.arguments.read(rest) if spec else None
    if spec is None or fields is None:
        raise ActionError(_explain(body, name, spec), action=body[:200])
    return Action(spec.kind, **fields)


def _explain(body: str, name: str, spec: ActionSpec | None) -> str:
    shown = body if len(body) <= 80 else body[:77] + "..."
    if spec:
        return f"could not read {shown!r}; expected: {spec.syntax}, for example: {spec.example}"
    return _unknown(shown, name[:80])


def _unknown(shown: str, name: str) -> str:
    names = [spec.kind for spec in ACTIONS]
    return f"no such action: {shown!r}{nearest(name, names)}; expected one of: {', '.join(names)}"
