"""Where acts begin: with a verb, a noun that stands for one, or the thing that it is done to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from websp_gym.policies.asking.acts import listed
from websp_gym.policies.asking.drafts import Draft, form_of
from websp_gym.policies.asking.lexicon import (
    BEFORE_AN_ACT,
    LIGHT,
    LITTLE,
    NOUNS,
    OTHER,
    PREPOSITIONS,
    SUBORDINATE,
    VALUED,
    VERB_STEMS,
    VERBS,
    Verb,
)
from websp_gym.policies.asking.words import Word, is_past, is_progressive

_ON_THE_WAY = frozenset(
    [
        "to",
        "with",
        "by",
        "and",
        "a",
        "an",
        "the",
        "you",
        "your",
        "me",
        "on",
        "ahead",
        "for",
        "out",
        "of",
        "formal",
        "official",
        "any",
        "this",
        "some",
        "another",
        "new",
        "us",
        "in",
        "it",
        "its",
        "both",
        "these",
        "those",
        "two",
        "all",
        "them",
    ]
)
_DONE = frozenset(("was", "were", "been", "had", "has", "have"))
_BE = frozenset(("be", "is", "are", "being", "get", "gets", "getting", "become", "becomes"))
_STATES = frozenset(
    [
        "is",
        "are",
        "am",
        "was",
        "were",
        "remain",
        "remains",
        "stay",
        "stays",
        "has",
        "have",
        "had",
        "do",
        "does",
        "did",
        "will",
        "would",
        "can",
        "could",
        "not",
        "no",
        "be",
        "being",
        "been",
    ]
)
"""Verbs that make words a statement about how things are."""
_NEGATED = {True: False, False: True, None: None}
_ENDS = frozenset(("stop", "cease", "quit"))
_BEYOND = frozenset(("and", "or", "because", "so", "if", "then"))
"""Words after which no particle belongs to the verb before them."""
_SUBJECTS = frozenset(("you", "i", "we", "not", "never"))
_TAKING = frozenset(("tak", "cros", "strik", "kick", "throw", "cut"))
_ALWAYS = frozenset(("from", "as", "alone", "rid", "untouched", "unchanged"))
"""Particles that are one wherever they stand after their verb."""


class Beginnings:
    """Finds where an act begins in the words of a clause."""

    def __init__(self, words: Sequence[Word], *, bare: bool) -> None:
        self._words = list(words)
        self._bare = bare
        self._used: set[int] = set()
        self._drafts: list[Draft] = []

    def _start(self, at: int, *, dropped: bool = False, left_out: bool = False) -> int | None:
        """Begin an act at a word; return where its things begin, ``None`` if there is no act."""
        while at < len(self._words) and self._is_before_an_act(at):
            left_out = left_out or self._text(at) in ("not", "never", "without")
            at += 1
        found = self._verb(at) or self._noun(at) or self._thing_first(at)
        if found is None:
            return None
        draft, at = found
        draft.dropped, draft.left_out = dropped, left_out
        self._drafts.append(draft)
        return at

    def _is_before_an_act(self, at: int) -> bool:
        text = self._text(at)
        known = (
            text in BEFORE_AN_ACT
            or (text.isdigit() and len(text) == 1)
            or text in ("not", "never", ",", "without")
            or self._words[at].is_mark
        )
        if text in ("let", "allow", "permit") and self._text(at + 1) in ("me", "us"):
            return True
        return known and not (text == "go" and self._text(at + 1) != "ahead")

    def _verb(self, at: int) -> tuple[Draft, int] | None:
        if at >= len(self._words):
            return None
        if self._words[at].name and (first := self._value_last(at)):
            return first
        root = self._words[at].stem
        inner = self._inner(at)
        if inner is not None:
            return inner
        found = self.verb_at(at)
        if found is not None and not (root in ("have", "get", "want", "like") and self._thing_first(at + 1)):
            return Draft(found, root, form_of(self._words[at].text), self._words[at]), at + 1
        if self._words[at].name and self._words[at].name != self._before(at) and not self._thing_first(at):
            return Draft(Verb(frozenset(("press",))), "", "plain", None), at
        if root in ("have", "get", "want", "like", "see") and (first := self._thing_first(at + 1)):
            return first
        if root in OTHER and not self._words[at].name and not self._words[at].quotation:
            return Draft(Verb(), root, form_of(self._words[at].text), self._words[at]), at + 1
        return None

    def _before(self, at: int) -> int:
        return self._words[at - 1].name if at else 0

    def verb_at(self, at: int) -> Verb | None:
        """Return the verb at a word; its particle counts as used."""
        if at >= len(self._words) or not self._may_be_verb(at):
            return None
        root = self._words[at].stem
        if root in _ENDS and is_progressive(self._text(at + 1)) and (inner := self.verb_at(at + 1)):
            self._used.add(at + 1)
            return replace(
                inner,
                turn=_NEGATED[inner.turn],
                more=_NEGATED[inner.more],
                kinds=inner.kinds & {"change", "edit"},
            )
        for place in range(at + 1, min(len(self._words), at + 12)):
            text = self._text(place)
            if self._words[place].name or self._words[place].quotation:
                continue
            if self._words[place].is_mark or text == "to" or (text in _BEYOND and place > at + 1):
                break
            if (root, text) in VERBS and (place == at + 1 or self._is_particle(place, root)):
                self._used.add(place)
                return VERBS[root, text]
        return VERBS.get((root, ""))

    def _may_be_verb(self, at: int) -> bool:
        word = self._words[at]
        begins_name = word.name and word.name != self._before(at)
        return word.stem in VERB_STEMS and (not word.name or bool(begins_name)) and not word.quotation

    def _is_particle(self, at: int, root: str) -> bool:
        text, after = self._text(at), self._text(at + 1)
        if text in _ALWAYS or (text in ("off", "out") and root in _TAKING):
            return True
        if after and self._words[at + 1].name:
            return False
        ends = not after or self._words[at + 1].is_mark
        return ends or (
            after in LITTLE | PREPOSITIONS and after not in ("the", "my", "your", "our", "a", "an", "this")
        )

    def _inner(self, at: int) -> tuple[Draft, int] | None:
        """Return the act in which a verb that says nothing itself results: "proceed with the removal of"."""
        if self._text(at) not in LIGHT and self._words[at].stem not in LIGHT:
            return None
        outer, place = VERBS.get((self._words[at].stem, "")), at + 1
        while self._text(place) in _ON_THE_WAY and not self._words[place].name:
            place += 1
        if place >= len(self._words) or self._words[place].name or self._words[place].quotation:
            return None
        beyond = place > at + 1
        found = self._inner(place) or (self._noun(place) if self._text(place) in NOUNS else None)
        if found is None and beyond and (verb := self.verb_at(place)) is not None:
            found = (
                Draft(verb, self._words[place].stem, form_of(self._text(place)), self._words[place]),
                place + 1,
            )
        if found is not None:
            draft, _ = found
            if outer is not None:
                draft.verb = replace(
                    draft.verb,
                    kinds=draft.verb.kinds | (outer.kinds & {"add", "buy", "publish"}),
                    weakly=draft.verb.weakly | (outer.weakly - draft.verb.kinds),
                )
            draft.said.append(self._words[at])
            draft.form = form_of(self._text(at))
        return found

    def _noun(self, at: int) -> tuple[Draft, int] | None:
        """Return the act that a noun at the end of the first words names: "the removal of", "account deletion"."""
        for place in range(at, min(len(self._words), at + 6)):
            word = self._words[place]
            if (
                word.is_mark
                or ((word.text in PREPOSITIONS | _STATES or word.text in ("i", "we")) and not word.name)
                or word.text in SUBORDINATE
            ):
                return None
            if word.text in NOUNS and not word.name and not word.quotation:
                root, particle = NOUNS[word.text]
                draft = Draft(VERBS[root, particle], root, "plain", word, by_noun=True)
                draft.things[-1].extend(self._words[at:place])
                return draft, place + 1
        return None

    def _thing_first(self, at: int) -> tuple[Draft, int] | None:
        """Return the act of words that name the thing first: "X removed", "X be turned off", "X off"."""
        for place in range(at, min(len(self._words), at + 25)):
            text = self._text(place)
            if (
                text in SUBORDINATE
                and text not in ("that", "which", "who", "as")
                and not self._words[place].name
            ):
                break
            if place > at and self._text(place - 1) in _SUBJECTS and not self._words[place - 1].name:
                return None
            if text == "gone" and place > at:
                draft = Draft(VERBS["remov", ""], "remov", "past", self._words[place])
                draft.begin(listed(self._words[at:place]))
                return draft, place + 1
            if place == at or self._words[place].name or not self._may_be_verb(place):
                continue
            before = self._text(place - 1)
            is_last = place == len(self._words) - 1 and len(self._words) <= 7
            if not (is_past(text) or before in ("to", ",") or is_last):
                continue
            if before in _DONE or (before in ("already", "just") and self._text(place - 2) in _DONE):
                return None
            after = self._text(place + 1)
            ends = (
                not after
                or self._words[place + 1].is_mark
                or after in LITTLE | PREPOSITIONS
                or self._words[place + 1].name
            )
            if before not in _BE and before != "to" and not ends:
                continue
            if (verb := self.verb_at(place)) is not None:
                draft = Draft(
                    verb, self._words[place].stem, "past" if is_past(text) else "plain", self._words[place]
                )
                first = [word for word in self._words[at:place] if word.text not in _BE | {"to"} or word.name]
                draft.begin(listed(first))
                if draft.root in VALUED and verb.turn is None:
                    draft.bucket = [draft.value]
                return draft, place + 1
        return self._value_last(at)

    def _value_last(self, at: int) -> tuple[Draft, int] | None:
        rest = [word for word in self._words[at:] if not word.is_mark]
        while rest and rest[-1].text in ("please", "now", "then", "be", "instead"):
            rest.pop()
        texts = [word.text for word in rest if not word.name]
        if len(rest) < 2 or _STATES & set(texts) or any(text in SUBORDINATE for text in texts):
            return None
        turn = {"on": True, "off": False}.get(rest[-1].text) if not rest[-1].name else None
        if turn is None and not self._bare:
            return None
        draft = Draft(Verb(frozenset(("change", "edit")), turn=turn), "", "plain", rest[-1])
        draft.bare = turn is None
        if turn is None and "to" in texts:
            to = next(at for at, word in enumerate(rest) if word.text == "to" and not word.name)
            draft.value, rest = rest[to + 1 :], rest[:to]
        draft.things[:] = listed(rest if turn is None else rest[:-1])
        return draft, len(self._words)

    def _text(self, at: int) -> str:
        return self._words[at].text if 0 <= at < len(self._words) else ""
