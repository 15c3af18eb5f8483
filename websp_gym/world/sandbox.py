"""The sandbox as a world: replica sites with server-side state that can be read, set and rewound."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from websp_gym.errors import WorldError
from websp_gym.paths import SITES, named_folders
from websp_gym.sandbox import client
from websp_gym.tasks.instances import Site
from websp_gym.world.state import Declared, WorldState, world_state

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam
    from playwright.sync_api import BrowserContext

_declared_by: dict[int, dict[str, Declared]] = {}
"""Server's pid → by site, what its site.yaml declares."""

_snapshots: dict[tuple[int, str], tuple[str, list[Any]]] = {}
"""(server's pid, name) → (key on the server, the browser's cookies)."""


class SandboxEpisode:
    """An episode of the sandbox: one secret id that every request of its browser context carries."""

    def __init__(self, sandbox: client.Sandbox, episode: client.EpisodeHandle) -> None:
        self._sandbox = sandbox
        self._episode = episode
        self._defaults: WorldState | None = None

    @property
    def control(self) -> client.EpisodeHandle:
        """The episode as the server's control API has it."""
        return self._episode

    @property
    def account(self) -> Mapping[str, str]:
        """The account's name, username and email."""
        return self._episode.account

    @property
    def secrets(self) -> tuple[str, ...]:
        """The episode's id, and the control secret of the server."""
        return (self._episode.id, self._sandbox.address.secret)

    def attach(self, context: BrowserContext) -> None:
        """Gives the context the episode's header and cookies."""
        context.set_extra_http_headers({client.EPISODE_HEADER: self._episode.id})
        if self._episode.cookies:
            context.add_cookies(cast("list[SetCookieParam]", self._episode.cookies))

    def state(self) -> WorldState:
        """The server's state and event log."""
        return world_state(_call(self._episode.state), declared=_declared(self._sandbox))

    def defaults(self) -> WorldState:
        """The state of a fresh account."""
        if self._defaults is None:
            self._defaults = world_state(_call(self._episode.defaults))
        return self._defaults

    def prepare(self, site: str, settings: Mapping[str, Any], collections: Mapping[str, Any]) -> None:
        """Sets server state through the control API."""
        _call(lambda: self._episode.patch(site, settings=dict(settings), collections=dict(collections)))

    def snapshot(self, name: str, context: BrowserContext) -> None:
        """Keeps the server's state and the browser's cookies."""
        key = _call(self._episode.snapshot)
        _snapshots[self._sandbox.address.pid, name] = (key, list(context.cookies()))

    def restore(self, name: str, context: BrowserContext) -> bool:
        """Goes back to a snapshot of this server, cookies included."""
        found = _snapshots.get((self._sandbox.address.pid, name))
        if found is None:
            return False
        key, cookies = found
        _call(lambda: self._episode.restore(key))
        context.clear_cookies()
        if cookies:
            context.add_cookies(cookies)
        return True

    def check(self) -> None:
        """Notices a server that died: its pages would be the browser's error pages, which no agent deserves."""
        if not self._sandbox.alive():
            pid = self._sandbox.address.pid
            raise WorldError(f"the sandbox server (pid {pid}) has died; call reset() to start a new episode")

    def answers(self, seconds: float) -> bool:
        """Whether the server answers a question of its own, on a connection of its own."""
        return self._sandbox.ping(seconds)

    def close(self) -> None:
        """Ends the episode and frees its state; a server that is gone has done so already."""
        with contextlib.suppress(client.SandboxError):
            self._episode.close()


class SandboxWorld:
    """The embedded replica sites; the server is shared by all environments of one process tree."""

    name = "sandbox"

    def __init__(self) -> None:
        # The server would serve what is there, and say of what is missing that nobody knows it.
        named_folders(SITES)

    def browser_args(self) -> tuple[str, ...]:
        """Flags that send every host name to the sandbox and trust its certificate alone."""
        return tuple(_call(client.Sandbox.shared).browser_args())

    def open_episode(self, site: Site, *, signed_in: bool) -> SandboxEpisode:
        """Begins an episode with a fresh account.

        Args:
            site: The site of the instance.
            signed_in: Whether the browser starts signed in.

        Returns:
            The episode.

        Raises:
            WorldError: The server does not start or answer.
        """
        sandbox = _call(client.Sandbox.shared)
        # Signed out of the site, the browser still has the account that signs in to it (paper, section 3.2.1).
        slugs = [slug for slug in site.signed_in if signed_in or slug != site.slug]
        return SandboxEpisode(sandbox, _call(lambda: sandbox.open_episode(site.slug, signed_in=slugs)))


def _declared(sandbox: client.Sandbox) -> dict[str, Declared]:
    """Return what each site declares about its state; asked once per server."""
    pid = sandbox.address.pid
    if pid not in _declared_by:
        _declared_by[pid] = {site["slug"]: _declaration(site) for site in _call(sandbox.sites)}
    return _declared_by[pid]


def _declaration(site: Mapping[str, Any]) -> Declared:
    settings = site["settings"].items()
    return Declared(
        least_private={key: each["least_private"] for key, each in settings if "least_private" in each},
        bookkeeping=frozenset(site["bookkeeping"]),
        session_of=site["session_of"],
    )


def _call(function: Any) -> Any:
    try:
        return function()
    except client.SandboxError as error:
        raise WorldError(f"the sandbox failed: {error}") from error
