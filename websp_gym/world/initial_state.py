"""Reaching the initial state S0 of an instance, and verifying it.

An episode never starts in an unverified state. Whether S0 was reached by replay or from a snapshot, the
server's state is compared key by key with what the instance expects, and any difference is an error.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, Protocol

from websp_gym.browser.settle import settle
from websp_gym.errors import InitialStateError, SetupError
from websp_gym.replay import EventReport, replay
from websp_gym.replay.expectations import Set
from websp_gym.replay.library import read_trace, trace_path
from websp_gym.replay.trace import fill
from websp_gym.tasks.initial_steps import ApiCall, ApiStep, PrepareStep, ReplayStep, SignInStep, VisitStep
from websp_gym.tasks.instances import Instance
from websp_gym.world.s0_report import S0Report
from websp_gym.world.state import SESSIONS, CompanyItems, Item, SiteState, WorldState, foreign_sessions, same

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from websp_gym.browser.tabs import Tabs
    from websp_gym.world.base import InitialStateMode, Login


class Server(Protocol):
    """The server side of an episode in the sandbox: its state can be read, set and restored.

    Every method may raise :class:`~websp_gym.errors.WorldError`.
    """

    @property
    def account(self) -> Mapping[str, str]:
        """The account's ``name``, ``username`` and ``email``."""

    def state(self) -> WorldState:
        """Return the state of the server and its event log."""

    def defaults(self) -> WorldState:
        """Return the state of a new account."""

    def prepare(self, site: str, settings: Mapping[str, Any], collections: Mapping[str, Any]) -> None:
        """Set server-side state without a browser: values by setting key, items by collection."""

    def sign_in(self, site: str, browsers: Sequence[Mapping[str, Any]]) -> None:
        """Sign in to a site from other browsers, each with the fields of its session: ``device``, ``place``."""

    def call_api(self, site: str, method: str, url: str, *, token: str, body: Any, missing: bool) -> None:
        """Send a request to a site's API, authorised by an access token of the account.

        Args:
            site: Slug of the site.
            method: The HTTP method.
            url: The address.
            token: Id of the token.
            body: JSON data, a text, or ``None``.
            missing: Whether a reply of "not found" is accepted.
        """

    def snapshot(self, name: str, context: BrowserContext) -> None:
        """Save the state of server and browser, for later episodes of any process."""

    def restore(self, name: str, context: BrowserContext) -> bool:
        """Restore a snapshot; return whether there was one of this name."""


def reach(
    instance: Instance,
    server: Server,
    tabs: Tabs,
    *,
    how: InitialStateMode,
    login: Login,
) -> S0Report:
    """Bring the episode to S0 and verify it.

    Args:
        instance: The instance.
        server: A new episode, attached to the browser context of ``tabs``.
        tabs: The open tabs; replay uses the current one.
        how: ``replay`` replays the recorded traces; ``snapshot`` does so once per server and then restores
            the saved state.
        login: ``session`` starts signed in; ``replay`` first replays the login trace of the site.

    Returns:
        What was done, and the verified state.

    Raises:
        InitialStateError: The state is not the one the instance expects.
        ReplayError: A trace could not be replayed.
        SetupError: The site has no login trace.
        WorldError: The world does not respond.
    """
    began = time.monotonic()
    report = S0Report(how=how, state=WorldState())
    name = _snapshot_name(instance, login)
    if how == "replay" or not server.restore(name, tabs.context):
        report.how = "replay"
        report.events = _replay_all(instance, server, tabs, login)
    report.state = verify(instance, server)
    # Not before: others restore it.
    if how == "snapshot" and report.how == "replay":
        server.snapshot(name, tabs.context)
    report.seconds = time.monotonic() - began
    return report


def verify(instance: Instance, server: Server) -> WorldState:
    """Return the state of the world if it is the S0 that the instance expects.

    Raises:
        InitialStateError: It is not; ``differences`` maps each key to (expected, actual).
    """
    state = server.state()
    differences = dict(differences_of(instance, state, server.defaults()))
    if differences:
        lines = [f"  {key}: expected {want!r}, actual {have!r}" for key, (want, have) in differences.items()]
        raise InitialStateError(
            f"{instance.id}: S0 was not reached ({len(differences)} differences):\n" + "\n".join(lines),
            instance=instance.id,
            differences=differences,
        )
    return state


