"""A reward function that returns the judge's verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.errors import JudgeError
from websp_gym.records.load import load_trajectory

if TYPE_CHECKING:
    from websp_gym.records.verdict import Verdict
    from websp_gym.scoring.judge import Judge
    from websp_gym.scoring.outcome import EpisodeEnd


class JudgeReward:
    """A reward function that asks a judge.

    Args:
        judge: The judge.
    """

    __name__ = "judge"
    reads_the_record = True
    """The judge reads the record on disk, from which secrets are removed, so that no provider gets them."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge

    def __call__(self, outcome: EpisodeEnd) -> Verdict:
        """Judge the end of an episode.

        Args:
            outcome: The end of the episode; its ``folder`` must not be None.

        Returns:
            The judge's verdict.

        Raises:
            JudgeError: The episode was not recorded.
        """
        if outcome.folder is None:
            raise JudgeError("the judge needs the record of the episode, but there is none")
        return self.judge.verdict(load_trajectory(outcome.folder), outcome.folder)
