"""Agents: scripted ones that need no model, flawed ones, ones that ask a language model, and what they share.

Import them as ``websp_gym.agents``. An agent gets observations and returns action texts; the environment does not
depend on agents.
"""

from websp_gym.agents.base import Agent, Briefing
from websp_gym.agents.registry import make_agent
from websp_gym.agents.turns import Turn

__all__ = ["Agent", "Briefing", "Turn", "make_agent"]
