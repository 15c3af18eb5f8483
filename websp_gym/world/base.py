"""What an environment needs from a world, be it the sandbox or the live web."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from websp_gym.tasks.instances import Site
from websp_gym.world.state import WorldState

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


class WorldEpisode(Protocol):
    """One account, one browser context, one state, from reset to the end."""

    @property
    def account(self) -> Mapping[str, str]:
        """The account's ``name``, ``username`` and ``email``, for placeholders in traces and ground truths."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that must never be written to disk."""

    def attach(self, context: BrowserContext) -> None:
        """Makes a fresh browser context belong to this episode."""

    def state(self) -> WorldState:
        """The server's state and event log; raises :class:`~websp_gym.errors.WorldError` if it cannot be had."""

    def defaults(self) -> WorldState:
        """The state of a fresh account."""

    def prepare(self, site: str, settings: Mapping[str, Any], collections: Mapping[str, Any]) -> None:
        """Sets server state without a browser."""

    def snapshot(self, name: str, context: BrowserContext) -> None:
        """Keeps server and browser state under a name, for later episodes of this process."""

    def restore(self, name: str, context: BrowserContext) -> bool:
        """Goes back to a snapshot; returns whether there was one."""

    def check(self) -> None:
        """Costs next to nothing; raises :class:`~websp_gym.errors.WorldError` if the world is gone."""

    def answers(self, seconds: float) -> bool:
        """Whether the world's server answers within so many seconds; called from other threads than the rest."""

    def close(self) -> None:
        """Ends the episode; never raises for a world that is already gone."""


class World(Protocol):
    """Where episodes take place."""

    name: str

    def browser_args(self) -> tuple[str, ...]:
        """Command-line flags a browser needs to reach this world."""

    def open_episode(self, site: Site, *, signed_in: bool) -> WorldEpisode:
        """Begins an episode on a site.

        Args:
            site: The site of the instance.
            signed_in: Whether the browser starts signed in to ``site.signed_in``.
        """
