"""Checking a site: everything a task must prove before anybody is scored on it.

``websp check`` shows what :func:`check_site` finds; tests call the same functions.
"""

from websp_gym.checking.check import check_site
from websp_gym.checking.places import Places
from websp_gym.checking.report import Finding, SiteReport

__all__ = ["Finding", "Places", "SiteReport", "check_site"]
