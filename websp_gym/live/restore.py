"""Restoring an account on a live website to how it was before S0 was set.

What was found is stored, encrypted, from the moment it changes, so that it can be restored even after a crash
(``websp live restore``).
"""

from __future__ import annotations

import itertools
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.settle import settle
from websp_gym.errors import ReplayError, WebspError
from websp_gym.live.answers import TIMEOUT
from websp_gym.live.apis import ApiRequest
from websp_gym.live.sealed import forget, keep, kept
from websp_gym.replay import Trace, replay
from websp_gym.replay.expectations import sets_something
from websp_gym.replay.read_back import Kept
from websp_gym.replay.restoring import restoring
from websp_gym.replay.second_replay import read_back_again

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from playwright.sync_api import Page

    from websp_gym.browser.tabs import Tabs
    from websp_gym.live.account import AccountInUse
    from websp_gym.live.browsers import LiveBrowsers
    from websp_gym.replay import ReplayReport
    from websp_gym.tasks.instances import Site

_SWITCHES = "input[type=checkbox]:not(:disabled), [role=switch], [role=checkbox]"
_STATES = "all => all.map(el => el.checked ?? el.getAttribute('aria-checked') === 'true')"
_FIELDS = (
    "textarea, select, input:not([type]), input[type=text], input[type=email], input[type=tel], input[type=url], "
    "input[type=number], input[type=radio]"
)
_VALUES = "all => all.map(el => el.type === 'radio' ? el.checked : el.value)"


class FoundState:
    """How an account was before S0 was set: the traces and requests that restore it, in reverse order.

    Args:
        account: Name of the account; empty for none, for which nothing is stored.
    """

    def __init__(self, account: str) -> None:
        self._account = account
        self._ways: list[dict[str, Any]] = (kept("found", account) if account else None) or []

    def __bool__(self) -> bool:
        return bool(self._ways)

    def note_trace(
        self,
        trace: Trace,
        states: Collection[Kept],
        new: Collection[int],
        pages: Mapping[str, list[Any]],
        *,
        done: bool,
    ) -> None:
        """Store how to restore what a trace has set.

        Args:
            trace: The trace.
            states: The states that it set so far.
            new: Numbers of its events whose text was replaced by a new one.
            pages: What the controls of its pages held before, by address (:func:`controls_of`).
            done: Whether the trace was replayed and read back as a whole.
        """
        if any(way.get("trace") and way["name"] == trace.name for way in self._ways):
            return  # as it was found the first time
        way = restoring(trace, states, new, done=done)
        written = way.trace.model_dump(mode="json", by_alias=True) if way.trace is not None else None
        self._add({"name": trace.name, "trace": written, "lost": list(way.lost), "pages": dict(pages)})

    def note_request(self, request: ApiRequest, undo: ApiRequest | None, token: str) -> None:
        """Store the request that restores what another one sets, with the id of its token; None if there is none."""
        lost = [] if undo is not None else [f"{request}: what it removes or writes cannot be restored"]
        self._add({"request": vars(undo) if undo is not None else None, "token": token, "lost": lost})

    def _add(self, way: dict[str, Any]) -> None:
        self._ways.append(way)
        if self._account:
            keep("found", self._account, self._ways)

    def forget(self) -> list[str]:
        """Give up restoring the account; return what then stays as S0 set it."""
        left: list[str] = []
        for way in self._ways:
            if trace := way.get("trace"):
                pages = list(way["pages"]) or [trace["start_url"]]
                left.append(f"what {way['name']} set: {', '.join(url.split('?', 1)[0] for url in pages)}")
            if way.get("request"):
                left.append(str(ApiRequest(**way["request"])))
            left += way["lost"]
        self._ways = []
        forget("found", self._account)
        return left

    def put_back(
        self, site: Site, episode: AccountInUse, browsers: LiveBrowsers, *, again: bool = False
    ) -> list[str]:
        """Restore the account, and read it back; return what is not as it was found, each with the reason.

        What could not be restored because of the site is kept, and tried again only if asked to.

        Args:
            site: The website.
            episode: An episode of the account.
            browsers: Opens the browser in which it is done, and the one in which it is read back.
            again: Whether to try again what has failed before.

        Raises:
            SetupError: The account cannot be signed in.
        """
        left: list[dict[str, Any]] = []
        problems: list[str] = []
        pages: dict[str, list[Any]] = {}
        with ExitStack() as stack:
            tabs: Tabs | None = None
            for way in reversed(self._ways):
                problems += way["lost"]
                pages |= way.get("pages", {})
                if way.get("failed") and not again:
                    left.insert(0, way)
                    problems.append(f"{way['failed']} ({_ways_out(episode.account_name)})")
                    continue
                if tabs is None and (way.get("trace") or way.get("pages")):
                    tabs = stack.enter_context(browsers.to_act())
                try:
                    if way.get("trace"):
                        assert tabs is not None
                        problems += _replayed(Trace.model_validate(way["trace"]), site, tabs, browsers)
                    elif way.get("request"):
                        episode.send(ApiRequest(**way["request"]), way["token"])
                except (WebspError, PlaywrightError) as error:
                    left.insert(0, {**way, "failed": str(error)})
                    problems.append(str(error))
            if tabs is not None and pages:
                with browsers.signed_in(tabs.context.storage_state())() as outside:
                    problems += _changed_pages(pages, outside)
        self._ways = left
        if left:
            keep("found", self._account, left)
        elif self._account:
            forget("found", self._account)
        return problems


