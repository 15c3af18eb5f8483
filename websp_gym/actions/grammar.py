"""Conversion between text and :class:`Action`, based on a table: :data:`ACTIONS` and :data:`UNLISTED`.

:func:`register_action` adds an action. The parser, error messages, prompts and docs all use this table.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from string import ascii_letters
from typing import TYPE_CHECKING, Any, Literal

from websp_gym.actions.reply import LONGEST_ACTION, bare, one_of, split_reply
from websp_gym.actions.spoken import REPORT_FORM
from websp_gym.errors import ActionError, nearest
from websp_gym.texts import shortened

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs
    from websp_gym.observation.marks import Marks

Direction = Literal["up", "down", "left", "right"]
DIRECTIONS: tuple[Direction, ...] = ("up", "down", "left", "right")
Fields = dict[str, Any]
_LONGEST_NUMBER = 9
"""Maximum number of digits of a mark's number."""
_LETTERS = f"{ascii_letters}_"


@dataclass(frozen=True)
class Action:
    """One parsed action.

    Args:
        kind: Name of its entry in the table.
        number: Number of the mark it acts on; None for an action without a mark or on the whole window.
        text: Text to type or answer, or the URL of the tab.
        direction: Scroll direction.
        accept: Answer to a native dialog: True for OK, False for Cancel.
    """

    kind: str
    number: int | None = None
    text: str | None = None
    direction: Direction | None = None
    accept: bool | None = None

    @property
    def free(self) -> bool:
        """Whether the action does not count against ``max_actions`` (scrolling and waiting, section 5.1)."""
        return spec_of(self).free


@dataclass(frozen=True)
class Arguments:
    """Syntax of an action's arguments: how they are parsed and formatted.

    Args:
        syntax: The arguments as shown in prompts and error messages.
        read: Parses the arguments into fields of :class:`Action`; returns None on a syntax error.
        write: Formats an action's fields as arguments.
        cut: Whether to cut a text longer than :data:`LONGEST_ACTION` instead of refusing it.
    """

    syntax: str
    read: Callable[[str], Fields | None]
    write: Callable[[Action], str]
    cut: bool = False


@dataclass(frozen=True)
class ActionSpec:
    """One kind of action.

    Args:
        kind: Name, of letters and underscores; matched case-insensitively.
        arguments: Syntax of the arguments.
        meaning: What the action does, for prompts and docs.
        example: Example text that parses as this action.
        perform: Performs the action on the page, or raises :class:`ActionError` without any change.
        free: Whether the action does not count against ``max_actions``.
    """

    kind: str
    arguments: Arguments
    meaning: str
    example: str
    perform: Callable[[Action, Tabs, Marks], None]
    free: bool = False

    @property
    def syntax(self) -> str:
        """Syntax of the action, for prompts and error messages."""
        return f"{self.kind}{self.arguments.syntax}"


ACTIONS: list[ActionSpec] = []
"""All actions that prompts list; :func:`register_action` adds to this list."""
UNLISTED: list[ActionSpec] = []
"""Further actions; the agent learns of each when it becomes available."""
USER_ACTIONS: list[ActionSpec] = []
"""Actions that speak to the user. They exist in episodes with policies only."""


def register_action(
    kind: str,
    arguments: Arguments,
    *,
    meaning: str,
    example: str,
    free: bool = False,
    table: list[ActionSpec] = ACTIONS,
) -> Callable[[Callable[[Action, Tabs, Marks], None]], ActionSpec]:
    """Return a decorator that adds an action to :data:`ACTIONS`; it decorates the function that performs the action.

    Args:
        kind: Name of the action.
        arguments: Syntax of the arguments: one of the constants of this module, or your own.
        meaning: What the action does, for prompts and docs.
        example: Example text that parses as this action.
        free: Whether the action does not count against ``max_actions``.
        table: Where it is listed. Prompts, docs and error messages list :data:`ACTIONS`. The agent does not
            know an action in :data:`UNLISTED` until a notice about the page names it.

    Returns:
        A decorator that returns the new entry of the table.

    Raises:
        ValueError: Another action has this name, or the example does not parse as this action.
    """

    def add(perform: Callable[[Action, Tabs, Marks], None]) -> ActionSpec:
        if (taken := _named(kind, to_user=True)) is not None:
            raise ValueError(f'there is already an action named "{taken.kind}"')
        spec = ActionSpec(kind, arguments, meaning, example, perform, free)
        table.append(spec)
        try:
            if parse_action(example, to_user=table is USER_ACTIONS).kind != kind:
                raise ActionError(f"{example!r} is another action")
        except ActionError as error:
            table.remove(spec)
            raise ValueError(f"{example!r} is not an example of {spec.syntax}: {error}") from error
        return spec

    return add


def spec_of(action: Action) -> ActionSpec:
    """Return the entry of an action in the table; raise ActionError for an unknown name."""
    spec = _named(action.kind, to_user=True)
    if spec is None:
        raise ActionError(_unknown(action.kind, action.kind, to_user=True), action=action.kind)
    return spec


def _named(name: str, *, to_user: bool) -> ActionSpec | None:
    known = (*ACTIONS, *UNLISTED, *(USER_ACTIONS if to_user else ()))
    return next((spec for spec in known if spec.kind.lower() == name.lower()), None)


def _nothing(rest: str) -> Fields | None:
    return None if rest.strip() else {}


def _mark(rest: str) -> Fields | None:
    digits = _inside(rest)
    return {"number": int(digits)} if digits.isdecimal() and len(digits) <= _LONGEST_NUMBER else None


