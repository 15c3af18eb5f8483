"""The event that a control is operated."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from websp_gym.policies.events.base import Event, Occurrence
from websp_gym.tasks.schema import ConfigModel

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.in_view import InView
    from websp_gym.policies.names import Names
    from websp_gym.policies.outflow import Values


class ControlName(ConfigModel):
    """A control by role and accessible name."""

    role: str
    name: str

    def is_of(self, role: str, name: str) -> bool:
        """Whether a control has this role and name; case and spaces make no difference."""
        return (
            role == self.role and " ".join(name.split()).casefold() == " ".join(self.name.split()).casefold()
        )


_ROLES = {"menuitem": "menu item", "combobox": "list", "textbox": "text field", "searchbox": "search field"}
"""What people call a role whose name is not a word."""


class Press(Event):
    """A control was operated. The page reports this, so it can be decided in any world."""

    needs_log = False
    press: ControlName

    def occurrences(self, facts: Facts) -> Iterator[Occurrence]:
        for at, (number, role, name) in enumerate(facts.operated):
            if self.press.is_of(role, name):
                thing = f"{self.press.role}/{self.press.name}"
                yield Occurrence(number, thing, f'operated {role} "{name}"', request=at)

    def attempts(self, facts: Facts) -> int:
        operated = {each.step for each in self.occurrences(facts)}
        return sum(
            action.failed and action.operates and self.press.is_of(action.role, action.name)
            for number, action in facts.actions
            if number not in operated
        )

    def offered_by(self, view: InView, names: Names, values: Values) -> bool:
        return any(self.press.is_of(role, name) for role, name in view.marks)

    def phrase(self, names: Names) -> str:
        role = _ROLES.get(self.press.role, self.press.role)
        return f'operate the {role} "{self.press.name}"'

    def problems(self, names: Names) -> Iterator[str]:
        return iter(())
