"""The study that the tests run, interrupt and go on with: ``python -m tests.agentlab.study BACKEND ROOT [STUDY]``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from websp_gym.agents.agentlab import WebspAgentArgs, WebspBenchmark, make_benchmark, stay_offline
from websp_gym.tasks.instances import all_instances

AGENTS = ("oracle", "noop", "flawed:stops-early")
INSTANCES = 20


def benchmark() -> WebspBenchmark:
    """The instances that are played quickest: those with the shortest way to S0 and to the goal."""
    listed = sorted(
        all_instances(),
        key=lambda one: (len(one.config.initial_state) + len(one.config.ground_truth), one.id),
    )
    ids = [one.id for one in listed[:INSTANCES]]
    return make_benchmark(ids, initial_state="snapshot", max_steps=10)


def run(study: Any, backend: str, root: Path) -> None:
    """Runs what is left of a study."""
    study.run(n_jobs=2, parallel_backend=backend, n_relaunch=1, exp_root=root)


def main(backend: str, root: str, folder: str = "") -> None:
    """Runs a new study, or goes on with one."""
    stay_offline()
    from agentlab.experiments.study import Study, make_study

    if folder:
        study = Study.load(Path(folder))
        study.find_incomplete()
    else:
        study = make_study([WebspAgentArgs(spec=spec) for spec in AGENTS], benchmark())
    run(study, backend, Path(root))


if __name__ == "__main__":
    main(*sys.argv[1:])
