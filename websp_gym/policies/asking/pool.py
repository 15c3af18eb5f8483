"""Finding which of the possible things a phrase names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from websp_gym.policies.asking.acts import Phrase
from websp_gym.policies.asking.lexicon import (
    CLASSES,
    DETERMINERS,
    HARMLESS,
    LITTLE,
    NUMBERS,
    OWN_NOUNS,
    OWN_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    stems_in,
    words_in,
)
from websp_gym.policies.asking.things import Thing, content
from websp_gym.policies.asking.words import Word, stem


class ThingPool:
    """Things among which a phrase may name some.

    Args:
        things: The things.
        fitting: Those of them that an event is about; ``None`` for all.
        ignored: Words that do not belong to the names, such as those of a field or of a value.
        others: Words of the names of things that are not among them.
        kinds: Words by which those are called, which alone name none of these.
        verb: Stem of the verb of the act, by which labels begin that are alike but for it.
    """

    def __init__(
        self,
        things: Sequence[Thing],
        *,
        fitting: frozenset[str] | None = None,
        ignored: frozenset[str] = frozenset(),
        others: frozenset[str] = frozenset(),
        kinds: frozenset[str] = frozenset(),
        verb: str = "",
    ) -> None:
        self._verb, self._kinds, self._others = verb, kinds, others
        self._things = things
        self._fitting = fitting if fitting is not None else frozenset(thing.key for thing in things)
        self._ignored = ignored
        self._kind = frozenset[str]().union(*(thing.kind for thing in things))
        self._names = others.union(*(thing.names for thing in things))
        self._own = OWN_NOUNS.difference(
            ignored, self._kind, *(OWN_NOUNS if t.label else t.names for t in things)
        )
        self._counts = Counter(word for thing in things for word in thing.names | thing.more)

    def find(self, phrases: Sequence[Phrase]) -> list[Thing]:
        """Return the things that the phrases of one list name; an ambiguous phrase names nothing."""
        found: list[Thing] = []
        whole = {word for phrase in phrases for word in content(phrase.words)}
        for phrase in phrases:
            found += self._one(phrase) or self._shared(phrase, whole)
        return list(dict.fromkeys(found))

    def is_vague(self, phrase: Phrase) -> bool:
        """Whether a phrase says only what kind a thing is."""
        of_others = {"account", *OWN_NOUNS} if not phrase.refers_back else set[str]()
        known = self._ignored | self._kind | (HARMLESS - of_others) | _COUNTS | OWN_WORDS
        return not content(phrase.words) - known

    def before(self, phrases: Sequence[Phrase], said: Sequence[Sequence[Phrase]]) -> list[Thing]:
        """Return what was last named before phrases that refer back to it: "it", "both of them", "that session".

        Args:
            phrases: The phrases; none for a verb without things.
            said: What was said before, the latest last.
        """
        ordinal = next((phrase.ordinal for phrase in phrases if phrase.ordinal is not None), None)
        if ordinal is not None:
            return self._mentioned(said, at_least=2)[ordinal : ordinal + 1 or None]
        if not any(phrase.is_many for phrase in phrases):
            found, parts = next(
                ((found, each) for each in reversed(said) if (found := self.find(each))), ([], ())
            )
            if self._own & {word.stem for part in parts for word in part.words}:
                return []  # "Jordan Blake has a nickname": it is not Jordan Blake
            if len(found) == 1 or any(part.number == len(found) for part in parts):
                return found
            mentioned = self._mentioned(said, at_least=1) if not found else []
            return mentioned if len(mentioned) == 1 else []
        number = max(phrase.number for phrase in phrases)
        every = any(phrase.every for phrase in phrases) and not number
        found = []
        for each in reversed(said):
            if all(word.isdigit() for part in each for word in content(part.words)):
                continue
            if every and (
                all_of_kind := [
                    thing
                    for part in each
                    if self._is_plural(part)
                    for thing in self._of_kind(
                        Phrase((*part.words, _EVERY)), content(part.words) & self._kind
                    )
                ]
            ):
                return all_of_kind
            more = [thing for thing in self.find(each) if thing not in found]
            if found and (not more or (number and len(found) >= number)):
                break
            found = [*more, *found]
        return found if not number or len(found) == number else []

    def _mentioned(self, said: Sequence[Sequence[Phrase]], *, at_least: int) -> list[Thing]:
        """Return what the last sentences speak of, in order: things of which a word is said that no other has."""
        found: list[Thing] = []
        for sentence in reversed(said):
            words = [word for phrase in sentence for word in self._of_itself(phrase).words]
            near = [thing for thing in self._things if self._is_near(thing, content(words))]
            own = [thing for word in words for thing in near if self._is_word_of(word, thing)]
            found = list(dict.fromkeys([*own, *found]))
            if len(found) >= at_least:
                break
        return found

    def _is_near(self, thing: Thing, said: set[str]) -> bool:
        """Whether words have most of the label of a thing, if it has one."""
        return not thing.label or len(said & thing.label) * 2 > len(thing.label)

    def _is_word_of(self, word: Word, thing: Thing) -> bool:
        root = word.stem
        return (
            root in thing.names - HARMLESS - thing.kind - self._kinds - self._ignored - self._others
            and self._counts[root] == 1
            and len(root) > 3
        )

    def without(self, found: Iterable[Thing], phrases: Sequence[Phrase]) -> list[Thing]:
        """Return things without those that phrases name; nothing if such a phrase is not understood."""
        left = list(found)
        for phrase in phrases:
            if any(word.text in ("other", "others", "rest", "else") for word in phrase.words):
                continue
            if _means_current(phrase):
                left = [thing for thing in left if not thing.current]
                continue
            gone = self._one(Phrase((_EVERY, *phrase.words)))
            left = [thing for thing in left if thing not in gone] if gone or not _names(phrase) else []
        return left

    def _one(self, phrase: Phrase) -> list[Thing]:
        phrase = self._of_itself(phrase)
        said = (content(phrase.words) | _dated(phrase)) - self._ignored
        if phrase.every and {word.text for word in phrase.words if not word.name} & _SINCE:
            return []  # "all items since Monday": no item tells whether it is one of them
        quoted = {word.stem for word in phrase.words if word.quotation}
        named = [
            thing for thing in self._things
            if self._identifies(thing, said - (quoted & thing.parts)) and self._explains(thing, said)
            and self._is_itself(thing, phrase)
        ]  # fmt: skip
        exact = [
            thing for thing in self._things
            if thing.label and thing.label & said and thing.label <= said | self._ignored
            and (len(thing.label) > 1 or self._explains(thing, said))
        ]  # fmt: skip
        sizes = {thing.key: len((thing.label | thing.values) & said) for thing in (*named, *exact)}
        exact = [thing for thing in exact if sizes[thing.key] == max(sizes.values())]
        exact = [thing for thing in exact if thing.label in _named_in_full(phrase)] or exact
        if exact:
            return exact if phrase.every else self._only(exact)
        if not named:
            return self._of_kind(phrase, said)
        is_group = not said & self._kind and any(
            thing.fields & {word.stem for word in phrase.words} for thing in named
        )
        if phrase.every or is_group or self._is_plural(phrase):
            return named
        most = max(len(said & thing.words) for thing in named)
        best = [thing for thing in named if len(said & thing.words) == most]
        if phrase.number and phrase.number == len(best):
            return best
        unsaid = min(len(thing.label - said) for thing in best)
        best = [thing for thing in best if len(thing.label - said) == unsaid]
        return self._only(best)

    def _only(self, found: list[Thing]) -> list[Thing]:
        """Return the only one of several; of settings with one label the only one that the event is about."""
        found = [thing for thing in found if self._verb in thing.label] or found
        if len(found) > 1 and len({thing.label for thing in found}) == 1 and found[0].label:
            found = [thing for thing in found if thing.key in self._fitting]
        return found if len(found) == 1 else []

    def _identifies(self, thing: Thing, said: set[str]) -> bool:
        """Whether words tell a thing from others, and not by a small part of its label beside unknown words."""
        own = said & (thing.names | thing.more) - HARMLESS - thing.kind - self._kinds
        if not own or not (own & thing.names or any(len(word) > 3 for word in own)):
            return False
        if not thing.label:
            return bool(own & thing.names) or any(self._counts[word] == 1 for word in own)
        unknown = said - thing.words - HARMLESS
        return bool(own & thing.names) and (not unknown or 2 * len(said & thing.label) >= len(thing.label))

    def _is_itself(self, thing: Thing, phrase: Phrase) -> bool:
        """Whether words name an item and not what belongs to it, such as "my notes on Oslo"."""
        at = next(
            (at for at, word in enumerate(phrase.words) if word.text in PREPOSITIONS and not word.name), 0
        )
        head = content(phrase.words[:at]) - self._ignored
        owners = [at for at, word in enumerate(phrase.words) if word.is_owner]
        if not thing.label and owners and phrase.words[owners[-1]].stem in thing.names:
            owned = content(phrase.head[owners[-1] + 1 :])
            return owned <= thing.names | thing.kind | self._kind | OWN_WORDS
        if phrase.words[0].text in ("all", "what", "whatever", "everything"):
            return True
        known = (HARMLESS - OWN_NOUNS) | self._kind | _COUNTS
        return bool(thing.label) or not head or bool(head & (thing.words | known))

    def _of_itself(self, phrase: Phrase) -> Phrase:
        """Return a phrase without words for an item that only say whose something is: "the phone number"."""
        words: list[Word] = []
        for word in phrase.words:
            while word.stem in self._own and content(words[-1:]):
                words.pop()
            words.append(word)
        return Phrase(tuple(words))

    def _explains(self, thing: Thing, said: set[str]) -> bool:
        """Whether no word is of the names of others only."""
        known = HARMLESS | self._kind | thing.values
        if not thing.label and said & self._others - thing.names - known:
            return False  # another's name, which a text of this item only speaks of
        return not (said & self._names) - thing.words - known

    def _is_plural(self, phrase: Phrase) -> bool:
        kinds = [word for word in phrase.words if word.stem in self._kind]
        return any(word.text.endswith("s") and word.text != word.stem for word in kinds)

    def _of_kind(self, phrase: Phrase, said: set[str]) -> list[Thing]:
        """Return all of a kind, or the only one, if nothing else is said of it."""
        kind = said & self._kind
        if not (kind or phrase.every) or said - self._kind - HARMLESS:
            return []
        limits = _LIMITING & {word.stem for word in phrase.words if not word.name} - self._kind
        if limits or (phrase.every and _TELLERS & {word.text for word in phrase.words}):
            return []  # "all unused tokens", "every token I know": no token tells whether it is one of them
        alike = [
            thing for thing in self._things if (not kind or kind <= thing.kind) and thing.key in self._fitting
        ]
        if any(word.text == "other" for word in phrase.words):
            alike = [thing for thing in alike if not thing.current]
            return alike if phrase.every else []
        if phrase.every:
            return alike if kind and phrase.number in (0, len(alike)) else []
        if (
            self._is_plural(phrase)
            and not DETERMINERS & {word.text for word in phrase.words}
            and not phrase.number
        ):
            return []
        return alike if len(alike) == 1 or (phrase.number and phrase.number == len(alike)) else []

    def _shared(self, phrase: Phrase, whole: set[str]) -> list[Thing]:
        """Return what a part of a list names with words of the others: "grades by e-mail and on the web"."""
        said = content(phrase.words) - self._ignored
        own = [
            thing
            for thing in self._things
            if said - self._kinds - self._kind and said <= thing.words and said & thing.names
        ]
        most = max((len(whole & thing.words) for thing in own), default=0)
        best = [thing for thing in own if len(whole & thing.words) == most]
        return best if len(best) == 1 and most > len(said) else []


_EVERY = Word("all")
_LIMITING = stems_in("limiting")
_DAYS = frozenset(("today", "here", "there"))
_SINCE = words_in("since")
_TELLERS = frozenset(("i", "we", "you"))
_COUNTS = frozenset(stem(word) for word in (*PRONOUNS, *NUMBERS))


def _names(phrase: Phrase) -> bool:
    """Whether words name something, known or not: "the friendly one", but not "now"."""
    said = [word for word in phrase.words if word.text not in PRONOUNS | {"the", "your", "my"}]
    return bool(content(phrase.words) | _dated(phrase)) or (
        len(said) < len(phrase.words) and any(map(_is_unknown, said))
    )


def _dated(phrase: Phrase) -> set[str]:
    """Return the little words that say of which day or place a thing is: "from today", "today's"."""
    return {
        word.text
        for at, word in enumerate(phrase.words)
        if word.text in _DAYS and (word.is_owner or phrase.words[at - 1].text in PREPOSITIONS)
    }


def _is_unknown(word: Word) -> bool:
    return not word.is_mark and word.text not in LITTLE and CLASSES.get(word.text) != "r"


def _means_current(phrase: Phrase) -> bool:
    texts = {word.text for word in phrase.words}
    is_device = not content(phrase.words) - HARMLESS - {"session", "devic", "one", "login", "brows"}
    return is_device and bool(texts & {"current", "this", "yours", "mine"})


def _named_in_full(phrase: Phrase) -> list[set[str]]:
    """Return the words of each name and each quotation in a phrase."""
    places = dict.fromkeys(
        (word.name, word.quotation) for word in phrase.words if word.name or word.quotation
    )
    return [
        content(word for word in phrase.words if (word.name, word.quotation) == place) for place in places
    ]
