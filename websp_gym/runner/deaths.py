"""Attempts whose process died: what is known of them from the record that they left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.errors import SetupError
from websp_gym.records.load import load_trajectory
from websp_gym.records.results import Try
from websp_gym.records.runs import TRAJECTORIES

if TYPE_CHECKING:
    from websp_gym.runner.jobs import Job

_DIED = "the process that ran this episode died"


def died(job: Job) -> Try:
    """Return the attempt at an episode whose process has died; its step is 0 if the agent had not begun by then."""
    earlier = {each.trajectory for each in job.tries}
    records = job.folder.glob(f"{TRAJECTORIES}/{job.instance_id}/*") if job.folder is not None else ()
    for folder in sorted(records, reverse=True):
        name = f"{TRAJECTORIES}/{job.instance_id}/{folder.name}"
        if name in earlier:
            continue
        try:
            left = load_trajectory(folder)
        except SetupError:  # it died before the agent began
            continue
        if left.seed == job.seed and left.end_reason is None:
            return Try(error=_DIED, stage="process", step=len(left.steps) + 1, trajectory=name)
    return Try(error=_DIED, stage="process")
