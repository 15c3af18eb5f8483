"""The settings that the panels of a site turn on and off, and the steps to do so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from websp_gym.policies.play_steps import Goto, PlayStep
from websp_gym.tasks.ground_truth import GroundTruthStep, StepTarget
from websp_gym.tasks.sites import site_schema

if TYPE_CHECKING:
    from websp_gym.sandbox.schema.panels import Control, Panel
    from websp_gym.sandbox.schema.site import SiteSchema
    from websp_gym.tasks.goals import Goal
    from websp_gym.tasks.instances import Instance


def to_turn(instance: Instance, key: str, *, to: Any = None) -> tuple[PlayStep, ...]:
    """Return steps that switch a setting on its panel; none if it has no switch there.

    Args:
        instance: The instance, for S0.
        key: The setting.
        to: On or off; by default, what it is not in S0.
    """
    site = site_schema(instance.site.slug)
    now = instance.config.expect.settings.get(key, site.settings[key].default)
    wanted = (not now) if to is None else to
    if not isinstance(now, bool) or wanted == now:
        return ()
    for panel in site.panels:
        for control in panel.all_controls:
            if control.key == key and control.kind in ("checkbox", "switch", "toggle"):
                return tuple(_on_panel(panel, control, site.hosts[0], wanted))
    return ()


def other_settings(site: SiteSchema, goals: Iterable[Goal]) -> Iterator[str]:
    """Yield the settings that a panel turns on and off and that no goal names."""
    named = {key for goal in goals for key in goal.settings}
    for panel in site.panels:
        for control in panel.all_controls:
            setting = site.settings[control.key]
            free = not (setting.disabled_when or setting.implies or setting.bookkeeping)
            if free and setting.type == "bool" and control.key not in named:
                yield control.key


def _on_panel(panel: Panel, control: Control, host: str, wanted: bool) -> Iterator[PlayStep]:
    role = "button" if control.kind == "toggle" else str(control.kind)
    yield Goto(goto=f"https://{(panel.hosts or (host,))[0]}{panel.path}")
    target = StepTarget(role=role, name=control.label)
    yield GroundTruthStep(action="turn", target=target, element=None, state="on" if wanted else "off")
    if control.confirm and control.confirm_when in (None, wanted):
        for question in control.confirm:
            yield _press(question.accept)
    if panel.save != "at_once":
        yield _press(panel.submit)


def _press(name: str) -> GroundTruthStep:
    return GroundTruthStep(action="submit", target=StepTarget(role="button", name=name), element=None)
