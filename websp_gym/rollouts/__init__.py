"""Environments for trainers: each in a process of its own, used from any thread or coroutine.

:class:`Pool` starts processes in advance and hands out a :class:`RemoteEnv` for each rollout. A :class:`Page` is
what a text policy sees, about 400 tokens.
"""

from websp_gym.rollouts.demonstrations import agent_policy
from websp_gym.rollouts.episodes import choose_episodes
from websp_gym.rollouts.page import Page, page_text, system_prompt, user_message
from websp_gym.rollouts.pool import Pool
from websp_gym.rollouts.remote import RemoteEnv
from websp_gym.rollouts.transcript import Transcript, advantages

__all__ = [
    "Page",
    "Pool",
    "RemoteEnv",
    "Transcript",
    "advantages",
    "agent_policy",
    "choose_episodes",
    "page_text",
    "system_prompt",
    "user_message",
]
