"""Carries out a parsed action on the page.

Every action either does what it says or raises :class:`ActionError` having changed nothing. Elements are
addressed by the marks of the last observation; where a click lands is worked out by the page itself at the
moment of the click, so an element that moved is still hit and one that is covered is reported, not missed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.actions.grammar import Action, format_action, spec_of
from websp_gym.errors import ActionError

if TYPE_CHECKING:
    from websp_gym.browser.tabs import Tabs
    from websp_gym.observation.marks import Marks


def perform(action: Action, tabs: Tabs, marks: Marks) -> None:
    """Carry out one action; the caller lets the page settle afterwards.

    Args:
        action: Any action; ``ANSWER`` changes nothing here, for it is the environment that ends the episode.
        tabs: The browser's open tabs; the action may change which one is current.
        marks: The marks of the observation the action refers to.

    Raises:
        ActionError: It could not be done; nothing was changed.
        playwright.sync_api.Error: The browser or the page died.
    """
    try:
        spec_of(action).perform(action, tabs, marks)
    except PlaywrightError as error:
        if not tabs.alive:
            raise
        raise ActionError(
            f"{action.kind} failed: {_first_line(error)}", action=format_action(action)
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).split("\n", 1)[0].split("Call log:", 1)[0].strip()
