"""The live web as a world: the user's own accounts on real websites, and what keeps them safe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from websp_gym.errors import SetupError
from websp_gym.world.kinds import WorldKind

if TYPE_CHECKING:
    from websp_gym.tasks.instances import Site
    from websp_gym.world.base import World


def _make(site: Site | None, **options: Any) -> World:
    from websp_gym.live.world import LiveWorld

    if site is None:
        raise SetupError('world="live" is that of a site', option="world")
    return LiveWorld(site, **options)


KIND = WorldKind(
    make=_make,
    options=("account", "locale", "time_zone", "user_agent", "proxy", "restore"),
    # Sites are slower there, and S0 is read back from loaded pages.
    defaults={"step_timeout": 60.0, "reset_timeout": 300.0},
)
