"""The choices of settings that an act names: by "it", in full, or best."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from websp_gym.policies.asking.acts import Act
from websp_gym.policies.asking.things import Thing, Things, content, stems
from websp_gym.policies.asking.values import value_of_choice
from websp_gym.policies.asking.words import Word, plain_words, stem, words_of

_DENYING = frozenset(("not", "never", "than", "without", "instead"))
CHOOSING = frozenset(map(stem, ["turn", "set", "select", "choose", "pick"]))
"""Verbs that say nothing without a value: "May I choose it?"."""


class Choices:
    """The choices of the settings of a site.

    Args:
        things: The things of the site.
    """

    def __init__(self, things: Things) -> None:
        self._things = things

    def of(self, thing: Thing) -> dict[str, str]:
        """Return the choices of a setting by key; empty for a setting of another type."""
        return getattr(self._things.names.site.settings[thing.key.removeprefix("settings/")], "choices", {})

    def _with_choice(self, words: Sequence[Word]) -> list[Thing]:
        """Return the settings that have a choice of just these words."""
        said, site = plain_words(words), self._things.settings
        texts = {thing: [*map(plain_words, map(words_of, self.of(thing).values()))] for thing in site}
        return [thing for thing in site if said in texts[thing]]

    def before(self, act: Act, before: Sequence[Sequence[Word]]) -> tuple[Word, ...]:
        """Return the choice that an act means by "it": the only one that was named, and not denied, just before."""
        is_back = act.things and all(phrase.refers_back for phrase in act.things)
        if act.root not in CHOOSING or act.value or act.verb.turn is not None or not is_back:
            return ()
        last = [word for words in before[-2:] for word in words]
        named = [tuple(part) for key, part in groupby(last, lambda w: (w.name, w.quotation)) if any(key)]
        found = [words for words in named if self._with_choice(words)]
        denied = _DENYING & {word.text for word in last if not word.name}
        return found[0] if len(found) == 1 and not denied else ()

    def in_full(self, act: Act, before: Sequence[Sequence[Word]]) -> list[Thing]:
        """Return the setting with the choice that an act names in full; if there are several, the one mentioned
        before."""
        is_named = any(word.name or word.quotation for word in act.value[:1])
        found = self._with_choice(act.value) if is_named else []
        said = content(word for words in before[-2:] for word in words)
        found = [thing for thing in found if len(found) == 1 or thing.label <= said]
        return found if len(found) == 1 and all(phrase.is_pronoun for phrase in act.things) else []

    def best(self, keys: Sequence[str], act: Act, said: set[str]) -> list[Thing]:
        """Return the setting one of whose choices an act names best, along with a word of its label."""
        named: dict[tuple[bool, int], list[Thing]] = {}
        for thing in self._things.settings:
            choices = self.of(thing)
            label = self._things.names.site.settings[thing.key.removeprefix("settings/")].label
            if choices and thing.label & said and (value := value_of_choice(act, label, choices)) in choices:
                words = stems(choices[value])
                named.setdefault((bool(words) and words <= said, len(words & said)), []).append(thing)
        found = named[max(named)] if max(named, default=(False, 0))[1] else []
        return found if len(found) == 1 and found[0].key.removeprefix("settings/") in keys else []
