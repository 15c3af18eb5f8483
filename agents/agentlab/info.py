"""The record of each step of one of our agents, in the form that AgentXRay shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from browsergym.experiments.agent import AgentInfo

from websp_gym.actions.grammar import thought_of
from websp_gym.models import Image, Message

if TYPE_CHECKING:
    from websp_gym.agents.turns import Turn
    from websp_gym.models import Model, Reply

TURN = "websp_turn"
"""Key of ``AgentInfo.extra_info`` for the turn of an agent with a model."""


class Overheard:
    """A model wrapper that keeps the messages of the last request.

    Args:
        model: The model.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self.messages: Sequence[Message] = ()

    @property
    def spec(self) -> str:
        """The model's string."""
        return self._model.spec

    def ask(self, messages: Sequence[Message], *, schema: Mapping[str, Any] | None = None) -> Reply:
        """Ask the model."""
        self.messages = tuple(messages)
        return self._model.ask(messages, schema=schema)


def info_of(name: str, action: str, turn: Turn | None, asked: Sequence[Message]) -> AgentInfo:
    """Return the thought, prompt, reply and cost of one step.

    Args:
        name: Name of the agent.
        action: The text that the agent returned.
        turn: The agent's turn; None for an agent without a model.
        asked: The messages sent to the model.
    """
    thought = turn.thought if turn else thought_of(action)
    return AgentInfo(
        think=thought or None,
        chat_messages=_chat(asked, turn.reply) if turn else _scripted(name, action),
        stats=_stats(turn) if turn else {},
        markdown_page=_page(name, action, turn),
        extra_info={TURN: turn.as_dict()} if turn else {},
    )


def _chat(asked: Sequence[Message], reply: str) -> list[dict[str, Any]]:
    return [
        *(_said(message.role, *map(_part, message.parts)) for message in asked),
        _said("assistant", reply),
    ]


def _scripted(name: str, action: str) -> list[dict[str, Any]]:
    return [
        _said("system", f"{name} is scripted: it asks no model."),
        _said("user", "(the observation)"),
        _said("assistant", action),
    ]


def _said(role: str, *texts: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text} for text in texts]}


def _part(part: Any) -> str:
    # The experiment's folder has the picture of each step; copies in every prompt would make up most of a study.
    return f"({part!r})" if isinstance(part, Image) else str(part.text)


def _stats(turn: Turn) -> dict[str, float]:
    """Return the amounts that AgentLab adds up; unknown ones are left out, as it would count them as 0."""
    amounts = {name: getattr(turn, name) for name in ("calls", "input_tokens", "output_tokens", "cost")}
    amounts["repairs"] = turn.attempts - 1
    return {name: amount for name, amount in amounts.items() if amount is not None}


def _page(name: str, action: str, turn: Turn | None) -> str:
    lines = [f"**{name}**", "", *_quoted(action)]
    if turn is not None:
        cost = "unknown" if turn.cost is None else f"${turn.cost:.4f}"
        lines += ["", f"{turn.calls} requests, {turn.seconds:g} s, cost {cost}"]
        for problem in turn.problems:
            lines += ["", "A reply could not be used:", *_quoted(problem)]
        lines += ["", "The reply:", *_quoted(turn.reply)]
    return "\n".join(lines)


def _quoted(text: str) -> list[str]:
    """Return the text as a Markdown code block, so that text of pages and models is not rendered."""
    return [f"    {line}" for line in text.splitlines()]
