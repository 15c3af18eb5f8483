"""For authors of sites: checks and proofs of a site and its tasks, and the scaffold of a new one.

``websp check`` prints the findings of :func:`check_site`; tests call the same function.
"""

from websp_gym.authoring.check import check_site
from websp_gym.authoring.findings import Finding, SiteReport
from websp_gym.authoring.search_paths import SearchPaths

__all__ = ["Finding", "SearchPaths", "SiteReport", "check_site"]
