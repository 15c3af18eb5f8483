"""The things of a site that people name: settings and items with all their names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from websp_gym.policies.asking.lexicon import (
    ALL,
    CLASSES,
    HARMLESS,
    KIND_WORDS,
    LITTLE,
    NUMBERS,
    PARTICLES,
    PRONOUNS,
    VERB_STEMS,
    is_adverb,
)
from websp_gym.policies.asking.words import Word, parts, stem, words_of

if TYPE_CHECKING:
    from websp_gym.policies.names import Names
    from websp_gym.world.state import SiteState

_LONGEST = 25
"""Words of a name that is looked for word by word."""
_SHORT = 4
"""Words of a text that is a name; a longer one describes."""
_ALIKE = {
    "sessions": "session device login sign-in browser",
    "apps": "application",
    "always_filter": "filter word",
    "bag": "bag basket cart",
    "cart": "cart basket bag",
    "favourites": "team club favourite",
    "recent": "history entry",
    "shared_access": "user person",
    "additional_emails": "email address",
    "activity": "activity",
}
"""What people call the items of a collection besides what sentences call them."""
_PLACES = {"united states": "us usa america american states", "united kingdom": "uk britain england"}
_NEVER = frozenset(("updated", "id", "current"))


@dataclass(frozen=True)
class Thing:
    """Something that can be named.

    Args:
        key: ``settings/KEY`` or ``COLLECTION/ID``.
        label: The words of its label, without endings; none of an item.
        names: The words of all its names.
        more: Words of texts that describe it, and of the heading above it.
        kind: The words by which all of its kind are called.
        current: Whether it is the one in use, such as this session.
        fields: The names of its fields: "the to-read shelf" is all with this shelf.
        values: The words of its choices.
        parts: Words that are only parts of longer ones, which a quotation cannot stand for: 'ci' is not "ci-bot".
    """

    key: str
    label: frozenset[str]
    names: frozenset[str]
    more: frozenset[str]
    kind: frozenset[str] = frozenset()
    current: bool = False
    fields: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
    values: frozenset[str] = frozenset()

    @property
    def words(self) -> frozenset[str]:
        """All words that may stand for it."""
        return self.names | self.more | self.kind


class Things:
    """The things of a site in a state of the account.

    Args:
        names: The names of the site.
        state: The state; ``None`` if the world does not report it.
    """

    def __init__(self, names: Names, state: SiteState | None) -> None:
        self.names = names
        self.state = state
        self.site = stems(names.site.name) | stems(names.site.slug) | stems(names.site.name.replace(" ", ""))
        name = names.site.name.replace(" ", "")
        initials = "".join(letter for letter in name if letter.isupper()).casefold()
        self.short_names = {name[:size].casefold() for size in range(3, len(name))} | (
            {initials} if len(initials) > 1 else set()
        )

    @cached_property
    def settings(self) -> tuple[Thing, ...]:
        """All settings."""
        found = []
        for key, setting in self.names.site.settings.items():
            text = setting.label or key.rpartition(".")[2].replace("_", " ")
            label = frozenset(content(words_of(text)))
            seen = stems("public private") if label & stems("public private") else frozenset[str]()
            more = stems(self.names.heading(key)) | stems(key.replace(".", " ").replace("_", " "))
            choices = frozenset[str]().union(*map(stems, getattr(setting, "choices", {}).values()))
            found.append(Thing(f"settings/{key}", label, stems(text) | seen, more, values=choices))
        return tuple(found)

    def items(self, collection: str) -> tuple[Thing, ...]:
        """Return the items of a collection."""
        rows = self.state.collections.get(collection, []) if self.state else []
        return tuple(self._item(collection, row) for row in rows)

    def names_of_items(self, *, beside: str = "") -> frozenset[str]:
        """Return the words of the names of all items but those of a collection."""
        others = [
            name
            for name in (self.state.collections if self.state else ())
            if name != beside and self.rows(name)
        ]
        return frozenset[str]().union(
            self.kinds(beside=beside) if beside else (),
            *(thing.names for name in others for thing in self.items(name)),
        )

    def kinds(self, *, beside: str) -> frozenset[str]:
        """Return the words by which people call the items of all collections but one."""
        others = [name for name in (self.state.collections if self.state else ()) if name != beside]
        return frozenset[str]().union(*(self.kind(name) - HARMLESS for name in others if self.rows(name)))

    @property
    def collections(self) -> list[str]:
        """The collections of the state."""
        return list(self.state.collections) if self.state else []

    def rows(self, collection: str) -> Sequence[dict[str, Any]]:
        """Return the items of a collection as they are in the state."""
        return self.state.collections.get(collection, []) if self.state else []

    def kind(self, collection: str) -> frozenset[str]:
        """Return the words by which people call the items of a collection."""
        noun = self.names.things(collection) if collection in self.names.site.collections else ""
        named = stems(noun) | stems(collection.replace("_", " ")) | stems(_ALIKE.get(collection, ""))
        return named - {"access", "account"}

    @cached_property
    def labels(self) -> list[str]:
        """The labels of the fields of all items."""
        fields = [
            field for each in self.names.site.collections.values() for field in (each.fields or {}).values()
        ]
        return [field.label for field in fields if field.label]

    @cached_property
    def fields(self) -> frozenset[str]:
        """The words by which the fields of all items are called."""
        names = (name for each in self.names.site.collections.values() for name in each.fields or {})
        return frozenset[str]().union(
            *map(stems, self.labels), *(stems(name.replace("_", " ")) for name in names)
        )

    @cached_property
    def texts(self) -> list[str]:
        """The names that are marked where a text has them word by word: labels, and names of items and choices."""
        found = [setting.label for setting in self.names.site.settings.values()]
        for setting in self.names.site.settings.values():
            found += getattr(setting, "choices", {}).values()
        found += self.labels
        for collection in self.state.collections if self.state else ():
            for row in self.rows(collection):
                found += [
                    value for name, value in row.items() if isinstance(value, str) and name not in _NEVER
                ]
        return [each for each in dict.fromkeys(found) if each]

    @cached_property
    def proper_adverbs(self) -> frozenset[str]:
        """The proper names that look like adverbs: "Weatherly"."""
        found = (
            word
            for text in self.texts
            for at, word in enumerate(words_of(text))
            if at or len(text.split()) == 1
        )
        return frozenset(
            word.text for word in found
            if word.written[:1].isupper() and is_adverb(word.text) and word.text not in CLASSES
        )  # fmt: skip

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The words of all names."""
        found = {word for text in self.texts for word in stems(text)}
        return frozenset(found.union(*(self.kind(name) for name in self.names.site.collections), self.site))

    @cached_property
    def known(self) -> frozenset[str]:
        """The words for things of the site, and for what such a thing is."""
        described = frozenset[str]().union(*(thing.words | thing.values for thing in self.settings))
        items = (thing.words for name in self.collections for thing in self.items(name))
        return described.union(self.vocabulary, self.fields, HARMLESS, KIND_WORDS, *items)

    @cached_property
    def spellings(self) -> frozenset[str]:
        """The words of names that a misspelt one may stand for."""
        kinds = [self.names.things(name) for name in self.names.site.collections]
        return frozenset(word for text in (*self.texts, *kinds) for word in parts(text) if len(word) >= 5)

    def _item(self, collection: str, row: Mapping[str, Any]) -> Thing:
        names: set[str] = set()
        more: set[str] = set()
        for name, value in row.items():
            if name in _NEVER or not value or isinstance(value, list | dict):
                continue
            if isinstance(value, bool):
                more |= stems(name.replace("_", " "))
                continue
            said = set(_said(str(value)))
            is_name = len(words_of(str(value))) <= _SHORT
            (names if is_name else more).update(said)
        whole = {
            stem(word.text) for value in row.values() if isinstance(value, str) for word in words_of(value)
        }
        given = [name for name, value in row.items() if value and not isinstance(value, bool)]
        return Thing(
            f"{collection}/{row['id']}",
            label=frozenset(),
            names=frozenset(names),
            more=frozenset(more),
            kind=self.kind(collection),
            current=bool(row.get("current")),
            fields=frozenset(map(stem, given)),
            parts=frozenset(names - whole),
        )


