"""The extended WebVoyager action space: one line of text in, something done on a page."""

from websp_gym.actions import webvoyager
from websp_gym.actions.grammar import (
    ACTIONS,
    Action,
    ActionSpec,
    format_action,
    parse_action,
    register_action,
)

__all__ = [
    "ACTIONS",
    "Action",
    "ActionSpec",
    "format_action",
    "parse_action",
    "register_action",
    "webvoyager",
]
