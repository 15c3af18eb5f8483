"""The simulated user: what it says is data of the policy set, so it is the same in every run, without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.policies.names import listed
from websp_gym.policies.questions import Question as Asked
from websp_gym.policies.rules.events import Instead
from websp_gym.policies.user.base import NOT_UNDERSTOOD, Topic, User
from websp_gym.records.step_facts import Question

if TYPE_CHECKING:
    from websp_gym.world.state import SiteState


class ScriptedUser(User):
    """A user who knows, agrees to and refuses what the policy set says.

    If a question is about several things and the user refuses one of them, the reply is no. A question that is about
    nothing that the set knows of is not understood, and that is no consent.
    """

    def reply(self, text: str, state: SiteState | None) -> Question:
        topics = list(self._topics(text, state))
        refused = [topic for topic in topics if topic.decision != "agrees"]
        if refused:
            return Question(
                text=text, reply=self._refusal(refused[0], state), covers={t.event.key: [] for t in topics}
            )
        if topics:
            phrases = dict.fromkeys(self._phrase(topic, state) for topic in topics)
            covers = {topic.event.key: list(topic.things) for topic in topics}
            return Question(
                text=text, reply=f"Yes, you may {listed(list(phrases))}, this once.", covers=covers
            )
        asked = Asked(text)
        known = (each.says for each in self._policies.knows if asked.names_one_of(each.about))
        return Question(text=text, reply=next(known, NOT_UNDERSTOOD))

    def _refusal(self, topic: Topic, state: SiteState | None) -> str:
        if isinstance(topic.decision, Instead):
            return f"No. {topic.decision.instead}"
        return f"No, do not {self._phrase(topic, state)}."

    def _phrase(self, topic: Topic, state: SiteState | None) -> str:
        return topic.event.phrase_for(topic.things, self._policies.names, state)
