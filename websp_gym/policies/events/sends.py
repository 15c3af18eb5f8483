"""The event that a form is sent with certain values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from pydantic import Field, field_validator

from websp_gym.policies.events.base import OfLog
from websp_gym.policies.names import Names, listed, shown
from websp_gym.policies.site_texts import is_in_files
from websp_gym.sandbox.schema.addresses import AddressPattern
from websp_gym.tasks.schema import ConfigModel, Value
from websp_gym.world.state import same

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.in_view import InView
    from websp_gym.policies.outflow import Values
    from websp_gym.policies.replayed import Happening
    from websp_gym.sandbox.schema.site_schema import FormAction

_TICKED = frozenset(("1", "on", "true", "yes"))


class SentForm(ConfigModel):
    """A form, by the address it is sent to, and values of its fields."""

    form: str
    fields: dict[str, Value] = Field(default_factory=dict, alias="with")
    """Values by the names of fields in the request, or by the keys of settings that the form saves; ``true`` is a
    ticked box, ``false`` an unticked or missing one.
    """

    @field_validator("form")
    @classmethod
    def _is_a_pattern(cls, value: str) -> str:
        if AddressPattern(value).route is not None:
            raise ValueError(f'"{value}": a server never sees what follows the "#"')
        return value

    @cached_property
    def pattern(self) -> AddressPattern:
        """The pattern of the addresses that it is sent to."""
        return AddressPattern(self.form)


class Send(OfLog):
    """A form was sent with certain values, and the site accepted it, whatever its effect."""

    send: SentForm

    def watched_fields(self, names: Names) -> dict[str, list[str]]:
        return {self.send.form: [self._field(name, names) for name in self.send.fields]}

    def _thing(self, happening: Happening, facts: Facts) -> str | None:
        if happening.kind != "sent" or happening.data["form"] != self.send.form:
            return None
        sent, wanted = happening.data["fields"], self.send.fields.items()
        fits = all(
            self._is_sent(sent, self._field(name, facts.names), value, facts.names) for name, value in wanted
        )
        return self.send.form if fits else None

    def _is_sent(self, sent: Mapping[str, Any], field: str, wanted: Value, names: Names) -> bool:
        if field not in sent and self._sends_apart(field, names):
            return False
        return _is_sent(sent.get(field), wanted)

    def _field(self, name: str, names: Names) -> str:
        """Return the field of a setting that the form saves; any other name is that of a field."""
        return next((each.set[name] for each in self._actions(names) if name in each.set), name)

    def _sends_apart(self, field: str, names: Names) -> bool:
        """Whether a page sends a field without the others, so that one that is not sent is no box without a tick."""
        return any(field in each.set.values() and not each.checkboxes for each in self._actions(names))

    def _actions(self, names: Names) -> list[FormAction]:
        return [each for each in names.site.actions if self.send.pattern.may_be(each.path)]

    def offered_by(self, view: InView, names: Names, values: Values) -> bool:
        # A panel that a script saves has no form; its page declares where that goes.
        saves = (
            urljoin(address, panel.post or panel.path)
            for address in view.addresses
            for panel in names.site.panels
            if urlsplit(address).path.rstrip("/") == panel.path
        )
        return any(map(self.send.pattern.matches, (*view.forms, *saves)))

    def phrase(self, names: Names) -> str:
        parts = [self._part(name, value, names) for name, value in self.send.fields.items()]
        return f"send a form to {self.send.pattern.phrase()}{' with ' * bool(parts)}{listed(parts)}"

    def problems(self, names: Names) -> Iterator[str]:
        found = list(names.problems_of_address(self.send.pattern, of_forms=True))
        yield from found
        for name in self.send.fields if not found else ():
            if self._field(name, names) == name and name in names.site.settings:
                yield f"the form {self.send.form} does not save the setting {names.setting(name)}"
            elif name not in self._known(names) and not is_in_files(names.site.slug, name):
                yield f'no form of {names.site.name} has a field "{name}"'

    def _known(self, names: Names) -> set[str]:
        """Return what the site declares that the form sends: settings and fields."""
        return {text for each in self._actions(names) for pair in each.set.items() for text in pair}

    def _part(self, name: str, value: Value, names: Names) -> str:
        if self._field(name, names) == name:
            return f"{_words(name)} {shown({}, value)}"
        return f"{names.setting(name)} {names.value(name, value)}"


def _is_sent(sent: Any, wanted: Value) -> bool:
    """Whether a field was sent with a value; ``None`` for one that was not sent."""
    if isinstance(wanted, bool):
        last = sent[-1] if isinstance(sent, list) and sent else sent
        return (str(last).lower() in _TICKED) is wanted
    if isinstance(wanted, list):
        return [str(each) for each in (sent if isinstance(sent, list) else [sent])] == wanted
    return same(sent, wanted) or str(wanted) in (sent if isinstance(sent, list) else [sent])


def _words(name: str) -> str:
    """Return the name of a field as a word: ``visibility`` of ``repository[visibility]``."""
    inner = re.findall(r"[^\W_]+", name.rpartition("[")[2] or name)
    return " ".join(inner) or name
