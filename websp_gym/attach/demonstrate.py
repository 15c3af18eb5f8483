"""What a person did, told in the actions of the environment: demonstrations to train policies on.

A record has presses at points and typed texts. Each is told as the same step on the element it met, played again in a
fresh episode with the same seed, and kept only if that one has the full reward too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from websp_gym.actions.calls import read_calls
from websp_gym.agents.script import ScriptAgent
from websp_gym.env.rollout import Briefing
from websp_gym.env.walker import OracleError
from websp_gym.errors import ActionError, WebspError
from websp_gym.policies.play_steps import Goto
from websp_gym.rollouts.pool import Pool
from websp_gym.tasks.ground_truth import GroundTruthStep, StepTarget
from websp_gym.tasks.instances import load_instance

if TYPE_CHECKING:
    from typing import Any

    from websp_gym.policies.play_steps import PlayStep
    from websp_gym.records.trajectory import Step, Trajectory
    from websp_gym.rollouts.transcript import Transcript

_FREE = ("noop", "tab_focus", "go_back", "go_forward")
"""Calls that a demonstration does without."""


class DemonstrationError(WebspError):
    """Raised when what a person did cannot be told in the actions of the environment."""


def demonstrate(record: Trajectory, seed: int, **options: Any) -> Transcript:
    """Play an episode again in the actions of the environment.

    Args:
        record: The trajectory of the episode.
        seed: Its seed.
        **options: Options of the environment, as it was played with.

    Returns:
        The pages and replies of a rollout with a reward of 1.0.

    Raises:
        DemonstrationError: A step has no such action, its element is not found again, or the reward differs.
    """
    agent = ScriptAgent([script_of(record)], name="demonstration")

    def policy(played: Transcript) -> str:
        page = played.page
        if not played.replies:
            agent.begin(Briefing(load_instance(record.instance), page.account, seed))
        return agent.act(page.observation)

    try:
        with Pool(1, **options) as pool:
            played = pool.rollout(record.instance, policy, seed=seed)
    except OracleError as error:
        raise DemonstrationError(f"{record.instance}: {error}") from error
    page = played.page
    if page.reward != 1.0:
        raise DemonstrationError(
            f"{record.instance}: played again, the reward is {page.reward} ({page.failure or page.reason})"
        )
    return played


def script_of(record: Trajectory) -> list[PlayStep]:
    """Return the steps of a record as a script on elements.

    Raises:
        DemonstrationError: The environment has no action for a step.
    """
    steps = [_as_step(record, step) for step in record.steps if step.act is not None and step.counted]
    return [step for step in steps if step is not None]


def _as_step(record: Trajectory, step: Step) -> PlayStep | None:
    act = step.act
    assert act is not None
    if act.kind == "ANSWER":
        return None
    try:
        ((name, positional, _named),) = read_calls(act.text)
    except (ActionError, ValueError):
        name, positional = act.kind, []
    target = StepTarget(role=act.role, name=act.name) if act.role and act.name else None
    match name:
        case "mouse_click" if target is not None:
            return GroundTruthStep(action="click", target=target, element=None)
        case "keyboard_type" if target is not None and positional:
            return GroundTruthStep(action="type", target=target, element=None, value=str(positional[0]))
        case "goto" if positional:
            return Goto(goto=str(positional[0]))
        case _ if name in _FREE:
            return None
    raise DemonstrationError(
        f"{record.instance}: step {step.number}, {act.text[:100]}, is not an action on a named element"
    )
