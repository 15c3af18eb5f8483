"""Prove that an instance is sound: the correct way of playing it passes, and wrong ways fail."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from playwright.sync_api import Error as PlaywrightError

from websp_gym.agents.oracle import OracleAgent, OracleError
from websp_gym.agents.simple import NoopAgent
from websp_gym.authoring.counterfactual import Counterfactual, OracleRecording, UnplayedError
from websp_gym.authoring.findings import Finding, judged
from websp_gym.authoring.mistakes import CHECK as MISTAKE
from websp_gym.authoring.mistakes import mistakes
from websp_gym.authoring.player import PlayedEpisode, play_instance
from websp_gym.env.options import Options
from websp_gym.errors import InitialStateError, ReplayError, WebspError
from websp_gym.sandbox.client import SandboxError
from websp_gym.scoring.rewards import state_verdict
from websp_gym.scoring.solved_at_start import solved_at_start

if TYPE_CHECKING:
    from pathlib import Path

    from websp_gym.records.verdict import Verdict
    from websp_gym.tasks.ground_truth import GroundTruthStep
    from websp_gym.tasks.instances import Instance
    from websp_gym.world.state import WorldState

_DOES = ("turn", "type", "select")


def prove(instance: Instance, *, long: bool = True, picture: Path | None = None) -> Iterator[Finding]:
    """Play an instance correctly, not at all, with each step left out, with the opposite actions, and with a mistake.

    Args:
        instance: The instance.
        long: Whether to play every proof in the browser. Otherwise only the correct way is played there; the
            server decides the others where it can, and the opposite and mistakes are not played.
        picture: File for a picture of the oracle's last page; None takes none.

    Yields:
        Findings. An error ends its proof with a failed finding.
    """
    agent = OracleAgent()
    recording = OracleRecording(instance, agent)
    try:
        right = play_instance(
            instance,
            agent,
            picture=picture,
            initial_state="snapshot" if long else "replay",
            witness=recording,
            harm_guard=True,  # what a task asks for is not held back on the live web
        )
    except (InitialStateError, ReplayError) as error:
        yield Finding("S0", instance.id, "failed", str(error))
        return
    except (WebspError, PlaywrightError) as error:
        yield Finding("oracle", instance.id, "failed", str(error))
        return
    yield Finding("S0", instance.id, detail="reached and verified")
    yield from _oracle_findings(instance, right)
    yield judged("rest", instance.id, recording.unrest, "pages were at rest when they were observed")
    satisfied = state_verdict(instance, right.start, right.start, answered=True).status == "pass"
    proofs: list[tuple[str, Iterator[Finding]]] = [
        ("no-op", _noop(instance, satisfied) if long else _noop_on_the_server(instance, right)),
        ("omission", _omissions(recording, right, satisfied, long=long)),
    ]
    if long:
        proofs += [("opposite", _opposite(instance, satisfied)), (MISTAKE, mistakes(instance, satisfied))]
    for check, findings in proofs:
        try:
            yield from findings
        except (WebspError, SandboxError, PlaywrightError) as error:
            yield Finding(check, instance.id, "failed", str(error))


def _oracle_findings(instance: Instance, right: PlayedEpisode) -> Iterator[Finding]:
    limit = Options().max_actions
    problems = [] if right.verdict.score == 1.0 else [right.verdict.reason]
    if right.actions > limit:
        problems.append(f"it takes {right.actions} actions, and an episode allows {limit}")
    yield judged("oracle", instance.id, problems, f"passes with {right.actions} actions")
    yield judged("side effects", instance.id, right.verdict.side_effects, "nothing else moved")
    yield from effect_findings(instance, right.verdict)
    yield from browser_findings(instance.id, right)
    named = "everything in view on the way has a name"
    yield judged("names", instance.id, [f"{each} has no accessible name" for each in right.nameless], named)


def effect_findings(instance: Instance, verdict: Verdict) -> Iterator[Finding]:
    """Yield a finding for each effect that was tried after an episode."""
    for effect in verdict.effects:
        problems = [] if effect.holds else [effect.evidence]
        yield judged("effects", f"{instance.id}: {effect.name}", problems, effect.evidence)


def browser_findings(subject: str, played: PlayedEpisode) -> Iterator[Finding]:
    """Yield findings on the browser errors of an episode and on its requests that left the sandbox."""
    if played.heard is None:
        return
    heard = played.heard
    yield judged("console", subject, heard.console, "no errors")
    away = left_the_sandbox(played.end)
    yield judged("requests", subject, [*away, *heard.unreachable], "none left the sandbox")
    wrong = [each for each in heard.answers if not any(host in each for host in away)]
    yield judged("answers", subject, wrong, "no request was answered with an error")


def left_the_sandbox(state: WorldState) -> list[str]:
    """Return a message per requested host that is not a site of the sandbox."""
    hosts = [str(event.data["host"]) for event in state.events if event.kind == "egress"]
    return [f"the sandbox has no site {host}" for host in dict.fromkeys(hosts)]


def _noop(instance: Instance, satisfied: bool) -> Iterator[Finding]:
    idle = play_instance(instance, NoopAgent())
    yield _noop_finding(instance, satisfied, idle.verdict)
    problems = [f"{effect}, although nothing was done" for effect in idle.verdict.side_effects]
    yield judged("side effects", f"{instance.id} left alone", problems, "nothing moves by itself")


def _noop_on_the_server(instance: Instance, right: PlayedEpisode) -> Iterator[Finding]:
    verdict = state_verdict(instance, right.start, right.start, answered=True)
    yield _noop_finding(instance, verdict.status == "pass", verdict)


def _noop_finding(instance: Instance, satisfied: bool, idle: Verdict) -> Finding:
    expected = 1.0 if satisfied else 0.0
    problems = []
    if solved_at_start(instance) != satisfied:
        problems.append(f"solved_at_start is {not satisfied}, but by the verified S0 it is {satisfied}")
    if idle.score != expected:
        problems.append(
            f"doing nothing is worth {idle.score}, though S0 "
            f"{'is' if satisfied else 'is not'} the goal: {idle.reason}"
        )
    doing = [step.text() for step in instance.config.ground_truth if step.action in _DOES]
    if satisfied and doing:
        problems.append(
            f"S0 is already the goal, though the ground truth has to {doing[0]}; "
            "ask for something S0 is not, or write `holds`"
        )
    return judged("no-op", instance.id, problems, f"is worth {expected}")


def _omissions(
    recording: OracleRecording, right: PlayedEpisode, satisfied: bool, *, long: bool
) -> Iterator[Finding]:
    """Leave out each step that changes state and check that the episode fails.

    The server decides; the browser does too if ``long`` is set or the server does not find a failure.
    """
    instance = recording.instance
    steps = instance.config.ground_truth
    changing = [] if satisfied else [number for number, step in enumerate(steps) if step.changes_state]
    # What is decided on the way is for policies to judge, not for the goal.
    changing = [number for number in changing if number not in instance.config.deciding]
    if not changing:
        yield Finding("omission", instance.id, detail="S0 is the goal: there is nothing to leave out")
        return
    with Counterfactual(recording, right.end) as world:
        for number in changing:
            try:
                verdict, start, end = world.without(number)
                how, decided = "on the server", verdict.score
            except UnplayedError as error:
                how, decided = f"in the browser ({error})", None
            if long or decided != 0.0:
                left = play_instance(instance, OracleAgent(skip=[number]), lenient=True)
                verdict, start, end = left.verdict, left.start, left.end
                if decided is not None:
                    how = "in the browser"
                    yield _agreement(f"{instance.id} without step {number + 1}", decided, verdict)
            yield from _omission_findings(instance, number, verdict, start, end, how=how)


def _agreement(subject: str, decided: float, seen: Verdict) -> Finding:
    problems = [] if decided == seen.score else [f"{decided} on the server, {seen.score} in the browser"]
    return judged("agreement", subject, problems, "worth the same on the server and in the browser")


def _omission_findings(
    instance: Instance, number: int, verdict: Verdict, start: WorldState, end: WorldState, *, how: str
) -> Iterator[Finding]:
    steps = instance.config.ground_truth
    subject = f"{instance.id} without step {number + 1}"
    if verdict.score != 0.0:
        yield Finding(
            "omission",
            subject,
            "failed",
            f"passes without {steps[number].text()}: the step changes nothing the goal asks for; "
            "name in the goal what it changes, or write it as `click` or `holds`",
        )
        return
    yield Finding("omission", subject, detail=f"fails {how}: {verdict.reason}")
    if _only_confirms(steps, number):
        yield judged("unconfirmed", subject, _moved(instance, start, end), "nothing was saved")


def _only_confirms(steps: tuple[GroundTruthStep, ...], number: int) -> bool:
    """Whether a step is the only Save or Confirm, at the end, of settings made before."""
    submits = [each for each, step in enumerate(steps) if step.action == "submit"]
    return submits == [number] == [len(steps) - 1] and any(step.action in _DOES for step in steps)


def _moved(instance: Instance, start: WorldState, end: WorldState) -> Iterator[str]:
    before, after = start.sites[instance.site.slug], end.sites[instance.site.slug]
    for kind in ("settings", "collections"):
        old, new = getattr(before, kind), getattr(after, kind)
        for key in new:
            if key not in after.declared.bookkeeping and new[key] != old.get(key):
                yield f"{key} became {new[key]!r} before it was confirmed"


def _opposite(instance: Instance, satisfied: bool) -> Iterator[Finding]:
    steps, own = instance.config.ground_truth, instance.config.opposite
    turns = [step for step in steps if step.action == "turn"]
    holds = [step for step in steps if step.action == "holds" and step.state]
    if own is not None and not own:
        yield Finding("opposite", instance.id, detail="the site offers none (`opposite: []`)")
        return
    typed = _with_another_value(steps)
    if own is None and not turns and not holds and typed:
        wrong = play_instance(instance, OracleAgent(steps=typed), lenient=True)
        problems = [] if wrong.verdict.score == 0.0 else ["it passes with another value"]
        yield judged("opposite", instance.id, problems, f"fails with another value: {wrong.verdict.reason}")
        return
    if own is None and not turns and not holds:
        message = "nothing can be turned the other way; write `opposite:` steps, or `opposite: []`"
        yield Finding("opposite", instance.id, "warning", message)
        return
    if own is None and not satisfied and len(turns) == 1 and not holds:
        yield Finding("opposite", instance.id, detail="means to leave the only control alone: see omission")
        return
    agent = OracleAgent(steps=own) if own else OracleAgent(opposite=True)
    try:
        wrong = play_instance(instance, agent, lenient=own is None)
    except OracleError as error:
        yield Finding("opposite", instance.id, "failed", f"its own steps cannot be done: {error}")
        return
    problems = []
    if wrong.verdict.score != 0.0:
        hint = "" if own else "; write what the opposite is as `opposite:` steps of the instance"
        problems.append(f"it passes{': ' + wrong.stuck if wrong.stuck else ''}{hint}")
    yield judged("opposite", instance.id, problems, f"fails: {wrong.verdict.reason}")


def _with_another_value(steps: Sequence[GroundTruthStep]) -> list[GroundTruthStep]:
    """Return the steps with another text in the first text field; none if nothing is typed."""
    typed = [
        number
        for number, step in enumerate(steps)
        if step.action == "type" and step.changes_state and step.target.role == "textbox"
    ]
    if not typed:
        return []
    changed = list(steps)
    value = str(steps[typed[0]].value)
    # The last digit of a date or number, or a letter more.
    other = re.sub(r"(\d)(?=\D*$)", lambda last: str((int(last[1]) + 1) % 10), value)
    changed[typed[0]] = steps[typed[0]].model_copy(update={"value": other if other != value else f"{value}s"})
    return changed
