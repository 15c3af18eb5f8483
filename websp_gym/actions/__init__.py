"""The extended WebVoyager action space: parse an action from text and perform it on the page."""

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
