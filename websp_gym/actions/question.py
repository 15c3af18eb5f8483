"""A request for consent in named parts: what to do, to which things, and to which value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from websp_gym.errors import ActionError, nearest

KINDS = (
    "visit", "change", "add", "remove", "edit", "press", "agree_to",
    "buy", "publish", "close_account", "change_sign_in",
)  # fmt: skip
"""The kinds of things to ask consent for."""
WITHOUT_A_THING = ("buy", "publish", "close_account", "change_sign_in")
"""The kinds that need no ``what``: deeds, which are the same whatever they are done to."""
EXAMPLE = '{"consent": "remove", "what": "token ci-bot"}'
_KEYS = ("consent", "what", "to")


@dataclass(frozen=True)
class ConsentQuestion:
    """A request for consent.

    Args:
        kind: One of :data:`KINDS`.
        what: The names of the things.
        to: The new value: true or false, ``on`` or ``off``, or the label of a choice; ``None`` for any.
    """

    kind: str
    what: tuple[str, ...]
    to: bool | str | None = None


def question_text(question: str | None = None, **parts: Any) -> str:
    """Return a question as the text of the action ``ASK``: its words, or its parts as JSON.

    Args:
        question: The question in words.
        parts: Instead of words: ``consent``, ``what`` and ``to``.

    Raises:
        ActionError: Both words and parts are given, or neither, or a part is wrong.
    """
    given = {name: part for name, part in parts.items() if part is not None}
    if given and question:
        raise _wrong("give either a question in words or its parts")
    if not given:
        return question or ""
    text = json.dumps(given, ensure_ascii=False)
    read_question(text)
    return text


def read_question(text: str) -> ConsentQuestion | None:
    """Return the parts of a question; ``None`` if it is in words.

    Args:
        text: The text of the action ``ASK``.

    Raises:
        ActionError: It is a JSON object, and a part is wrong, unknown or missing.
    """
    if not text.lstrip().startswith("{"):
        return None
    try:
        parts = json.loads(text)
    except ValueError as error:
        raise _wrong(f"this is not JSON ({error})") from None
    return _read(parts)


def _read(parts: Mapping[str, Any]) -> ConsentQuestion:
    for name in parts:
        if name not in _KEYS:
            raise _wrong(f'unknown key "{name}"{nearest(name, _KEYS)}; the keys are {", ".join(_KEYS)}')
    kind, to = parts.get("consent"), parts.get("to")
    if kind not in KINDS:
        raise _wrong(f'"consent" is one of {", ".join(KINDS)}{nearest(str(kind), KINDS)}')
    named = parts.get("what", [])
    what = [named] if isinstance(named, str) else named
    if not isinstance(what, list) or not all(isinstance(each, str) and each.strip() for each in what):
        raise _wrong('"what" is a name or a list of names')
    if not what and kind not in WITHOUT_A_THING:
        raise _wrong(f'"what" is missing: the name of what you want to {kind.replace("_", " ")}')
    if to is not None and not (isinstance(to, bool) or (isinstance(to, str) and to.strip())):
        raise _wrong('"to" is true, false or a text')
    if to is not None and kind not in ("change", "edit"):
        raise _wrong(f'"to" goes with "change" and "edit" only, not with "{kind}"')
    return ConsentQuestion(kind, tuple(what), to)


def _wrong(why: str) -> ActionError:
    return ActionError(f"{why}; for example: ASK; {EXAMPLE}; nothing was asked", action="ASK")
