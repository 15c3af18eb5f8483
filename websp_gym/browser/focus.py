"""The field that has the cursor, in whatever frame it is."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.isolated import worlds_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from websp_gym.browser.isolated import Frame, Worlds

DEEPEST = 10
"""Maximum depth of iframes in which a point or the focus is looked for."""


def ask_at_focus(worlds: Worlds, function: str) -> tuple[Frame, Any]:
    """Call a page script function in the frame that has the focus, and return that frame and the answer.

    Args:
        worlds: Isolated worlds of the page.
        function: Name of the function; it returns the number of the iframe that has the focus, if one has.

    Raises:
        playwright.sync_api.Error: The page cannot be asked.
    """
    frame = worlds.main
    for _ in range(DEEPEST):
        answer = frame.ask(function)
        child = frame.child(answer) if type(answer) is int else None
        if child is None:
            break
        frame = child
    return frame, answer


def leave_field(page: Page) -> bool:
    """Leave the field that has the cursor, as a person does who goes on; many a page saves a text only then.

    Returns:
        Whether there was one.
    """
    # A page that cannot be asked stays as it is.
    with contextlib.suppress(PlaywrightError):
        return ask_at_focus(worlds_of(page), "leaveAny")[1] is True
    return False
