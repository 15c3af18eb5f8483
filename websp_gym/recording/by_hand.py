"""Record a trace by hand: open the browser, let a person act, and save what was recorded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from websp_gym.browser.tabs import Tabs
from websp_gym.live.account_browser import world_of
from websp_gym.recording.recorder_browser import RecorderBrowser, Status
from websp_gym.recording.watch import stop_signals, watch
from websp_gym.replay import Trace, replay, save_trace
from websp_gym.tasks.instances import Site
from websp_gym.window import StreamedWindow, streamed
from websp_gym.world import make_world

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from websp_gym.replay import TraceEvent


def record_by_hand(
    where: Site | str,
    path: Path,
    *,
    name: str,
    slug: str,
    account: Mapping[str, str] | str,
    start: str | None = None,
    signed_in: bool = True,
    again: tuple[Trace, int] | None = None,
    screenshots: bool = True,
    headless: bool = False,
    stream: int | None = None,
    on_stream: Callable[[StreamedWindow], None] | None = None,
    on_ready: Callable[[RecorderBrowser], None] | None = None,
    on_event: Callable[[int, TraceEvent], None] | None = None,
) -> Trace:
    """Record until the person presses Stop, closes the window, or stops the program (Ctrl-C, SIGTERM).

    Call it in the main thread.

    Args:
        where: A site of the sandbox, or the URL of a live page.
        path: The JSON file to write; missing folders are created.
        name: Name of the trace.
        slug: Slug of its site.
        account: Values of a live site's account, which become placeholders, or the name of one of the user's
            accounts, with its stored sign-in; the sandbox has its own.
        start: Page to start on; None for the site's start page.
        signed_in: Whether the browser starts signed in to a site of the sandbox.
        again: A trace and the number of its first event to re-record; those before it are replayed and kept.
        screenshots: Whether to keep a screenshot after each event. They are lost if the window is closed.
        headless: Whether to run without a window, for programs.
        stream: A port: the browser has no window and is shown in a local page at this port; 0 for a free one.
        on_stream: Called with that page's window once it is open.
        on_ready: Called when the recording is running.
        on_event: Called once for each event, with its number (from 1) and the event.

    Returns:
        The trace, as saved.

    Raises:
        ReplayError: The events before the one to re-record could not be replayed.
        SetupError: Nothing was recorded, the recording was discarded, or the file cannot be written.
    """
    with (
        stop_signals() as stop,
        _place(where, signed_in, account) as place,
        RecorderBrowser(
            args=place.args, headless=headless or stream is not None, profile=place.profile
        ) as studio,
    ):
        place.attach(studio.context)
        opened = start or (where if isinstance(where, str) else where.start_url)
        if again is None:
            studio.page.goto(opened, wait_until="commit")
        else:
            _begin_again(studio, *again, place.account)
        studio.start(name, slug, account=place.account, screenshots=screenshots, opened=opened)
        with _shown(studio, name, stream) as window:
            if window is not None and on_stream is not None:
                on_stream(window)
            if on_ready is not None:
                on_ready(studio)

            def look(status: Status) -> None:
                if window is not None and (window.pressed or window.ended):
                    stop.set()

            trace = watch(studio, on_event=on_event, on_look=look, stop=stop)
        if studio.open:
            studio.look_back(trace)
        if studio.open:
            trace = studio.trace()
            studio.save(path)
        else:
            _save_bare(trace, path)
    return trace


class _Place(NamedTuple):
    """Where one records. The values of the account are replaced by placeholders; an empty profile is a new one."""

    args: tuple[str, ...]
    attach: Callable[[BrowserContext], None]
    account: Mapping[str, str]
    profile: bytes = b""


@contextlib.contextmanager
def _place(where: Site | str, signed_in: bool, account: Mapping[str, str] | str) -> Iterator[_Place]:
    if isinstance(where, str) and not isinstance(account, str):
        yield _Place((), lambda context: None, account)
        return
    if isinstance(account, str):
        with _as_account(account, signed_in) as place:
            yield place
        return
    assert isinstance(where, Site)
    world = make_world("sandbox")
    episode = world.open_episode(where, signed_in=signed_in)
    try:
        yield _Place(world.browser_args(), episode.attach, episode.account)
    finally:
        episode.close()


@contextlib.contextmanager
def _shown(studio: RecorderBrowser, name: str, port: int | None) -> Iterator[StreamedWindow | None]:
    """Yield the window in which the browser is streamed to a port; None where it has one of its own."""
    if port is None:
        yield None
        return
    tabs = Tabs(studio.context, reacts_at_once=True)
    try:
        with streamed(
            tabs,
            title=f"Recording {name}",
            says="Do here what the trace should do, then press Stop.",
            buttons=("Stop",),
            port=port,
        ) as window:
            yield window
    finally:
        tabs.leave()


@contextlib.contextmanager
def _as_account(name: str, signed_in: bool) -> Iterator[_Place]:
    world, site = world_of(name)
    with contextlib.closing(world.open_episode(site, signed_in=signed_in)) as episode:
        options = world.context_options() if signed_in else {}

        def attach(context: BrowserContext) -> None:
            _bring(context, options.get("storage_state", {}))
            episode.attach(context)

        known = {**episode.account, **episode.credentials()}
        yield _Place(world.browser_args(), attach, known, options.get("profile", b""))


def _bring(context: BrowserContext, state: Mapping[str, Any]) -> None:
    """Bring a kept sign-in into a browser with a profile, which takes no storage state when it starts."""
    context.add_cookies(state.get("cookies", ()))
    page = context.new_page()
    # No site is asked: each origin answers with a blank page, on which its items are set.
    page.route("**/*", lambda route: route.fulfill(content_type="text/html", body=""))
    for origin in state.get("origins", ()):
        page.goto(origin["origin"])
        page.evaluate(
            "items => items.forEach(({name, value}) => localStorage.setItem(name, value))",
            origin["localStorage"],
        )
    page.close()


def _begin_again(studio: RecorderBrowser, trace: Trace, number: int, account: Mapping[str, str]) -> None:
    """Replay a trace up to an event, from which the recording goes on."""
    begun = trace.model_copy(update={"events": trace.events[: number - 1], "end": None})
    tabs = Tabs(studio.context)
    try:
        replay(begun, tabs, set="recorded", account=account)
    finally:
        tabs.leave()
    studio.go_on_from(begun)


def _save_bare(trace: Trace, path: Path) -> None:
    """Save a recording without screenshots; they were lost with its browser."""
    bare = [event.model_copy(update={"screenshot": None}) for event in trace.events]
    data = trace.model_copy(update={"events": tuple(bare)}).model_dump(by_alias=True)
    save_trace(Trace.model_validate(data), path)