def _mark_and_text(rest: str) -> Fields | None:
    before, semicolon, text = rest.partition(";")
    mark = _mark(before)
    # Without a semicolon the action may be cut off; do not clear the field.
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


def _dialog_answer(rest: str) -> Fields | None:
    before, _, after = rest.partition(";")
    word, semicolon, text = after.partition(";")
    accept = {"accept": True, "dismiss": False}.get(_inside(word).lower())
    if before.strip() or accept is None or (semicolon and not accept):
        return None
    return {"accept": accept, "text": _unbracketed(text.removeprefix(" ")) if semicolon else None}


def _write_dialog_answer(action: Action) -> str:
    text = f"; {_bracketed(action.text)}" if action.text is not None else ""
    return f"; {'accept' if action.accept else 'dismiss'}{text}"


def _url(rest: str) -> Fields | None:
    url = _unbracketed(rest.strip())
    return {"text": url} if len(url.split()) == 1 else None


def _answer(rest: str) -> Fields | None:
    before, _, text = rest.partition(";")
    return None if before.strip() else {"text": shortened(_unbracketed(text.lstrip(" \t")), LONGEST_ACTION)}


def _report(rest: str) -> Fields | None:
    fields = _answer(rest)
    return {"text": REPORT_FORM.written(fields["text"], {})} if fields else None


def _inside(text: str) -> str:
    """Return a number or a word without its square brackets."""
    return text.strip().removeprefix("[").removesuffix("]").strip()


def _unbracketed(text: str) -> str:
    """Return text without the enclosing square brackets that some agents copy from the syntax."""
    if not (text.startswith("[") and text.endswith("]")):
        return text
    depth = 0
    for place, character in enumerate(text):
        depth += {"[": 1, "]": -1}.get(character, 0)
        if depth == 0:
            return text[1:-1].strip() if place == len(text) - 1 else text
    return text


def _bracketed(text: str | None) -> str:
    """Return text in brackets if :func:`_unbracketed` would change it, so that it can be parsed back."""
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
DIALOG_ANSWER = Arguments("; [accept or dismiss]; [Content]", _dialog_answer, _write_dialog_answer)
URL = Arguments(" [URL]", _url, lambda action: f" [{action.text}]")
ANSWER_TEXT = Arguments("; [content]", _answer, lambda action: f"; {_bracketed(action.text)}", cut=True)
QUESTION = Arguments("; [question]", _answer, lambda action: f"; {_bracketed(action.text)}", cut=True)

REPORT_TEXT = Arguments(
    f"; [content] or {json.dumps(dict.fromkeys(REPORT_FORM.fields, '…'), ensure_ascii=False)}",
    _report,
    lambda action: f"; {_bracketed(action.text)}",
    cut=True,
)


def answer_with(text: str) -> str:
    """Return the ``ANSWER`` with a text, on one line: a later line could be read as an action."""
    return format_action(Action("ANSWER", text=" ".join(text.split())))


def parse_action(text: str, *, to_user: bool = False) -> Action:
    """Parse one action.

    Args:
        text: An action such as ``Click [7]``, or a whole reply ``Thought: … Action: …``, of which the text
            after ``Action:`` at the start of a line is used. Surrounding quotes, bold type and code fences
            are ignored.
        to_user: Whether there are actions that speak to the user, as in an episode with policies.

    Returns:
        The action. An answer longer than :data:`LONGEST_ACTION` is cut and marked as shortened.

    Raises:
        ActionError: The text is not a known action, is longer than :data:`LONGEST_ACTION`, or has two
            different actions. The message says what was expected.
    """
    if not isinstance(text, str):
        raise ActionError(f"an action is a text, not {type(text).__name__}", action=repr(text)[:200])
    read = partial(_read, to_user=to_user)
    return one_of(split_reply(text).actions, read) or read(bare(text))


def thought_of(text: str) -> str:
    """Return the thought in a ``Thought: … Action: …`` reply, or an empty string if there is none."""
    return split_reply(text).thought


def format_action(action: Action) -> str:
    """Return an action as text that :func:`parse_action` reads; multi-line text keeps its line breaks.

    A text with a line that begins with ``Action:`` is not read back: it looks like a second action.
    """
    spec = spec_of(action)
    return f"{spec.kind}{spec.arguments.write(action)}"


def _read(body: str, *, to_user: bool) -> Action:
    rest = body.lstrip(_LETTERS)
    name = body[: len(body) - len(rest)]
    spec = _named(name, to_user=to_user)
    if len(body) > LONGEST_ACTION and not (spec and spec.arguments.cut):
        raise ActionError(
            f"the action has {len(body):,} characters; expected at most {LONGEST_ACTION:,}", action=body[:200]
        )
    fields = spec.arguments.read(rest) if spec else None
    if spec is None or fields is None:
        raise ActionError(_explain(body, name, spec, to_user=to_user), action=body[:200])
    return Action(spec.kind, **fields)


def _explain(body: str, name: str, spec: ActionSpec | None, *, to_user: bool) -> str:
    shown = body if len(body) <= 80 else body[:77] + "..."
    if spec:
        return f"could not read {shown!r}; expected: {spec.syntax}, for example: {spec.example}"
    return _unknown(shown, name[:80], to_user=to_user)


def _unknown(shown: str, name: str, *, to_user: bool) -> str:
    names = [spec.kind for spec in (*ACTIONS, *(USER_ACTIONS if to_user else ()))]
    return f"no such action: {shown!r}{nearest(name, names)}; expected one of: {', '.join(names)}"
