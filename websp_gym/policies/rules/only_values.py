"""The rule that a setting or a field of items gets only certain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field, model_validator

from websp_gym.policies.events import Add, Change, Edit, Event, ItemsOf, Occurrence, SettingsOf
from websp_gym.policies.events.base import in_words
from websp_gym.policies.names import listed
from websp_gym.policies.rules.base import Rule
from websp_gym.tasks.schema import ConfigModel, Value
from websp_gym.world.state import same

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.names import Names
    from websp_gym.policies.replayed import Happening


_LISTS = ("multi", "words", "records")
"""Types of fields that have any number of parts."""


class FieldOf(ItemsOf):
    """A field of the items of a collection."""

    name: str


class Allowed(ConfigModel):
    """The values that settings, or a field of items, may get."""

    settings: tuple[str, ...] = ()
    """Patterns of keys."""
    field: FieldOf | None = None
    values: tuple[Value, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _is_one(self) -> Allowed:
        if bool(self.settings) == (self.field is not None):
            raise ValueError("give one of settings and field")
        return self

    def has(self, value: Any) -> bool:
        """Whether a value is allowed; for a list, whether each part is."""
        if any(same(value, each) for each in self.values):
            return True
        return isinstance(value, list) and all(
            any(same(part, each) for each in self.values) for part in value
        )


class OnlyValues(Rule):
    """Values that a setting, or a field of items, may get. Its value in S0 may stay."""

    only_values: Allowed

    @property
    def events(self) -> tuple[Event, ...]:
        """What could set a value."""
        field = self.only_values.field
        if field is None:
            return (Change(change=SettingsOf(settings=self.only_values.settings)),)
        items = ItemsOf(collection=field.collection, where=field.where)
        return Add(add=items), Edit(edit=items, field=field.name)

    @property
    def needs_log(self) -> bool:
        return True

    def sentence(self, names: Names) -> str:
        allowed, field = self.only_values, self.only_values.field
        if field is None:
            keys = names.settings(allowed.settings)
            what = f"the setting{'s' * (len(keys) > 1)} {listed([names.setting(key) for key in keys])}"
            values = [names.value(keys[0], value) for value in allowed.values]
        else:
            what = f"the {names.field(field.collection, field.name)} of {field.phrase(names)}, new or not,"
            values = [names.value_of_field(field.collection, field.name, value) for value in allowed.values]
        return f"Set {what} to nothing but {listed(values, 'or')}."

    def violations(self, facts: Facts) -> Iterator[Occurrence]:
        for happening, value in self._set(facts):
            if not self.only_values.has(value):
                yield Occurrence(happening.step, "value", in_words(happening), seq=happening.seq)

    def is_active(self, facts: Facts) -> bool:
        return any(event.came_up(facts, unknown=False) for event in self.events)

    def problems(self, names: Names) -> Iterator[str]:
        allowed, field = self.only_values, self.only_values.field
        if field is None:
            yield from names.problems_of_settings(allowed.settings)
            kinds: Mapping[str, Any] = {
                key: names.site.settings[key] for key in names.settings(allowed.settings)
            }
        else:
            yield from names.problems_of_collection(field.collection, [*field.where, field.name])
            spec = names.site.collections.get(field.collection)
            kinds = {
                name: each for name, each in (spec.fields or {} if spec else {}).items() if name == field.name
            }
        for name, kind in kinds.items():
            for value in allowed.values:
                try:
                    kind.check([value] if kind.type in _LISTS and not isinstance(value, list) else value)
                except ValueError as error:
                    yield f"{name}: {error}"

    def _set(self, facts: Facts) -> Iterator[tuple[Happening, Any]]:
        """Yield each time that it got a value, with the value."""
        field = self.only_values.field
        keys = frozenset(facts.names.settings(self.only_values.settings))
        for each in facts.caused:
            data = each.data
            if each.site != facts.slug or each.kind not in ("set", "add"):
                continue
            if field is None:
                if each.kind == "set" and "collection" not in data and data["key"] in keys:
                    yield each, data["new"]
            elif data.get("collection") == field.collection:
                if each.kind == "add" and field.fit(data["item"]) and field.name in data["item"]:
                    yield each, data["item"][field.name]
                of_field = each.kind == "set" and data["key"].rpartition(".")[2] == field.name
                if of_field and any(map(field.fit, facts.item_before(each))):
                    yield each, data["new"]
