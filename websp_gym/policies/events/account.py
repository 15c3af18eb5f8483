"""The events of the account: a setting changed, an item added, removed or edited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from pydantic import Field

from websp_gym.errors import nearest
from websp_gym.policies.events.base import OfLog
from websp_gym.policies.names import Names, listed, plural, shown
from websp_gym.tasks.schema import ConfigModel, Value
from websp_gym.world.state import SESSIONS, same

if TYPE_CHECKING:
    from websp_gym.policies.facts import Facts
    from websp_gym.policies.in_view import InView
    from websp_gym.policies.outflow import Values
    from websp_gym.policies.replayed import Happening
    from websp_gym.sandbox.schema.site_schema import FormAction
    from websp_gym.world.state import SiteState


class _Effect(Protocol):
    @property
    def collection(self) -> str: ...


class SettingsOf(ConfigModel):
    """Settings: by patterns of their keys, by the page that shows them, or all that no goal names."""

    settings: tuple[str, ...] = ()
    page: str = ""
    """Path of a panel of the site."""
    to: Value | None = None
    """The new value; ``None`` for any."""


class Change(OfLog):
    """A setting got another value."""

    change: SettingsOf

    def _thing(self, happening: Happening, facts: Facts) -> str | None:
        if happening.kind != "set" or happening.site != facts.slug or "collection" in happening.data:
            return None
        key, to = happening.data["key"], self.change.to
        if key not in facts.names.settings(self.patterns(facts.names)):
            return None
        return f"settings/{key}" if to is None or same(happening.data["new"], to) else None

    def offered_by(self, view: InView, names: Names, values: Values) -> bool:
        keys = names.settings(self.patterns(names))
        labels = [names.site.settings[key].label for key in keys]
        shown = {" ".join(name.casefold().split()) for _, name in view.marks}
        sent_to = names.done_by(lambda action: self._is_done_by(action, keys))
        return (
            any(not label or view.says(label) for label in labels)
            or any(not shown.isdisjoint(_choices_of(key, names)) for key in keys)
            or (bool(sent_to) and view.sends(sent_to))
        )

    def _is_done_by(self, action: FormAction, keys: Sequence[str]) -> bool:
        """Whether what a site does on a request gives one of some settings the value, or any if there is none."""
        to = self.change.to
        return not {*action.set, action.toggle}.isdisjoint(keys) or any(
            key in keys and (to is None or same(value, to)) for key, value in action.values.items()
        )

    def towards(self, value: Value | None) -> Change:
        return self if value is None else Change(change=self.change.model_copy(update={"to": value}))

    def phrase(self, names: Names) -> str:
        if self.change.page:
            panel = next(each for each in names.site.panels if each.path == self.change.page)
            return f'change any setting on the page "{panel.title}"'
        return self._phrase_of(names.settings(self.change.settings), names)

    def phrase_for(self, things: Iterable[str], names: Names, state: SiteState | None) -> str:
        return self._phrase_of([thing.removeprefix("settings/") for thing in things], names, "and")

    def _phrase_of(self, keys: list[str], names: Names, joint: str = "or") -> str:
        which = f"the setting{'s' * (len(keys) > 1)} {listed([names.setting(key) for key in keys], joint)}"
        if self.change.to is None:
            return f"change {which}"
        value = names.value(keys[0], self.change.to)
        return f"turn {value} {which}" if isinstance(self.change.to, bool) else f"set {which} to {value}"

    def problems(self, names: Names) -> Iterator[str]:
        if bool(self.change.settings) == bool(self.change.page):
            yield "change: give either settings or page"
            return
        if self.change.page and self.change.page not in [panel.path for panel in names.site.panels]:
            paths = [panel.path for panel in names.site.panels]
            yield f'{names.site.name} has no panel "{self.change.page}"{nearest(self.change.page, paths)}'
            return
        yield from names.problems_of_settings(self.change.settings)
        for key in names.settings(self.change.settings) if self.change.to is not None else ():
            try:
                names.site.check_value(key, self.change.to)
            except ValueError as error:
                yield str(error)

    def patterns(self, names: Names) -> tuple[str, ...]:
        """Return the patterns of its settings."""
        if not self.change.page:
            return self.change.settings
        panel = next(each for each in names.site.panels if each.path == self.change.page)
        kept = names.site.bookkeeping
        return tuple(control.key for control in panel.all_controls if control.key not in kept)


class ItemsOf(ConfigModel):
    """Items of a collection that have the values of ``where``."""

    collection: str
    where: dict[str, Value] = Field(default_factory=dict)

    def fit(self, item: Mapping[str, Any]) -> bool:
        """Whether an item is one of them."""
        return all(name in item and same(item[name], value) for name, value in self.where.items())

    def phrase(self, names: Names, article: str = "any") -> str:
        """Return them in words: ``the repository "dotfiles"``, ``any access token``."""
        noun, key = names.things(self.collection), names.site.collections[self.collection].key
        if key is not None and set(self.where) == {key}:
            return f'the {noun} "{self.where[key]}"'
        parts = [f"{name.replace('_', ' ')} {shown({}, value)}" for name, value in self.where.items()]
        return f"{article} {noun}{' with ' * bool(parts)}{listed(parts)}"

    def phrase_for(self, things: Iterable[str], names: Names, state: SiteState | None) -> str:
        """Return some of them by their names: ``the access token "ci-bot"``."""
        ids = {thing.partition("/")[2] for thing in things}
        items = [item for item in (state.collections[self.collection] if state else ()) if item["id"] in ids]
        found = [names.item(self.collection, item) for item in items]
        if not found or not all(found):
            return self.phrase(names)
        quoted = [f'"{name}"' for name in found]
        noun = names.things(self.collection)
        return f"the {noun if len(found) == 1 else plural(noun)} {listed(quoted)}"

    def problems(self, names: Names) -> Iterator[str]:
        """Yield what the site does not have."""
        return names.problems_of_collection(self.collection, self.where)


class Add(OfLog):
    """An item was added to a collection."""

    add: ItemsOf

    def _thing(self, happening: Happening, facts: Facts) -> str | None:
        data = happening.data
        if (
            happening.kind != "add"
            or happening.site != facts.slug
            or data["collection"] != self.add.collection
        ):
            return None
        return f"{self.add.collection}/+" if self.add.fit(data["item"]) else None

    def _value(self, happening: Happening, facts: Facts) -> Value | None:
        return facts.names.item(self.add.collection, happening.data["item"])

    def offered_by(self, view: InView, names: Names, values: Values) -> bool:
        return view.sends(names.done_by(lambda action: _touches(action.add, self.add.collection)))

    def phrase(self, names: Names) -> str:
        return f"add {self.add.phrase(names, 'a new' if not self.add.where else 'any')}"

    def problems(self, names: Names) -> Iterator[str]:
        return self.add.problems(names)


class Remove(OfLog):
    """An item was removed from a collection."""

    remove: ItemsOf

    def _thing(self, happening: Happening, facts: Facts) -> str | None:
        data = happening.data
        known: Sequence[Mapping[str, Any]]
        if happening.kind == "logout" and self.remove.collection == SESSIONS:
            item, known = data["session"], [data["session"]]
        elif (
            happening.kind == "remove"
            and happening.site == facts.slug
            and data["collection"] == self.remove.collection
        ):
            item, known = data["item"], facts.item_before(happening)
        else:
            return None
        return f"{self.remove.collection}/{item['id']}" if any(map(self.remove.fit, known)) else None

    def offered_by(self, view: InView, names: Names, values: Values) -> bool:
        ends = self.remove.collection == SESSIONS
        return view.sends(
            names.done_by(
                lambda action: (
                    bool(action.logout) if ends else _touches(action.remove, self.remove.collection)
                )
            )
        )

    def phrase(self, names: Names) -> str:
        return f"{self._verb} {self.remove.phrase(names)}"

    def phrase_for(self, things: Iterable[str], names: Names, state: SiteState | None) -> str:
        return f"{self._verb} {self.remove.phrase_for(things, names, state)}"

    @property
    def _verb(self) -> str:
        return "sign out" if self.remove.collection == SESSIONS else "remove"

    def problems(self, names: Names) -> Iterator[str]:
        return self.remove.problems(names)


class Edit(OfLog):
    """A field of an item got another value."""

    edit: ItemsOf
    field: str
    to: Value | None = None

    def _thing(self, happening: Happening, facts: Facts) -> str | None:
        data = happening.data
        if happening.kind != "set" or data.get("collection") != self.edit.collection:
            return None
        if happening.site != facts.slug or data["key"].rpartition(".")[2] != self.field:
            return None
        fits = any(map(self.edit.fit, facts.item_before(happening)))
        fits = fits and (self.to is None or same(data["new"], self.to))
        return f"{self.edit.collection}/{data['id']}" if fits else None

    def offered_by(self, view: InView, names: Names, values: Values) -> bool:
        return view.sends(names.done_by(lambda action: _touches(action.update, self.edit.collection)))

    def towards(self, value: Value | None) -> Edit:
        return self if value is None else self.model_copy(update={"to": value})

    def phrase(self, names: Names) -> str:
        return self._phrase_of(self.edit.phrase(names), names)

    def phrase_for(self, things: Iterable[str], names: Names, state: SiteState | None) -> str:
        return self._phrase_of(self.edit.phrase_for(things, names, state), names)

    def _phrase_of(self, items: str, names: Names) -> str:
        collection, to = self.edit.collection, ""
        if self.to is not None:
            to = f" to {names.value_of_field(collection, self.field, self.to)}"
        return f"change the {names.field(collection, self.field)} of {items}{to}"

    def problems(self, names: Names) -> Iterator[str]:
        yield from self.edit.problems(names)
        yield from names.problems_of_collection(self.edit.collection, [self.field])


def _touches(effects: _Effect | Sequence[_Effect], collection: str) -> bool:
    """Whether one of the effects of a request is on a collection."""
    several = effects if isinstance(effects, Sequence) else [effects]
    return any(each.collection == collection for each in several)


def _choices_of(key: str, names: Names) -> set[str]:
    """Return the labels of the choices of a setting that no other setting has, in small letters."""
    found: dict[str, set[str]] = {}
    for panel in names.site.panels:
        for control in panel.all_controls:
            for label in control.choices.values():
                found.setdefault(" ".join(label.casefold().split()), set()).add(control.key)
    return {label for label, keys in found.items() if keys == {key}}
