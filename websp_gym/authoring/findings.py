"""The findings of a check, and the report on a site."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Severity = Literal["ok", "warning", "failed"]


@dataclass(frozen=True)
class Finding:
    """The result of one check of one subject.

    Args:
        check: Kind of check: ``oracle``, ``omission``, ``links``, …
        subject: What was checked: an instance, a page, a key.
        outcome: ``ok``, ``failed``, or ``warning``, which does not fail the check.
        detail: What was found; for a problem, also how to fix it.
    """

    check: str
    subject: str
    outcome: Severity = "ok"
    detail: str = ""

    def line(self) -> str:
        """Return the finding as one line of text."""
        return f"{self.check}: {self.subject}" + (f": {self.detail}" if self.detail else "")


@dataclass(frozen=True)
class SiteReport:
    """All findings on one site.

    Args:
        site: Slug of the site.
        findings: The findings, in the order of the checks.
        seconds: Duration of the check.
        seconds_of: Duration in seconds per instance id; that of the crawl is under the site's slug.
    """

    site: str
    findings: tuple[Finding, ...]
    seconds: float
    seconds_of: dict[str, float] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failures

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that failed."""
        return tuple(finding for finding in self.findings if finding.outcome == "failed")

    def of(self, check: str) -> tuple[Finding, ...]:
        """Return the findings of one kind of check."""
        return tuple(finding for finding in self.findings if finding.check == check)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON data."""
        return {
            "site": self.site,
            "ok": self.ok,
            "seconds": round(self.seconds, 2),
            "findings": [asdict(finding) for finding in self.findings],
        }


def judged(check: str, subject: str, problems: Iterable[str], ok: str = "") -> Finding:
    """Return a finding that failed with these problems, or if there are none, one with the detail ``ok``."""
    found = list(dict.fromkeys(problems))
    return Finding(check, subject, "failed" if found else "ok", "; ".join(found) if found else ok)
