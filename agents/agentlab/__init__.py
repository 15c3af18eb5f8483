"""AgentLab: the instances as a benchmark, our agents as its agents, its studies as runs for ``websp report``.

Import this package before AgentLab itself: it provides local copies of files that AgentLab would download. The
import also registers the environments and the benchmarks ``websp`` and ``websp_enterprise``, in worker processes
too. See ``docs/reference/agentlab.md``.
"""

from websp_gym.agents.agentlab.offline import spare_downloads, stay_offline

spare_downloads()

from browsergym.experiments.benchmark import DEFAULT_BENCHMARKS  # noqa: E402

from websp_gym.agents.agentlab.agent_args import WebspAgentArgs  # noqa: E402
from websp_gym.agents.agentlab.benchmark import (  # noqa: E402
    ENTERPRISE,
    NAME,
    WebspBenchmark,
    make_benchmark,
    make_enterprise_benchmark,
)
from websp_gym.agents.agentlab.collecting import collect  # noqa: E402
from websp_gym.agents.agentlab.env_args import WebspEnvArgs  # noqa: E402
from websp_gym.agents.agentlab.tables import episode_table, outcome_table  # noqa: E402

DEFAULT_BENCHMARKS.setdefault(NAME, make_benchmark)
DEFAULT_BENCHMARKS.setdefault(ENTERPRISE, make_enterprise_benchmark)

__all__ = [
    "WebspAgentArgs",
    "WebspBenchmark",
    "WebspEnvArgs",
    "collect",
    "episode_table",
    "make_benchmark",
    "make_enterprise_benchmark",
    "outcome_table",
    "stay_offline",
]
