"""Where episodes take place: worlds, their state, the sandbox, the live web, and effects outside the account."""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.errors import SetupError, nearest
from websp_gym.world.base import Server, World, WorldEpisode

if TYPE_CHECKING:
    from websp_gym.tasks.instances import Site
    from websp_gym.world.live.live import LiveSettings

__all__ = ["Server", "World", "WorldEpisode", "make_world"]


def make_world(name: str, site: Site | None = None, live: LiveSettings | None = None) -> World:
    """Return the world with this name.

    Args:
        name: ``sandbox`` or ``live``.
        site: The site of the episodes, for the live world.
        live: Options of the live world.

    Returns:
        The world. The sandbox's server starts when a browser or an episode first needs it.

    Raises:
        SetupError: There is no such world; or it is the live one, and it is not allowed or has no such account.
    """
    if name == "sandbox":
        from websp_gym.world.sandbox import SandboxWorld

        return SandboxWorld()
    if name == "live" and site is not None:
        from websp_gym.world.live.live import LiveSettings, LiveWorld

        return LiveWorld(site, live or LiveSettings())
    raise SetupError(f'no world "{name}"{nearest(str(name), ["sandbox", "live"])}', option="world")
