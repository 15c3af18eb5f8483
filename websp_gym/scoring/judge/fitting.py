"""What of a record is shown to a judge where not all of it fits into a request.

A record grows by the agent's own words and by actions that are free, so being too long must not be a way out of a
verdict. The first and the last observation and the ends of every text stay, and the request says what
is missing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from websp_gym.errors import JudgeError
from websp_gym.scoring.judge.pictures import Limits, pictures_of

if TYPE_CHECKING:
    from websp_gym.records.trajectory import Trajectory

_LONGEST = (20_000, 5_000, 1_000, 200)
"""Characters of one text; tried in this order."""


@dataclass(frozen=True)
class Cut:
    """What is left out.

    Args:
        pictures: Observations without their screenshot; 0 is the first.
        steps: Steps that are left out altogether, from 1; their screenshots are among ``pictures``.
        longest: Characters of one text; None for all.
    """

    pictures: frozenset[int] = frozenset()
    steps: frozenset[int] = frozenset()
    longest: int | None = None

    def shorten(self, kind: str, text: str) -> tuple[str, str]:
        """Takes the middle out of a long text.

        Args:
            kind: What it is.
            text: The text.

        Returns:
            What it is, with how much is missing, and both ends.
        """
        if self.longest is None or len(text) <= self.longest:
            return kind, text
        half = self.longest // 2
        missing = len(text) - 2 * half
        return f"{kind}, {missing} characters left out in the middle", f"{text[:half]}\n...\n{text[-half:]}"


def fit_pictures(trajectory: Trajectory, folder: Path, limits: Limits) -> tuple[Cut, dict[int, bytes]]:
    """Loads the screenshots that fit.

    Args:
        trajectory: A recorded trajectory.
        folder: Where its screenshots lie.
        limits: What they must fit into.

    Returns:
        What is left out, and a PNG file for each observation that is shown.

    Raises:
        JudgeError: One is missing or is no picture, or the first and the last alone are too large.
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
    """Leaves out more and more words.

    Args:
        cut: Which screenshots are left out already.
        trajectory: The record.

    Yields:
        Whole texts first, then their ends only, then fewer and fewer steps.
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
    """Observations in the order in which they are left out: after free actions first, from the middle outwards.

    Args:
        trajectory: The record.

    Returns:
        All but the first and the last; an agent's own free actions cannot push out those that count.
    """
    last = len(trajectory.views) - 1
    return sorted(
        range(1, last), key=lambda index: (trajectory.steps[index - 1].counted, abs(2 * index - last))
    )
