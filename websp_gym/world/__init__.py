"""Where episodes take place: the protocol of a world, its state, the sandbox, and effects outside the account."""

from websp_gym.world.base import InitialStateMode, Login, StartOptions, World, WorldEpisode
from websp_gym.world.kinds import WorldKind, is_ours, make_world, start_shared, world_kind, world_kinds

__all__ = [
    "InitialStateMode",
    "Login",
    "StartOptions",
    "World",
    "WorldEpisode",
    "WorldKind",
    "is_ours",
    "make_world",
    "start_shared",
    "world_kind",
    "world_kinds",
]