def _ways_out(account: str) -> str:
    return f"`websp live restore {account}` tries again, and with --forget it is given up"


def switches_of(page: Page) -> list[bool]:
    """Return whether each switch and check box of a page is on, in the order of the document."""
    found: list[bool] = page.locator(_SWITCHES).evaluate_all(_STATES)
    return found


def controls_of(page: Page) -> list[Any]:
    """Return what each switch, list and field of a page holds, in the order of the document."""
    fields: list[Any] = page.locator(_FIELDS).evaluate_all(_VALUES)
    return [*switches_of(page), *fields]


def _changed_pages(pages: Mapping[str, list[Any]], tabs: Tabs) -> Iterator[str]:
    """Load pages anew; yield those whose controls are not as they were found: one may have changed others."""
    for url, before in pages.items():
        try:
            tabs.load(url, timeout=TIMEOUT)
            settle(tabs)
            now = controls_of(tabs.current)
        except PlaywrightError as error:
            yield f"{url.split('?', 1)[0]} could not be opened: {str(error).splitlines()[0]}"
            continue
        changed = sum(one != other for one, other in zip(before, now, strict=False))
        if changed or len(before) != len(now):
            yield f"{url.split('?', 1)[0]}: {changed or 'some'} of its controls are not as they were found"


def _replayed(trace: Trace, site: Site, tabs: Tabs, browsers: LiveBrowsers) -> tuple[str, ...]:
    """Replay a trace; return what could not be read back.

    Where the way to its first setting is not found, as in a language that S0 has set, it starts on the page of that
    setting.
    """
    try:
        return _replay(trace, site, tabs, browsers)
    except ReplayError as error:
        rest = tuple(itertools.dropwhile(lambda event: not sets_something(event), trace.events))
        left_out = len(trace.events) - len(rest)
        if not rest or not rest[0].url or not 0 < (error.event or 0) <= left_out:
            raise
        shorter = trace.model_copy(update={"start_url": rest[0].url, "events": rest})
        return _replay(shorter, site, tabs, browsers)


def _replay(trace: Trace, site: Site, tabs: Tabs, browsers: LiveBrowsers) -> tuple[str, ...]:
    outside = browsers.signed_in(tabs.context.storage_state())

    def play(at: Tabs, *, verify: bool) -> ReplayReport:
        return replay(
            trace,
            at,
            set="recorded",
            account=browsers.values,
            class_rules=site.replay_rules,
            timeout=TIMEOUT,
            verify=verify,
            outside=outside if verify else None,
        )

    done = play(tabs, verify=True)
    if not done.unverified:
        return ()
    with outside() as other:
        return read_back_again(trace, done, lambda: play(other, verify=False)).unverified
