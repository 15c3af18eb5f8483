"""What a check found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Severity = Literal["ok", "warning", "failed"]


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    Args:
        check: What kind of thing: ``oracle``, ``omission``, ``links``, …
        subject: Which one: an instance, a page, a key.
        outcome: ``warning`` is worth a look and fails nothing.
        detail: What was found; for what is wrong, the way out too.
    """

    check: str
    subject: str
    outcome: Severity = "ok"
    detail: str = ""

    def line(self) -> str:
        """The finding on one line."""
        return f"{self.check}: {self.subject}" + (f": {self.detail}" if self.detail else "")


@dataclass(frozen=True)
class SiteReport:
    """Everything that was found about one site.

    Args:
        site: Slug of the site.
        findings: In the order of the checks.
        seconds: How long it took.
        seconds_of: How long each instance took, and the pages under the site's name.
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
        """What is wrong."""
        return tuple(finding for finding in self.findings if finding.outcome == "failed")

    def of(self, check: str) -> tuple[Finding, ...]:
        """The findings of one kind."""
        return tuple(finding for finding in self.findings if finding.check == check)

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON data."""
        return {
            "site": self.site,
            "ok": self.ok,
            "seconds": round(self.seconds, 2),
            "findings": [asdict(finding) for finding in self.findings],
        }


def judged(check: str, subject: str, problems: Iterable[str], ok: str = "") -> Finding:
    """A finding that failed when there are problems.

    Args:
        check: What kind of thing was looked at.
        subject: Which one.
        problems: What is wrong with it; said once each.
        ok: What to say when nothing is.

    Returns:
        The finding.
    """
    found = list(dict.fromkeys(problems))
    return Finding(check, subject, "failed" if found else "ok", "; ".join(found) if found else ok)