def _replay_all(instance: Instance, server: Server, tabs: Tabs, login: Login) -> list[EventReport]:
    events: list[EventReport] = []

    def play(name: str, wanted: Set) -> None:
        done = replay(
            read_trace(name),
            tabs,
            set=wanted,
            account=server.account,
            class_rules=instance.site.replay_rules,
            # S0 is verified by the server's state below, and a reset should be quick.
            watch=False,
        )
        events.extend(done.events)

    if login == "replay" and instance.site.account != "none":
        if instance.site.login_trace is None:
            raise SetupError(
                f'{instance.site.site} has no login trace; use login="session"', site=instance.site.site
            )
        play(instance.site.login_trace, "recorded")
    for step in instance.config.initial_state:
        match step:
            case ReplayStep():
                play(step.replay, step.set)
            case VisitStep():
                for url in step.visit:
                    tabs.load(url)
                    settle(tabs)
            case _:
                _set_without_browser(step, instance.site.slug, server, server.account)
    return events


def _set_without_browser(
    step: PrepareStep | SignInStep | ApiStep, slug: str, server: Server, account: Mapping[str, str]
) -> None:
    match step:
        case PrepareStep():
            server.prepare(slug, step.prepare.settings, step.prepare.collections)
        case SignInStep():
            server.sign_in(slug, step.sign_in)
        case ApiStep():
            call = step.api
            body, url = filled_call(call, account)
            server.call_api(slug, call.method, url, token=call.token, body=body, missing=call.missing)


def _snapshot_name(instance: Instance, login: Login) -> str:
    # Dates of some sites are relative to the day.
    digest = hashlib.sha256(date.today().isoformat().encode())
    for step in instance.config.initial_state:
        if isinstance(step, ReplayStep):
            digest.update(trace_path(step.replay).read_bytes())
    return f"{instance.id}:{instance.config_hash}:{login}:{digest.hexdigest()[:16]}"


def differences_of(
    instance: Instance, state: WorldState, defaults: WorldState
) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Yield each key whose value differs from an instance's S0, with the expected and the actual value."""
    slug = instance.site.slug
    if slug not in state.sites or slug not in defaults.sites:
        yield slug, ("a site of the world", None)
        return
    actual, fresh = state.sites[slug], defaults.sites[slug]
    yield from _setting_differences(instance, actual, fresh)
    expected = instance.config.expect.collections
    for name in {**fresh.collections, **expected}:
        have = actual.collections.get(name)
        if (
            name == SESSIONS
            and have
            and not any(row.get("current") is True for row in expected.get(name, ()))
        ):
            # Signing in made this browser's own session; "signed in" is compared below.
            have = foreign_sessions(have)
        if name in expected:
            if have is None or not _same_items(expected[name], have):
                yield name, (expected[name], have)
        elif have != fresh.collections[name]:
            yield name, (fresh.collections[name], have)
    if instance.site.account != "none" and not actual.signed_in:
        yield "signed in", (True, False)


def _setting_differences(
    instance: Instance, actual: SiteState, fresh: SiteState
) -> Iterator[tuple[str, tuple[Any, Any]]]:
    wanted = {**fresh.settings, **instance.config.expect.settings}
    for key, value in wanted.items():
        have = actual.settings.get(key)
        if key not in actual.settings or not same(have, value):
            yield key, (value, have)


def _same_items(expected: list[Item], actual: Sequence[Item]) -> bool:
    """Whether both lists have the same items in any order; only the fields in ``expected`` are compared.

    Of records that all episodes share, ``expected`` lists those that differ from them.
    """
    left = [row for row in actual.rows.values() if row] if isinstance(actual, CompanyItems) else list(actual)
    if isinstance(actual, CompanyItems) and len(left) < len(actual.rows):
        return False
    # Rows that name the most fields choose first.
    for wanted in sorted(expected, key=len, reverse=True):
        match = next((item for item in left if all(same(item.get(k), v) for k, v in wanted.items())), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def filled_call(call: ApiCall, account: Mapping[str, str]) -> tuple[Any, str]:
    """Return the body and the address of an API call with the placeholders replaced by the account's values."""
    return json.loads(fill(json.dumps(call.body), account)), fill(call.url, account)
