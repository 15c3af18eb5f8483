"""Base class of agents that ask a language model for each action and retry unusable replies."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from websp_gym.actions import parse_action
from websp_gym.actions.browsergym import looks_like_calls
from websp_gym.agents.history import Memory, PastLook
from websp_gym.agents.prompt import Prompter, PromptStyle, again
from websp_gym.agents.reply import ParsedReply, read_reply
from websp_gym.agents.turns import Turn
from websp_gym.errors import ActionError, ModelError, SetupError
from websp_gym.models.usage import sum_known

if TYPE_CHECKING:
    from websp_gym.agents.base import Briefing
    from websp_gym.models import Message, Model, Reply
    from websp_gym.observation import ObservationKind

MOST_REPAIRS = 10


class LLMAgent(ABC):
    """An agent that asks a model for each action; subclasses define what the model sees and how it names elements.

    Args:
        model: The model.
        name: Name of the agent in results; by default the model's string.
        pictures: Number of screenshots shown, including the current one.
        repairs: Number of times to ask again after an unusable reply; then the environment gets the last one.
    """

    manner: ClassVar[PromptStyle]
    observation: ObservationKind

    def __init__(self, model: Model, *, name: str = "", pictures: int = 0, repairs: int = 2) -> None:
        if not 0 <= repairs <= MOST_REPAIRS:
            raise SetupError(
                f"repairs={repairs}: give a whole number from 0 to {MOST_REPAIRS}", option="repairs"
            )
        self.name = name or model.spec
        self.turns: Sequence[Turn] = ()
        self.model = model
        """The model to ask; may be replaced between episodes, e.g. by a wrapper that records messages."""
        self._pictures = pictures
        self._repairs = repairs
        self._memory = Memory(pictures)
        self._prompter: Prompter | None = None
        self._email = ""

    @abstractmethod
    def _look(self, observation: Mapping[str, Any]) -> PastLook:
        """Return what the model is shown of an observation."""

    @abstractmethod
    def _read(self, text: str, *, to_user: bool) -> str:
        """Return the action in the form that the environment takes; raise :class:`ActionError` if it is none.

        Args:
            text: The text after ``Action:``.
            to_user: Whether there are actions that speak to the user, as in an episode with policies.
        """

    def begin(self, briefing: Briefing) -> None:
        """Start an episode; of the briefing, only the email address is used."""
        self.turns = ()
        self._memory = Memory(self._pictures)
        self._prompter = None
        self._email = briefing.account.get("email", "")

    def act(self, observation: Mapping[str, Any]) -> str:
        """Ask the model for the next action.

        Args:
            observation: The observation.

        Returns:
            ``Thought: … Action: …``, or the action alone. If no reply could be used, the last reply as it came, which
            the environment rejects and counts as an action.

        Raises:
            ModelError: The model gave no answer; :attr:`turns` still contains what was spent.
        """
        if self._prompter is None:
            policies = tuple(observation.get("policies", ()))
            self._prompter = Prompter(self.manner, str(observation["goal"]), self._email, policies)
        look = self._look(observation)
        asked = AskedModel()
        try:
            said = self._ask(self._prompter.messages(self._memory.past, look), asked)
        except ModelError as error:
            self.turns = (*self.turns, asked.failed(error))
            raise
        turn = asked.turn(said.thought if said else "", self._say(said) if said else _unread(asked.last))
        self.turns = (*self.turns, turn)
        self._memory.add(look, turn.thought, said.action if said else turn.action)
        return turn.action

    def _say(self, said: ParsedReply) -> str:
        """Return the text for the environment."""
        return f"Thought: {said.thought}\nAction: {said.action}" if said.thought else said.action

    def _ask(self, messages: Sequence[Message], asked: AskedModel) -> ParsedReply | None:
        """Return the model's first usable reply; None if there is none."""
        conversation = list(messages)
        read = partial(self._read, to_user=bool(self._prompter and self._prompter.policies))
        for _ in range(self._repairs + 1):
            reply = self.model.ask(conversation)
            asked.replies.append(reply)
            try:
                return read_reply(reply, read)
            except ActionError as error:
                asked.problems.append(str(error))
                # Show only the last bad reply: several would serve as examples to imitate.
                conversation = [*messages, *again(reply.text, str(error))]
        return None


_UNREAD = ("malformed", "truncated")
"""Kinds of errors of a model that has answered."""


@dataclass
class AskedModel:
    """The replies of one step."""

    replies: list[Reply] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    @property
    def last(self) -> str:
        """The text of the last reply; empty if there is none."""
        return self.replies[-1].text if self.replies else ""

    def turn(self, thought: str, action: str) -> Turn:
        """Return the turn of a step."""
        return self._turn(thought, action, calls=0)

    def failed(self, error: ModelError) -> Turn:
        """Return the turn of a step without an action."""
        self.problems.append(str(error))
        turn = self._turn("", "", calls=error.attempts)
        if error.kind not in _UNREAD:
            return turn
        # It was answered, and what that cost cannot be read.
        return replace(turn, input_tokens=None, output_tokens=None, cached_tokens=None, cost=None)

    def _turn(self, thought: str, action: str, *, calls: int) -> Turn:
        return Turn(
            reply=self.last,
            action=action,
            thought=thought,
            attempts=len(self.replies),
            problems=tuple(self.problems),
            calls=calls + sum(reply.attempts for reply in self.replies),
            input_tokens=sum_known([reply.input_tokens for reply in self.replies]),
            output_tokens=sum_known([reply.output_tokens for reply in self.replies]),
            cached_tokens=sum_known([reply.cached_tokens for reply in self.replies]),
            cost=sum_known([reply.cost for reply in self.replies]),
            seconds=round(time.monotonic() - self.started, 3),
        )


def _unread(text: str) -> str:
    """Return an unusable reply for the environment, marked so that no action can be found in it."""
    # A truncated reply may end in "Click [1" and mean 12; of several actions, only the first is based on the page.
    try:
        parse_action(text)
    except ActionError:
        if not looks_like_calls(text):
            return text
    return f"unusable reply: {json.dumps(text, ensure_ascii=False)}"
