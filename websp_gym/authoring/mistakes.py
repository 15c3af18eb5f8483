"""Prove that an agent may clean up after itself: a wrong item does no harm if removed; if left, the agent fails.

The wrong play follows from the goal and the ground truth of a task that creates something. How it is taken back is
declared once for each collection, in ``mistakes`` of the task configuration.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from websp_gym.agents.oracle import find_mark
from websp_gym.authoring.findings import Finding, judged
from websp_gym.authoring.player import PlayedEpisode, play_instance
from websp_gym.env.walker import OracleError, Walker
from websp_gym.scoring.rewards import state_verdict
from websp_gym.tasks.ground_truth import GroundTruthStep
from websp_gym.world.state import WorldState, same

if TYPE_CHECKING:
    from websp_gym.agents.base import Briefing
    from websp_gym.agents.turns import Turn
    from websp_gym.observation import ObservationKind
    from websp_gym.tasks.instances import Instance

CHECK = "mistake"
"""Name of the check."""
TYPED = "made-by-mistake"
"""What is typed in the place of the first text of the ground truth."""

_CHOOSES = ("turn", "select")
_LEADS = ("click", "hover")

Steps = Sequence[GroundTruthStep]


def mistakes(instance: Instance, satisfied: bool) -> Iterator[Finding]:
    """Play an instance that creates something with a wrong one first, which is removed, and judge it left there too.

    Args:
        instance: The instance.
        satisfied: Whether its S0 is the goal already, so that nothing is to be made.

    Yields:
        Findings of the check ``mistake``.

    Raises:
        OracleError: A play cannot be carried out.
    """
    made = [check for kind, check in instance.task.goal.items() if kind in ("created", "present")]
    if satisfied or not made:
        yield Finding(CHECK, instance.id, detail="nothing is made")
        return
    collection = made[0].collection
    replaced = collection in instance.task.goal.replaceable
    spec = instance.site.mistakes.get(collection)
    if spec is None and not replaced:
        message = f"no steps remove an item that was made in {collection}; add them under `mistakes:`"
        yield Finding(CHECK, instance.id, "warning", message)
        return
    undo = spec.undo if spec else ()
    if not undo and not replaced:
        yield Finding(CHECK, instance.id, detail=f"the pages have no way to remove an item of {collection}")
        return
    wrong = spec.make if spec and spec.make else wrong_steps(instance)
    right = instance.config.ground_truth
    cleaned = play_instance(instance, MistakenAgent([wrong, *([undo] if undo else []), right]))
    verdict = cleaned.verdict
    problems = [] if verdict.score == 1.0 else [f"it fails: {verdict.reason}"]
    problems += verdict.side_effects
    yield judged(
        CHECK, f"{instance.id} with a wrong one removed", problems, "passes, and nothing else is left"
    )
    if not replaced:
        left = state_verdict(
            instance, cleaned.start, _with_it_left(instance, collection, cleaned), answered=True
        )
        problems = [f"it is worth {left.score}"] if left.score != 0.0 else []
        yield judged(CHECK, f"{instance.id} with a wrong one left", problems, f"fails: {left.reason}")


def _with_it_left(instance: Instance, collection: str, cleaned: PlayedEpisode) -> WorldState:
    """Return the state at the end, as if what was made by mistake had not been removed."""
    slug, end = instance.site.slug, cleaned.end
    removals = [
        event
        for event in end.since(cleaned.start.last_seq)
        if event.kind == "remove" and event.site == slug and event.data["collection"] == collection
    ]
    site = end.sites[slug]
    items = [*site.collections[collection], *(event.data["item"] for event in removals)]
    left = replace(site, collections={**site.collections, collection: items})
    events = tuple(event for event in end.events if event not in removals)
    return WorldState({**end.sites, slug: left}, events)


def wrong_steps(instance: Instance) -> Steps:
    """Return the ground truth that types another text, and also leaves out a choice where the text is free."""
    steps = list(instance.config.ground_truth)
    first = next((number for number, step in enumerate(steps) if step.action == "type"), None)
    if first is None:
        raise OracleError(
            f"{instance.id}: no text that could be typed differently; write `make:` steps under `mistakes:`"
        )
    wanted = [value for _, items in instance.task.goal.items() for value in items.where.values()]
    free = not any(same(steps[first].value, value) for value in wanted)
    steps[first] = steps[first].model_copy(update={"value": TYPED})
    chosen = [number for number, step in enumerate(steps) if step.action in _CHOOSES]
    if free and chosen:
        del steps[chosen[-1]]
    return steps


class MistakenAgent:
    """An agent that carries out several lists of steps, one after the other.

    Each list but the first may be carried out from the page that the one before ends on: it begins with the last
    step of its way there that is in view.

    Args:
        parts: The lists of steps.
    """

    name = "mistaken"
    observation: ObservationKind = "text"
    turns: Sequence[Turn] = ()

    def __init__(self, parts: Sequence[Steps]) -> None:
        self._parts = list(parts)
        self._left: list[Steps] = []
        self._account: Mapping[str, str] = {}
        self._walker = Walker((), {})

    def begin(self, briefing: Briefing) -> None:
        """Start an episode with the first list."""
        first, *self._left = self._parts
        self._account = briefing.account
        self._walker = Walker(first, self._account, complete=False)

    def act(self, observation: Mapping[str, Any]) -> str:
        """Return the next action; the answer comes after the last list."""
        action = self._walker.act(observation)
        while action.startswith("ANSWER") and self._left:
            steps = _from_here(self._left.pop(0), observation)
            self._walker = Walker(steps, self._account, complete=False)
            action = self._walker.act(observation)
        return action


def _from_here(steps: Steps, observation: Mapping[str, Any]) -> Steps:
    """Return the steps without those at the beginning that lead to where the page already is."""
    way = next((number for number, step in enumerate(steps) if step.action not in _LEADS), len(steps))
    seen = [number for number, step in enumerate(steps[: way + 1]) if _in_view(step, observation)]
    return steps[seen[-1] :] if seen else steps


def _in_view(step: GroundTruthStep, observation: Mapping[str, Any]) -> bool:
    target = step.target
    try:
        found = find_mark(observation["elements"], target.role, target.name, near=target.within)
    except OracleError:  # several are called that
        return False
    return found is not None
