"""The simulated user: what it says is data of the policy set, so it is the same in every run, without a network."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from websp_gym.policies.user.base import NOT_UNDERSTOOD, User, asked

if TYPE_CHECKING:
    from websp_gym.records.step_facts import Question
    from websp_gym.world.state import SiteState


class ScriptedUser(User):
    """A user who knows, agrees to and refuses what the policy set says.

    If a question asks for several things and the user refuses one of them, the reply is no. A question that asks for
    nothing in the set is answered by what the user knows, or is not understood; neither is consent.
    """

    def reply(self, text: str, state: SiteState | None) -> Question:
        topics = self._topics(text, state)
        refused = [topic for topic in topics if not topic.is_agreed]
        if refused:
            return asked(text, self._refused(refused[0], state), topics)
        if topics:
            return asked(text, self._agreed(topics, state), topics, agreed=topics)
        from websp_gym.policies.asking import mentions

        known = (
            each.says for each in self._policies.knows if any(mentions(text, about) for about in each.about)
        )
        return asked(text, next(known, None) or how_to_ask(text), [])


def how_to_ask(text: str) -> str:
    """Return the reply to a question that was not understood: the form that always is understood, for the kind that
    was meant."""
    from websp_gym.policies.asking import kind_asked_for

    example = json.dumps({"consent": kind_asked_for(text), "what": "its name"})
    return f"{NOT_UNDERSTOOD} Name it as the site does, for example: ASK; {example}"
