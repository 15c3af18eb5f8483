"""``websp check`` and ``websp new-site``: progress, a summary to read, exit code."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from websp_gym.authoring import Finding, Places, SiteReport, check_site
from websp_gym.authoring.check import OnProgress
from websp_gym.errors import SetupError

_SIGNS = {"ok": "[green]✓[/]", "warning": "[yellow]![/]", "failed": "[red]✗[/]"}


def check_command(
    sites: list[str],
    *,
    places: Path | None,
    online: bool,
    processes: int,
    screenshots: Path | None,
    as_json: bool,
    verbose: bool,
) -> int:
    """Checks sites and shows what was found.

    Args:
        sites: Slugs; none means every site that has tasks.
        places: Folder with own ``sites``, ``task_configs`` and ``traces``.
        online: Whether the sandbox and a browser are used.
        processes: How many processes.
        screenshots: Folder for pictures.
        as_json: One JSON array of reports on standard output, nothing else.
        verbose: Show every single finding.

    Returns:
        Exit code: 1 when something failed, else 0.

    Raises:
        SetupError: There is no such site or folder.
    """
    if places is not None and not places.is_dir():
        raise SetupError(f"no folder {places}", path=str(places))
    extra = Places.below(places) if places else Places()
    reports: list[SiteReport] = []
    console = Console(highlight=False)
    for slug in sites or _every_site(extra):
        with _progress(console, slug, as_json) as progress:
            report = check_site(
                slug,
                places=extra,
                online=online,
                processes=processes,
                screenshots=screenshots,
                on_progress=progress,
            )
        reports.append(report)
        if not as_json:
            _show(console, report, verbose)
    if as_json:
        rows = [report.as_dict() for report in reports]
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
    elif len(reports) > 1:
        wrong = [report.site for report in reports if not report.ok]
        console.print(
            f"{len(reports)} sites: "
            + (f"[red]failed: {', '.join(wrong)}[/]" if wrong else "[green]all pass[/]")
        )
    return 0 if all(report.ok for report in reports) else 1


def new_site_command(name: str, *, host: str | None, folder: Path | None) -> None:
    """Writes a new site that passes its check, and says how to go on.

    Args:
        name: Name of the site, as people write it.
        host: Its main host; ``www.<slug>.com`` otherwise.
        folder: Where to write, if not into this checkout.

    Raises:
        SetupError: A name is wrong, or a file is already there.
    """
    from websp_gym.authoring.scaffold import new_site

    made = new_site(name, host=host, folder=folder)
    console = Console(highlight=False)
    for path in made.files:
        console.print(f"[green]✓[/] {escape(str(path))}", soft_wrap=True)
    own = f" --places {escape(str(folder))}" if folder else ""
    known = f"WEBSP_SANDBOX_SITES={escape(str(folder / 'sites'))} " if folder else ""
    console.print(f"\nlook at it:  [bold]{known}websp serve {made.slug}[/]", soft_wrap=True)
    console.print(f"check it:    [bold]websp check {made.slug}{own}[/]", soft_wrap=True)
    console.print("how to go on: docs/adding-a-site.md", style="dim")


def _every_site(places: Places) -> list[str]:
    from websp_gym.tasks.instances import all_instances

    with places.known():
        return list(dict.fromkeys(loaded.site.slug for loaded in all_instances()))


@contextmanager
def _progress(console: Console, slug: str, as_json: bool) -> Iterator[OnProgress]:
    columns = (TextColumn("[bold]{task.fields[site]}[/]"), BarColumn(), MofNCompleteColumn())
    hidden = as_json or not console.is_terminal
    with Progress(
        *columns, TextColumn("{task.description}"), console=console, transient=True, disable=hidden
    ) as bar:
        task = bar.add_task("", total=None, site=slug)

        def show(what: str, done: int, total: int) -> None:
            bar.update(task, description=what, completed=done, total=total)

        yield show


def _show(console: Console, report: SiteReport, verbose: bool) -> None:
    colour, word = ("green", "passes") if report.ok else ("red", "fails")
    console.print(f"[bold]{report.site}[/] [{colour}]{word}[/]  [dim]{report.seconds:.1f} s[/]")
    kinds: dict[str, list[Finding]] = {}
    for finding in report.findings:
        kinds.setdefault(finding.check, []).append(finding)
    width = max(map(len, kinds), default=0)
    for check, found in kinds.items():
        _show_kind(console.print, check.ljust(width), found, verbose)


def _show_kind(write: Callable[..., None], check: str, found: list[Finding], verbose: bool) -> None:
    counted = Counter(finding.outcome for finding in found)
    worst = next(outcome for outcome in ("failed", "warning", "ok") if counted[outcome])
    told = f"{counted['ok']} of {len(found)}" if len(found) > 1 else ""
    only = found[0] if len(found) == 1 and worst == "ok" else None
    said = f"[dim]{escape(only.detail)}[/]" if only else told
    write(f"  {_SIGNS[worst]} {check}  {said}", soft_wrap=True)
    for finding in found:
        if finding is not only and (verbose or finding.outcome != "ok"):
            sign = _SIGNS[finding.outcome]
            write(f"      {sign} [bold]{escape(finding.subject)}[/] {escape(finding.detail)}", soft_wrap=True)
