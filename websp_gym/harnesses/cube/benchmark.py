"""The 200 instances as a benchmark of CUBE."""

from __future__ import annotations

from functools import cache
from typing import ClassVar

from pydantic import Field

from websp_gym.errors import missing_extra
from websp_gym.harnesses.cube.task import InstanceMetadata, InstanceTaskConfig, WebspToolConfig
from websp_gym.project import REPOSITORY
from websp_gym.tasks import DATASET_VERSION
from websp_gym.tasks.ids import instance_ids
from websp_gym.tasks.instances import load_instance
from websp_gym.tasks.splits import SIDES, split_ids

try:
    from cube.benchmark import Benchmark, BenchmarkConfig, BenchmarkMetadata
except ImportError as error:
    raise missing_extra("the benchmark for CUBE needs cube-standard, and Python 3.12", "cube") from error


class WebspBenchmark(Benchmark):  # type: ignore[misc]
    """A run. Its tasks share nothing but the server of the sandbox, which starts with the first one."""

    def _setup(self) -> None:
        """Check the options before the first episode.

        Raises:
            SetupError: One is wrong.
        """
        self.config.tool_config.make()

    def close(self) -> None:
        """Do nothing: each task ends its own process."""


class WebspBenchmarkConfig(BenchmarkConfig[InstanceMetadata]):  # type: ignore[misc]
    """Web security and privacy tasks on replica sites, scored by the state of the server.

    ``subset_from_list`` takes ids, ``subset_from_glob`` a key (``id``, ``site``, ``abstract_description``) and a
    glob, ``named_subset`` ``train`` or ``test``. Trials are seeds: give a ``seed_generator``.
    """

    benchmark_metadata: ClassVar[BenchmarkMetadata] = BenchmarkMetadata(
        name="websp",
        version=DATASET_VERSION,
        description="Web security and privacy tasks on replica sites, scored by the state of the server.",
        license="Apache-2.0",
        num_tasks=len(instance_ids()),
        tags=["web", "browser", "security", "privacy"],
        requirements={"homepage": REPOSITORY, "browser": "Chromium", "python": "3.12"},
        named_subsets={side: ("split", side) for side in SIDES},
    )
    task_config_class: ClassVar[type[InstanceTaskConfig]] = InstanceTaskConfig
    benchmark_class: ClassVar[type[WebspBenchmark]] = WebspBenchmark

    tool_config: WebspToolConfig = Field(default_factory=WebspToolConfig)

    @property
    def task_metadata(self) -> dict[str, InstanceMetadata]:
        """All instances by id. Not a class variable: reading their files takes seconds."""
        return _instances()


@cache
def _instances() -> dict[str, InstanceMetadata]:
    sides = {name: side for side, names in zip(SIDES, split_ids("task"), strict=True) for name in names}
    instances = map(load_instance, instance_ids())
    return {
        one.id: InstanceMetadata(
            id=one.id, split=sides[one.id], abstract_description=one.task.category, site=one.site.site
        )
        for one in instances
    }
