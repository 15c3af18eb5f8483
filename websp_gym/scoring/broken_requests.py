"""Whether a failed request could have made the difference between failing and passing.

A replica may answer a request with an internal error, and an agent may provoke one. If every error left the episode
unscored, a losing agent could avoid its failure. So an error counts by its effect: the episode is unscored only if
every unmet condition would hold, had the failed requests been carried out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from websp_gym.tasks.goals import Goal, ItemChange, ItemCheck, Says
from websp_gym.world.state import SESSIONS, LogEvent, SiteState, WorldState, same


@dataclass(frozen=True)
class Need:
    """Changes that would make a condition hold.

    Args:
        settings: The settings and their wanted values.
        collection: The collection whose items would have to change; empty if none.
        values: Values that the items would have to get.
    """

    settings: Mapping[str, Any] = field(default_factory=dict)
    collection: str = ""
    values: Sequence[Any] = ()


def needs_of(goal: Goal) -> Iterator[Need]:
    """Yield what each condition of a goal needs, in the order of ``goal_checks()``."""
    for key, wanted in goal.settings.items():
        yield Need({key: wanted})
    for kind, items in goal.items():
        values: list[Any] = []
        if isinstance(items, ItemChange):
            values = list(items.to.values())
        elif isinstance(items, ItemCheck) and kind in ("created", "present"):
            values = list(items.where.values())
        yield Need(collection=items.collection, values=values)
    if goal.signed_in is not None:
        yield Need(collection=SESSIONS)


def broken_requests(slug: str, start: WorldState, end: WorldState) -> list[LogEvent]:
    """Return the requests since S0 that failed on the site of the task, or on the site where it signs in."""
    own = {slug, end.sites.get(slug, SiteState()).declared.session_of} - {""}
    return [event for event in end.since(start.last_seq) if event.kind == "error" and event.site in own]


def could_have_decided(needs: Sequence[Need | None], broken: Sequence[LogEvent]) -> bool:
    """Whether the failed requests could have met all needs.

    Args:
        needs: The needs of all unmet conditions; ``None`` for one that no change can meet any more.
        broken: Events of the failed requests.
    """
    return bool(needs) and all(
        need is not None and any(_meets(event.data, need) for event in broken) for need in needs
    )


def _meets(request: Mapping[str, Any], need: Need) -> bool:
    if "settings" not in request:
        # The server stood still, or the record is an old one: what it would have changed is unknown.
        return True
    settings, collections = request["settings"], request["collections"]
    sent = str(request.get("sent", ""))
    if settings is None:
        return all(_says(sent, value) for value in (*need.settings.values(), *need.values))
    if need.collection:
        return need.collection in collections and all(_says(sent, value) for value in need.values)
    return all(key in settings and same(settings[key], value) for key, value in need.settings.items())


def _says(sent: str, value: Any) -> bool:
    """Whether a request has the texts that it needs. Of other values is not known how a page sends them."""
    if isinstance(value, list):
        return all(_says(sent, each) for each in value)
    if isinstance(value, Says):
        return Says.plain(value.says) in Says.plain(sent)
    return value in sent if isinstance(value, str) else True
