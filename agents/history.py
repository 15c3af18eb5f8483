"""The history of an episode that an agent shows its model: thoughts, actions and the last screenshots."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from websp_gym.models import Image

if TYPE_CHECKING:
    from numpy.typing import NDArray

PNG_BYTES = 3_500_000
"""Most bytes of a screenshot: providers accept 5 MB of base64, which is a third larger than the PNG."""


@dataclass(frozen=True)
class PastLook:
    """The parts of one observation that a prompt shows.

    Args:
        page: Title and address of the current page.
        tabs: Title and address of each open tab; empty if only one is open.
        error: Error message of the previous action.
        elements: The elements or the accessibility tree; empty except in the latest observation.
        actions_left: Remaining actions.
        seconds_left: Remaining seconds.
        picture: The screenshot; None if it is no longer among the last few.
        reply: What the user replied to a question; empty if none was asked.
        result: What the previous action returned; empty for nothing.
        inventory: The open tabs as the observation has them.
    """

    page: str
    tabs: tuple[str, ...]
    error: str
    elements: str
    actions_left: int
    seconds_left: float
    picture: Image | None = None
    reply: str = ""
    result: str = ""
    inventory: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Past:
    """A past step: what the agent saw, its thought and its action."""

    look: PastLook
    thought: str
    action: str


class Memory:
    """The steps of the episode so far.

    Args:
        pictures: Number of screenshots to keep, including the current one.
    """

    def __init__(self, pictures: int) -> None:
        self.past: list[Past] = []
        self._pictures = pictures

    def add(self, look: PastLook, thought: str, action: str) -> None:
        """Add a step and drop screenshots that will not be shown again."""
        self.past.append(Past(replace(look, elements=""), thought, action))
        # The next observation adds one more.
        for index in range(len(self.past) - max(self._pictures - 1, 0)):
            step = self.past[index]
            if step.look.picture is not None:
                self.past[index] = replace(step, look=replace(step.look, picture=None))


def look_at(observation: Mapping[str, Any], elements: str, picture: Image | None) -> PastLook:
    """Extract what a prompt shows from an observation of any kind but ``browsergym``."""
    tabs: Sequence[Mapping[str, Any]] = observation["tabs"]
    current = next((_place(tab) for tab in tabs if tab["active"]), str(observation["url"]))
    return PastLook(
        page=current,
        tabs=tuple(f"{_place(tab)}{' (current)' if tab['active'] else ''}" for tab in tabs)
        if len(tabs) > 1
        else (),
        error=str(observation["last_action_error"]),
        elements=elements,
        actions_left=int(observation["actions_left"]),
        seconds_left=float(observation["seconds_left"]),
        picture=picture,
        reply=str(observation.get("user_reply", "")),
        result=str(observation.get("last_action_result", "")),
        inventory=tuple(tabs),
    )


def _place(tab: Mapping[str, Any]) -> str:
    title = " ".join(str(tab["title"]).split())
    return f"{title[:200]}  {tab['url']}" if title else str(tab["url"])


def encode(picture: NDArray[Any], limit: int = PNG_BYTES) -> Image:
    """Return a uint8 screenshot (height × width × 3) as a PNG, scaled down until it has at most `limit` bytes."""
    from PIL import Image as Pillow

    drawn = Pillow.fromarray(picture)
    while True:
        file = io.BytesIO()
        drawn.save(file, "PNG", compress_level=3)
        if file.tell() <= limit:
            return Image(file.getvalue())
        drawn = drawn.resize((drawn.width * 4 // 5, drawn.height * 4 // 5), Pillow.Resampling.LANCZOS)
