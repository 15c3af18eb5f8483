"""The sandbox as a world: replica sites whose server-side state can be read, set and restored."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from websp_gym.browser.settle import settle
from websp_gym.errors import WorldError
from websp_gym.paths import SITES, named_folders
from websp_gym.sandbox import client
from websp_gym.tasks.goals import Goal
from websp_gym.tasks.instances import Instance, Site
from websp_gym.world.effects import EffectProbe, EffectResult
from websp_gym.world.http_probe import HttpProbe
from websp_gym.world.s0_report import S0Report
from websp_gym.world.state import Declared, WorldState, world_state

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from websp_gym.browser.tabs import Tabs
    from websp_gym.world.base import StartOptions

_described_by: dict[int, dict[str, dict[str, Any]]] = {}
"""The declarations of each site.yaml by slug, for each server by pid."""

_declared_by: dict[int, dict[str, Declared]] = {}
"""The part of it that a state carries."""


class SandboxEpisode:
    """An episode in the sandbox. Every request of its browser context carries its secret id."""

    def __init__(self, sandbox: client.Sandbox, episode: client.EpisodeHandle) -> None:
        self._sandbox = sandbox
        self._episode = episode
        self._defaults: WorldState | None = None
        self._probes: list[HttpProbe] = []

    shows_secrets = False

    @property
    def site_url(self) -> None:
        """None: every site is under its real host name."""
        return None

    @property
    def control(self) -> client.EpisodeHandle:
        """The episode in the server's control API."""
        return self._episode

    @property
    def account(self) -> Mapping[str, str]:
        """The account's ``name``, ``username`` and ``email``."""
        return self._episode.account

    @property
    def secrets(self) -> tuple[str, ...]:
        """The episode's id and the server's control secret."""
        return (self._episode.id, self._sandbox.address.secret)

    def attach(self, context: BrowserContext) -> None:
        """Add the episode's header and cookies to a browser context."""
        context.set_extra_http_headers({client.EPISODE_HEADER: self._episode.id})
        if self._episode.cookies:
            context.add_cookies(cast("list[Any]", self._episode.cookies))

    def state(self) -> WorldState:
        """Return the state of the server and its event log."""
        return world_state(_call(self._episode.state), declared=_declared(self._sandbox))

    def defaults(self) -> WorldState:
        """Return the state of a new account; it is requested once per episode."""
        if self._defaults is None:
            self._defaults = world_state(_call(self._episode.defaults))
        return self._defaults

    def prepare(self, site: str, settings: Mapping[str, Any], collections: Mapping[str, Any]) -> None:
        """Set server-side state through the control API."""
        _call(lambda: self._episode.patch(site, settings=dict(settings), collections=dict(collections)))

    def sign_in(self, site: str, browsers: Sequence[Mapping[str, Any]]) -> None:
        """Sign in from other browsers, each with its own cookies, by sending the forms of the login pages."""
        forms = _call(lambda: self._sandbox.credentials(site))["forms"]
        for device in browsers:
            probe = self._probe(device)
            for form in forms:
                reply = probe.request("POST", form["url"], form=form["fields"])
                if reply.status != 200 or urlsplit(reply.url).path == urlsplit(form["url"]).path:
                    raise WorldError(
                        f"{site}: the sign-in of {dict(device)} ended at {reply.url} ({reply.status})"
                    )

    def call_api(self, site: str, method: str, url: str, *, token: str, body: Any, missing: bool) -> None:
        """Send a request to a site's API."""
        text = _call(lambda: self._sandbox.credentials(site, tokens=[token]))["tokens"][token]
        reply = self._probe({}).request(method, url, body=body, token=text)
        if not 200 <= reply.status < 300 and not (missing and reply.status == 404):
            raise WorldError(f"{method} {url} was answered with {reply.status}: {reply.text[:300]}")

    def effects(self, site: str, goal: Goal, start: WorldState, end: WorldState) -> tuple[EffectResult, ...]:
        """Test whether what the goal asks for takes effect, in a fork of the episode."""
        described = _described(self._sandbox)[site]
        fork = _call(self._episode.fork)
        try:
            probe = EffectProbe(self._sandbox, fork, described, goal, start, end)
            found: tuple[EffectResult, ...] = _call(lambda: tuple(probe.effects()))
            return found
        finally:
            fork.close()

    def stage(
        self,
        texts: Mapping[str, Sequence[str]],
        faults: Sequence[Mapping[str, Any]],
        decision: Mapping[str, Any] | None = None,
        forms: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Add texts of other people, faults and a decision to the episode, and watch forms."""
        _call(lambda: self._episode.stage(texts, faults, decision, forms))

    def reach(self, instance: Instance, tabs: Tabs, options: StartOptions) -> S0Report:
        """Bring the episode to S0, and compare the state with what the instance expects."""
        # Replay, which a process that only makes worlds does not need.
        from websp_gym.world.initial_state import reach

        return reach(instance, self, tabs, how=options.initial_state, login=options.login)

    def open_page(self, tabs: Tabs, url: str) -> None:
        """Open a page, and wait until it is at rest."""
        tabs.current.goto(url, wait_until="commit")
        settle(tabs)

    def log_position(self) -> Callable[[], int]:
        """Ask for the number of the last event in the log, without waiting."""
        answer = _call(self._episode.ask_last_seq)
        return lambda: int(_call(answer))

    def seal(self) -> None:
        """Stop answering pages, so that the state stays as it is."""
        _call(self._episode.seal)

    def copy_for(self, context: BrowserContext) -> Callable[[], None]:
        """Attach a browser context to a fork of the episode; return a function that closes the fork."""
        fork = _call(self._episode.fork)
        context.set_extra_http_headers({client.EPISODE_HEADER: fork.id})
        return lambda: _call(fork.close)

    def token_texts(self, site: str) -> tuple[str, ...]:
        """Return the texts of the account's access tokens."""
        state = self.state().sites.get(site)
        tokens = [str(item["id"]) for item in state.collections.get("tokens", ())] if state else []
        found = _call(lambda: self._sandbox.credentials(site, tokens=tokens))["tokens"]
        return tuple(found.values())

    def _probe(self, device: Mapping[str, Any]) -> HttpProbe:
        probe = HttpProbe(self._sandbox, self._episode.id, device=device)
        self._probes.append(probe)
        return probe

    def snapshot(self, name: str, context: BrowserContext) -> None:
        """Save the server's state and the browser's cookies, on the server."""
        cookies = [dict(each) for each in context.cookies()]
        _call(lambda: self._episode.snapshot(name, cookies))

    def restore(self, name: str, context: BrowserContext) -> bool:
        """Restore a snapshot of this server, including the cookies; return whether there was one."""
        cookies = _call(lambda: self._episode.restore_if_saved(name))
        if cookies is None:
            return False
        context.clear_cookies()
        if cookies:
            context.add_cookies(cookies)
        return True

    def to_wait(self) -> float:
        """Return 0: the sandbox accepts all requests."""
        return 0.0

    def check(self) -> None:
        """Raise ``WorldError`` if the server died: the browser's error pages are not the agent's fault."""
        if not self._sandbox.alive():
            pid = self._sandbox.address.pid
            raise WorldError(f"the sandbox server (pid {pid}) has died; call reset() to start a new episode")

    def answers(self, seconds: float) -> bool:
        """Whether the server responds to a ping, on a separate connection, within ``seconds``."""
        return self._sandbox.ping(seconds)

    def put_back(self) -> None:
        """Do nothing: each episode has an account of its own."""

    def close(self) -> None:
        """End the episode and free its state; do nothing if the server is gone."""
        for probe in self._probes:
            probe.close()
        with contextlib.suppress(client.SandboxError):
            self._episode.close()


class SandboxWorld:
    """The replica sites on this machine. All environments of one process tree share one server."""

    name = "sandbox"
    reacts_at_once = True

    def __init__(self) -> None:
        # Check the folders now: the server would skip a missing one, and its sites would be unknown.
        named_folders(SITES)

    def browser_args(self) -> tuple[str, ...]:
        """Return the flags that send every host name to the sandbox and trust only its certificate."""
        return tuple(_call(client.Sandbox.shared).browser_args())

    def context_options(self) -> dict[str, Any]:
        """Return no options: an episode brings its own cookies."""
        return {}

    def open_episode(self, site: Site, *, signed_in: bool) -> SandboxEpisode:
        """Start an episode with a new account. Raise ``WorldError`` if the server does not respond."""
        sandbox = _call(client.Sandbox.shared)
        # Signed out of the site, the browser keeps its session at the account provider (paper, section 3.2.1).
        slugs = [slug for slug in site.signed_in if signed_in or slug != site.slug]
        return SandboxEpisode(sandbox, _call(lambda: sandbox.open_episode(site.slug, signed_in=slugs)))


def _declared(sandbox: client.Sandbox) -> dict[str, Declared]:
    """Return what each site declares about its state, by slug; it is requested once per server."""
    pid = sandbox.address.pid
    if pid not in _declared_by:
        _declared_by[pid] = {slug: _declaration(site) for slug, site in _described(sandbox).items()}
    return _declared_by[pid]


def _described(sandbox: client.Sandbox) -> dict[str, dict[str, Any]]:
    pid = sandbox.address.pid
    if pid not in _described_by:
        _described_by[pid] = {site["slug"]: site for site in _call(sandbox.sites)}
    return _described_by[pid]


def _declaration(site: Mapping[str, Any]) -> Declared:
    settings = site["settings"].items()
    return Declared(
        least_private={key: each["least_private"] for key, each in settings if "least_private" in each},
        bookkeeping=frozenset(site["bookkeeping"]),
        shown_together=tuple(frozenset(names) for names in site["shown_together"]),
        session_of=site["session_of"],
    )


def _call(function: Any) -> Any:
    try:
        return function()
    except client.SandboxError as error:
        raise WorldError(f"the sandbox failed: {error}") from error
