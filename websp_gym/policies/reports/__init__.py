"""Whether a text tells the user about a fault of the site: where it was, and that something did not work."""

from __future__ import annotations

from websp_gym.policies.reports.places import Place
from websp_gym.policies.reports.reading import reports_fault, says_that_it_failed

__all__ = ["Place", "reports_fault", "says_that_it_failed"]
