"""The schemas of the replica sites, as their ``site.yaml`` files describe them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from websp_gym.errors import SetupError, nearest
from websp_gym.paths import SITES, named_folders
from websp_gym.sandbox.schema.catalog import BUILTIN
from websp_gym.sandbox.schema.site import SESSIONS, SiteSchema
from websp_gym.sandbox.schema.site_files import SiteError, load_site


def site_folders() -> list[Path]:
    """Return the folders that hold sites: the built-in one, then those named in the environment."""
    return [BUILTIN, *named_folders(SITES)]


def site_schema(slug: str) -> SiteSchema:
    """Load one site. A file is read once per process.

    Args:
        slug: The name of the site's folder.

    Raises:
        SetupError: There is no such site, or it is invalid.
    """
    folders = [folder / slug for folder in site_folders() if (folder / slug / "site.yaml").is_file()]
    if not folders:
        known = [file.parent.name for folder in site_folders() for file in folder.glob("*/site.yaml")]
        raise SetupError(f'no site "{slug}"{nearest(slug, known)}', site=slug)
    site = _load(folders[0])
    if site.session_of:
        site.collections[SESSIONS] = site_schema(site.session_of).collections[SESSIONS]
    return site


@cache
def _load(folder: Path) -> SiteSchema:
    try:
        return load_site(folder)
    except SiteError as error:
        raise SetupError(str(error), path=str(error.file)) from error
