"""``websp prove --effects``: check the effects of each task outside the account."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Error as PlaywrightError

from websp_gym.agents.oracle import OracleAgent
from websp_gym.authoring.player import Observation, play_instance
from websp_gym.browser.owner import call
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.errors import WebspError
from websp_gym.runner.processes import Batch, map_unordered
from websp_gym.tasks.instances import Instance, load_instance
from websp_gym.world import make_world

if TYPE_CHECKING:
    from websp_gym.env import WebspEnv
    from websp_gym.world.effects import EffectResult

_PAGES = 3


@dataclass(frozen=True)
class InstanceEffects:
    """The effects that were tried after the ground truth of an instance was carried out.

    Args:
        instance: Id of the instance.
        effects: The effects; none where nothing outside of the account depends on the task.
        error: Why the episode did not pass; empty if it did.
    """

    instance: str
    effects: tuple[EffectResult, ...] = ()
    error: str = ""

    @property
    def ok(self) -> bool:
        """Whether the episode passed and every effect holds."""
        return not self.error and all(effect.holds for effect in self.effects)

    def as_dict(self) -> dict[str, Any]:
        """Return JSON data."""
        return asdict(self)


def effects_of(
    names: Sequence[str],
    *,
    processes: int = 1,
    on_progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> list[InstanceEffects]:
    """Play the ground truth of instances and try the effects.

    Args:
        names: Ids of the instances.
        processes: Number of processes.
        on_progress: Called with the finished instance, and the numbers of finished and of all instances.

    Returns:
        The effects, in the order of ``names``.
    """
    # Start the sandbox here, so that all processes share it.
    make_world("sandbox").browser_args()
    done = 0

    def count(found: InstanceEffects) -> None:
        nonlocal done
        done += 1
        on_progress(found.instance, done, len(names))

    every = map_unordered(Batch(_work, names, on_crash=_lost, on_result=count), processes)
    by_name = {each.instance: each for each in every}
    return [by_name[name] for name in names]


def _work(name: str) -> InstanceEffects:
    instance = load_instance(name)
    try:
        # Browsing uses Playwright's objects directly.
        verdict = call(lambda: play_instance(instance, OracleAgent(), witness=_Browse(instance)).verdict)
    except (WebspError, PlaywrightError) as error:
        return InstanceEffects(name, error=str(error))
    return InstanceEffects(name, verdict.effects, "" if verdict.score == 1.0 else verdict.reason)


def _lost(name: str) -> InstanceEffects:
    return InstanceEffects(name, error="the process died")


class _Browse:
    """Opens pages of the site before the answer, if the task is about trackers."""

    def __init__(self, instance: Instance) -> None:
        self._start = instance.site.start_url
        self._wanted = any(key.startswith("consent.") for key in instance.task.goal.settings)

    def begin(self, env: WebspEnv) -> None:
        """Called when the episode is in S0."""

    def before(self, env: WebspEnv, action: str, seen: Observation) -> None:
        """Open the start page and pages that it leads to, once the agent is done."""
        if not self._wanted or not action.startswith("ANSWER") or env.context is None:
            return
        tabs = Tabs(env.context, reacts_at_once=env.tabs.reacts_at_once)
        page = env.context.new_page()
        page.goto(self._start, wait_until="commit")
        settle(tabs)
        here: str = page.evaluate("location.origin")
        found: list[str] = page.evaluate("[...document.links].map((link) => link.href)")
        for href in [each for each in dict.fromkeys(found) if each.startswith(f"{here}/")][:_PAGES]:
            page.goto(href, wait_until="commit")
            settle(tabs)

    def after(self, env: WebspEnv, seen: Observation) -> None:
        """Called after an action."""
