"""Playing an instance to its verdict, with everything a check wants to know of the way.

The same task, marks and actions as in an environment; only the pictures are left out, which costs half of a step.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from websp_gym.actions import parse_action
from websp_gym.actions.perform import perform
from websp_gym.agents import Briefing
from websp_gym.agents.oracle import OracleError
from websp_gym.authoring.page_log import Listening
from websp_gym.browser import VIEWPORT
from websp_gym.browser.driver import bury_dead
from websp_gym.browser.launch import BrowserOptions, open_context
from websp_gym.browser.settle import settle
from websp_gym.browser.tabs import Tabs
from websp_gym.env.options import Options
from websp_gym.env.task import WebspTask
from websp_gym.errors import ActionError
from websp_gym.observation.marks import collect_marks
from websp_gym.records.trajectory import Ending
from websp_gym.scoring.rewards import make_reward
from websp_gym.world import make_world

if TYPE_CHECKING:
    from pathlib import Path

    from websp_gym.agents import Agent
    from websp_gym.records.verdict import Verdict
    from websp_gym.tasks.instances import LoadedInstance
    from websp_gym.world.state import WorldState

_ACTIONS = 200
_NAMELESS_OK = frozenset({"generic", "presentation", "iframe"})


@dataclass(frozen=True)
class Play:
    """One episode.

    Args:
        verdict: What the state reward says.
        start: S0 as verified.
        end: The state at the end.
        replayed: Whether S0 was reached by replay (and not from the snapshot of an earlier play).
        actions: How many actions of those that count.
        stuck: Why the agent could not go on, where that was allowed.
        nameless: Elements without an accessible name that were in view on the way.
        heard: What the browser complained of.
    """

    verdict: Verdict
    start: WorldState
    end: WorldState
    replayed: bool
    actions: int
    stuck: str = ""
    nameless: tuple[str, ...] = ()
    heard: Listening | None = field(default=None, compare=False)


def play(loaded: LoadedInstance, agent: Agent, *, lenient: bool = False, picture: Path | None = None) -> Play:
    """Plays one episode in the sandbox, S0 from a snapshot where this process has one.

    Args:
        loaded: The instance.
        agent: Who plays.
        lenient: Whether an agent that cannot go on gives up instead of failing.
        picture: Where a picture of the last page goes.

    Returns:
        The episode.

    Raises:
        InitialStateError: S0 was not reached.
        ReplayError: A trace could not be replayed.
        OracleError: The agent could not go on.
        WorldError: The world or its browser failed.
    """
    bury_dead()
    world = make_world("sandbox")
    context = open_context(BrowserOptions(args=world.browser_args()), viewport=VIEWPORT)
    options = Options(initial_state="snapshot")
    task = WebspTask(0, loaded=loaded, world=world, reward=make_reward("state"), options=options)
    task.tabs = tabs = Tabs(context)
    heard = Listening(context)
    try:
        task.setup(context.new_page())
        agent.begin(Briefing(loaded, task.episode.account, 0))
        actions, stuck, nameless = _act(agent, tabs, lenient)
        if picture is not None:
            tabs.current.screenshot(path=picture)
        verdict = task.finish(Ending("answer"))
        assert task.s0 is not None
        return Play(
            verdict=verdict,
            start=task.s0.state,
            end=task.episode.state(),
            replayed=task.s0.how == "replay",
            actions=actions,
            stuck=stuck,
            nameless=nameless,
            heard=heard,
        )
    finally:
        context.close()
        task.teardown()


def reset_seconds(loaded: LoadedInstance, *, times: int = 3) -> float:
    """The quickest of some resets of the instance's environment, replay included.

    Args:
        loaded: The instance.
        times: How many; the first one finds nothing warm.

    Returns:
        Seconds.
    """
    from websp_gym.env.registration import make_env

    env = make_env(loaded.id, reward="state", initial_state="replay")
    taken = []
    try:
        for seed in range(times):
            began = time.monotonic()
            env.reset(seed=seed)
            taken.append(time.monotonic() - began)
    finally:
        env.close()
    return min(taken)


def _act(agent: Agent, tabs: Tabs, lenient: bool) -> tuple[int, str, tuple[str, ...]]:
    counted, problem = 0, ""
    nameless: dict[str, None] = {}
    for _ in range(_ACTIONS):
        marks = collect_marks(tabs.current)
        for mark in marks:
            if not mark.name and mark.role not in _NAMELESS_OK:
                nameless[f"{mark.line().partition('] ')[2]} on {tabs.current.url}"] = None
        elements = [mark.as_dict() for mark in marks]
        seen = {"elements": elements, "last_action_error": problem, "url": tabs.current.url}
        try:
            action = parse_action(agent.act(seen))
        except OracleError as error:
            if not lenient:
                raise
            return counted, str(error), tuple(nameless)
        if action.kind == "ANSWER":
            return counted, "", tuple(nameless)
        counted += not action.free
        try:
            problem = ""
            perform(action, tabs, marks)
        except ActionError as error:
            problem = str(error)
            if action.kind != "Scroll" and not lenient:
                raise
        settle(tabs)
    raise OracleError(f"no answer after {_ACTIONS} actions")
