"""What ``cube test websp`` plays: two instances, as the oracle played them before."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cube.core import Action, ActionSchema, Observation

from websp_gym.actions import parse_action
from websp_gym.actions.tools import TOOL_NAMES, arguments_of
from websp_gym.harnesses.cube.benchmark import WebspBenchmarkConfig
from websp_gym.rollouts import Pool, agent_policy

PLAYED = ("OpenStreetMap-task-92", "Steam-task-191-ON")
DebugAgent = Callable[[Observation, Sequence[ActionSchema]], Action]


def get_debug_benchmark() -> WebspBenchmarkConfig:
    """Return the benchmark with these instances alone."""
    played: WebspBenchmarkConfig = WebspBenchmarkConfig().subset_from_list(PLAYED)
    return played


def make_debug_agent(task_id: str) -> DebugAgent:
    """Return an agent that calls the tools as the oracle acted."""
    calls = iter(oracle_calls(task_id))
    return lambda seen, action_set: next(calls)


def oracle_calls(instance: str) -> list[Action]:
    """Play an instance with the oracle and seed 0, and return what it did as calls of tools.

    It reads the elements of a page, of which an observation of CUBE has the text only.
    """
    with Pool(pictures=True) as pool:
        replies = pool.rollout(instance, agent_policy("oracle")).replies
    actions = map(parse_action, replies)
    return [Action(name=TOOL_NAMES[each.kind], arguments=arguments_of(each)) for each in actions]
