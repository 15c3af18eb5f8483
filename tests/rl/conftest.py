"""Tests of the adapters of trainers; `make test-rl` runs each file in the environment of its extra."""

from __future__ import annotations

from pathlib import Path

import pytest

from websp_gym.rollouts import Pool, agent_policy


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Training is slow, and warnings of these packages are not our errors."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(900))
            item.add_marker(pytest.mark.filterwarnings("default"))


@pytest.fixture(scope="session")
def oracle() -> tuple[str, ...]:
    """The oracle's replies in Steam-task-191-ON with seed 0."""
    with Pool(1) as pool:
        played = pool.rollout("Steam-task-191-ON", agent_policy("oracle"))
    assert played.reward == 1.0
    return played.replies
