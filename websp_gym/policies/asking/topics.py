"""What a question is about: for each event that needs consent, the things and values it asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from websp_gym.policies.asking.acts import Act, Phrase, listed
from websp_gym.policies.asking.choices import CHOOSING, Choices
from websp_gym.policies.asking.deeds import is_added, is_deed, is_pressed, is_visited
from websp_gym.policies.asking.lexicon import (
    ALL,
    HARMLESS,
    KNOWN,
    LITTLE,
    NUMBERS,
    PARTICLES,
    SPELLABLE,
    SUBORDINATE,
    stems_in,
    words_in,
)
from websp_gym.policies.asking.pool import ThingPool
from websp_gym.policies.asking.records import Titles
from websp_gym.policies.asking.requests import Request, requests_in
from websp_gym.policies.asking.things import Thing, Things, content, marked, stems
from websp_gym.policies.asking.values import UNCLEAR, UNSAID, value_of_choice, value_of_switch, value_of_text
from websp_gym.policies.asking.words import Word, mended, parts, quotations, stem, words_of
from websp_gym.policies.events import Add, AgreeTo, Change, Deed, Edit, Press, Remove, Visit
from websp_gym.sandbox.schema.fields import RecordField, RecordsField
from websp_gym.tasks.decisions import PURPOSES
from websp_gym.world.state import same

if TYPE_CHECKING:
    from websp_gym.policies.events import Event, ItemsOf
    from websp_gym.tasks.schema import Value

Named = dict[str, "Value | None"]
"""Things, each with the value that was named; ``None`` for none."""
_MOST_WORDS = 400
"""Maximum number of words of a question; a longer text is not understood, so that none takes long to read."""
_REASONS = SUBORDINATE - {"as"}
_LIMITING = stems_in("limiting")
_LIMITS = words_in("since") | {"i", "we", "you"}
_EVERYONE = frozenset(("everyone", "everybody", "everything"))
_ALONE = frozenset(("stop", "quit", "ceas", "halt", "paus", "end", "start", "begin"))  # "Should I stop?"


class TopicReading:
    """A question to the user, as understood on a site.

    Args:
        text: The question.
        things: The things of the site.
        controls: The names of controls that need consent.
        requests: Its requests, if they need not be found in the text.
    """

    def __init__(
        self, text: str, things: Things, *, controls: Iterable[str] = (), requests: Sequence[Request] = ()
    ) -> None:
        self._things, self._named, self._titles = things, Choices(things), Titles(things)
        self._quoted = quotations(text)
        self._kept: Sequence[Phrase] = ()
        controls = list(controls)
        names = things.spellings | {word for text in controls for word in parts(text)}
        said = words_of(text)
        words = mended(
            said if len(said) <= _MOST_WORDS else (),
            KNOWN | things.vocabulary | set(map(stem, names)),
            names,
            SPELLABLE,
        )
        proper = things.proper_adverbs
        words = [replace(word, written=word.text.title()) if word.text in proper else word for word in words]
        self.words = marked(words, things.texts, controls)
        self.requests = list(requests) or requests_in(self.words)

    def asks_for(self, event: Event) -> Named:
        """Return the things of an event for which it asks consent, with the values that it names."""
        found: Named = {}
        for request in self.requests:
            self._kept = request.kept
            for number, act in enumerate(request.acts):
                before = [*request.context, *(each.said for each in request.acts[:number])]
                for thing, value in self._of(event, act, before).items():
                    found[thing] = found.get(thing) if value is None else value
        return found

    def _of(self, event: Event, act: Act, before: Sequence[Sequence[Word]]) -> Named:
        match event:
            case Change():
                return self._changed(event, act, before)
            case Remove(remove=items):
                return self._removed(items, act, before)
            case Edit(edit=items):
                return self._edited(event, items, act, before)
            case Add(add=items):
                return {f"{items.collection}/+": None} if is_added(items, act, before, self._things) else {}
            case Deed(deed=deed):
                return {deed: None} if is_deed(deed, act, self._things, before) else {}
            case Press():
                return (
                    {f"{event.press.role}/{event.press.name}": None}
                    if is_pressed(event, act, before, self._things)
                    else {}
                )
            case AgreeTo(agree_to=purposes):
                said = content(act.said) if "agree_to" in act.verb.kinds else set()
                return {
                    f"decision/{each}": None
                    for each in purposes
                    if said & (stems(PURPOSES[each]) | stems(each)) - HARMLESS
                }
            case Visit():
                return (
                    {event.visit: None}
                    if is_visited(event, act, before, self.words, self._things.names.site)
                    else {}
                )
        return {}

    # ------------------------------------------------------------------ the account

    def _changed(self, event: Change, act: Act, before: Sequence[Sequence[Word]]) -> Named:
        if "change" not in act.verb.kinds:
            return {}
        keys = self._things.names.settings(event.patterns(self._things.names))
        fitting = frozenset(f"settings/{key}" for key in keys)
        pool = ThingPool(
            self._things.settings,
            fitting=fitting,
            ignored=self._things.site,
            others=self._things.names_of_items(),
            verb=act.root,
        )
        chosen = self._named.before(act, before)
        act = replace(act, value=chosen or act.value)
        found, direct = self._of_panel(event, act), False
        if not found:
            found, direct = self._found(pool, act, before)
        if not any(map(self._is_of_another, act.things)):
            choosable = [thing for thing in found if self._named.of(thing)]
            if not found or (not choosable and act.value and act.verb.turn is None):
                said = content(act.said).union(*(thing.label for thing in found))
                found = (
                    self._named.best(keys, act, said)
                    or self._named.in_full(act, before)
                    or found * (not chosen)
                )
            elif chosen:
                found = choosable
        named: Named = {}
        for thing in found:
            key = thing.key.removeprefix("settings/")
            value = self._value_of_setting(key, act, direct=direct) if key in keys else UNCLEAR
            if value is UNSAID and act.root in (CHOOSING if direct else CHOOSING - {"set"}):
                value = UNCLEAR
            if value is not UNCLEAR and not (act.bare and value is UNSAID):
                named |= with_value(thing.key, value, event.change.to)
        return named

    def _of_panel(self, event: Change, act: Act) -> list[Thing]:
        """Return all settings of the page that an event is about, if its title is named."""
        page = event.change.page
        title = next((panel.title for panel in self._things.names.site.panels if panel.path == page), "")
        said = set().union(*(content(phrase.words) for phrase in act.things)) if act.things else set()
        if not title or not stems(title) <= said or stem("page") not in said:
            return []
        keys = {f"settings/{key}" for key in self._things.names.settings(event.patterns(self._things.names))}
        return [thing for thing in self._things.settings if thing.key in keys]

    def value_of(self, event: Event, thing: str, act: Act) -> Any:
        """Return the value that an act gives to a thing of an event."""
        match event:
            case Change():
                return self._value_of_setting(thing.removeprefix("settings/"), act, direct=True)
            case Edit():
                return self._value_of_field(event, act)
        return UNSAID

    def _value_of_field(self, event: Edit, act: Act) -> Any:
        field, label = self._field(event)
        if choices := getattr(field, "choices", None):
            return value_of_choice(act, label, choices)
        if getattr(field, "type", "") == "bool":
            return value_of_switch(act, event.field.replace("_", " "))
        if isinstance(field, RecordField | RecordsField):
            return self._value_of_record(field, act)
        text = value_of_text(act, self._quoted)
        if not isinstance(text, str) or field is None:
            return text
        try:
            return field.parse(text)
        except ValueError:
            return UNCLEAR

    def _value_of_record(self, field: RecordField | RecordsField, act: Act) -> Any:
        """Return the record, or the list of records, that an act gives to a field."""
        whom = [phrase.words[:1] for phrase in act.things]  # "assign you to the issue"
        found = next(
            (found for words in (act.value, *whom) if (found := self._titles.of_account(field.of, words))),
            self._titles.named(field.of, act.said[: -len(_old_value(act.said)) or None]),
        )
        if len(found) != 1:
            return UNCLEAR if found or act.value else UNSAID
        return found if isinstance(field, RecordsField) else found[0]

    def _field(self, event: Edit) -> tuple[Any, str]:
        """Return the field that an event is about, and what it is called."""
        field = (self._things.names.site.collections[event.edit.collection].fields or {}).get(event.field)
        return field, (field.label if field is not None else "") or event.field.replace("_", " ")

    def _value_of_setting(self, key: str, act: Act, *, direct: bool) -> Any:
        setting = self._things.names.site.settings[key]
        if setting.type == "bool":
            return value_of_switch(act, setting.label or key, direct=direct)
        if choices := getattr(setting, "choices", None):
            return value_of_choice(act, setting.label or key, choices)
        return value_of_text(act, self._quoted)

    def _removed(self, items: ItemsOf, act: Act, before: Sequence[Sequence[Word]]) -> Named:
        if "remove" not in act.verb.kinds:
            return {}
        root = act.root.removeprefix("un")
        if root in self._things.kind(items.collection):  # "unblock everyone": all that are blocked
            act = replace(act, things=[_with_kind(phrase, root) for phrase in act.things])
        existing = [phrase for phrase in act.things if not phrase.is_any]
        if act.things and not existing:
            return {}
        act = replace(act, things=existing)
        return dict.fromkeys(self._items(items, act, before, frozenset()))

    def _edited(self, event: Edit, items: ItemsOf, act: Act, before: Sequence[Sequence[Word]]) -> Named:
        field, label = self._field(event)
        words = _words_of_field(event.field, label, field)
        by_verb = _verb_of_field(act, words)
        named = content(act.said) | content(act.value) | {by_verb}
        is_json = not act.root and not act.bare  # which need not name the field
        if (
            ("edit" not in act.verb.kinds and not by_verb)
            or not (is_json or named & words)
            or act.root == "renam"  # "rename it to public"
            or self._is_of_other_field(event, act)
        ):
            return {}
        values = {str(row.get(event.field, "")) for row in self._things.rows(items.collection)}
        value = self._value_edited(event, act, by_verb, values)
        if value is UNCLEAR or (act.bare and value is UNSAID):
            return {}
        # The value before is no name of the item, but words of it may be.
        said = content(act.said)
        words = words.union(content(_old_value(act.said)))
        words = words.union(*(old for old in map(content, map(words_of, values)) if old <= said))
        found: Named = {}
        for key in self._items(items, act, before, words):
            found |= with_value(key, value, event.to)
        return found

    def _value_edited(self, event: Edit, act: Act, by_verb: str, values: set[str]) -> Any:
        """Return the value that an act gives to a field: as said, by its verb, or one that it has somewhere."""
        value, field = self._value_of_field(event, act), self._field(event)[0]
        if value is UNSAID and by_verb and not isinstance(field, RecordField | RecordsField):
            value = _value_of_verb(by_verb, getattr(field, "choices", {}))
            return UNCLEAR if value is UNSAID else value
        if value is UNSAID and getattr(field, "type", "") != "bool" and _sets(act):
            said = {word.written for word in act.said} & values
            return UNCLEAR if len(said) > 1 else said.pop() if said else UNSAID
        return value

    def _is_of_other_field(self, event: Edit, act: Act) -> bool:
        """Whether an act names another field in full and not this one, or the field of another kind of record."""
        fields = self._things.names.site.collections[event.edit.collection].fields or {}
        said = {act.root.removeprefix("re")}.union(*(content(phrase.words) for phrase in act.things))
        labels = {name: stems(field.label or name.replace("_", " ")) for name, field in fields.items()}
        own = labels.get(event.field, frozenset())
        if not own <= said and any(each and each <= said and not each <= own for each in labels.values()):
            return True
        nouns = self._titles.nouns
        others = () if nouns.get(event.edit.collection, said) <= said else nouns
        return any(
            nouns[each] <= said and stems(label) <= said for each in others for label in self._labels(each)
        )

    def _labels(self, collection: str) -> list[str]:
        fields = self._things.names.site.collections[collection].fields or {}
        return [field.label or name.replace("_", " ") for name, field in fields.items()]

    def _items(
        self, items: ItemsOf, act: Act, before: Sequence[Sequence[Word]], ignored: frozenset[str]
    ) -> list[str]:
        """Return the keys of the items of an event that an act is about."""
        named = self._records(items, act, before, ignored)
        fitting = frozenset(
            f"{items.collection}/{row['id']}" for row in self._things.rows(items.collection) if items.fit(row)
        )
        if named is not None:
            return [key for key in named if key in fitting]
        pool = ThingPool(
            self._things.items(items.collection), fitting=fitting, ignored=ignored | self._things.site,
            others=self._things.names_of_items(beside=items.collection),
            kinds=self._things.kinds(beside=items.collection),
        )  # fmt: skip
        found = [thing for thing in self._found(pool, act, before)[0] if thing.key in fitting]
        if items.collection in self._titles.nouns and not any(phrase.every for phrase in act.things):
            # Of the many records of an application, only words that are all of one of them name it.
            said = set[str]().union(*(content(phrase.words) for phrase in act.things)) - ignored - HARMLESS
            found = [thing for thing in found if len(found) == 1 and said <= thing.names | thing.kind]
        return [thing.key for thing in found]

    def _records(
        self, items: ItemsOf, act: Act, before: Sequence[Sequence[Word]], ignored: frozenset[str]
    ) -> list[str] | None:
        """Return the keys of the records that an act names in full or refers back to; ``None`` if there are none."""
        module = items.collection
        if module not in self._titles.nouns:
            return None
        but = [self._titles.named(module, phrase.words) for phrase in (*act.without, *self._kept)]
        gone = {each for named in but for each in named}
        if any(self._means_all(phrase, module, ignored) for phrase in act.things):
            left = [str(row["id"]) for row in self._things.rows(module) if str(row["id"]) not in gone]
            return [f"{module}/{each}" for each in left if all(but)]  # none if what is left out is not known
        own = [word for word in act.said if not any(word is each for each in act.value)]
        found = self._titles.named(module, own) or self._titles.named(module, act.said)
        if not found and all(self._refers_back(phrase, module, ignored) for phrase in act.things):
            found = next((ids for each in reversed(before) if (ids := self._titles.named(module, each))), [])
            if len(found) > 1 and not any(phrase.is_many for phrase in act.things):
                return []
        return [f"{module}/{each}" for each in found if each not in gone] if found else None

    def _means_all(self, phrase: Phrase, module: str, ignored: frozenset[str]) -> bool:
        """Whether a phrase means all records of a kind, without a limit that no record shows: "all unused leads"."""
        words = [word for word in phrase.words if not word.name]
        limits = _LIMITS & {word.text for word in words} or (
            _LIMITING - self._titles.nouns[module] - ignored
        ) & {word.stem for word in words}
        return phrase.every and not limits and self._refers_back(phrase, module, ignored)

    def _refers_back(self, phrase: Phrase, module: str, ignored: frozenset[str]) -> bool:
        """Whether a phrase says of a record only what kind it is, or names a value alone."""
        words = [word for word in phrase.words if not (word.quotation or re.search(r"[\d./]", word.text))]
        known = ignored | self._titles.nouns[module] | HARMLESS | {"field"}
        return phrase.is_pronoun or not content(words) - known

    def _found(self, pool: ThingPool, act: Act, before: Sequence[Sequence[Word]]) -> tuple[list[Thing], bool]:
        """Return the things of an act, and whether they were named before it, as where it says "it" or nothing."""
        things = [phrase for phrase in act.things if not phrase.is_rest and not self._is_of_another(phrase)]
        if (act.things and not things) or (not act.things and act.root in _ALONE):
            return [], False
        found, back = pool.find(things), False
        vague = [phrase for phrase in things if pool.is_vague(phrase)]
        if not found and (len(vague) == len(things) or any(phrase.refers_back for phrase in vague)):
            found, back = pool.before(vague, [_listed(words) for words in before]), True
        elif vague and things[0] in vague and things[0].refers_back:  # "its access and that of Relay Reader"
            found = [*pool.before(things[:1], [_listed(words) for words in before]), *found]
        kept = pool.find(self._kept)
        return [thing for thing in pool.without(found, act.without) if thing not in kept], back

    def _is_of_another(self, phrase: Phrase) -> bool:
        """Whether a phrase names something that the site does not know, which belongs to a thing or is about it.

        So it is with "the banner about Targeting Cookies", "Jordan Blake's photo" and "Jordan Blake from my notes".
        """
        words = list(phrase.words)
        if words[0].text == "what" and words[1:] and words[1].name:
            return True  # "what Jordan Blake wrote"
        if words[0].text in ("what", "whatever", "all", "everything") and not words[0].name:
            return False
        start = next(
            (at for at, word in enumerate(words) if word.text == "from" and not word.name), len(words)
        )
        for part in (phrase.head, words[start:]):
            said = [word for word in part if content([word]) and word.text not in PARTICLES]
            if said and not (said[-1].name or said[-1].quotation) and said[-1].stem not in self._things.known:
                return True
        return False


def _with_kind(phrase: Phrase, kind: str) -> Phrase:
    words = tuple(Word("every") if word.text in _EVERYONE else word for word in phrase.words)
    return Phrase((*words, Word(kind))) if words != phrase.words else phrase


def _value_of_verb(root: str, choices: Mapping[str, str]) -> Any:
    """Return the choice that a verb brings about: "close" of "Closed"."""
    found = [key for key, text in choices.items() if root in stems(text)]
    return found[0] if len(found) == 1 else UNSAID


def _old_value(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words after "from"."""
    at = (at for at, word in enumerate(words) if word.text == "from" and not word.name)
    return words[next(at, len(words)) :]


