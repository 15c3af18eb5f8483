"""Choose which parts of a record are shown to a judge if the whole record does not fit into a request.

The agent's own words and free actions make a record longer, so a long record must not prevent a verdict. The
first and the last observation always stay, long texts lose their middle before whole steps are left out, and
the request states what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from websp_gym.errors import JudgeError
from websp_gym.scoring.judge.pictures import PictureLimits, pictures_of

if TYPE_CHECKING:
    from websp_gym.records.trajectory import Trajectory

_LONGEST = (20_000, 5_000, 1_000, 200)
"""Maximum number of characters of one text; tried in this order."""


@dataclass(frozen=True)
class Cut:
    """The parts of a record that are left out.

    Args:
        pictures: Observations without their screenshot; 0 is the first.
        steps: Steps left out entirely, from 1; their screenshots are among ``pictures``.
        longest: Maximum number of characters of one text; None for no limit.
    """

    pictures: frozenset[int] = frozenset()
    steps: frozenset[int] = frozenset()
    longest: int | None = None

    def shorten(self, kind: str, text: str) -> tuple[str, str]:
        """Return a text without its middle if it is too long; ``kind`` then also states how much is missing."""
        if self.longest is None or len(text) <= self.longest:
            return kind, text
        half = self.longest // 2
        missing = len(text) - 2 * half
        return f"{kind}, {missing} characters left out in the middle", f"{text[:half]}\n...\n{text[-half:]}"


def fit_pictures(trajectory: Trajectory, folder: Path, limits: PictureLimits) -> tuple[Cut, dict[int, bytes]]:
    """Load the screenshots that fit into the limits.

    Returns:
        What is left out, and a PNG file for each observation that is shown.

    Raises:
        JudgeError: A screenshot is missing or is not an image, or the first and the last alone are too large.
    """
    order = least_telling(trajectory)
    count = min(max(0, len(trajectory.views) - limits.pictures), len(order))
    while True:
        cut = Cut(frozenset(order[:count]))
        shown = [index for index in range(len(trajectory.views)) if index not in cut.pictures]
        try:
            return cut, dict(zip(shown, pictures_of(trajectory, folder, limits, shown), strict=True))
        except JudgeError as error:
            if error.kind != "too_long" or count == len(order):
                raise
        count = min(len(order), count + 1 + (len(order) - count) // 4)


def shorter(cut: Cut, trajectory: Trajectory) -> Iterator[Cut]:
    """Yield cuts that leave out more and more of the text.

    The first leaves out no text, the next ones the middle of long texts, the last ones more and more steps
    with their screenshots. The screenshots that ``cut`` leaves out stay out.
    """
    yield cut
    for longest in _LONGEST:
        yield Cut(cut.pictures, longest=longest)
    order = [index for index in least_telling(trajectory) if index]
    count = 0
    while count < len(order):
        count += 1 + (len(order) - count) // 2
        steps = frozenset(order[:count])
        yield Cut(cut.pictures | steps, steps, _LONGEST[-1])


def least_telling(trajectory: Trajectory) -> list[int]:
    """Return the observations in the order in which they are left out, without the first and the last.

    Those after free actions come first, so that an agent cannot displace the others with them; then from the
    middle outwards.
    """
    last = len(trajectory.views) - 1
    return sorted(
        range(1, last), key=lambda index: (trajectory.steps[index - 1].counted, abs(2 * index - last))
    )
