"""The catalog of a server's sites: found on disk, looked up by slug or host name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from .did_you_mean import nearest
from .site import SESSIONS, SiteSchema
from .site_files import SiteError, load_site

BUILTIN = Path(__file__).parents[1] / "sites"


class Catalog:
    """The sites of a server.

    Args:
        folders: Folders with one subfolder per site.

    Raises:
        SiteError: A site is invalid, or two sites have the same slug or host.
    """

    def __init__(self, folders: Iterable[Path]) -> None:
        self._sites: dict[str, SiteSchema] = {}
        self._hosts: dict[str, SiteSchema] = {}
        for folder in folders:
            for file in sorted(folder.glob("*/site.yaml")):
                self._take(load_site(file.parent))
        for site in self:
            self._check_references(site)

    def __iter__(self) -> Iterator[SiteSchema]:
        return iter(self._sites.values())

    def __getitem__(self, slug: str) -> SiteSchema:
        """Return the site with this slug. Raise ValueError if there is none."""
        if slug not in self._sites:
            raise ValueError(f'unknown site "{slug}"{nearest(slug, self._sites)}')
        return self._sites[slug]

    @property
    def slugs(self) -> list[str]:
        """The slugs of all sites, in the order in which they were found."""
        return list(self._sites)

    def by_host(self, host: str) -> SiteSchema | None:
        """Return the site with exactly this host name, or None."""
        return self._hosts.get(host)

    def session_owner(self, site: SiteSchema) -> SiteSchema:
        """Return the site whose sign-in ``site`` uses: itself, or the one that ``session_of`` names."""
        return self[site.session_of] if site.session_of else site

    @cached_property
    def default_json(self) -> dict[str, str]:
        """The state of a fresh account as JSON text, by slug."""
        return {site.slug: json.dumps(self.default_state(site)) for site in self}

    def default_state(self, site: SiteSchema) -> dict[str, Any]:
        """Return the settings and collections of a fresh account on a site.

        Of records that all episodes share, these are the differences: none.
        """
        items = {
            name: {"company": spec.shared.digest, "rows": {}}
            if spec.shared is not None
            else [spec.complete(row) for row in spec.rows()]
            for name, spec in site.collections.items()
        }
        return {
            "settings": {key: setting.default for key, setting in site.settings.items()},
            "collections": items,
        }

    def _take(self, site: SiteSchema) -> None:
        file = site.folder / "site.yaml"
        if site.slug in self._sites:
            raise SiteError(
                file, [f'the slug "{site.slug}" is already taken by {self._sites[site.slug].folder}']
            )
        for host in site.hosts:
            if host in self._hosts:
                raise SiteError(file, [f'hosts: "{host}" already belongs to {self._hosts[host].slug}'])
            self._hosts[host] = site
        self._sites[site.slug] = site

    def _check_references(self, site: SiteSchema) -> None:
        if not site.session_of:
            return
        other = self._sites.get(site.session_of)
        if other is None:
            raise SiteError(
                site.folder / "site.yaml",
                [f'session_of: unknown site "{site.session_of}"{nearest(site.session_of, self._sites)}'],
            )
        if not other.session_cookie:
            raise SiteError(site.folder / "site.yaml", [f"session_of: {other.slug} has no session_cookie"])
        site.collections[SESSIONS] = other.collections[SESSIONS]
