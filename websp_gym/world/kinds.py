"""The worlds by name: ours, and those that other packages register.

A package adds a world by an entry point of the group ``websp_gym.worlds`` whose object is a :class:`WorldKind`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from websp_gym.errors import SetupError, nearest
from websp_gym.plugins import load_plugin, plugins

if TYPE_CHECKING:
    from websp_gym.tasks.instances import Site
    from websp_gym.world.base import World


@dataclass(frozen=True, kw_only=True)
class WorldKind:
    """What is known of a world before an episode opens in it.

    Args:
        make: Makes the world from the site of its episodes, which may be ``None``, and its own options by name.
        options: Names of the options of ``gym.make`` that it takes, of those about an account and its browser.
        defaults: Defaults of other options that differ in it.
        is_ours: Whether its server is ours: its state can be read, and what is done there harms nobody.
    """

    make: Callable[..., World]
    options: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    is_ours: bool = False


def _sandbox(site: Site | None) -> World:
    from websp_gym.world.sandbox import SandboxWorld

    return SandboxWorld()


SANDBOX = WorldKind(make=_sandbox, is_ours=True)
_OURS = {"sandbox": "websp_gym.world.kinds:SANDBOX", "live": "websp_gym.live:KIND"}


def world_kinds() -> tuple[str, ...]:
    """Return the names of all worlds."""
    return (*_OURS, *sorted(plugins("worlds").keys() - _OURS.keys()))


@cache
def world_kind(name: str) -> WorldKind:
    """Return what is known of a world.

    Raises:
        SetupError: There is no such world, or its package is broken.
    """
    if name in _OURS:
        ours: WorldKind = resolve_name(_OURS[name])
        return ours
    if name not in plugins("worlds"):
        raise SetupError(f'no world "{name}"{nearest(str(name), list(world_kinds()))}', option="world")
    kind = load_plugin("worlds", name)
    if not isinstance(kind, WorldKind):
        raise SetupError(f'the world "{name}" is {kind!r}, not a WorldKind', option="world")
    return kind


def is_ours(name: str) -> bool:
    """Whether a world's server is ours; not if there is no such world here, as of a run from elsewhere."""
    return name in world_kinds() and world_kind(name).is_ours


def start_shared(worlds: Iterable[str]) -> None:
    """Start what later processes share, such as the sandbox's server, in those worlds whose server is ours."""
    for name in dict.fromkeys(worlds):
        if world_kind(name).is_ours:
            make_world(name).browser_args()


def make_world(name: str, site: Site | None = None, **options: Any) -> World:
    """Return the world with this name.

    Args:
        name: Its name, such as ``sandbox``.
        site: The site of the episodes, for a world that needs it.
        options: The options that only this world takes.

    Returns:
        The world. The sandbox's server starts when a browser or an episode first needs it.

    Raises:
        SetupError: There is no such world, or it cannot be used: the live one is not allowed, or has no such account.
    """
    return world_kind(name).make(site, **options)
