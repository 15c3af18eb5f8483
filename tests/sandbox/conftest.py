"""A server for sites of the tests, and a visitor with an account there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox_support import Visitor, write_sites
from websp_gym.sandbox.client import EpisodeHandle, Sandbox


@pytest.fixture(scope="module")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the two test sites; a module with sites of its own returns theirs."""
    return write_sites(tmp_path_factory.mktemp("sites"))


@pytest.fixture(scope="module")
def sandbox(site_folder: Path) -> Iterator[Sandbox]:
    """A server for the sites of the folder alone."""
    sandbox = Sandbox.start(sites=[site_folder], only=True)
    yield sandbox
    sandbox.close()


@pytest.fixture
def episode(sandbox: Sandbox) -> Iterator[EpisodeHandle]:
    """A fresh account that is signed in to the shop."""
    episode = sandbox.open_episode("shop", signed_in=["shop"])
    yield episode
    episode.close()


@pytest.fixture
def visitor(sandbox: Sandbox, episode: EpisodeHandle) -> Visitor:
    """Somebody with this account, without a browser."""
    return Visitor(sandbox.address, episode)
