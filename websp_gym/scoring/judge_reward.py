"""The judge's verdict as the reward of an episode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.errors import JudgeError
from websp_gym.records.trajectory import load_trajectory

if TYPE_CHECKING:
    from websp_gym.records.verdict import Verdict
    from websp_gym.scoring.judge import Judge
    from websp_gym.scoring.outcome import EpisodeEnd


class JudgeReward:
    """A reward that asks a judge.

    Args:
        judge: The judge.
    """

    __name__ = "judge"
    reads_the_record = True
    """It judges what was written to disk, from which secrets are removed: they go to no provider."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge

    def __call__(self, outcome: EpisodeEnd) -> Verdict:
        """Judges the end of an episode.

        Args:
            outcome: The end; its folder must be there.

        Returns:
            The verdict.

        Raises:
            JudgeError: The episode was not recorded.
        """
        if outcome.folder is None:
            raise JudgeError("the judge needs the record of the episode, and there is none")
        return self.judge.verdict(load_trajectory(outcome.folder), outcome.folder)
