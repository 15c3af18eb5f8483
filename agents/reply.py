"""Reading ``Thought: … Action: …``: exactly one usable action, or a sentence that says what was wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from websp_gym.actions import format_action, parse_action
from websp_gym.actions.reply import one_of, split_reply
from websp_gym.errors import ActionError
from websp_gym.models import Reply

_STOPPED = {
    "length": "it was cut off at the token limit; think less, and be brief",
    "refusal": "it was a refusal; if the task cannot or should not be done, say so with ANSWER",
    "filter": "a content filter stopped it",
}

ReadAction = Callable[[str], str]
"""Turns the text behind ``Action:`` into what the environment is given, or raises :class:`ActionError`."""


@dataclass(frozen=True)
class ParsedReply:
    """A usable reply.

    Args:
        thought: What stands behind ``Thought:``; may be empty.
        action: The action, in the form the environment takes.
    """

    thought: str
    action: str


def read_reply(reply: Reply, read_action: ReadAction) -> ParsedReply:
    """Reads a model's reply.

    Args:
        reply: The reply.
        read_action: Reads the action.

    Returns:
        Thought and action.

    Raises:
        ActionError: It cannot be used; the message is for the model.
    """
    if reply.stop != "end":
        raise ActionError(_STOPPED[reply.stop], action=reply.text[:200])
    parts = split_reply(reply.text)
    # What comes after the first was written about pages the model has not seen: another action is refused.
    action = one_of(parts.actions, read_action)
    if action is None:
        raise ActionError("no line begins with 'Action:'", action=reply.text[:200])
    return ParsedReply(parts.thought, action)


def read_marks_action(text: str) -> str:
    """Reads one of the eleven actions; see :data:`ReadAction`."""
    return format_action(parse_action(text))
