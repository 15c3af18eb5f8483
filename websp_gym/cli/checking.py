"""``websp check``, ``websp prove`` and ``websp new-site``: check a site and its tasks, or create a new one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from websp_gym.authoring import Finding, SearchPaths, SiteReport, check_site, scaffold
from websp_gym.authoring.check import OnProgress
from websp_gym.authoring.effects import InstanceEffects, effects_of
from websp_gym.authoring.prove import prove_sites
from websp_gym.cli.options import AsJson, Processes, Sites
from websp_gym.cli.output import FAILED, OK, Console, print_json
from websp_gym.errors import SetupError
from websp_gym.project import docs
from websp_gym.tasks.instances import all_instances, all_work

_SIGNS = {"ok": OK, "warning": "[yellow]![/]", "failed": FAILED}


def check(
    sites: Sites = None,
    *,
    jobs: Processes = 1,
    offline: Annotated[bool, typer.Option("--offline", help="Check the files only; no browser.")] = False,
    screenshots: Annotated[
        Path | None, typer.Option(help="Folder for screenshots of the pages and a contact sheet.")
    ] = None,
    places: Annotated[
        Path | None, typer.Option(help="Folder with your own sites/, task_configs/ and traces/.")
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show passed checks, too.")] = False,
    as_json: AsJson = False,
) -> int:
    """Check a site and its tasks: files, initial states, proofs of every instance, every page and link.

    Exit code 0 when nothing failed, 1 when something did, 2 when there is no such site.

    Example: `websp check steam --jobs 2 --screenshots shots`
    """
    if places is not None and not places.is_dir():
        raise SetupError(f"no folder {places}", path=str(places))
    extra = SearchPaths.below(places) if places else SearchPaths()
    reports: list[SiteReport] = []
    console = Console()
    for slug in sites or _every_site(extra):
        with _progress(console, slug, as_json) as progress:
            report = check_site(
                slug,
                places=extra,
                online=not offline,
                processes=jobs,
                screenshots=screenshots,
                on_progress=progress,
            )
        reports.append(report)
        if not as_json:
            _show(console, report, verbose)
    if as_json:
        print_json([report.as_dict() for report in reports])
    elif len(reports) > 1:
        wrong = [report.site for report in reports if not report.ok]
        console.print(
            f"{len(reports)} sites: "
            + (f"[red]failed: {', '.join(wrong)}[/]" if wrong else "[green]all pass[/]")
        )
    return 0 if all(report.ok for report in reports) else 1


def prove(
    sites: Sites = None,
    *,
    effects: Annotated[
        bool,
        typer.Option("--effects", help="Check the effects of each task outside the account, and list them."),
    ] = False,
    policies: Annotated[
        list[str] | None,
        typer.Option("--policies", metavar="SET", help="Prove the policies of a set, or of a YAML file."),
    ] = None,
    flows: Annotated[
        bool, typer.Option("--flows", help="Prove the everyday tasks, under the policies of each persona.")
    ] = False,
    jobs: Processes = 1,
    as_json: AsJson = False,
) -> int:
    """Prove every instance in the browser: the ground truth passes; nothing, an omission and the opposite fail.

    With --effects, play each ground truth and check its effects from outside: ended sessions and revoked tokens are
    refused, strangers cannot find what is private, rejected trackers receive nothing, unwanted mail does not arrive.

    With --policies, play each instance under these policies: an agent that keeps them completes the task, a broken
    policy is found violated in the right step, and each is dormant when nobody acts.

    Exit code 0 when every proof holds, 1 when one does not.

    Example: `websp prove github --effects`
    """
    console = Console()
    if not effects:
        held = prove_sites(sites or [], processes=jobs, console=console, policies=policies, flows=flows)
        return 0 if held else 1
    names = [each.id for each in (*all_instances(), *all_work()) if not sites or each.site.slug in sites]
    if sites and not names:
        raise SetupError(f"no instances of {', '.join(sites)}", site=sites[0])
    with _progress(console, "effects", as_json) as progress:
        found = effects_of(names, processes=jobs, on_progress=progress)
    if as_json:
        print_json([each.as_dict() for each in found])
    else:
        _show_effects(console, found)
    return 0 if all(each.ok for each in found) else 1


def new_site(
    name: Annotated[str, typer.Argument(help="Name of the site as people write it, e.g. Example.")],
    *,
    host: Annotated[
        str | None,
        typer.Option(help="Main host of the site; with --live also HOST:PORT. Default: www.NAME.com."),
    ] = None,
    places: Annotated[
        Path | None, typer.Option(help="Folder for your own sites, instead of this checkout.")
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="A live website without a replica: only its tasks.")
    ] = False,
) -> None:
    """Create a new site with pages, tasks and a test; it passes `websp check` as it is.

    Example: `websp new-site Example --host www.example.com`
    """
    made = scaffold.new_site(name, host=host, folder=places, live=live)
    console = Console()
    for path in made.files:
        console.print(f"[green]✓[/] {escape(str(path))}", soft_wrap=True)
    if live:
        known = f"WEBSP_TASK_CONFIGS={escape(str(places / 'task_configs'))} " if places else ""
        console.print(f"\nits account: [bold]websp accounts add {made.slug}[/]", soft_wrap=True)
        console.print(f"its tasks:   [bold]{known}websp list --site {made.site_id}[/]", soft_wrap=True)
        console.print(f"next steps: {docs('reference/live')}", style="dim", soft_wrap=True)
        return
    own = f" --places {escape(str(places))}" if places else ""
    known = f"WEBSP_SANDBOX_SITES={escape(str(places / 'sites'))} " if places else ""
    console.print(f"\nbrowse it:   [bold]{known}websp serve {made.slug}[/]", soft_wrap=True)
    console.print(f"check it:    [bold]websp check {made.slug}{own}[/]", soft_wrap=True)
    console.print(f"next steps: {docs('reference/sites')}", style="dim", soft_wrap=True)


def _show_effects(console: Console, found: list[InstanceEffects]) -> None:
    for each in found:
        if each.error:
            console.print(f"{FAILED} [bold]{each.instance}[/] {escape(each.error)}", soft_wrap=True)
        elif not each.effects:
            console.print(f"  [bold]{each.instance}[/] [dim]no effects outside the account[/]")
        for effect in each.effects:
            sign = OK if effect.holds else FAILED
            said = f"{escape(effect.name)}  [dim]{escape(effect.evidence)}[/]"
            console.print(f"{sign} [bold]{each.instance}[/] {said}", soft_wrap=True)
    tried = [effect for each in found for effect in each.effects]
    held = sum(effect.holds for effect in tried)
    some = sum(bool(each.effects) for each in found)
    console.print(f"{held} of {len(tried)} effects hold; {some} of {len(found)} instances have one")


def _every_site(places: SearchPaths) -> list[str]:
    with places.known():
        return list(dict.fromkeys(instance.site.slug for instance in (*all_instances(), *all_work())))


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
    passed = f"{counted['ok']} of {len(found)}" if len(found) > 1 else ""
    only = found[0] if len(found) == 1 and worst == "ok" else None
    detail = f"[dim]{escape(only.detail)}[/]" if only else passed
    write(f"  {_SIGNS[worst]} {check}  {detail}", soft_wrap=True)
    for finding in found:
        if finding is not only and (verbose or finding.outcome != "ok"):
            sign = _SIGNS[finding.outcome]
            write(f"      {sign} [bold]{escape(finding.subject)}[/] {escape(finding.detail)}", soft_wrap=True)
