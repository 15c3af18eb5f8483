"""Check whether the traces of a live website still work: sign in, set S0 of each instance, put everything back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

from playwright.sync_api import Error as PlaywrightError

from websp_gym.browser.tabs import Tabs
from websp_gym.errors import ReplayError, WebspError
from websp_gym.live.account import locked
from websp_gym.live.account_browser import account_browser, account_named, world_of
from websp_gym.live.apis import ApiRequest, described
from websp_gym.live.browsers import LiveBrowsers
from websp_gym.live.initial_state import reach_live
from websp_gym.live.restore import FoundState
from websp_gym.live.sealed import require_key
from websp_gym.tasks.initial_steps import ApiStep, PrepareStep, ReplayStep, SignInStep, VisitStep
from websp_gym.tasks.instances import Instance, all_instances
from websp_gym.world.initial_state import filled_call

if TYPE_CHECKING:
    from websp_gym.live.account import AccountInUse
    from websp_gym.live.sign_in import LiveSignIn
    from websp_gym.tasks.instances import Site

Part = Literal["sign-in", "S0", "put back"]


@dataclass(frozen=True)
class LiveFinding:
    """What was tried on a live website, and whether it works.

    Args:
        account: Name of the account.
        part: ``sign-in``, ``S0`` or ``put back``.
        instance: Id of the instance, for S0.
        ok: Whether it works.
        seconds: Seconds it took.
        why: What does not work.
        event: Number of the event at which a trace stopped; ``None`` where it is none.
    """

    account: str
    part: Part
    instance: str
    ok: bool
    seconds: float
    why: str = ""
    event: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as JSON data."""
        return asdict(self)


def check_account(name: str, *, headless: bool = True) -> Iterator[LiveFinding]:
    """Sign an account in, set S0 of each instance of its site and read it back, and put the account back.

    Args:
        name: Name of the account.
        headless: Whether to open no window.

    Yields:
        A finding for each part. Where the account cannot be signed in, it is the only one.

    Raises:
        SetupError: ``WEBSP_LIVE`` is not 1, or there is no such account.
        WorldError: Another episode uses the account.
    """
    require_key()
    _, site = world_of(name)
    own = [each for each in all_instances() if each.site.slug == site.slug and each.config.initial_state]
    with account_browser(name, headless=headless) as (sign_in, episode, tabs):
        found, browsers = FoundState(name), LiveBrowsers(site, episode, headless=headless)
        attempt = _Attempt(name)
        problems: list[str] = []
        yield attempt.of("sign-in", "", lambda: _sign_in(sign_in, tabs))
        if attempt.failed:
            return
        for instance in own:

            def reach(instance: Instance = instance) -> None:
                reach_live(instance, episode, tabs, browsers=browsers, found=found)

            yield attempt.of("S0", instance.id, reach)
            # At once: what the next one sets may have to be put back on pages in the language of this one.
            problems += _put_back(found, site, episode, browsers)
        yield attempt.of("put back", "", lambda: problems)


def planned(name: str) -> Iterator[tuple[str, str]]:
    """Yield what :func:`check_account` would do on a website: an instance id, empty for signing in, and a step.

    Args:
        name: Name of the account.

    Raises:
        SetupError: ``WEBSP_LIVE`` is not 1, or there is no such account.
    """
    world, site = world_of(name)
    trace = world.account.login_trace or site.login_trace
    yield (
        "",
        "sign in by hand only"
        if trace is None
        else f"sign in, by {trace} where the kept sign-in does not hold",
    )
    for instance in all_instances():
        if instance.site.slug != site.slug:
            continue
        for step in instance.config.initial_state:
            match step:
                case ReplayStep():
                    yield instance.id, f"replay {step.replay}, set {step.set}, and read it back"
                case VisitStep():
                    yield from ((instance.id, f"visit {url}") for url in step.visit)
                case SignInStep():
                    yield instance.id, f"sign in from {len(step.sign_in)} further browsers"
                case ApiStep():
                    body, url = filled_call(step.api, world.account.shown)
                    request = ApiRequest(step.api.method, url, body, step.api.missing)
                    yield from ((instance.id, line) for line in described(request))
                case PrepareStep():
                    yield instance.id, "cannot be set on a live website: it is prepared on the server"


def put_back(name: str, *, headless: bool = True) -> list[str] | None:
    """Put an account back as it was before an episode that was killed.

    Args:
        name: Name of the account.
        headless: Whether to open no window.

    Returns:
        What is not as it was found, each with the reason; ``None`` where nothing was left to put back.

    Raises:
        SetupError: ``WEBSP_LIVE`` is not 1, there is no such account, or it cannot be signed in.
        WorldError: Another episode uses the account.
    """
    world, site = world_of(name)
    found = FoundState(name)
    if not found:
        return None
    with closing(world.open_episode(site, signed_in=True)) as episode:
        return found.put_back(site, episode, LiveBrowsers(site, episode, headless=headless), again=True)


def _put_back(found: FoundState, site: Site, episode: AccountInUse, browsers: LiveBrowsers) -> list[str]:
    """Put an account back; return what is not as it was found."""
    try:
        return found.put_back(site, episode, browsers) if found else []
    except (WebspError, PlaywrightError) as error:
        return [str(error)]


def give_up(name: str) -> list[str]:
    """Forget how an account was before an episode that was killed; return what then stays as it is.

    Args:
        name: Name of the account.

    Raises:
        SetupError: There is no such account, or what is stored cannot be read.
        WorldError: An episode uses the account.
    """
    account_named(name)
    _, lock = locked([name])
    try:
        return FoundState(name).forget()
    finally:
        lock.release()


class _Attempt:
    """Tries parts, one after the other."""

    def __init__(self, account: str) -> None:
        self._account = account
        self.failed = False

    def of(self, part: Part, instance: str, does: Any) -> LiveFinding:
        began, event = time.monotonic(), None
        try:
            why = "\n".join(does() or ())
        except (WebspError, PlaywrightError) as error:
            why = str(error)
            cause = error if isinstance(error, ReplayError) else error.__cause__
            event = cause.event if isinstance(cause, ReplayError) else None
        self.failed = bool(why)
        seconds = round(time.monotonic() - began, 2)
        return LiveFinding(self._account, part, instance, not why, seconds, why, event)


def _sign_in(sign_in: LiveSignIn, tabs: Tabs) -> None:
    if not sign_in.is_signed_in(tabs):
        sign_in.sign_in(tabs)
