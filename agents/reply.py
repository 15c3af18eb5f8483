"""Parse model replies of the form ``Thought: … Action: …`` with exactly one usable action."""

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
    "other": "it ended in another way than with a text; there are no tools here, so write the action as a text",
}

ReadAction = Callable[[str], str]
"""Converts the text after ``Action:`` into the form that the environment takes, or raises :class:`ActionError`."""


@dataclass(frozen=True)
class ParsedReply:
    """A usable reply.

    Args:
        thought: The text after ``Thought:``; may be empty.
        action: The action, in the form that the environment takes.
    """

    thought: str
    action: str


def read_reply(reply: Reply, read_action: ReadAction) -> ParsedReply:
    """Return the thought and the action of a model's reply.

    Raises:
        ActionError: The reply cannot be used; the message is meant for the model.
    """
    if reply.stop != "end":
        raise ActionError(_STOPPED[reply.stop], action=reply.text[:200])
    parts = split_reply(reply.text)
    # The model has not seen the pages that further actions would apply to, so more than one action is an error.
    action = one_of(parts.actions, read_action)
    if action is None:
        raise ActionError("no line begins with 'Action:'", action=reply.text[:200])
    return ParsedReply(parts.thought, action)


def read_marks_action(text: str, *, to_user: bool = False) -> str:
    """Parse an action of the grammar; see :data:`ReadAction`."""
    return format_action(parse_action(text, to_user=to_user))
