"""A study in AgentLab without a key and without a network: three scripted agents on six instances.

    python docs/examples/agentlab_study.py [FOLDER] [--backend joblib|ray|sequential] [--jobs 2]

A folder that holds a study of this script's is gone on with.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

AGENTS = ("oracle", "noop", "flawed:stops-early")
INSTANCES = ("Steam-task-191-*", "AlJazeera-*", "IKEA-*", "AllRecipes-*")


def main() -> None:
    """Runs the study, prints the number of solved instances of each agent, and how to see more."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("runs/agentlab"))
    parser.add_argument("--backend", choices=("joblib", "ray", "sequential"), default="joblib")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    os.environ.setdefault("AGENTLAB_EXP_ROOT", str(given.folder.resolve()))

    # First, so that AgentLab finds on this machine what it would download.
    from websp_gym.agents.agentlab import WebspAgentArgs, collect, make_benchmark, outcome_table, stay_offline

    stay_offline()
    from agentlab.experiments.study import Study, make_study

    earlier = sorted(given.folder.glob("*/study.pkl.gz"))
    if earlier:
        study = Study.load(earlier[-1].parent)
        study.find_incomplete()
    else:
        agents = [WebspAgentArgs(spec=spec) for spec in AGENTS]
        study = make_study(agents, make_benchmark(INSTANCES, initial_state="snapshot"))
    study.run(n_jobs=given.jobs, parallel_backend=given.backend, exp_root=given.folder.resolve())

    print(outcome_table(study.dir).to_string())
    print(f"\nall tables:  websp report {collect(study.dir)}")
    print(f"every step:  websp xray {given.folder.resolve()}")


if __name__ == "__main__":
    main()
