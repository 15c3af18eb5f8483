"""What is recorded on an application, done with mouse and keyboard while the recorder looks on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

    from tests.live_apps.application import Person


@dataclass(frozen=True)
class Recording:
    """A recording.

    Args:
        start: Path of the page where it starts.
        perform: What the person does there.
        signed_in: Whether the person is signed in; only the sign-in itself starts without.
        before: What the person does before the recorder looks on.
    """

    start: str
    perform: Callable[[Page, Person], None]
    signed_in: bool = True
    before: Callable[[Page, Person], None] | None = None


def typed(field: Locator, text: str) -> None:
    """Type a text into a field in place of what it has; the recorder takes no event that a script makes."""
    field.click()
    field.press("ControlOrMeta+a")
    field.press("Backspace")
    field.page.keyboard.type(text)
