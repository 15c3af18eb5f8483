"""Perform a parsed action on the page.

An action either does what its definition says or raises :class:`ActionError` without any change. Elements are
addressed by the marks of the last observation. The page computes the point to click at the moment of the
click, so an element that moved is still hit, and a covered one is reported.
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
    """Perform one action; the caller waits for the page to settle afterwards.

    Args:
        action: Any action. ``ANSWER`` does nothing here; the environment ends the episode.
        tabs: The browser's open tabs; the action may change the current one.
        marks: Marks of the observation that the action refers to.

    Raises:
        ActionError: The action is not possible; nothing was changed.
        playwright.sync_api.Error: The browser or the page crashed.
    """
    if not action.free:
        tabs.dialogs.begin_action()
    tabs.left = None
    try:
        spec_of(action).perform(action, tabs, marks)
    except PlaywrightError as error:
        if not tabs.alive:
            raise
        raise ActionError(
            f"{action.kind} failed: {first_line(error)}", action=format_action(action)
        ) from error


def first_line(error: Exception) -> str:
    """Return what an error of Playwright says, without its log."""
    return str(error).split("\n", 1)[0].split("Call log:", 1)[0].strip()
