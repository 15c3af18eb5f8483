"""``websp prove``: every proof of every instance in full, over processes, with a table at the end."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress
from rich.table import Table

from websp_gym.authoring.check import check_flows, check_policies, check_site
from websp_gym.authoring.findings import SiteReport
from websp_gym.authoring.policy_proofs import POLICY_CHECKS
from websp_gym.tasks.instances import all_flows, all_instances, all_work

CHECKS = (
    "S0",
    "oracle",
    "rest",
    "no-op",
    "omission",
    "agreement",
    "unconfirmed",
    "opposite",
    "mistake",
    "side effects",
    "effects",
    "console",
    "requests",
)
FLOW_CHECKS = ("S0", "oracle", "no-op", "omission", "side effects", "console", *POLICY_CHECKS)
_WIDTH = 160
_CELLS = {"failed": "[red]failed[/]", "warning": "[yellow]![/]", "ok": "[green]ok[/]"}


def prove_sites(
    sites: Sequence[str],
    *,
    processes: int,
    console: Console,
    policies: Sequence[str] | None = None,
    flows: bool = False,
) -> bool:
    """Prove sites (none: every site that has tasks), print what failed and a table, and return whether all holds.

    The outcome of a site is printed as soon as it is known. With ``policies``, these are proven in place of the
    instances; with ``flows``, the everyday tasks.

    Raises:
        SetupError: There is no such site.
        WorldError: The sandbox does not start.
    """
    # In a log, make the console as wide as the table.
    console.width = max(console.width, _WIDTH)
    known = all_flows() if flows else (*all_instances(), *all_work())
    slugs = sites or list(dict.fromkeys(instance.site.slug for instance in known))
    reports = []
    for slug in slugs:
        reports.append(_proved(slug, processes, console, policies, flows=flows))
        _print_report(console, reports[-1])
    checks = POLICY_CHECKS if policies is not None else FLOW_CHECKS if flows else CHECKS
    console.print(_table(reports, checks))
    return all(report.ok for report in reports)


def _proved(
    slug: str, jobs: int, console: Console, policies: Sequence[str] | None, *, flows: bool
) -> SiteReport:
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(slug)

        def told(what: str, done: int, total: int) -> None:
            progress.update(task, description=f"{slug}: {what}", completed=done, total=total)

        if policies is not None:
            return check_policies(slug, policies, processes=jobs, on_progress=told)
        if flows:
            return check_flows(slug, processes=jobs, on_progress=told)
        return check_site(slug, processes=jobs, on_progress=told)


def _print_report(console: Console, report: SiteReport) -> None:
    said = "[green]ok[/]" if report.ok else f"[red]{len(report.failures)} failed[/]"
    console.print(f"{report.site}: {said}, {len(report.findings)} findings, {report.seconds:.0f} s")
    for finding in report.failures:
        console.print(f"[red]failed[/] {escape(finding.line())}", soft_wrap=True)


def _table(reports: Sequence[SiteReport], checks: Sequence[str]) -> Table:
    table = Table(title="proofs")
    for heading in ("instance", *checks, "seconds"):
        table.add_column(heading)
    for report in reports:
        for name, seconds in report.seconds_of.items():
            cells = [_cell(report, name, check) for check in checks]
            table.add_row(name, *cells, f"{seconds:.1f}")
    return table


def _cell(report: SiteReport, name: str, check: str) -> str:
    """Return the worst outcome of an instance's findings of one kind, and their number if more than one."""
    found = [
        each.outcome
        for each in report.of(check)
        if each.subject == name or each.subject.startswith((f"{name} ", f"{name}'s "))
    ]
    worst = next((outcome for outcome in _CELLS if outcome in found), None)
    return f"{_CELLS[worst]}{f' ×{len(found)}' if len(found) > 1 else ''}" if worst else "–"
