"""CUBE: the instances as the benchmark ``websp`` of cube-standard. Needs the extra ``cube`` and Python 3.12.

CUBE finds it by its entry point; ``cube test websp`` plays two instances with the oracle::

    config = WebspBenchmarkConfig().subset_from_glob("site", "Steam")
    run(Experiment(name="steam", agent_config=..., benchmark_config=config))
"""

from websp_gym.harnesses.cube.benchmark import WebspBenchmarkConfig
from websp_gym.harnesses.cube.task import WebspToolConfig

__all__ = ["WebspBenchmarkConfig", "WebspToolConfig"]
