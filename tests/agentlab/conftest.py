"""Studies for the tests of the AgentLab integration; `make test-agentlab` runs them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

# AgentLab makes a folder in the home directory when it is imported, unless it is told another.
os.environ.setdefault("AGENTLAB_EXP_ROOT", str(Path(tempfile.gettempdir(), "websp-agentlab-tests")))

from websp_gym.agents.agentlab import WebspAgentArgs, make_benchmark, stay_offline

stay_offline()

QUICK: dict[str, Any] = {"initial_state": "snapshot"}


@pytest.fixture(scope="session")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished study: three agents on both instances of one task, one after the other."""
    from agentlab.experiments.study import make_study

    agents = [WebspAgentArgs(spec=spec) for spec in ("oracle", "noop", "flawed:deactivates")]
    study = make_study(agents, make_benchmark("Steam-task-191-*", **QUICK))
    study.run(n_jobs=1, parallel_backend="sequential", n_relaunch=1, exp_root=tmp_path_factory.mktemp("root"))
    return Path(study.dir)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Studies are slow, and deprecations inside these packages are not our errors."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(900))
            for kind in ("DeprecationWarning", "PendingDeprecationWarning", "FutureWarning"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore::{kind}"))
