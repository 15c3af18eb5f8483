"""Replay a trace on a website outside the sandbox."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import SetupError
from websp_gym.recording.dry_run import check_file, write_picture
from websp_gym.replay import EventReport, ReplayReport, Trace, replay

if TYPE_CHECKING:
    from websp_gym.replay.evidence import Candidate
    from websp_gym.replay.expectations import Set


def replay_live(
    trace: Trace,
    site_url: str,
    *,
    set: Set,
    account: Mapping[str, str],
    inputs: Mapping[int, str] | None = None,
    headless: bool = True,
    timeout: float = 10.0,
    picture: Path | None = None,
    on_event: Callable[[EventReport], None] | None = None,
    on_candidates: Callable[[int, list[Candidate]], None] | None = None,
) -> ReplayReport:
    """Replay a trace on a website, in a fresh browser without cookies, and read back what was set.

    Args:
        trace: The trace. It must sign in itself where the site needs that.
        site_url: The website; the addresses of the trace's own site are replaced by it.
        set: The final state of stateful targets: ``on``, ``off`` or as ``recorded``.
        account: The account's values for the placeholders.
        inputs: What to type where the recording left out an input, by number of the event.
        headless: Whether to run without a browser window.
        timeout: Seconds to wait for the target of one event.
        picture: File for a screenshot of the last page; None for no screenshot.
        on_event: Called with the report of each event.
        on_candidates: Called with the number of each event and the candidates for its target.

    Raises:
        ReplayError: A target was not found, did not reach its state, or was not kept by the site.
        SetupError: ``site_url`` is not a web address, there is no browser, or ``picture`` cannot be written.
    """
    if picture is not None:
        check_file(picture)
    moved = on_site(trace, site_url)
    context = open_context(BrowserOptions(headless), viewport=(trace.viewport.width, trace.viewport.height))
    try:
        tabs = Tabs(context)
        context.new_page()
        report = replay(
            moved,
            tabs,
            set=set,
            account=account,
            inputs=inputs,
            timeout=timeout,
            verify=True,
            on_event=on_event,
            on_candidates=on_candidates,
        )
        if picture is not None:
            write_picture(picture, tabs.current.screenshot())
        return report
    finally:
        context.close()


def on_site(trace: Trace, site_url: str) -> Trace:
    """Return the trace with the addresses of its own site moved to another one.

    Raise SetupError where ``site_url`` is not an http or https URL. A path in it comes before those of the trace.
    """
    url = urlsplit(site_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise SetupError(
            f"{site_url} is not a web address; write for example https://staging.example.com",
            option="site-url",
        )
    new = f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}"
    start = urlsplit(trace.start_url)
    old = f"{start.scheme}://{start.netloc}"

    def move(part: Any, key: str = "") -> Any:
        if isinstance(part, dict):
            return {name: move(value, name) for name, value in part.items()}
        if isinstance(part, list):
            return [move(value) for value in part]
        is_own = (
            key in ("url", "start_url", "href") and isinstance(part, str) and f"{part}/".startswith(f"{old}/")
        )
        return new + part.removeprefix(old) if is_own else part

    return Trace.model_validate(move(trace.model_dump(mode="json", by_alias=True)))
