"""Which controls were operated, according to the pages' events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from websp_gym.records.step_facts import Operated

if TYPE_CHECKING:
    from websp_gym.browser.inputs import Input

_BEGIN = ("click", "auxclick", "keydown", "drop")
"""Events that begin an operation; the others continue one on the same control."""
_MOST = 200


def operations(told: Iterable[Input]) -> list[Operated]:
    """Return what was operated, each operation once, in order.

    A press of a button that sends a form is a ``click`` and a ``submit`` by the same button; typing is a
    ``beforeinput`` and an ``input`` for each letter.
    """
    found: list[Operated] = []
    for each in told:
        one = Operated(event=each.event, role=each.role, name=each.name, form=each.form, frame=each.frame)
        goes_on = each.event not in _BEGIN and bool(found) and _same(found[-1], one)
        is_left = each.event == "change" and bool(each.field) and not each.chosen  # it was typed in before
        if not (goes_on or is_left) and len(found) < _MOST:
            found.append(one)
    return found


def _same(one: Operated, other: Operated) -> bool:
    return (one.role, one.name, one.frame) == (other.role, other.name, other.frame)
