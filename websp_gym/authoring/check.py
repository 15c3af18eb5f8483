"""Run all checks of a site, in this process or over several."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from websp_gym.authoring.contact_sheet import contact_sheet
from websp_gym.authoring.crawl import crawl
from websp_gym.authoring.files import check_files, known_slugs, read_catalog, tasks_of
from websp_gym.authoring.findings import Finding, SiteReport, judged
from websp_gym.authoring.forms import fill_forms
from websp_gym.authoring.panel_proofs import prove_panels
from websp_gym.authoring.player import reset_seconds
from websp_gym.authoring.policy_proofs import prove_policies
from websp_gym.authoring.proofs import prove
from websp_gym.authoring.search_paths import SearchPaths
from websp_gym.authoring.sign_in import prove_sign_in, shown_to_sign_in
from websp_gym.browser.owner import call
from websp_gym.errors import SetupError, WebspError, nearest
from websp_gym.policies.lint import Problem, gathered, problems
from websp_gym.policies.sets import policies_for, set_names
from websp_gym.runner.processes import Batch, map_unordered
from websp_gym.tasks.instances import Instance, all_flows, load_instance, signed_in_site

OnProgress = Callable[[str, int, int], None]
"""Called with what is checked, the number of finished parts and the number of all parts."""

PERSONAS = ("fundamentalist", "pragmatist", "unconcerned")
"""The sets of policies under which everyday tasks are proven (Westin's three groups of people)."""
QUICK = 1.0
"""Goal for the duration of a reset on two idle cores, in seconds."""


@dataclass(frozen=True)
class _Job:
    """One part of a check: the proofs of an instance, or the crawl of the site where ``instance`` is None.

    With ``policies``, the proofs are those of these sets.
    """

    slug: str
    instance: str | None
    folder: Path | None
    policies: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Part:
    """The findings of a job and its duration in seconds."""

    job: _Job
    findings: tuple[Finding, ...]
    seconds: float = 0.0


def check_site(
    slug: str,
    *,
    places: SearchPaths | None = None,
    online: bool = True,
    processes: int = 1,
    screenshots: Path | str | None = None,
    on_progress: OnProgress = lambda what, done, total: None,
) -> SiteReport:
    """Check a site and its tasks.

    Args:
        slug: Name of the site's folder.
        places: Folders of sites, tasks and traces besides the package's own.
        online: Whether to use the sandbox and a browser; otherwise only files are checked.
        processes: Number of processes.
        screenshots: Folder for pictures of the pages, which are written to a subfolder named after the site.
        on_progress: Called as parts finish; see :data:`OnProgress`.

    Returns:
        The report with all findings.

    Raises:
        SetupError: There is no such site, or the pictures cannot be written.
        WorldError: The sandbox does not start.
    """
    began = time.monotonic()
    places = places or SearchPaths()
    with places.known():
        seconds_of: dict[str, float] = {}
        findings = list(_findings(slug, places, online, processes, screenshots, on_progress, seconds_of))
    return SiteReport(slug, tuple(findings), time.monotonic() - began, seconds_of)


def check_policies(
    slug: str,
    sets: Sequence[str],
    *,
    processes: int = 1,
    on_progress: OnProgress = lambda what, done, total: None,
) -> SiteReport:
    """Prove the policies of every instance of a site.

    Args:
        slug: Name of the site's folder.
        sets: Sets of policies.
        processes: Number of processes.
        on_progress: Called as parts finish; see :data:`OnProgress`.

    Raises:
        SetupError: There is no such set, or it is not valid.
        WorldError: The sandbox does not start.
    """
    began, seconds_of = time.monotonic(), dict[str, float]()
    instances, finding = tasks_of(slug)
    jobs = [_Job(slug, instance.id, None, tuple(sets)) for instance in instances]
    findings = [finding, *_played(jobs, processes, on_progress, seconds_of, len(jobs))]
    return SiteReport(slug, tuple(findings), time.monotonic() - began, seconds_of)


def check_flows(
    slug: str, *, processes: int = 1, on_progress: OnProgress = lambda what, done, total: None
) -> SiteReport:
    """Prove every everyday task of a site, also under each persona's policies.

    Args:
        slug: Name of the site's folder.
        processes: Number of processes.
        on_progress: Called as parts finish; see :data:`OnProgress`.

    Raises:
        SetupError: A configuration is not valid.
        WorldError: The sandbox does not start.
    """
    began, seconds_of = time.monotonic(), dict[str, float]()
    jobs = [_Job(slug, flow.id, None) for flow in all_flows() if flow.site.slug == slug]
    findings = tuple(_played(jobs, processes, on_progress, seconds_of, len(jobs)))
    return SiteReport(slug, findings, time.monotonic() - began, seconds_of)


def _findings(
    slug: str,
    places: SearchPaths,
    online: bool,
    processes: int,
    screenshots: Path | str | None,
    on_progress: OnProgress,
    seconds_of: dict[str, float],
) -> Iterator[Finding]:
    known = known_slugs()
    if slug not in known:
        raise SetupError(f'no site "{slug}"{nearest(slug, known)} (sites: {", ".join(known)})', site=slug)
    on_progress("files", 0, 1)
    catalog, finding = read_catalog()
    yield finding
    if catalog is None:
        return
    instances, finding = tasks_of(slug)
    yield finding
    yield from check_files(slug, catalog, instances)
    yield _policy_finding(slug, instances)
    if online:
        folder, began = _folder(screenshots, slug), time.time()
        with places.served():
            yield from _online(slug, instances, processes, folder, on_progress, seconds_of)
        if folder is not None:
            yield _sheet(folder, began)


def _policy_finding(slug: str, instances: Sequence[Instance]) -> Finding:
    """Check that every task can be done while keeping all policies of each set, except those of imported datasets."""
    number = 0
    wrong: list[str] = []
    for name in set_names(imported=False):
        found: dict[str, tuple[Problem, ...]] = {}
        for instance in (*instances, *(flow for flow in all_flows() if flow.site.slug == slug)):
            try:
                policies = policies_for(instance, name)
            except SetupError as error:
                return Finding("policies", slug, "failed", str(error))
            number += len(policies.policies)
            found[instance.id] = tuple(problems(policies, instance))
        wrong += gathered(found)
    return judged("policies", slug, wrong, f"all {number} policies of the instances can be kept")


def _online(
    slug: str,
    instances: tuple[Instance, ...],
    processes: int,
    folder: Path | None,
    on_progress: OnProgress,
    seconds_of: dict[str, float],
) -> Iterator[Finding]:
    jobs = [_Job(slug, None, folder), *(_Job(slug, instance.id, folder) for instance in instances)]
    total = len(jobs) + bool(instances)
    yield from _played(jobs, processes, on_progress, seconds_of, total)
    if instances:
        yield _reset_finding(slug, instances[0])
        on_progress("reset time", total, total)


def _played(
    jobs: Sequence[_Job], processes: int, on_progress: OnProgress, seconds_of: dict[str, float], total: int
) -> Iterator[Finding]:
    """Yield the findings of jobs, in their order."""
    from websp_gym.world import make_world

    # Start the sandbox here, so that all processes share it.
    make_world("sandbox").browser_args()
    done = 0
    on_progress("pages and instances", done, total)

    def count(part: _Part) -> None:
        nonlocal done
        done += 1
        seconds_of[part.job.instance or part.job.slug] = part.seconds
        on_progress(part.job.instance or "pages", done, total)

    parts = {
        part.job: part
        for part in map_unordered(Batch(_work, jobs, on_crash=_lost, on_result=count), processes)
    }
    for job in jobs:
        yield from parts[job].findings


def _work(job: _Job) -> _Part:
    # The checks use Playwright's objects directly.
    return call(lambda: _part(job))


def _part(job: _Job) -> _Part:
    began = time.monotonic()
    found: list[Finding] = []
    try:
        for finding in _instance_findings(job) if job.instance else _page_findings(job):
            found.append(finding)
    except Exception as error:
        # Any error fails this part only; the others go on.
        found.append(Finding("check", job.instance or job.slug, "failed", _named(error)))
    return _Part(job, tuple(found), time.monotonic() - began)


def _lost(job: _Job) -> _Part:
    message = "the process that checked it died twice"
    return _Part(job, (Finding("check", job.instance or job.slug, "failed", message),))


def _instance_findings(job: _Job) -> Iterator[Finding]:
    instance = load_instance(str(job.instance))
    if job.policies:
        yield from prove_policies(instance, job.policies)
        return
    picture = job.folder / f"{job.instance}.png" if job.folder else None
    yield from prove(instance, picture=picture)
    if instance.config.decision is not None:
        for persona in PERSONAS:
            yield from prove_policies(instance, [persona])


def _page_findings(job: _Job) -> Iterator[Finding]:
    catalog, broken = read_catalog()
    if catalog is None:
        yield broken
        return
    instances, _ = tasks_of(job.slug)
    site = catalog[job.slug]
    tasks_site = signed_in_site(instances) if instances else None
    start = tasks_site.start_url if tasks_site else f"https://{site.hosts[0]}/"
    signed_in = tasks_site.signed_in if tasks_site else (job.slug,) * site.has_sign_in
    yield from crawl(catalog, job.slug, start_url=start, signed_in=signed_in, folder=job.folder)
    yield from fill_forms(catalog, job.slug, signed_in=signed_in)
    yield from prove_panels(site, signed_in=signed_in)
    for instance in shown_to_sign_in(instances):
        yield from prove_sign_in(instance)


def _reset_finding(slug: str, instance: Instance) -> Finding:
    try:
        seconds = reset_seconds(instance)
    except Exception as error:
        return Finding("reset time", slug, "failed", _named(error))
    said = f"{seconds:.2f} s for {instance.id}, the quickest of three"
    if seconds <= QUICK:
        return Finding("reset time", slug, detail=said)
    return Finding("reset time", slug, "warning", f"{said}; {QUICK:g} s is the goal on two idle cores")


def _named(error: Exception) -> str:
    return str(error) if isinstance(error, WebspError) else f"{type(error).__name__}: {error}"


def _folder(screenshots: Path | str | None, slug: str) -> Path | None:
    if screenshots is None:
        return None
    folder = Path(screenshots) / slug
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"cannot write to {folder}: {error.strerror}", path=str(folder)) from error
    return folder


def _sheet(folder: Path, began: float) -> Finding:
    target = folder / "contact_sheet.png"
    taken = sorted(folder.glob("*.png"), key=lambda path: path.stat().st_mtime_ns)
    left_out = (target.name, "start_full.png")
    shown = [path for path in taken if path.name not in left_out and path.stat().st_mtime >= began - 1]
    contact_sheet([(path, path.stem) for path in shown], target)
    return Finding("screenshots", folder.name, detail=f"{len(shown)} pictures, see {target}")
