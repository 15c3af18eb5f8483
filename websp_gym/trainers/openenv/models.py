"""Data on the wire: actions, observations and the state of a session."""

from __future__ import annotations

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field

from websp_gym.rollouts import Page, system_prompt


class WebspAction(Action):  # type: ignore[misc]
    """One reply of the policy. The schema's description of ``text`` explains the pages and lists the actions."""

    text: str = Field(description=system_prompt())


class WebspObservation(Observation):  # type: ignore[misc]
    """One page.

    The base has ``done``, ``reward`` (0.0 until the end; ``None`` only if the episode ended without a score) and
    ``metadata``. The metadata is empty until the end; it then has ``reason``, ``truncated``, ``unscored``,
    ``failure`` and ``costs`` (:class:`~websp_gym.rollouts.Page`). Nothing here names the instance, because its id
    tells the initial state.
    """

    text: str = Field(
        default="", description="The page as text, about 400 tokens; the first begins with the task."
    )
    goal: str = Field(default="", description="The instruction.")
    url: str = Field(default="", description="The address of the page.")
    error: str = Field(default="", description="Why the last action could not be carried out.")
    screenshot: str | None = Field(default=None, description="The page with marks, a data URI of a PNG.")

    @classmethod
    def of(cls, page: Page) -> WebspObservation:
        """Return a page as an observation."""
        end = {
            "reason": page.reason,
            "truncated": page.truncated,
            "unscored": page.unscored,
            "failure": page.failure,
            "costs": page.costs,
        }
        return cls(
            text=page.text,
            goal=page.goal,
            url=str(page.observation.get("url", "")),
            error=page.error,
            screenshot=page.picture_url,
            reward=page.reward,
            done=page.done,
            metadata=end if page.done else {},
        )


class WebspState(State):  # type: ignore[misc]
    """The episode of a session, for the trainer and not for the policy.

    The base has ``episode_id`` and ``step_count``.
    """

    instance: str = Field(default="", description="Id of the instance; empty before the first reset.")
    seed: int | None = Field(default=None, description="Seed of the episode.")
