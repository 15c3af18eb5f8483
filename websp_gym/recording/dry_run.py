"""Replay a trace outside an episode, to test it and to see what it changes on the server."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import SetupError, nearest
from websp_gym.replay import EventReport, Trace, replay
from websp_gym.tasks.instances import Site, all_instances, signed_in_site
from websp_gym.world import make_world
from websp_gym.world.state import SESSIONS, SiteState, foreign_sessions, same

if TYPE_CHECKING:
    from websp_gym.replay.evidence import Candidate
    from websp_gym.replay.expectations import Set


@dataclass(frozen=True)
class StateChange:
    """A setting or collection that the replay changed."""

    key: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Rehearsal:
    """The result of a dry run: one report per event, and the changes of the server's state."""

    events: tuple[EventReport, ...]
    seconds: float
    changes: tuple[StateChange, ...] = field(default=())
    verified: int | None = None
    """Number of states read back; None if not requested."""
    unverified: tuple[str, ...] = ()
    """States that could not be read back, each with the reason."""

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        return {
            "events": [event.as_dict() for event in self.events],
            "seconds": round(self.seconds, 3),
            "changes": [change.__dict__ for change in self.changes],
            "verified": self.verified,
            "unverified": list(self.unverified),
        }


def site_of(slug: str) -> Site:
    """Return the configured site with this slug, or raise SetupError if there is none."""
    instances = list(all_instances())
    found = [instance for instance in instances if instance.site.slug == slug]
    if not found:
        slugs = list(dict.fromkeys(instance.site.slug for instance in instances))
        raise SetupError(f'no site "{slug}"{nearest(slug, slugs)} (sites: {", ".join(slugs)})', site=slug)
    return signed_in_site(found)


def dry_run(
    trace: Trace,
    *,
    set: Set,
    signed_in: bool = True,
    headless: bool = True,
    viewport: tuple[int, int] | None = None,
    verify: bool = False,
    inputs: Mapping[int, str] | None = None,
    account: Mapping[str, str] | None = None,
    picture: Path | str | None = None,
    on_event: Callable[[EventReport], None] | None = None,
    on_candidates: Callable[[int, list[Candidate]], None] | None = None,
) -> Rehearsal:
    """Replay a trace with a fresh account in the sandbox.

    Args:
        trace: The trace.
        set: The final state of stateful targets: ``on``, ``off`` or as ``recorded``.
        signed_in: Whether the browser starts signed in to the site.
        headless: Whether to run without a browser window.
        viewport: Size of the window in CSS pixels; None for the recorded size.
        verify: Whether to reload the pages at the end, and to read back what was set.
        inputs: What to type if the recording left out an input, by number of the event.
        account: Further values for the placeholders, such as ``new_password``; the sandbox's account has the others.
        picture: File for a screenshot of the last page; None for no screenshot.
        on_event: Called with the report of each event.
        on_candidates: Called with the number of each event and the candidates for its target.

    Returns:
        The reports of the events and the changes of the server's state.

    Raises:
        ReplayError: A target was not found or did not reach its state.
        SetupError: The site is not in the sandbox, there is no browser, or ``picture`` cannot be written.
        WorldError: The sandbox does not respond.
    """
    if picture is not None:
        check_file(picture := Path(picture))
    site = site_of(trace.site)
    size = viewport or (trace.viewport.width, trace.viewport.height)
    with _episode(site, signed_in, headless, size) as (episode, tabs):
        before = episode.state().sites[site.slug]
        report = replay(
            trace,
            tabs,
            set=set,
            account={**episode.account, **(account or {})},
            inputs=inputs,
            class_rules=site.replay_rules,
            verify=verify,
            on_event=on_event,
            on_candidates=on_candidates,
        )
        after = episode.state().sites[site.slug]
        if picture is not None:
            write_picture(picture, tabs.current.screenshot())
    changed = tuple(changes(before, after))
    return Rehearsal(report.events, report.seconds, changed, report.verified, report.unverified)


def changes(before: SiteState, after: SiteState) -> Iterator[StateChange]:
    """Yield the settings and collections that differ between two states of a site, and a changed sign-in."""
    for key in {**before.settings, **after.settings}:
        old, new = before.settings.get(key), after.settings.get(key)
        if not same(old, new):
            yield StateChange(key, old, new)
    for name in {**before.collections, **after.collections}:
        had, has = (list(state.collections.get(name, [])) for state in (before, after))
        if name == SESSIONS:
            had, has = foreign_sessions(had), foreign_sessions(has)
        if had != has:
            yield StateChange(name, had, has)
    if before.signed_in != after.signed_in:
        yield StateChange("signed in", before.signed_in, after.signed_in)


def check_file(path: Path) -> None:
    """Raise SetupError if a file cannot be written, before any work starts. Create missing folders."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SetupError(f"cannot write {path}: {error.strerror}", path=str(path)) from error
    if path.is_dir() or not os.access(path.parent, os.W_OK):
        reason = "it is a folder" if path.is_dir() else f"no permission to write in {path.parent}"
        raise SetupError(f"cannot write {path}: {reason}", path=str(path))


def write_picture(path: Path, data: bytes) -> None:
    """Write a file, or raise SetupError."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise SetupError(f"cannot write {path}: {error.strerror}", path=str(path)) from error


@contextlib.contextmanager
def _episode(
    site: Site, signed_in: bool, headless: bool, viewport: tuple[int, int]
) -> Iterator[tuple[Any, Tabs]]:
    world = make_world("sandbox")
    context = open_context(BrowserOptions(headless, world.browser_args()), viewport=viewport)
    try:
        episode = world.open_episode(site, signed_in=signed_in)
        try:
            episode.attach(context)
            tabs = Tabs(context)
            context.new_page()
            yield episode, tabs
        finally:
            episode.close()
    finally:
        context.close()
