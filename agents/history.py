"""What an agent remembers of an episode: every thought and action, and the last few screenshots."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from websp_gym.models import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

PNG_BYTES = 3_500_000
"""Largest screenshot; providers take 5 MB in base64, which adds a third."""


@dataclass(frozen=True)
class Look:
    """One observation as far as a prompt shows it.

    Args:
        page: Title and address of the current page.
        tabs: The same of each open tab, where there are several.
        error: What was wrong with the action before.
        elements: The elements or the accessibility tree; dropped when it is no longer the last look.
        actions_left: Actions the agent still has.
        seconds_left: Seconds it still has.
        picture: The screenshot, while it is among the last few.
    """

    page: str
    tabs: tuple[str, ...]
    error: str
    elements: str
    actions_left: int
    seconds_left: float
    picture: Image | None = None


@dataclass(frozen=True)
class Past:
    """A look, and what the agent then said and did."""

    look: Look
    thought: str
    action: str


class Memory:
    """The steps so far.

    Args:
        pictures: Screenshots kept, the current one included.
    """

    def __init__(self, pictures: int) -> None:
        self.past: list[Past] = []
        self._pictures = pictures

    def add(self, look: Look, thought: str, action: str) -> None:
        """Remembers a step; screenshots that will not be shown again are dropped."""
        self.past.append(Past(replace(look, elements=""), thought, action))
        # The next look brings one more.
        for index in range(len(self.past) - max(self._pictures - 1, 0)):
            step = self.past[index]
            if step.look.picture is not None:
                self.past[index] = replace(step, look=replace(step.look, picture=None))


def look_at(observation: Mapping[str, Any], elements: str, picture: Image | None) -> Look:
    """Takes from an observation what a prompt shows.

    Args:
        observation: Of kind ``marks`` or ``all``.
        elements: The elements, as text.
        picture: The screenshot to show.

    Returns:
        The look.
    """
    tabs: Sequence[Mapping[str, Any]] = observation["tabs"]
    current = next((_place(tab) for tab in tabs if tab["active"]), str(observation["url"]))
    return Look(
        page=current,
        tabs=tuple(f"{_place(tab)}{' (current)' if tab['active'] else ''}" for tab in tabs)
        if len(tabs) > 1
        else (),
        error=str(observation["last_action_error"]),
        elements=elements,
        actions_left=int(observation["actions_left"]),
        seconds_left=float(observation["seconds_left"]),
        picture=picture,
    )


def _place(tab: Mapping[str, Any]) -> str:
    title = " ".join(str(tab["title"]).split())
    return f"{title[:200]}  {tab['url']}" if title else str(tab["url"])


def encode(picture: NDArray[Any], limit: int = PNG_BYTES) -> Image:
    """Makes a PNG of a screenshot.

    Args:
        picture: uint8, height × width × 3.
        limit: Most bytes; a larger one is shown smaller.

    Returns:
        The picture.
    """
    from PIL import Image as Pillow

    drawn = Pillow.fromarray(picture)
    while True:
        file = io.BytesIO()
        drawn.save(file, "PNG", compress_level=3)
        if file.tell() <= limit:
            return Image(file.getvalue())
        drawn = drawn.resize((drawn.width * 4 // 5, drawn.height * 4 // 5), Pillow.Resampling.LANCZOS)
