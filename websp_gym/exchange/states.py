"""Whether the states in a record are S0 of its instance, and what the log of events makes of it."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Iterator, Mapping

from websp_gym.records.trajectory import Trajectory
from websp_gym.tasks.instances import Instance
from websp_gym.tasks.sites import site_schema
from websp_gym.world.fresh import fresh_account
from websp_gym.world.initial_state import differences_of
from websp_gym.world.log import apply, is_of_state
from websp_gym.world.state import SESSIONS, Item, SiteState, WorldState, world_state

_Items = dict[str, dict[str, Item]]
"""The items of each collection, by id."""


def not_s0(record: Trajectory, instance: Instance) -> Iterator[str]:
    """Yield how the first state of a record differs from S0 of the instance, as checked at a reset."""
    slug = instance.site.slug
    start = world_state({"sites": {slug: record.s0}})
    fresh = WorldState({slug: fresh_account(site_schema(slug), start.sites[slug].day)})
    for key, (wanted, have) in differences_of(instance, start, fresh):
        yield f"its S0 has {key}={reprlib.repr(have)}, and that of the instance {reprlib.repr(wanted)}"


def unexplained(record: Trajectory, slug: str) -> Iterator[str]:
    """Yield the settings and collections that are not at the end what the log of events makes of S0."""
    start, end = (world_state({"sites": {slug: state}}).sites[slug] for state in (record.s0, record.end))
    state = SiteState(dict(start.settings), dict(start.collections))
    for event in record.events:
        if is_of_state(slug, event["site"], event["kind"]):
            apply(state, event["kind"], event["data"])
    settings, items = state.settings, _by_id(state.collections)
    after = _by_id(end.collections)
    for key in {**settings, **end.settings}:
        if settings.get(key) != (value := end.settings.get(key)):
            yield f"its end state has {key}={value!r}, which S0 and the log of events do not give"
    for name in {**items, **after}:
        if items.get(name) != after.get(name):
            yield f"its end state has {name} that S0 and the log of events do not give"


def _by_id(collections: Mapping[str, Iterable[Item]]) -> _Items:
    return {
        name: {item["id"]: _kept(item) if name == SESSIONS else item for item in items}
        for name, items in collections.items()
    }


def _kept(session: Item) -> Item:
    """Return a session without ``current``: of the one that another replaces, no event says that."""
    return {name: value for name, value in session.items() if name != "current"}