@lru_cache(8_192)
def stems(text: str) -> frozenset[str]:
    """Return the words of a name that say something, without endings."""
    return frozenset(stem(word) for word in parts(text) if word not in LITTLE)


def content(words: Iterable[Word]) -> set[str]:
    """Return the words of a phrase that say something, without endings."""
    found = set()
    for word in words:
        text = re.sub(r"^(\d+)(?:st|nd|rd|th)$", r"\1", word.text)
        says = (
            text not in LITTLE
            and (word.name or not is_adverb(text) or word.written[:1].isupper())
            and text not in PRONOUNS
            and (text not in ALL or word.name)
        )
        if says and not word.is_mark and not (text in NUMBERS and not word.name):
            found.add(stem(text))
    return found


def _said(text: str) -> Iterator[str]:
    """Yield the words of a text as people say it: a date by month, day and year, a country by its short names."""
    yield from stems(text) or {text.casefold()}  # "Today"
    for place, short in _PLACES.items():
        if place in text.casefold():
            yield from map(stem, short.split())
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        day = date.fromisoformat(text)
        yield from (
            stem(f"{day:%B}".casefold()),
            f"{day:%b}".casefold(),
            str(day.day),
            f"{day:%d}",
            str(day.year),
        )


def marked(words: Sequence[Word], texts: Iterable[str], controls: Iterable[str] = ()) -> list[Word]:
    """Return words in which names of two words or more that a text has word by word are marked, the longest first.

    A name that might as well be an order, such as the choice "Turn off", is one of a control only.
    """
    always = {tuple(word.text for word in words_of(text) if not word.is_mark) for text in controls}
    found = list(words)
    known = sorted(
        always | {tuple(word.text for word in words_of(text) if not word.is_mark) for text in texts},
        key=len,
        reverse=True,
    )
    number = 0
    for name in known:
        is_order = name not in always and all(
            word in LITTLE | ALL | PARTICLES or stem(word) in VERB_STEMS for word in name
        )
        if not 2 <= len(name) <= _LONGEST or is_order:
            continue
        for span in _spans(found, name):
            number += 1
            found[span] = [Word(word.text, word.written, word.quotation, number) for word in found[span]]
    return found


def _spans(words: Sequence[Word], name: tuple[str, ...]) -> Iterator[slice]:
    """Yield where the words of a name follow one another; marks may stand between them."""
    for start, word in enumerate(words):
        if word.text != name[0] or word.name:
            continue
        place, at = start, 0
        while place < len(words) and at < len(name) and not words[place].name:
            if words[place].text == name[at]:
                at += 1
            elif not words[place].is_mark:
                break
            place += 1
        if at == len(name):
            yield slice(start, place)
