"""A played rollout: its pages, the policy's replies and the reward."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from websp_gym.rollouts.page import Page, system_prompt, user_message


@dataclass(frozen=True)
class Transcript:
    """One rollout, finished or still running.

    Args:
        pages: The pages; the last one is the current one, or the one after the last reply.
        replies: The policy's replies, one fewer than the pages.
    """

    pages: tuple[Page, ...]
    replies: tuple[str, ...] = ()

    @property
    def page(self) -> Page:
        """The last page."""
        return self.pages[-1]

    @property
    def instance(self) -> str:
        """Id of the instance."""
        return self.page.instance

    @property
    def reward(self) -> float | None:
        """The reward; ``None`` for a rollout without a score, which must not be trained on."""
        return self.page.reward

    def after(self, reply: str, page: Page) -> Transcript:
        """Return the rollout with one more reply and the page that came after it."""
        return Transcript((*self.pages, page), (*self.replies, reply))

    def messages(self) -> list[dict[str, Any]]:
        """Return the conversation in OpenAI's format: a system message, then pages and replies in turn.

        It ends with the current page, or with the last reply if the episode is over.
        """
        turns = [{"role": "system", "content": system_prompt()}]
        for index, page in enumerate(self.pages):
            if not page.done:
                turns.append(user_message(page))
            if index < len(self.replies):
                turns.append({"role": "assistant", "content": self.replies[index]})
        return turns


def advantages(group: Iterable[Transcript]) -> list[tuple[Transcript, float]]:
    """Return each scored rollout of a group with its reward minus the group's mean, as GRPO needs it."""
    scored = [(one, one.reward) for one in group if one.reward is not None]
    mean = statistics.fmean(reward for _, reward in scored) if scored else 0.0
    return [(one, reward - mean) for one, reward in scored]
