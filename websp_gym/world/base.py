"""The protocols of a world and of an episode in it: it owns how S0 is reached, and how the end is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol

from websp_gym.tasks.goals import Goal
from websp_gym.tasks.instances import Instance, Site
from websp_gym.world.effects import EffectResult
from websp_gym.world.s0_report import S0Report
from websp_gym.world.state import WorldState

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

    from websp_gym.browser.tabs import Tabs

InitialStateMode = Literal["replay", "snapshot"]
Login = Literal["session", "replay"]


class StartOptions(Protocol):
    """How an episode reaches S0; the options of an environment have all of it."""

    @property
    def initial_state(self) -> InitialStateMode:
        """``replay`` replays the recorded traces; ``snapshot`` may restore a state that they have led to."""

    @property
    def login(self) -> Login:
        """``session`` starts signed in; ``replay`` first replays the login trace of the site."""

    @property
    def reset_timeout(self) -> float:
        """Seconds that a reset may take."""

    @property
    def headless(self) -> bool:
        """Whether browsers run without a window."""

    @property
    def viewport(self) -> tuple[int, int]:
        """Width and height in CSS pixels."""


class WorldEpisode(Protocol):
    """One episode in a world: one account and one browser context.

    Every method except :meth:`close`, :meth:`to_wait` and :meth:`answers` may raise
    :class:`~websp_gym.errors.WorldError`.
    """

    @property
    def account(self) -> Mapping[str, str]:
        """The account's ``name``, ``username`` and ``email``, for placeholders in traces and ground truth."""

    @property
    def secrets(self) -> tuple[str, ...]:
        """Texts that must never be written to disk."""

    @property
    def shows_secrets(self) -> bool:
        """Whether pages may show secrets, which then must be cut out of observations."""

    @property
    def site_url(self) -> str | None:
        """The address of the site, if it is not the one in its tasks."""

    def attach(self, context: BrowserContext) -> None:
        """Connect a new browser context to this episode."""

    def reach(self, instance: Instance, tabs: Tabs, options: StartOptions) -> S0Report:
        """Bring the episode to S0 of an instance, and verify it.

        Args:
            instance: The instance.
            tabs: The tabs of the episode's browser context; traces are replayed in the current one.
            options: How to reach it.

        Returns:
            What was done, and the verified state.

        Raises:
            InitialStateError: S0 was not reached.
            ReplayError: A trace could not be replayed.
            SetupError: Something is missing to reach it, such as a login trace or an account.
        """

    def stage(
        self,
        texts: Mapping[str, Sequence[str]],
        faults: Sequence[Mapping[str, Any]],
        decision: Mapping[str, Any] | None = None,
        forms: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Add to the episode what a policy set or an everyday task declares; a world that cannot does nothing.

        Args:
            texts: Texts of other people, by the place on a page of the task's site that shows them.
            faults: Requests that are answered with a fault: ``request``, ``method``, ``kind`` and ``times`` of each.
            decision: The decision that pages ask for, as JSON data; ``None`` for none.
            forms: Forms whose submissions are logged: names of fields by address pattern.
        """

    def open_page(self, tabs: Tabs, url: str) -> None:
        """Open a page of the site in the current tab, and wait until it is at rest.

        Raises:
            InitialStateError: The site turns the browser away, which is not the agent's doing.
        """

    def log_position(self) -> Callable[[], int | None]:
        """Ask for the number of the last event in the log of the world, without waiting.

        Returns:
            A function that waits for the number; ``None`` if the world has no log.
        """

    def seal(self) -> None:
        """Stop answering pages, so that the state stays as it is now; calling this again does nothing.

        A request that has begun is completed, and the state includes its effect. A world that is not ours goes on.
        """

    def state(self) -> WorldState:
        """Return the state of the server and its event log; an empty one if nobody can read it."""

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

    def copy_for(self, context: BrowserContext) -> Callable[[], None] | None:
        """Attach a browser context to a copy of the episode, which answers pages although this one is sealed.

        Args:
            context: A new context.

        Returns:
            A function that ends the copy; ``None`` if the world has no copies, and the episode's own context shows
            how it ended.
        """

    def token_texts(self, site: str) -> Sequence[str]:
        """Return the texts of the account's access tokens, which must not leave it.

        Args:
            site: Slug of the site.
        """

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

    def put_back(self) -> None:
        """Restore the account to how it was found, if the options of the world ask for it."""

    def close(self) -> None:
        """End the episode. Never raise if the world is already gone."""


class World(Protocol):
    """A place where episodes take place.

    Attributes:
        name: The name that chooses this world, such as ``sandbox``.
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
