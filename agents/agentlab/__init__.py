"""AgentLab: the instances as a benchmark, our agents as its agents, its studies as runs for ``websp report``.

Import this package before AgentLab itself: it provides local copies of files that AgentLab would download. The
import also registers the environments and the benchmark ``websp``, in worker processes too. See
``docs/reference/agentlab.md``.
"""

from websp_gym.agents.agentlab.offline import spare_downloads, stay_offline

spare_downloads()

from browsergym.experiments.benchmark import DEFAULT_BENCHMARKS  # noqa: E402

from websp_gym.agents.agentlab.agent_args import WebspAgentArgs  # noqa: E402
from websp_gym.agents.agentlab.benchmark import NAME, WebspBenchmark, make_benchmark  # noqa: E402
from websp_gym.agents.agentlab.collecting import collect  # noqa: E402
from websp_gym.agents.agentlab.env_args import WebspEnvArgs  # noqa: E402
from websp_gym.agents.agentlab.tables import episode_table, outcome_table  # noqa: E402

DEFAULT_BENCHMARKS.setdefault(NAME, make_benchmark)

__all__ = [
    "WebspAgentArgs",
    "WebspBenchmark",
    "WebspEnvArgs",
    "collect",
    "episode_table",
    "make_benchmark",
    "outcome_table",
    "stay_offline",
]
