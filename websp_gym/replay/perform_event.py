"""Carrying out one recorded event on its located target."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from websp_gym.errors import ReplayError
from websp_gym.replay.act import Actor
from websp_gym.replay.expectations import UNKNOWN_STATE, Set, presses, recorded_state, unfolds, wanted_state
from websp_gym.replay.fields import Field
from websp_gym.replay.filled import FilledEvent
from websp_gym.replay.located_element import CannotActError, LocatedElement, Look

Done = Literal["clicked", "skipped", "typed", "navigated", "pressed", "chosen"]

_GONE_AFTER = 0.5
"""Seconds to look for an element that its own click may have removed."""


@dataclass(frozen=True)
class Performed:
    """What was done, and the result."""

    done: Done
    before: bool | None = None
    """Whether the target was on (or open) before; None if it has no such state."""
    after: bool | None = None
    is_set: bool = False
    """Whether ``after`` is a requested state."""
    text: str | None = field(default=None, repr=False)
    """The text or option that was set."""


class Performer:
    """Carries out events.

    Args:
        set: The final state of stateful targets.
    """

    def __init__(self, set: Set) -> None:
        self.set = set

    def perform(self, element: LocatedElement, event: FilledEvent, *, nothing_changed: bool) -> Performed:
        """Carry out an event.

        Args:
            element: The target.
            event: The event.
            nothing_changed: Whether every switch and choice since the last action with an effect was already as
                wanted.

        Raises:
            CannotActError: The action has no effect or is not possible.
        """
        if event.type == "type":
            return self._type(Field(element), event)
        if event.type == "omitted":
            only = ("password", (event.target and event.target.type_attr) or "text")
            Field(element).fill(event.value or "", only=only if event.what == "password" else ())
            return Performed("typed", text=event.value)
        if event.type == "key" and not presses(event.key, element.look()):
            Field(element).press_key(event.key or "")
            return Performed("pressed")
        if event.type == "change" and event.value is not None:
            changed = self._change(Field(element), event)
            if changed is not None:
                return changed
        return self._click(element, event, nothing_changed)

    def _change(self, field: Field, event: FilledEvent) -> Performed | None:
        """Set the value of a field; return None for checkboxes, radio buttons and switches."""
        kind = field.kind()
        if kind == "select" and not event.secret:
            option = event.value or ""
            return Performed("chosen" if field.choose(option) else "skipped", text=option)
        return None if kind in ("checkbox", "radio", "switch") else self._type(field, event)

    def _type(self, field: Field, event: FilledEvent) -> Performed:
        text = event.value or ""
        field.fill(text, only=("password",) if event.secret and not event.types_code else ())
        return Performed("typed", text=text)

    def _click(self, element: LocatedElement, event: FilledEvent, nothing_changed: bool) -> Performed:
        seen = element.look()
        actor, field = Actor(element), Field(element)
        if seen.kind == "option" and event.target and field.kind() == "select":
            option = event.target.name or event.target.text or ""
            return Performed("chosen" if field.choose(option) else "skipped", text=option)
        wanted = wanted_state(event, seen, self.set)
        if wanted is not None:
            return self._turn(actor, seen, wanted)
        if seen.turns and seen.inner:
            return self._click_around(element, event, seen)
        if event.set is not None or (event.stateful and self.set != "recorded"):
            raise CannotActError("its state cannot be read; add a class rule to the site")
        opens = unfolds(event)
        if opens is not None and seen.expanded is opens:
            return Performed("skipped", seen.expanded, seen.expanded)
        if seen.disabled and nothing_changed and event.follows_change is not False:
            return Performed("skipped")
        if seen.disabled and not actor.enabled():
            raise CannotActError("it is disabled")
        if opens is not None and seen.expanded is not None:
            return Performed("clicked", seen.expanded, actor.unfold(opens))
        actor.click()
        return Performed("clicked", seen.on)

    def _click_around(self, element: LocatedElement, event: FilledEvent, seen: Look) -> Performed:
        """Click an element around a control. If that turned the control, as a row does, leave it as wanted."""
        actor = Actor(element)
        actor.click()
        try:
            now = element.look(_GONE_AFTER)
        except ReplayError:
            return Performed("clicked")  # the click led elsewhere
        if now.on is None or now.on is seen.on or now.turns == "choose":
            return Performed("clicked")
        wanted = recorded_state(event) if self.set == "recorded" else self.set == "on"
        if wanted is None:
            actor.turn(bool(seen.on), may_go=False)
            raise CannotActError(UNKNOWN_STATE)
        after = wanted if now.on is wanted else actor.turn(wanted, may_go=False)
        return Performed("clicked", seen.on, after, is_set=True)

    def _turn(self, actor: Actor, seen: Look, wanted: bool) -> Performed:
        # Click a menu's radio item even if it is on: the menu would stay open and cover the next target.
        if seen.is_(wanted) and seen.kind != "menuitemradio":
            return Performed("skipped", seen.on, seen.on, is_set=True)
        if seen.disabled and not actor.enabled():
            raise CannotActError(f"it is disabled, and {'off' if wanted else 'on'}")
        after = actor.turn(wanted, may_go=seen.kind.startswith("menuitem"))
        return Performed("clicked", seen.on, after, is_set=True)
