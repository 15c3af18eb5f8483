"""The extended WebVoyager action space: one line of text in, something done on a page."""

from websp_gym.actions.grammar import ACTIONS, Action, format_action, parse_action

__all__ = ["ACTIONS", "Action", "format_action", "parse_action"]
