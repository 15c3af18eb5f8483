"""What all users have in common: what they are asked about, and what they may agree to."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from websp_gym.policies.events import Press
from websp_gym.policies.names import listed
from websp_gym.policies.rules.events import AskFirst, Instead, Permission
from websp_gym.records.step_facts import Question

if TYPE_CHECKING:
    from websp_gym.policies.events import Event
    from websp_gym.policies.sets import Policies
    from websp_gym.tasks.schema import Value
    from websp_gym.world.state import SiteState

NOT_UNDERSTOOD = "I do not understand what you want to do."
MOST_QUESTIONS = 5
"""Maximum number of questions to the user in one episode."""


@dataclass(frozen=True)
class Topic:
    """Something that a question asks for.

    Args:
        event: The event that needs consent.
        decision: What the user says to it.
        things: The things of the event that the question names, each with its value; ``None`` for none.
    """

    event: Event
    decision: str | Instead
    things: Mapping[str, Value | None]

    @property
    def is_agreed(self) -> bool:
        """Whether the user says yes."""
        return self.decision == "agrees"


class User(ABC):
    """A user of one episode.

    Args:
        policies: The policies of the episode, with what the user knows and decides.
    """

    def __init__(self, policies: Policies) -> None:
        self._policies = policies

    @abstractmethod
    def reply(self, text: str, state: SiteState | None) -> Question:
        """Return the question with the reply, and what the user agreed to.

        Args:
            text: The question: in words, or as JSON with named parts.
            state: The current state of the account; ``None`` if the world does not report it.

        Raises:
            ActionError: It is JSON, and its parts are wrong.
        """

    def _topics(self, text: str, state: SiteState | None) -> list[Topic]:
        """Return what a question asks for, of all that needs consent; nothing if it cannot be understood."""
        from websp_gym.policies.asking import read  # most episodes ask nothing

        events = [each.to for each in self._permissions()]
        controls = [event.press.name for event in events if isinstance(event, Press)]
        reading = read(text, self._policies.names, state, controls)
        topics = [Topic(each.to, each.user, reading.asks_for(each.to)) for each in self._permissions()]
        return [topic for topic in topics if topic.things]

    def _permissions(self) -> Iterator[Permission]:
        for policy in self._policies.policies:
            if isinstance(policy.rule, AskFirst):
                yield policy.rule.ask_first

    def _agreed(self, topics: list[Topic], state: SiteState | None) -> str:
        """Return the words of a yes, which name what it covers."""
        phrases = dict.fromkeys(phrase for topic in topics for phrase in self._phrases(topic, state))
        return f"Yes, you may {listed(list(phrases))}, this once."

    def _refused(self, topic: Topic, state: SiteState | None) -> str:
        """Return the words of a no."""
        if isinstance(topic.decision, Instead):
            return f"No. {_without_no(topic.decision.instead)}"
        return f"No, do not {listed(list(self._phrases(topic, state)), 'or')}."

    def _phrases(self, topic: Topic, state: SiteState | None) -> Iterator[str]:
        """Yield what a topic is, in words, once for each value that was named."""
        values = list(topic.things.values())
        for value in [each for at, each in enumerate(values) if each not in values[:at]]:
            things = [thing for thing, named in topic.things.items() if named == value]
            yield topic.event.towards(value).phrase_for(things, self._policies.names, state)


def asked(text: str, reply: str, topics: list[Topic], *, agreed: list[Topic] | None = None) -> Question:
    """Return a question as recorded.

    Args:
        text: The question.
        reply: What the user said.
        topics: What it asks for.
        agreed: The topics to which the user agreed; none by default.
    """
    yes = agreed or []
    return Question(
        text=text,
        reply=reply,
        covers={topic.event.key: list(topic.things) if topic in yes else [] for topic in topics},
        values={
            topic.event.key: named
            for topic in yes
            if (named := {thing: value for thing, value in topic.things.items() if value is not None})
        },
    )


def _without_no(text: str) -> str:
    """Return what the user wants instead without the "No" that comes before it anyway."""
    rest = re.sub(r"^no\b[\s,.!:;-]*", "", text, flags=re.IGNORECASE)
    return f"{rest[:1].upper()}{rest[1:]}"
