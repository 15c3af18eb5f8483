"""Computer-use actions: the vocabularies of OpenAI, Anthropic and Gemini, as dictionaries or JSON text.

Anthropic has two: that of its computer toolset, and that of its browser toolset, whose actions return something.

Each action becomes a list of calls named like BrowserGym's, so that policies, the harm guard and records treat it
like those. However many calls it takes, it counts as one action.
"""

from websp_gym.actions.computer.action import ComputerAction, Screen
from websp_gym.actions.computer.pages import Pages
from websp_gym.actions.computer.read import find_computer, read_computer, written

__all__ = ["ComputerAction", "Pages", "Screen", "find_computer", "read_computer", "written"]
