"""The places of episodes: a world, its state, the sandbox as one, and effects outside of the account."""

from websp_gym.errors import SetupError, nearest
from websp_gym.world.base import World, WorldEpisode

__all__ = ["World", "WorldEpisode", "make_world"]


def make_world(name: str) -> World:
    """Return the world with this name.

    Args:
        name: ``sandbox`` or ``live``.

    Returns:
        The world. The sandbox's server starts when a browser or an episode first needs it.

    Raises:
        SetupError: There is no such world, or it is not available.
    """
    if name == "sandbox":
        from websp_gym.world.sandbox import SandboxWorld

        return SandboxWorld()
    if name == "live":
        raise SetupError('world="live" is not available yet; use world="sandbox"', option="world")
    raise SetupError(f'no world "{name}"{nearest(str(name), ["sandbox", "live"])}', option="world")
