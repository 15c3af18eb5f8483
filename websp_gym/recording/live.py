"""Replay a trace on a website outside the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.tabs import Tabs
from websp_gym.live.account_browser import account_browser
from websp_gym.recording.dry_run import check_file, write_picture
from websp_gym.replay import EventReport, ReplayReport, Trace, replay
from websp_gym.replay.moved import on_site

if TYPE_CHECKING:
    from websp_gym.replay.evidence import Candidate
    from websp_gym.replay.expectations import Set


def replay_live(
    trace: Trace,
    site_url: str | None,
    *,
    set: Set,
    account: Mapping[str, str] | str,
    inputs: Mapping[int, str] | None = None,
    headless: bool = True,
    timeout: float = 10.0,
    picture: Path | None = None,
    on_event: Callable[[EventReport], None] | None = None,
    on_candidates: Callable[[int, list[Candidate]], None] | None = None,
) -> ReplayReport:
    """Replay a trace on a website, and read back what was set.

    Args:
        trace: The trace.
        site_url: The website; the addresses of the trace's own site are replaced by it. None for the account's
            address, else where it was recorded.
        set: The final state of stateful targets: ``on``, ``off`` or as ``recorded``.
        account: Name of one of the user's accounts, which is signed in first. Or the values of an account for the
            placeholders: then the browser is a fresh one without cookies, and the trace must sign in itself.
        inputs: What to type if the recording left out an input, by number of the event.
        headless: Whether to run without a browser window.
        timeout: Seconds to wait for the target of one event.
        picture: File for a screenshot of the last page; None for no screenshot.
        on_event: Called with the report of each event.
        on_candidates: Called with the number of each event and the candidates for its target.

    Raises:
        ReplayError: A target was not found, did not reach its state, or was not kept by the site.
        SetupError: ``site_url`` is not a web address, there is no browser, ``picture`` cannot be written, or the
            account cannot be signed in.
    """
    if picture is not None:
        check_file(picture)
    on_site(trace, site_url)
    with signed_in(trace, account, headless) as (tabs, values, own_url):
        report = replay(
            on_site(trace, site_url or own_url),
            tabs,
            set=set,
            account=values,
            inputs=inputs,
            timeout=timeout,
            verify=True,
            on_event=on_event,
            on_candidates=on_candidates,
        )
        if picture is not None:
            write_picture(picture, tabs.current.screenshot())
        return report


@contextmanager
def signed_in(
    trace: Trace, account: Mapping[str, str] | str, headless: bool
) -> Iterator[tuple[Tabs, Mapping[str, str], str | None]]:
    """Yield the tabs of a browser, the values for placeholders, and the address of the account's site."""
    viewport = (trace.viewport.width, trace.viewport.height)
    if isinstance(account, str):
        with account_browser(account, headless=headless, viewport=viewport) as (sign_in, episode, tabs):
            if not sign_in.is_signed_in(tabs):
                sign_in.sign_in(tabs)
            yield tabs, sign_in.values, episode.site_url
        return
    context = open_context(BrowserOptions(headless), viewport=viewport)
    try:
        tabs = Tabs(context)
        context.new_page()
        yield tabs, account, None
    finally:
        context.close()
