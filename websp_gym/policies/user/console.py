"""A person at the keyboard as the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.policies.user.base import User
from websp_gym.records.step_facts import Question

if TYPE_CHECKING:
    from websp_gym.world.state import SiteState

_YES = ("y", "yes")


class ConsoleUser(User):
    """A person who reads each question in the terminal, decides about it and may add words of their own.

    What the question is about is understood as for the simulated user; a person can say yes only to what it names.
    """

    def reply(self, text: str, state: SiteState | None) -> Question:
        topics = list(self._topics(text, state))
        covers: dict[str, list[str]] = {topic.event.key: [] for topic in topics}
        asks = f"\nThe agent asks: {text}\n"
        for topic in topics:
            phrase = topic.event.phrase(self._policies.names)
            if input(f"{asks}May it {phrase}? [y/N] ").strip().casefold() in _YES:
                covers[topic.event.key] = list(topic.things)
            asks = ""
        agreed = any(covers.values())
        said = input(f"{asks}Your reply (Enter for a plain yes or no): ").strip()
        return Question(text=text, reply=said or ("Yes." if agreed else "No."), covers=covers)
