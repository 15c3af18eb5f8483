"""A person at the keyboard as the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.policies.asking import all_things
from websp_gym.policies.names import listed
from websp_gym.policies.user.base import Topic, User, asked

if TYPE_CHECKING:
    from websp_gym.records.step_facts import Question
    from websp_gym.world.state import SiteState

_YES = ("y", "yes")
_NO = ("n", "no", "")


class ConsoleUser(User):
    """A person who reads each question in the terminal, decides, and may add a comment.

    They see what their yes would cover. If the question was not understood, they choose among all consents of the
    policies; after a yes that covers nothing, they are asked again.
    """

    def reply(self, text: str, state: SiteState | None) -> Question:
        understood, asks = self._topics(text, state), f"\nThe agent asks: {text}\n"
        agreed = self._decided(asks, understood, state) if understood else self._chosen(asks, state)
        said = input("Your words (Enter for a plain yes or no): ").strip()
        plain = self._agreed(agreed, state) if agreed else "No."
        if said and not agreed:
            said = f"No. {said}"
        return asked(text, said or plain, understood or agreed, agreed=agreed)

    def _decided(self, asks: str, topics: list[Topic], state: SiteState | None) -> list[Topic]:
        """Return the topics to which the person says yes, one after the other."""
        agreed = []
        for topic in topics:
            phrases = listed(list(self._phrases(topic, state)))
            if _says_yes(f"{asks}May it {phrases}? [y/N] "):
                agreed.append(topic)
            asks = ""
        return agreed

    def _chosen(self, asks: str, state: SiteState | None) -> list[Topic]:
        """Return what the person says yes to of all that needs consent, by its numbers."""
        topics = self._all(state)
        lines = [
            f"  {number}. {listed(list(self._phrases(topic, state)))}\n"
            for number, topic in enumerate(topics, 1)
        ]
        asks += f"{''.join(lines)}Which of these may it do? [numbers, or n for none] "
        while (said := input(asks).strip().casefold()) not in _NO:
            chosen = said.replace(",", " ").split()
            if chosen and all(each.isdecimal() and 0 < int(each) <= len(topics) for each in chosen):
                return [topics[int(each) - 1] for each in dict.fromkeys(chosen)]
            asks = "To count, a yes must say to what: give the numbers, or n. "
        return []

    def _all(self, state: SiteState | None) -> list[Topic]:
        """Return each thing of each event that needs consent."""
        names = self._policies.names
        return [
            Topic(each.to, each.user, {thing: None})
            for each in self._permissions()
            for thing in all_things(each.to, names, state)
        ]


def _says_yes(question: str) -> bool:
    """Return whether the person says yes; what is neither yes nor no is asked again."""
    while (said := input(question).strip().casefold()) not in (*_YES, *_NO):
        question = "Answer y or n; you can add words after that. "
    return said in _YES
