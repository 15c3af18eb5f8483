"""The state of the sandbox as its sites and the instances declare it, without a server."""

from __future__ import annotations

from datetime import date

from websp_gym.sandbox.schema.site import SiteSchema
from websp_gym.tasks.instances import Instance
from websp_gym.tasks.sites import site_schema
from websp_gym.world.state import SESSIONS, CompanyItems, Declared, Item, SiteState


def expected_s0(instance: Instance, *, own_session: bool = True) -> SiteState:
    """Return the state of the task's site that an instance expects at the start, with what the site declares.

    Args:
        instance: The instance.
        own_session: Whether this browser's own session is among its sessions.
    """
    site, expect = site_schema(instance.site.slug), instance.config.expect
    fresh = fresh_account(site)
    collections = dict(fresh.collections)
    for name, listed in expect.collections.items():
        spec, rows = site.collections[name], [{"id": str(n), **row} for n, row in enumerate(listed, 1)]
        known = {item["id"]: item for item in fresh.collections[name]} if spec.shared else {}
        items = {str(row["id"]): spec.complete({**known.get(row["id"], {}), **row}) for row in rows}
        collections[name] = _shared(site, name, items) if spec.shared else list(items.values())
    if own_session and instance.site.account != "none":
        # This browser's own session, which signing in creates.
        own = site.collections[SESSIONS].complete({"id": "own", "current": True})
        collections[SESSIONS] = [*collections[SESSIONS], own]
    return SiteState(fresh.settings | expect.settings, collections, fresh.declared)


def fresh_account(site: SiteSchema, day: str = "") -> SiteState:
    """Return the state of a new account that is not signed in, as a site declares it.

    Args:
        site: The site.
        day: The day to which dates of records are relative, as ``2026-03-31``; by default, today.
    """
    return SiteState(
        {name: setting.default for name, setting in site.settings.items()},
        {
            name: _shared(site, name, {}, day) if spec.shared else [spec.complete(row) for row in spec.rows()]
            for name, spec in site.collections.items()
        },
        declared(site),
    )


def _shared(site: SiteSchema, name: str, rows: dict[str, Item], day: str = "") -> CompanyItems:
    """Return the records that all episodes share, with some that differ."""
    company = site.collections[name].shared
    digest = company.digest if company else ""
    return CompanyItems(site.slug, name, digest, day or date.today().isoformat(), rows)


def declared(site: SiteSchema) -> Declared:
    """Return what a site declares about its state."""
    least = {name: getattr(setting, "least_private", None) for name, setting in site.settings.items()}
    return Declared(
        least_private={name: value for name, value in least.items() if value is not None},
        bookkeeping=frozenset(site.bookkeeping),
        shown_together=tuple(frozenset(names) for names in site.shown_together),
        session_of=site.session_of,
    )
