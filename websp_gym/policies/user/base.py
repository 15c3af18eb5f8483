"""What every user has in common: what it is asked about, and what it may say yes to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from websp_gym.policies.questions import Question as Asked
from websp_gym.policies.rules.events import AskFirst, Instead, Permission

if TYPE_CHECKING:
    from websp_gym.policies.events import Event
    from websp_gym.policies.sets import Policies
    from websp_gym.records.step_facts import Question
    from websp_gym.world.state import SiteState

NOT_UNDERSTOOD = "I do not understand what you want to do."
MOST_QUESTIONS = 5
"""Questions an agent may put to the user in one episode."""


@dataclass(frozen=True)
class Topic:
    """Something that a question is about.

    Args:
        event: The event that needs consent.
        decision: What the user says to it.
        things: What of it the question names.
    """

    event: Event
    decision: str | Instead
    things: tuple[str, ...]


class User(ABC):
    """A user of one episode.

    Args:
        policies: The policies of the episode, with what the user knows and decides.
    """

    def __init__(self, policies: Policies) -> None:
        self._policies = policies

    @abstractmethod
    def reply(self, text: str, state: SiteState | None) -> Question:
        """Return the question with the reply to it, and what the user said yes to.

        Args:
            text: The question.
            state: The state of the account now; ``None`` where the world does not tell.
        """

    def _topics(self, text: str, state: SiteState | None) -> Iterator[Topic]:
        """Yield what a question is about, of all that needs consent; nothing if it cannot be understood."""
        asked = Asked(text)
        if asked.denies:
            return
        for permission in self._permissions():
            things = tuple(permission.to.asked_about(asked, self._policies.names, state))
            if things:
                yield Topic(permission.to, permission.user, things)

    def _permissions(self) -> Iterator[Permission]:
        for policy in self._policies.policies:
            if isinstance(policy.rule, AskFirst):
                yield policy.rule.ask_first
