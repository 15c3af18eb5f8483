"""The extended WebVoyager action space: parsing a line of text, performing it on the page."""

from websp_gym.actions.grammar import ACTIONS, Action, format_action, parse_action

__all__ = ["ACTIONS", "Action", "format_action", "parse_action"]