def _verb_of_field(act: Act, words: frozenset[str]) -> str:
    """Return the verb of an act if a field or a value of it is named after it: "assign", "close"; else nothing.

    "Open" opens a page.
    """
    root = act.root if act.root in words else act.root.removeprefix("re")
    return root if root in words and "visit" not in act.verb.kinds else ""


def _sets(act: Act) -> bool:
    """Whether the value that an act names is the new one: not in "change it from A"."""
    return not any(word.text == "from" and not word.name for word in act.said)


def with_value(thing: str, value: Any, wanted: Any) -> Named:
    """Return a thing with the value that was named, unless the event is only about another value."""
    if value is UNSAID:
        return {thing: None}
    return {thing: value} if wanted is None or same(value, wanted) else {}


def _listed(words: Iterable[Word]) -> list[Phrase]:
    """Return words before an act as phrases, one between each two marks or ``and``."""
    parts = [
        [word for word in part if word.name or word.text not in ALL - NUMBERS.keys()]
        for part in listed(words)
    ]
    return [Phrase(tuple(part)) for part in parts if part and (part[0].name or part[0].text not in _REASONS)]


def _words_of_field(name: str, label: str, field: Any) -> frozenset[str]:
    """Return the words by which a question names a field of an item or its value."""
    words = stems(label) | stems(name.replace("_", " ").removeprefix("is "))
    for text in getattr(field, "choices", {}).values():
        words |= stems(text)
    words |= {f"un{word}" for word in words}
    if words & {"privat", "public", "visibility"}:
        words |= stems("private public visibility visible hidden")
    return words - LITTLE
