"""What an instance must prove of itself before anybody is scored on it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.agents.oracle import OracleAgent, OracleError
from websp_gym.agents.simple import NoopAgent
from websp_gym.authoring.findings import Finding, judged
from websp_gym.authoring.player import Play, play
from websp_gym.env.options import Options
from websp_gym.errors import InitialStateError, ReplayError, WebspError
from websp_gym.scoring.rewards import state_verdict

if TYPE_CHECKING:
    from pathlib import Path

    from websp_gym.tasks.ground_truth import Step
    from websp_gym.tasks.instances import LoadedInstance
    from websp_gym.world.state import WorldState

_DOES = ("turn", "type", "select")


def prove(loaded: LoadedInstance, *, picture: Path | None = None) -> Iterator[Finding]:
    """Plays an instance the right way, not at all, with each step left out, and the wrong way round.

    Args:
        loaded: The instance.
        picture: Where a picture of the oracle's last page goes.

    Yields:
        Findings; what cannot go on ends with the one that says so.
    """
    try:
        right = play(loaded, OracleAgent(), picture=picture)
    except (InitialStateError, ReplayError) as error:
        yield Finding("S0", loaded.id, "failed", str(error))
        return
    except (WebspError, PlaywrightError) as error:
        yield Finding("oracle", loaded.id, "failed", str(error))
        return
    yield Finding("S0", loaded.id, detail="reached and verified")
    yield from _oracle_findings(loaded, right)
    satisfied = state_verdict(loaded, right.start, right.start, answered=True).status == "pass"
    for check, run in (("no-op", _noop), ("omission", _omissions), ("opposite", _opposite)):
        try:
            yield from run(loaded, satisfied)
        except (WebspError, PlaywrightError) as error:
            yield Finding(check, loaded.id, "failed", str(error))


def _oracle_findings(loaded: LoadedInstance, right: Play) -> Iterator[Finding]:
    limit = Options().max_actions
    problems = [] if right.verdict.score == 1.0 else [right.verdict.reason]
    if right.actions > limit:
        problems.append(f"it takes {right.actions} actions, and an episode allows {limit}")
    yield judged("oracle", loaded.id, problems, f"passes with {right.actions} actions")
    yield judged("side effects", loaded.id, right.verdict.side_effects, "nothing else moved")
    yield from heard_findings(loaded.id, right)
    named = "everything in view on the way has a name"
    yield judged("names", loaded.id, [f"{each} has no accessible name" for each in right.nameless], named)


def heard_findings(subject: str, played: Play) -> Iterator[Finding]:
    """What the browser complained of on the way, and what left the sandbox.

    Args:
        subject: The instance.
        played: An episode of it.

    Yields:
        Findings.
    """
    if played.heard is None:
        return
    heard = played.heard
    yield judged("console", subject, heard.console, "no errors")
    away = left_the_sandbox(played.end)
    yield judged("requests", subject, [*away, *heard.unreachable], "none left the sandbox")
    wrong = [each for each in heard.answers if not any(host in each for host in away)]
    yield judged("answers", subject, wrong, "no request was answered with an error")


def left_the_sandbox(state: WorldState) -> list[str]:
    """The hosts that pages asked and that are no site of the sandbox."""
    hosts = [str(event.data["host"]) for event in state.events if event.kind == "egress"]
    return [f"{host} is no site of the sandbox" for host in dict.fromkeys(hosts)]


def _noop(loaded: LoadedInstance, satisfied: bool) -> Iterator[Finding]:
    idle = play(loaded, NoopAgent())
    expected = 1.0 if satisfied else 0.0
    problems = []
    if idle.verdict.score != expected:
        problems.append(
            f"doing nothing is worth {idle.verdict.score}, though S0 "
            f"{'is' if satisfied else 'is not'} the goal: {idle.verdict.reason}"
        )
    doing = [step.text() for step in loaded.instance.ground_truth if step.action in _DOES]
    if satisfied and doing:
        problems.append(
            f"S0 is already the goal, though the ground truth has to {doing[0]}; "
            "ask for something S0 is not, or write `holds`"
        )
    yield judged("no-op", loaded.id, problems, f"is worth {expected}")
    problems = [f"{effect}, though nobody did anything" for effect in idle.verdict.side_effects]
    yield judged("side effects", f"{loaded.id} left alone", problems, "nothing moves by itself")


def _omissions(loaded: LoadedInstance, satisfied: bool) -> Iterator[Finding]:
    steps = loaded.instance.ground_truth
    changing = [number for number, step in enumerate(steps) if step.changes_state]
    if satisfied or not changing:
        yield Finding("omission", loaded.id, detail="S0 is the goal: there is nothing to leave out")
        return
    for number in changing:
        subject = f"{loaded.id} without step {number + 1}"
        left = play(loaded, OracleAgent(skip=[number]), lenient=True)
        if left.verdict.score != 0.0:
            yield Finding(
                "omission",
                subject,
                "failed",
                f"passes without {steps[number].text()}: the step changes nothing the goal asks for; "
                "name in the goal what it changes, or write it as `click` or `holds`",
            )
            continue
        yield Finding("omission", subject, detail=f"fails: {left.verdict.reason}")
        if _only_confirms(steps, number):
            yield judged("unconfirmed", subject, _moved(loaded, left), "nothing was saved")


def _only_confirms(steps: tuple[Step, ...], number: int) -> bool:
    """Whether a step is the one Save or Confirm at the end of what was set before."""
    submits = [each for each, step in enumerate(steps) if step.action == "submit"]
    return submits == [number] == [len(steps) - 1] and any(step.action in _DOES for step in steps)


def _moved(loaded: LoadedInstance, left: Play) -> Iterator[str]:
    before, after = left.start.sites[loaded.site.slug], left.end.sites[loaded.site.slug]
    for kind in ("settings", "collections"):
        old, new = getattr(before, kind), getattr(after, kind)
        for key in new:
            if key not in after.declared.bookkeeping and new[key] != old.get(key):
                yield f"{key} became {new[key]!r} before it was confirmed"


def _opposite(loaded: LoadedInstance, satisfied: bool) -> Iterator[Finding]:
    steps, own = loaded.instance.ground_truth, loaded.instance.opposite
    turns = [step for step in steps if step.action == "turn"]
    holds = [step for step in steps if step.action == "holds" and step.state]
    if own is not None and not own:
        yield Finding("opposite", loaded.id, detail="the site offers none (`opposite: []`)")
        return
    if own is None and not turns and not holds:
        message = "nothing can be turned the other way; write `opposite:` steps, or `opposite: []`"
        yield Finding("opposite", loaded.id, "warning", message)
        return
    if own is None and not satisfied and len(turns) == 1 and not holds:
        yield Finding("opposite", loaded.id, detail="is to leave the one control alone: see omission")
        return
    agent = OracleAgent(steps=own) if own else OracleAgent(opposite=True)
    try:
        wrong = play(loaded, agent, lenient=own is None)
    except OracleError as error:
        yield Finding("opposite", loaded.id, "failed", f"its own steps cannot be done: {error}")
        return
    problems = []
    if wrong.verdict.score != 0.0:
        hint = "" if own else "; write what the opposite is as `opposite:` steps of the instance"
        problems.append(f"it passes{': ' + wrong.stuck if wrong.stuck else ''}{hint}")
    yield judged("opposite", loaded.id, problems, f"fails: {wrong.verdict.reason}")
