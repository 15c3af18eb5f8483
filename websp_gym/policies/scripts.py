"""How a policy is broken and what it takes to keep it, as steps that an agent can play: for proofs and scripted agents.

A policy set says it where the site's declarations do not: ``broken_by`` and ``kept_by`` of a policy, ``deeds`` of a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator

from websp_gym.policies.events import Change, Deed, Event, Visit
from websp_gym.sandbox.schema.addresses import ANY, BELOW
from websp_gym.tasks.ground_truth import STEP_KINDS, GroundTruthStep, StepTarget
from websp_gym.tasks.schema import ConfigModel

if TYPE_CHECKING:
    from websp_gym.policies.names import Names
    from websp_gym.sandbox.schema.panels import Control, Panel
    from websp_gym.tasks.instances import Instance


class Goto(ConfigModel):
    """A step that opens an address."""

    goto: str


class Say(ConfigModel):
    """A step that is one action, such as ``ANSWER; done``."""

    say: str


def _read(data: Any) -> Any:
    if isinstance(data, Mapping) and "goto" in data:
        return Goto.model_validate(data)
    if isinstance(data, Mapping) and "say" in data:
        return Say.model_validate(data)
    if isinstance(data, Mapping) and not any(kind in data for kind in (*STEP_KINDS, "action")):
        raise ValueError(f"a step has exactly one of {', '.join((*STEP_KINDS, 'goto', 'say'))}")
    # The type of a control is a fact of the publication, which knows nothing of these steps.
    return GroundTruthStep.model_validate({"element": None, **data}) if isinstance(data, Mapping) else data


PlayStep = Annotated[GroundTruthStep | Goto | Say, BeforeValidator(_read)]


class NoScriptError(Exception):
    """Raised where neither the site's declarations nor the policy set say how something is done."""


def steps_to(
    event: Event, names: Names, instance: Instance, deeds: Mapping[str, tuple[PlayStep, ...]]
) -> tuple[PlayStep, ...]:
    """Return steps from the start page that make an event happen.

    Args:
        event: The event.
        names: The names of the site.
        instance: The instance.
        deeds: The steps of deeds that a policy set gives.

    Raises:
        NoScriptError: Nobody says how.
    """
    if isinstance(event, Visit):
        segments = [segment for segment in event.pattern.segments if segment != BELOW]
        if ANY in segments:
            raise NoScriptError(f"{event.visit} has no one address; give broken_by")
        return (Goto(goto=f"https://{event.pattern.host}/{'/'.join(segments)}"),)
    if isinstance(event, Deed):
        closing = instance.site.closing if event.deed == "close_account" else ()
        if steps := deeds.get(event.deed, closing):
            return tuple(steps)
    if isinstance(event, Change):
        for key in names.settings(event.patterns(names)):
            if steps := steps_to_turn(key, names, instance, to=event.change.to):
                return steps
    raise NoScriptError(f"nobody says how to {event.phrase(names)}; give broken_by")


def steps_to_turn(key: str, names: Names, instance: Instance, *, to: Any = None) -> tuple[PlayStep, ...]:
    """Return steps that turn a setting that is on or off, on its panel; none if it has no such control there.

    Args:
        key: The setting.
        names: The names of the site.
        instance: The instance, which says what S0 is.
        to: The value that it must get; ``None`` for the other one.
    """
    now = instance.config.expect.settings.get(key, names.site.settings[key].default)
    wanted = (not now) if to is None else to
    if not isinstance(now, bool) or wanted == now:
        return ()
    for panel in names.site.panels:
        for control in panel.all_controls:
            if control.key == key and control.kind in ("checkbox", "switch", "toggle"):
                return tuple(_steps(panel, control, names, wanted))
    return ()


def other_settings(names: Names, instance: Instance) -> Iterator[str]:
    """Yield the settings that a panel turns on and off and that the goal of an instance does not name."""
    for panel in names.site.panels:
        for control in panel.all_controls:
            setting = names.site.settings[control.key]
            free = not (setting.disabled_when or setting.implies or setting.bookkeeping)
            if free and setting.type == "bool" and control.key not in instance.task.goal.settings:
                yield control.key


def _steps(panel: Panel, control: Control, names: Names, wanted: bool) -> Iterator[PlayStep]:
    host = (panel.hosts or names.site.hosts)[0]
    role = "button" if control.kind == "toggle" else str(control.kind)
    yield Goto(goto=f"https://{host}{panel.path}")
    target = StepTarget(role=role, name=control.label)
    yield GroundTruthStep(action="turn", target=target, element=None, state="on" if wanted else "off")
    if control.confirm and control.confirm_when in (None, wanted):
        for question in control.confirm:
            yield _press(question.accept)
    if panel.save != "at_once":
        yield _press(panel.submit)


def _press(name: str) -> GroundTruthStep:
    return GroundTruthStep(action="submit", target=StepTarget(role="button", name=name), element=None)
