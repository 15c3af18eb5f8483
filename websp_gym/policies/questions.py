"""What a question to the user is about: the kind of event and the things that it names, by whole words."""

from __future__ import annotations

import re
from collections.abc import Iterable

_VERBS = """
visit: open visit go navigate enter view
change: change set turn switch enable disable activate deactivate toggle allow opt tick untick check uncheck
add: add create make generate submit request send order file put save join
remove: remove delete erase revoke discard clear drop sign log end leave unlink disconnect unblock
edit: change set make turn edit rename update switch archive
press: press click operate use
agree_to: agree accept allow subscribe sign consent opt tick enable share give
buy: buy order book purchase subscribe upgrade pay start
publish: post publish comment write send reply share
close_account: close delete deactivate remove disable
change_sign_in: change set update replace
"""
VERBS = {
    kind: frozenset(verbs.split()) for kind, verbs in (line.split(":") for line in _VERBS.split("\n") if line)
}
"""The verbs by which people name a kind of event or deed, without endings."""
_NOT = frozenset(("not", "never", "without", "no", "don't", "won't", "cannot", "can't", "instead", "unless"))
_ALL = frozenset(("all", "every", "each", "everything"))
_ARTICLES = (
    "a an the of to in on off for and or by with from at is are be it this that your my you i we me any as"
)
_LITTLE = frozenset(_ARTICLES.split(" "))
"""Words that do not tell one thing from another."""
_WORD = re.compile(r"\w(?:[\w@.+'-]*\w)?")
_QUOTED = re.compile(r"\"[^\"]*\"|\u201c[^\u201d]*\u201d")
_ENDINGS = ("ing", "ed", "es", "s")


class Question:
    """A question as words.

    Args:
        text: What the agent asked.
    """

    def __init__(self, text: str) -> None:
        plain = text.casefold().replace("\u2019", "'")
        self.words = frozenset(_WORD.findall(plain))
        # A negation in a name, such as "Channels You don't Follow", denies nothing.
        self._own_words = frozenset(_WORD.findall(_QUOTED.sub(" ", plain)))
        self._stems = frozenset(stem(word) for word in self.words)

    @property
    def denies(self) -> bool:
        """Whether it has a negation: "I will not ask" asks for nothing."""
        return bool(self._own_words & _NOT)

    @property
    def means_all(self) -> bool:
        """Whether it is about all things of a kind."""
        return bool(self.words & _ALL)

    def uses(self, kind: str, *, beside: Iterable[str] = ()) -> bool:
        """Whether it has a verb of a kind of event.

        Args:
            kind: The kind of event or deed.
            beside: Names in the question whose words are no verbs: "Show my booked services" books nothing.
        """
        named = {stem(word) for name in beside for word in _WORD.findall(name.casefold())}
        return bool((self._stems - named) & {stem(verb) for verb in VERBS[kind]})

    def names(self, text: str) -> bool:
        """Whether it has every word of a name that says something; a name without such a word is not named."""
        wanted = {stem(word) for word in _WORD.findall(text.casefold()) if word not in _LITTLE}
        return bool(wanted) and wanted <= self._stems

    def names_one_of(self, texts: Iterable[str]) -> bool:
        """Whether it names one of several texts."""
        return any(self.names(text) for text in texts)


def stem(word: str) -> str:
    """Return an English word without a common ending: ``deletes``, ``deleted`` and ``deleting`` are one word."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word.removesuffix("e") if len(word) > 3 else word
