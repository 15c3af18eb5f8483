"""Acts that are being read, word by word."""

from __future__ import annotations

from collections.abc import Iterator

from websp_gym.policies.asking.acts import Act, Phrase
from websp_gym.policies.asking.lexicon import Verb
from websp_gym.policies.asking.words import Word, is_past, is_progressive

_STAYS = frozenset(("stays", "remain", "remains"))
_BASE = frozenset(("set", "reset", "put", "shut", "cut", "let", "hit", "rid", "quit", "leave"))


class Draft:
    """An act that is being read."""

    def __init__(self, verb: Verb, root: str, form: str, word: Word | None, *, by_noun: bool = False) -> None:
        self.verb, self.root, self.form, self.word, self.by_noun = verb, root, form, word, by_noun
        self.things: list[list[Word]] = [[]]
        self.without: list[list[Word]] = []
        self.value: list[Word] = []
        self.bucket = self.things
        self.said: list[Word] = [word] if word is not None else []
        self.dropped = self.left_out = self.relative = self.bare = False

    def begin(self, things: list[list[Word]]) -> None:
        """Begin with the things that stand before the verb."""
        self.things[:] = [*things, []]

    def take(self, word: Word) -> None:
        """Add a word to what is being named."""
        self.bucket[-1].append(word)

    def act(self) -> Act:
        """Return it as read."""
        things, without = _phrases(self.things), _phrases(self.without)
        stays = [
            phrase for phrase in things if _STAYS & {word.text for word in phrase.words if not word.name}
        ]
        things = [phrase for phrase in things if phrase not in stays]
        without += [phrase for phrase in stays if not phrase.is_rest]
        said = [*self.said, *(word for part in self.things for word in part), *self.value]
        return Act(
            self.verb, self.root, things, without, tuple(self.value), tuple(said), self.form, self.bare
        )


def form_of(text: str) -> str:
    """Return the form of a verb: ``past``, ``progressive`` or ``plain``."""
    return (
        "progressive" if is_progressive(text) else "past" if is_past(text) and text not in _BASE else "plain"
    )


def settled(drafts: list[Draft]) -> list[Act]:
    """Return the acts, in which what is left out and what several verbs share has its place."""
    acts: list[Act] = []
    for draft, act in zip(drafts, [draft.act() for draft in drafts], strict=True):
        if draft.left_out or act.keeps:
            for other in acts:
                other.without.extend(act.things)
            continue
        acts.append(act)
    for one, following in _pairs(acts):
        if not one.things and one.verb.kinds and not one.value:
            one.things = following.things
    return acts


def _pairs(acts: list[Act]) -> Iterator[tuple[Act, Act]]:
    return zip(reversed(acts[:-1]), reversed(acts[1:]), strict=True)


def _phrases(parts: list[list[Word]]) -> list[Phrase]:
    return [phrase for phrase in (Phrase(tuple(part)) for part in parts) if phrase.says_something]
