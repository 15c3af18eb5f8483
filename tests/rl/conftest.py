"""Tests of the adapters of trainers; `make test-rl` runs each file in the environment of its extra."""

from __future__ import annotations

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Training is slow, and warnings of these packages are not our errors."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(900))
            item.add_marker(pytest.mark.filterwarnings("default"))
