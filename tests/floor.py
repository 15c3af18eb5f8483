"""Keep what `random` reached under policy, so that reports can show it as a floor.

``make floor`` plays it and runs ``python -m tests.floor RUN``, which refuses a run that is not complete.
"""

from __future__ import annotations

import sys
from pathlib import Path

from websp_gym.records.runs import find_results, read_run
from websp_gym.report.tables.floors import measure, write
from websp_gym.report.tables.policy_figures import came_to_its_end
from websp_gym.report.tables.rows import gather
from websp_gym.report.tables.under_policy import under_policy


def main(folder: Path) -> int:
    """Keep a run of `random`; return 1 if an episode of it is missing."""
    run = read_run(folder)
    if run is None or run.agent != "random":
        sys.stderr.write(f"{folder} is no run of random\n")
        return 1
    planned = under_policy(gather(find_results([folder]).results, {})).episodes
    lost = [each.result.id for each in planned if not came_to_its_end(each.result)]
    if lost:
        sys.stderr.write(
            f"{folder}: {len(lost)} episodes are not played: add --resume ({', '.join(lost[:4])})\n"
        )
        return 1
    file = write(measure(run, (each.result for each in planned)))
    sys.stdout.write(f"{file}: {len(planned)} episodes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
