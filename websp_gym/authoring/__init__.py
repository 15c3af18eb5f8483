"""Checking a site: everything a task must prove before anybody is scored on it.

``websp check`` shows what :func:`check_site` finds; tests call the same functions.
"""

from websp_gym.authoring.check import check_site
from websp_gym.authoring.findings import Finding, SiteReport
from websp_gym.authoring.search_paths import Places

__all__ = ["Finding", "Places", "SiteReport", "check_site"]
