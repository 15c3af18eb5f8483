"""The protocols of a world and of an episode in it, for the sandbox and for the live web."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from websp_gym.tasks.goals import Goal
from websp_gym.tasks.instances import Site
from websp_gym.world.effects import EffectResult
from websp_gym.world.state import WorldState

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


class Server(Protocol):
    """The server side of an episode, if it is ours: its state can be read, set and restored.

    Every method may raise :class:`~websp_gym.errors.WorldError`.
    """

    def state(self) -> WorldState:
        """Return the state of the server and its event log."""

    def defaults(self) -> WorldState:
        """Return the state of a new account."""

    def prepare(self, site: str, settings: Mapping[str, Any], collections: Mapping[str, Any]) -> None:
        """Set server-side state without a browser.

        Args:
            site: Slug of the site.
            settings: Values by setting key.
            collections: Items by collection.
        """

    def sign_in(self, site: str, browsers: Sequence[Mapping[str, Any]]) -> None:
        """Sign in to a site from other browsers, each through the site's login.

        Args:
            site: Slug of the site.
            browsers: Fields of the session of each: ``device``, ``place`` and the like.
        """

    def call_api(self, site: str, method: str, url: str, *, token: str, body: Any, missing: bool) -> None:
        """Send a request to a site's API, authorised by one of the account's access tokens.

        Args:
            site: Slug of the site.
            method: The HTTP method.
            url: The address.
            token: Id of the token.
            body: JSON data, a text, or ``None``.
            missing: Whether a reply of "not found" is accepted.
        """

    def effects(self, site: str, goal: Goal, start: WorldState, end: WorldState) -> tuple[EffectResult, ...]:
        """Test from outside whether what the goal asks for takes effect. The episode does not change.

        Args:
            site: Slug of the site.
            goal: The goal of the task.
            start: S0.
            end: The state at the end.

        Returns:
            The tested effects; none if the world cannot test any.
        """

    def stage(
        self,
        texts: Mapping[str, Sequence[str]],
        faults: Sequence[Mapping[str, Any]],
        decision: Mapping[str, Any] | None = None,
        forms: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Add to the episode what a policy set or an everyday task declares.

        Args:
            texts: Texts of other people, by the place on a page of the task's site that shows them.
            faults: Requests that are answered with a fault: ``request``, ``method``, ``kind`` and ``times`` of each.
            decision: The decision that pages ask for, as JSON data; ``None`` for none.
            forms: Forms whose submissions are logged: names of fields by address pattern.
        """

    def ask_last_seq(self) -> Callable[[], int | None]:
        """Ask for the number of the last event in the log of the world, without waiting.

        Returns:
            A function that waits for the number; ``None`` if the world has no log.
        """

    def seal(self) -> None:
        """Stop answering pages, so that the state stays as it is now; calling this again does nothing.

        A request that has begun is completed, and the state includes its effect.
        """

    def attach_copy(self, context: BrowserContext) -> Callable[[], None]:
        """Attach a browser context to a copy of the episode, which answers pages although this one is sealed.

        Args:
            context: The context, with the cookies of the episode's browser.

        Returns:
            A function that ends the copy.
        """

    def token_texts(self, site: str, tokens: Sequence[str]) -> Sequence[str]:
        """Return the texts of access tokens, which must not leave the account.

        Args:
            site: Slug of the site.
            tokens: Ids of the tokens.
        """

    def snapshot(self, name: str, context: BrowserContext) -> None:
        """Save the state of server and browser, for later episodes of any process.

        Args:
            name: Name of the snapshot.
            context: The browser context of the episode.
        """

    def restore(self, name: str, context: BrowserContext) -> bool:
        """Restore a snapshot.

        Args:
            name: Name of the snapshot.
            context: The browser context of the episode.

        Returns:
            Whether there was such a snapshot.
        """


class WorldEpisode(Protocol):
    """One episode in a world: one account and one browser context.

    Every method except :meth:`close`, :meth:`to_wait` and :meth:`answers` may raise
    :class:`~websp_gym.errors.WorldError`.
    """

    @property
    def server(self) -> Server | None:
        """The server side; ``None`` on the live web, where the state can only be read through the pages."""

    @property
    def account(self) -> Mapping[str, str]:
        """The account's ``name``, ``username`` and ``email``, for placeholders in traces and ground truth."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that must never be written to disk."""

    @property
    def site_url(self) -> str | None:
        """The address of the site, if it is not the one in its tasks."""

    def attach(self, context: BrowserContext) -> None:
        """Connect a new browser context to this episode."""

    def to_wait(self) -> float:
        """Return the seconds until the world accepts the next action. This is called from other threads too."""

    def check(self) -> None:
        """Raise ``WorldError`` if the world is gone. This must be cheap: it is called after each action."""

    def answers(self, seconds: float) -> bool:
        """Check whether the server responds. This is called from other threads than the other methods.

        Args:
            seconds: Seconds to wait for a response.

        Returns:
            Whether it responded in time.
        """

    def close(self) -> None:
        """End the episode. Never raise if the world is already gone."""


class World(Protocol):
    """A place where episodes take place.

    Attributes:
        name: The name that chooses this world: ``sandbox`` or ``live``.
        reacts_at_once: Whether every page shows the effect of a response as soon as it arrives, without timers,
            so that it settles sooner.
    """

    name: str
    reacts_at_once: bool

    def browser_args(self) -> tuple[str, ...]:
        """Return the command-line flags that a browser needs to reach this world."""

    def context_options(self) -> Mapping[str, Any]:
        """Return options of a browser context for this world, by their names in Playwright."""

    def open_episode(self, site: Site, *, signed_in: bool) -> WorldEpisode:
        """Start an episode on a site, with a new account.

        Args:
            site: The site of the instance.
            signed_in: Whether the browser starts signed in to ``site.slug``; it is always signed in to the other
                sites of ``site.signed_in``.

        Returns:
            The episode.

        Raises:
            WorldError: The world does not respond.
        """
