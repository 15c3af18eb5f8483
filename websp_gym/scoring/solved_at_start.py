"""Instances that are solved at the start: their initial state S0 meets the goal.

They are part of the benchmark, so that always toggling does not pay. A learner finds them first, because answering at
once is enough; these functions identify them, leave them out or balance them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.scoring.state_reward import goal_checks
from websp_gym.tasks.instances import Instance, load_instance
from websp_gym.tasks.sites import site_schema
from websp_gym.world.state import SESSIONS, CompanyItems, Declared, Item, SiteState


def solved_at_start(instance: Instance | str) -> bool:
    """Whether an agent that does nothing but answer passes an instance.

    Args:
        instance: The instance, or its id.

    Raises:
        SetupError: There is no such instance, or its site is invalid.
    """
    one = load_instance(instance) if isinstance(instance, str) else instance
    if one.task.goal.visited or one.task.goal.answer:
        return False
    start = expected_s0(one)
    return all(check.passed for check in goal_checks(one.task.goal, start, start))


def without_solved(ids: Iterable[str]) -> list[str]:
    """Return the instances in which something must be done, in the same order."""
    return [name for name in ids if not solved_at_start(name)]


def balance_solved(ids: Iterable[str], *, seed: int = 0) -> list[str]:
    """Return equally many instances that are solved at the start and others.

    Surplus instances of the larger kind are left out, in an order that depends on the seed only.

    Args:
        ids: Ids of instances.
        seed: Seed of the choice.

    Returns:
        The ids that are kept, in the same order; an empty list if all are of one kind.
    """
    names = list(ids)
    solved = [name for name in names if solved_at_start(name)]
    others = [name for name in names if name not in solved]
    size = min(len(solved), len(others))
    kept = {
        name for group in (solved, others) for name in sorted(group, key=lambda n: _digest(seed, n))[:size]
    }
    return [name for name in names if name in kept]


def _digest(seed: int, name: str) -> bytes:
    return hashlib.sha256(f"{seed}:{name}".encode()).digest()


def expected_s0(instance: Instance) -> SiteState:
    """Return the state of the task's site that an instance expects at the start, with what the site declares."""
    site, expect = site_schema(instance.site.slug), instance.config.expect
    fresh = fresh_account(site)
    collections = dict(fresh.collections)
    for name, listed in expect.collections.items():
        spec, rows = site.collections[name], [{"id": f"item {n}", **row} for n, row in enumerate(listed)]
        known = {item["id"]: item for item in fresh.collections[name]} if spec.shared else {}
        items = {str(row["id"]): spec.complete({**known.get(row["id"], {}), **row}) for row in rows}
        collections[name] = _shared(site, name, items) if spec.shared else list(items.values())
    if instance.site.account != "none":
        # This browser's own session, which signing in creates.
        own = site.collections[SESSIONS].complete({"id": "own", "current": True})
        collections[SESSIONS] = [*collections[SESSIONS], own]
    return SiteState(fresh.settings | expect.settings, collections, fresh.declared)


def fresh_account(site: SiteSchema) -> SiteState:
    """Return the state of a new account that is not signed in, as a site declares it."""
    return SiteState(
        {name: setting.default for name, setting in site.settings.items()},
        {
            name: _shared(site, name, {}) if spec.shared else [spec.complete(row) for row in spec.rows()]
            for name, spec in site.collections.items()
        },
        declared(site),
    )


def _shared(site: SiteSchema, name: str, rows: dict[str, Item]) -> CompanyItems:
    """Return the records that all episodes share, with some that differ."""
    company = site.collections[name].shared
    digest = company.digest if company else ""
    return CompanyItems(site.slug, name, digest, date.today().isoformat(), rows)


def declared(site: SiteSchema) -> Declared:
    """Return what a site declares about its state."""
    least = {name: getattr(setting, "least_private", None) for name, setting in site.settings.items()}
    return Declared(
        least_private={name: value for name, value in least.items() if value is not None},
        bookkeeping=frozenset(site.bookkeeping),
        shown_together=tuple(frozenset(names) for names in site.shown_together),
        session_of=site.session_of,
    )
